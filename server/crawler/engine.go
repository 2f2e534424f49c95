// Package crawler keeps a log of who fetched which sitemap, when, and with what answer.
//
// A crawler is recognised by its User-Agent, which anybody can send. It is verified by the DNS: the name of its address must
// belong to its engine, and must lead back to that address. A request waits for the recognition only. Everything else happens in
// the background, in Log.Keep. What is kept is bounded. Visitors that are not crawlers are only counted.
package crawler

import (
	"slices"
	"strings"
)

// Engine is who a crawler works for: an index into rules.
type Engine uint8

// None stands for visitors that do not say that they are robots. Other stands for robots of unknown engines.
const (
	None Engine = iota
	Other
)

// rule says how to recognise and verify the crawlers of an engine.
type rule struct {
	name    string   // in logs and metrics
	title   string   // for people
	agents  []string // beginnings of words in the User-Agent, in lower case
	domains []string // ends of the DNS names of its addresses; nil: its crawlers cannot be verified
}

// rules holds what the engines themselves publish about their crawlers, at the address above each rule. Engines without domains
// publish lists of addresses, which change, or nothing. Their crawlers are recognised but not verified.
var rules = []rule{
	None:  {name: "none", title: "visitors"},
	Other: {name: "other", title: "other robots"},
	// developers.google.com/crawling/docs/crawlers-fetchers. Google also names googleusercontent.com, for fetches by its users.
	// Anybody may rent a name there, so it proves nothing.
	{"google", "Google", []string{
		"googlebot", "google-inspectiontool", "googleother", "storebot-google",
		"adsbot-google", "mediapartners-google", "apis-google", "google-cloudvertexbot",
		"feedfetcher-google", "google-site-verification", "google-safety", "googleproducer",
		"google-read-aloud", "google-agent", "google-notebooklm", "google-pinpoint", "googlemessages",
	}, []string{".googlebot.com", ".google.com"}},
	// blogs.bing.com/webmaster/August-2012/How-to-Verify-that-Bingbot-is-Bingbot
	{
		"bing", "Bing", []string{"bingbot", "adidxbot", "msnbot", "bingpreview", "microsoftpreview", "bingvideopreview"},
		[]string{".search.msn.com"},
	},
	// yandex.com/support/webmaster/robot-workings/check-yandex-robots.html. All Yandex robots name the page for robots in their
	// User-Agent. Its browsers and apps do not.
	{"yandex", "Yandex", []string{"yandexbot", "yandex.com/bots"}, []string{".yandex.ru", ".yandex.net", ".yandex.com"}},
	// support.apple.com/119829
	{"apple", "Apple", []string{"applebot"}, []string{".applebot.apple.com"}},
	// duckduckgo.com/duckduckgo-help-pages/results/duckduckbot: a list of addresses
	{"duckduckgo", "DuckDuckGo", []string{"duckduckbot", "duckassistbot", "duckduckgo-favicons-bot"}, nil},
	// napoveda.seznam.cz/en/seznambot-crawler
	{"seznam", "Seznam", []string{"seznambot", "seznamreadlaterbot", "seznamhomepagecrawler"}, []string{".seznam.cz"}},
	// help.baidu.com/question?prod_id=99&class=476&id=3001
	{"baidu", "Baidu", []string{"baiduspider"}, []string{".baidu.com", ".baidu.jp"}},
	// ysearchblog.com/2007/06/05/yahoo-search-crawler-slurp-has-a-new-address-and-signature-card
	{"yahoo", "Yahoo", []string{"slurp"}, []string{".crawl.yahoo.net"}},
	// searchadvisor.naver.com/guide/seo-basic-firewall
	{"naver", "Naver", []string{"yeti/"}, []string{".naver.com"}},
	// webmaster.petalsearch.com/site/petalbot, formerly aspiegel.com/petalbot
	{"petal", "Petal Search", []string{"petalbot", "aspiegelbot"}, []string{".petalsearch.com", ".aspiegel.com"}},
	// help.qwant.com/bot
	{"qwant", "Qwant", []string{"qwantbot", "qwantify"}, []string{".qwant.com"}},
	// www.mojeek.com/bot.html
	{"mojeek", "Mojeek", []string{"mojeekbot"}, []string{".mojeek.com"}},
	// developer.amazon.com/amazonbot
	{"amazon", "Amazon", []string{"amazonbot", "amzn-searchbot", "amzn-user"}, []string{".crawl.amazonbot.amazon"}},
	// platform.openai.com/docs/bots: lists of addresses
	{"openai", "OpenAI", []string{"gptbot", "oai-searchbot", "oai-adsbot", "chatgpt-user"}, nil},
	// support.claude.com, article 8896518: no rule
	{"anthropic", "Anthropic", []string{"claudebot", "claude-searchbot", "claude-user", "anthropic-ai"}, nil},
	// docs.perplexity.ai/guides/bots: lists of addresses
	{"perplexity", "Perplexity", []string{"perplexitybot", "perplexity-user"}, nil},
	// developers.facebook.com/docs/sharing/webmasters/web-crawlers: addresses of a network
	{"meta", "Meta", []string{"meta-externalagent", "meta-externalfetcher", "meta-webindexer", "facebookexternalhit", "facebookbot"}, nil},
	// commoncrawl.org/ccbot
	{"commoncrawl", "Common Crawl", []string{"ccbot"}, []string{".crawl.commoncrawl.org"}},
	{"bytedance", "ByteDance", []string{"bytespider", "tiktokspider"}, nil}, // publishes nothing
	// help.ahrefs.com, "About AhrefsBot"
	{"ahrefs", "Ahrefs", []string{"ahrefsbot", "ahrefssiteaudit"}, []string{".ahrefs.com", ".ahrefs.net"}},
	// www.semrush.com/bot: no rule
	{"semrush", "Semrush", []string{"semrushbot", "siteauditbot"}, nil},
}

