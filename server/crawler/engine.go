// Package crawler keeps a log of who fetched which sitemap, when, and with what answer.
//
// A crawler is recognised by its User-Agent, which anybody can send, and verified by the DNS: the name of its address
// must be of its engine, and lead back to that address. A request waits for the recognition only; everything else
// happens in the background, in Log.Run. What is kept is bounded. Visitors that are no crawlers are only counted.
package crawler

import (
	"slices"
	"strings"
)

// Engine is who a crawler works for.
type Engine uint8

// These are the engines. None is everybody who does not say that he is a robot; Other says so, and nothing else is
// known of it.
const (
	None Engine = iota
	Other
	Google
	Bing
	Yandex
	Apple
	DuckDuckGo
	Seznam
	Baidu
	Yahoo
	Naver
	Petal
	Qwant
	Mojeek
	Amazon
	OpenAI
	Anthropic
	Perplexity
	Meta
	CommonCrawl
	ByteDance
	Ahrefs
	Semrush
	engines // how many there are
)

// rule is how the crawlers of an engine are known.
type rule struct {
	name    string   // for logs and metrics
	title   string   // for people
	agents  []string // words of the User-Agent begin so, in lower case
	domains []string // the names of its addresses end so; none: the engine publishes no such rule
}

// rules holds what the engines say about their crawlers themselves, at the address beside.
// Those without domains publish lists of addresses, which change: their crawlers are
// recognised and cannot be verified.
var rules = [engines]rule{
	None:  {name: "none", title: "visitors"},
	Other: {name: "other", title: "other robots"},
	// developers.google.com/crawling/docs/crawlers-fetchers. Google names googleusercontent.com
	// too, for fetches by its users: there anybody may rent a name, so it proves nothing.
	Google: {"google", "Google", []string{
		"googlebot", "google-inspectiontool", "googleother", "storebot-google",
		"adsbot-google", "mediapartners-google", "apis-google", "google-cloudvertexbot",
		"feedfetcher-google", "google-site-verification", "google-safety", "googleproducer",
		"google-read-aloud", "google-agent", "google-notebooklm", "google-pinpoint", "googlemessages",
	}, []string{".googlebot.com", ".google.com"}},
	// blogs.bing.com/webmaster/August-2012/How-to-Verify-that-Bingbot-is-Bingbot
	Bing: {
		"bing", "Bing", []string{"bingbot", "adidxbot", "msnbot", "bingpreview", "microsoftpreview", "bingvideopreview"},
		[]string{".search.msn.com"},
	},
	// yandex.com/support/webmaster/robot-workings/check-yandex-robots.html: all its robots name
	// that page for robots, and its browsers and apps do not.
	Yandex: {"yandex", "Yandex", []string{"yandexbot", "yandex.com/bots"}, []string{".yandex.ru", ".yandex.net", ".yandex.com"}},
	// support.apple.com/119829
	Apple: {"apple", "Apple", []string{"applebot"}, []string{".applebot.apple.com"}},
	// duckduckgo.com/duckduckgo-help-pages/results/duckduckbot: a list of addresses
	DuckDuckGo: {"duckduckgo", "DuckDuckGo", []string{"duckduckbot", "duckassistbot", "duckduckgo-favicons-bot"}, nil},
	// napoveda.seznam.cz/en/seznambot-crawler
	Seznam: {"seznam", "Seznam", []string{"seznambot", "seznamreadlaterbot", "seznamhomepagecrawler"}, []string{".seznam.cz"}},
	// help.baidu.com/question?prod_id=99&class=476&id=3001
	Baidu: {"baidu", "Baidu", []string{"baiduspider"}, []string{".baidu.com", ".baidu.jp"}},
	// ysearchblog.com/2007/06/05/yahoo-search-crawler-slurp-has-a-new-address-and-signature-card
	Yahoo: {"yahoo", "Yahoo", []string{"slurp"}, []string{".crawl.yahoo.net"}},
	// searchadvisor.naver.com/guide/seo-basic-firewall
	Naver: {"naver", "Naver", []string{"yeti/"}, []string{".naver.com"}},
	// webmaster.petalsearch.com/site/petalbot, formerly aspiegel.com/petalbot
	Petal: {"petal", "Petal Search", []string{"petalbot", "aspiegelbot"}, []string{".petalsearch.com", ".aspiegel.com"}},
	// help.qwant.com/bot
	Qwant: {"qwant", "Qwant", []string{"qwantbot", "qwantify"}, []string{".qwant.com"}},
	// www.mojeek.com/bot.html
	Mojeek: {"mojeek", "Mojeek", []string{"mojeekbot"}, []string{".mojeek.com"}},
	// developer.amazon.com/amazonbot
	Amazon: {"amazon", "Amazon", []string{"amazonbot", "amzn-searchbot", "amzn-user"}, []string{".crawl.amazonbot.amazon"}},
	// platform.openai.com/docs/bots: lists of addresses
	OpenAI: {"openai", "OpenAI", []string{"gptbot", "oai-searchbot", "oai-adsbot", "chatgpt-user"}, nil},
	// support.claude.com, article 8896518: no rule
	Anthropic: {"anthropic", "Anthropic", []string{"claudebot", "claude-searchbot", "claude-user", "anthropic-ai"}, nil},
	// docs.perplexity.ai/guides/bots: lists of addresses
	Perplexity: {"perplexity", "Perplexity", []string{"perplexitybot", "perplexity-user"}, nil},
	// developers.facebook.com/docs/sharing/webmasters/web-crawlers: addresses of a network
	Meta: {"meta", "Meta", []string{"meta-externalagent", "meta-externalfetcher", "meta-webindexer", "facebookexternalhit", "facebookbot"}, nil},
	// commoncrawl.org/ccbot
	CommonCrawl: {"commoncrawl", "Common Crawl", []string{"ccbot"}, []string{".crawl.commoncrawl.org"}},
	ByteDance:   {"bytedance", "ByteDance", []string{"bytespider", "tiktokspider"}, nil}, // publishes nothing
	// help.ahrefs.com, "About AhrefsBot"
	Ahrefs: {"ahrefs", "Ahrefs", []string{"ahrefsbot", "ahrefssiteaudit"}, []string{".ahrefs.com", ".ahrefs.net"}},
	// www.semrush.com/bot: no rule
	Semrush: {"semrush", "Semrush", []string{"semrushbot", "siteauditbot"}, nil},
}

