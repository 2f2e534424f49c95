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
	agents  []string // words of the User-Agent begin so, in any case of letters
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
		"Googlebot", "Google-InspectionTool", "GoogleOther", "Storebot-Google",
		"AdsBot-Google", "Mediapartners-Google", "APIs-Google", "Google-CloudVertexBot",
		"FeedFetcher-Google", "Google-Site-Verification", "Google-Safety", "GoogleProducer",
		"Google-Read-Aloud", "Google-Agent", "Google-NotebookLM", "Google-Pinpoint", "GoogleMessages",
	}, []string{".googlebot.com", ".google.com"}},
	// blogs.bing.com/webmaster/August-2012/How-to-Verify-that-Bingbot-is-Bingbot
	Bing: {
		"bing", "Bing", []string{"bingbot", "adidxbot", "msnbot", "BingPreview", "MicrosoftPreview", "BingVideoPreview"},
		[]string{".search.msn.com"},
	},
	// yandex.com/support/webmaster/robot-workings/check-yandex-robots.html: all its robots name
	// that page for robots, and its browsers and apps do not.
	Yandex: {"yandex", "Yandex", []string{"YandexBot", "yandex.com/bots"}, []string{".yandex.ru", ".yandex.net", ".yandex.com"}},
	// support.apple.com/119829
	Apple: {"apple", "Apple", []string{"Applebot"}, []string{".applebot.apple.com"}},
	// duckduckgo.com/duckduckgo-help-pages/results/duckduckbot: a list of addresses
	DuckDuckGo: {"duckduckgo", "DuckDuckGo", []string{"DuckDuckBot", "DuckAssistBot", "DuckDuckGo-Favicons-Bot"}, nil},
	// napoveda.seznam.cz/en/seznambot-crawler
	Seznam: {"seznam", "Seznam", []string{"SeznamBot", "SeznamReadLaterBot", "SeznamHomepageCrawler"}, []string{".seznam.cz"}},
	// help.baidu.com/question?prod_id=99&class=476&id=3001
	Baidu: {"baidu", "Baidu", []string{"Baiduspider"}, []string{".baidu.com", ".baidu.jp"}},
	// ysearchblog.com/2007/06/05/yahoo-search-crawler-slurp-has-a-new-address-and-signature-card
	Yahoo: {"yahoo", "Yahoo", []string{"Slurp"}, []string{".crawl.yahoo.net"}},
	// searchadvisor.naver.com/guide/seo-basic-firewall
	Naver: {"naver", "Naver", []string{"Yeti/"}, []string{".naver.com"}},
	// webmaster.petalsearch.com/site/petalbot, formerly aspiegel.com/petalbot
	Petal: {"petal", "Petal Search", []string{"PetalBot", "AspiegelBot"}, []string{".petalsearch.com", ".aspiegel.com"}},
	// help.qwant.com/bot
	Qwant: {"qwant", "Qwant", []string{"Qwantbot", "Qwantify"}, []string{".qwant.com"}},
	// www.mojeek.com/bot.html
	Mojeek: {"mojeek", "Mojeek", []string{"MojeekBot"}, []string{".mojeek.com"}},
	// developer.amazon.com/amazonbot
	Amazon: {"amazon", "Amazon", []string{"Amazonbot", "Amzn-SearchBot", "Amzn-User"}, []string{".crawl.amazonbot.amazon"}},
	// platform.openai.com/docs/bots: lists of addresses
	OpenAI: {"openai", "OpenAI", []string{"GPTBot", "OAI-SearchBot", "OAI-AdsBot", "ChatGPT-User"}, nil},
	// support.claude.com, article 8896518: no rule
	Anthropic: {"anthropic", "Anthropic", []string{"ClaudeBot", "Claude-SearchBot", "Claude-User", "anthropic-ai"}, nil},
	// docs.perplexity.ai/guides/bots: lists of addresses
	Perplexity: {"perplexity", "Perplexity", []string{"PerplexityBot", "Perplexity-User"}, nil},
	// developers.facebook.com/docs/sharing/webmasters/web-crawlers: addresses of a network
	Meta: {"meta", "Meta", []string{"meta-externalagent", "meta-externalfetcher", "meta-webindexer", "facebookexternalhit", "FacebookBot"}, nil},
	// commoncrawl.org/ccbot
	CommonCrawl: {"commoncrawl", "Common Crawl", []string{"CCBot"}, []string{".crawl.commoncrawl.org"}},
	ByteDance:   {"bytedance", "ByteDance", []string{"Bytespider", "TikTokSpider"}, nil}, // publishes nothing
	// help.ahrefs.com, "About AhrefsBot"
	Ahrefs: {"ahrefs", "Ahrefs", []string{"AhrefsBot", "AhrefsSiteAudit"}, []string{".ahrefs.com", ".ahrefs.net"}},
	// www.semrush.com/bot: no rule
	Semrush: {"semrush", "Semrush", []string{"SemrushBot", "SiteAuditBot"}, nil},
}

// String is the engine's name in logs and metrics: lower-case letters.
func (e Engine) String() string {
	if e < engines {
		return rules[e].name
	}
	return rules[Other].name
}

// Title is the engine's name for people.
func (e Engine) Title() string {
	if e < engines {
		return rules[e].title
	}
	return rules[Other].title
}

// Verifiable reports whether the engine publishes a rule by which its crawlers can be verified.
func (e Engine) Verifiable() bool { return e < engines && len(rules[e].domains) > 0 }

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
	return e < engines && slices.ContainsFunc(rules[e].domains, func(d string) bool { return strings.HasSuffix(name, d) && len(name) > len(d) })
}

// anyOwns reports whether a name is of any engine's crawlers.
func anyOwns(name string) bool {
	for e := range engines {
		if e.owns(name) {
			return true
		}
	}
	return false
}

// word is the beginning of a word of a User-Agent, in lower case.
type word struct {
	text   string
	engine Engine
}

// words indexes the words of all engines by their first letter.
var words [256][]word

func init() {
	for e, r := range rules {
		for _, agent := range r.agents {
			text := strings.ToLower(agent)
			words[text[0]] = append(words[text[0]], word{text, Engine(e)})
		}
	}
}

// maxAgent is how much of a User-Agent is read, in bytes.
const maxAgent = 512

// Recognize returns whose crawler this claims to be, by its User-Agent. It does not allocate.
func Recognize(agent string) Engine {
	var room [maxAgent]byte
	text := room[:copy(room[:], agent)]
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] += 'a' - 'A'
		}
	}
	robot, inWord := false, false
	for i, c := range text {
		if !inWord {
			for _, w := range words[c] {
				if hasPrefix(text[i:], w.text) {
					return w.engine
				}
			}
		}
		switch c {
		case 'b':
			robot = robot || hasPrefix(text[i:], "bot") && string(text[max(0, i-2):i]) != "cu" // Cubot makes telephones
		case 'c':
			robot = robot || hasPrefix(text[i:], "crawl")
		case 's':
			robot = robot || hasPrefix(text[i:], "spider")
		}
		inWord = 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	if robot {
		return Other
	}
	return None
}

func hasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
}