// String is the name of the engine in logs and metrics, in lower-case letters.
func (e Engine) String() string { return rules[e].name }

// Title is the name of the engine for people.
func (e Engine) Title() string { return rules[e].title }

// Unverified returns the title of the engine, marked as unverified. It is for a crawler that claims to belong to the engine
// without proof.
func (e Engine) Unverified() string { return "unverified " + e.Title() }

// Verifiable reports whether the engine publishes a rule by which its crawlers can be verified.
func (e Engine) Verifiable() bool { return len(rules[e].domains) > 0 }

// MarshalText writes an engine as its String. UnmarshalText reads it; an unknown name is Other.
func (e Engine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

func (e *Engine) UnmarshalText(text []byte) error {
	*e = Other
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.name == string(text) }); i >= 0 {
		*e = Engine(i)
	}
	return nil
}

// owns reports whether the name of an address belongs to a crawler of the engine. The name is in lower case and has no dot at
// its end.
func (e Engine) owns(name string) bool {
	return slices.ContainsFunc(rules[e].domains, func(d string) bool { return strings.HasSuffix(name, d) && len(name) > len(d) })
}

// maxAgent is how many bytes of a User-Agent are read.
const maxAgent = 512

// Recognize returns the engine that a User-Agent claims to belong to.
func Recognize(agent string) Engine {
	text := strings.ToLower(agent[:min(len(agent), maxAgent)])
	for e, r := range rules {
		if slices.ContainsFunc(r.agents, func(word string) bool { return hasWord(text, word) }) {
			return Engine(e)
		}
	}
	text = strings.ReplaceAll(text, "cubot", "") // Cubot makes telephones
	if strings.Contains(text, "bot") || strings.Contains(text, "crawl") || strings.Contains(text, "spider") {
		return Other
	}
	return None
}

// hasWord reports whether a word of text begins with begin.
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
