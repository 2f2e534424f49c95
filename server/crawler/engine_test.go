package crawler

import (
	"encoding/json"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

var (
	google, bing, yandex, apple = named("google"), named("bing"), named("yandex"), named("apple")
	duckDuckGo, yahoo, naver    = named("duckduckgo"), named("yahoo"), named("naver")
)

func named(name string) (e Engine) {
	_ = e.UnmarshalText([]byte(name))
	return e
}

func TestRecognize(t *testing.T) {
	for _, tt := range []struct {
		agent string
		want  Engine
	}{
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", google},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile " +
			"Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", google},
		{"Googlebot-Image/1.0", google},
		{"mozilla/5.0 (compatible; googlebot/2.1)", google},
		{"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", bing},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", yandex},
		{"Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)", yandex},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 YaBrowser/25.10 Safari/537.36", None},
		{"Mozilla/5.0 (Linux; arm_64; Android 14) YandexSearch/24.80 Mobile Safari/537.36", None},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 " +
			"(Applebot/0.1; +http://www.apple.com/go/applebot)", apple},
		{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", duckDuckGo},
		{"Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17 Safari/605.1.15 Ddg/17", None},
		{"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", yahoo},
		{"Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/spd)", naver},
		{"Mozilla/5.0 (Linux; Android 9; Yeti Phone)", None},
		{"Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot)", Other},
		{"SitemapCrawler/1.0", Other},
		{"some-Spider", Other},
		{"notgooglebot/1", Other},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0", None},
		{"Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36", None},
		{"curl/8.5.0", None},
		{"", None},
		{strings.Repeat("x", maxAgent) + " Googlebot", None},
	} {
		expect.Equal(t, Recognize(tt.agent), tt.want, tt.agent)
	}
}

// TestRulesAreWhole tries every word that engines are known by.
func TestRulesAreWhole(t *testing.T) {
	names := map[string]bool{}
	for i, r := range rules {
		e := Engine(i)
		if r.name == "" || r.title == "" || names[r.name] || e > Other && len(r.agents) == 0 {
			t.Errorf("%d: %+v", e, r)
		}
		names[r.name] = true
		for _, agent := range r.agents {
			expect.Equal(t, Recognize("Mozilla/5.0 (compatible; "+agent+"1.0)"), e, agent)
		}
		for _, d := range r.domains {
			if !e.owns("crawl-1"+d) || e.owns(d[1:]) || e.owns("evil-"+d[1:]) || e.owns("x"+d+".example.com") {
				t.Errorf("%v does not keep to %s", e, d)
			}
		}
		text, err := json.Marshal(e)
		var back Engine
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		expect.Equal(t, err, nil)
		expect.Equal(t, back, e)
	}
	if google.owns("1.2.3.4.bc.googleusercontent.com") {
		t.Error("a name that anybody may rent from Google counts as Google's")
	}
	var unknown Engine
	if err := unknown.UnmarshalText([]byte("altavista")); err != nil || unknown != Other {
		t.Errorf("an unknown engine is %v, %v", unknown, err)
	}
}