// String is the engine's name in logs and metrics: lower-case letters.
func (e Engine) String() string { return rules[e].name }

// Title is the engine's name for people.
func (e Engine) Title() string { return rules[e].title }

// Verifiable reports whether the engine publishes a rule by which its crawlers can be verified.
func (e Engine) Verifiable() bool { return len(rules[e].domains) > 0 }

// MarshalText and UnmarshalText write an engine as its String. One that is not known any
// more is Other.
func (e Engine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

func (e *Engine) UnmarshalText(text []byte) error {
	*e = Other
	if i := slices.IndexFunc(rules[:], func(r rule) bool { return r.name == string(text) }); i >= 0 {
		*e = Engine(i)
	}
	return nil
}

// owns reports whether the name of an address, in lower case and without a dot at its end, is
// one of the engine's crawlers.
func (e Engine) owns(name string) bool {
	return slices.ContainsFunc(rules[e].domains, func(d string) bool { return strings.HasSuffix(name, d) && len(name) > len(d) })
}

// maxAgent is how much of a User-Agent is read, in bytes.
const maxAgent = 512

// Recognize returns whose crawler this claims to be, by its User-Agent.
func Recognize(agent string) Engine {
	text := strings.ToLower(agent[:min(len(agent), maxAgent)])
	for e, r := range rules {
		if slices.ContainsFunc(r.agents, func(word string) bool { return hasWord(text, word) }) {
			return Engine(e)
		}
	}
	text = strings.ReplaceAll(text, "cubot", "") // makes telephones
	if strings.Contains(text, "bot") || strings.Contains(text, "crawl") || strings.Contains(text, "spider") {
		return Other
	}
	return None
}

// hasWord reports whether a word of a text begins so.
func hasWord(text, begin string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || !('a' <= text[at-1] && text[at-1] <= 'z' || '0' <= text[at-1] && text[at-1] <= '9') {
			return true
		}
	}
}
