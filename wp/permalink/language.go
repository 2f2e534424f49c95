package permalink

import (
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/weburl"
)

// LanguageForm is how addresses show their language.
type LanguageForm uint8

// The forms, named as in the multilingual plugins' own settings.
const (
	LanguageDirectory LanguageForm = iota // home/fr/…, or home/language/fr/…
	LanguageSubdomain                     // fr.example.com
	LanguageDomain                        // a domain of its own
	LanguageParameter                     // ?lang=fr
)

// LanguageSettings are what a multilingual plugin's changes to links depend on.
type LanguageSettings struct {
	Form      LanguageForm
	Home      string            // of the site, as stored, without trailing slash
	Structure string            // permalink_structure
	Prefix    string            // "" or "language/": comes before the code in a directory
	Codes     []string          // all languages
	Hidden    string            // the language whose code is not shown; "" none
	Domains   map[string]string // code → address of its domain, with or without scheme
}

// Languages changes the language that links are in. It works on finished links, as the
// plugins do by WordPress' link filters, so that what a link is made of does not matter. It is
// immutable and safe for concurrent use.
type Languages struct {
	set   LanguageSettings
	index string // "index.php/" or ""
	root  string // what comes before a code in a directory, without its scheme
	host  string // of home
	www   string // "://" or "://www.": what the code of a sub-domain replaces
	hosts map[string]string

	marked *regexp.Regexp // a language's mark in a link; nil without languages
	home   *regexp.Regexp // home's host in a link
}

// NewLanguages returns the links of a multilingual site. Any settings are accepted.
func NewLanguages(s LanguageSettings) *Languages {
	l := &Languages{set: s, host: weburl.HostOf(s.Home), www: "://", hosts: map[string]string{}}
	if startsWithIndex(s.Structure) {
		l.index = "index.php/"
	}
	if _, rest, ok := strings.Cut(s.Home, "://"); ok {
		l.root = "://" + rest + "/" + l.index
	} else {
		l.root = s.Home + "/" + l.index
	}
	if strings.Contains(s.Home, "://www.") {
		l.www = "://www."
	}
	var codes, hosts []string
	for _, code := range s.Codes {
		if code != s.Hidden && code != "" {
			codes = append(codes, literalPattern(code))
		}
		if host := weburl.HostOf(s.Domains[code]); host != "" {
			l.hosts[code] = host
			hosts = append(hosts, literalPattern(host))
		}
	}
	l.home = regexp.MustCompile(`://` + literalPattern(l.host) + `($|/.*)`)
	switch pattern := strings.Join(codes, "|"); {
	case s.Form == LanguageDomain && len(hosts) > 0:
		l.marked = regexp.MustCompile(`://(?:` + strings.Join(hosts, "|") + `)($|/.*)`)
	case len(codes) == 0:
	case s.Form == LanguageDirectory:
		l.marked = regexp.MustCompile(literalPattern(l.root+s.Prefix) + `(?:` + pattern + `)(?:([?#])|/|$)`)
	case s.Form == LanguageSubdomain:
		l.marked = regexp.MustCompile(`://(?:` + pattern + `)\.`)
	}
	return l
}

// literalPattern matches s itself, as far as it is text.
func literalPattern(s string) string { return regexp.QuoteMeta(strings.ToValidUTF8(s, "\uFFFD")) }

// Switch returns link in the given language, whatever language it was in. An unknown or
// empty code takes the mark of a language away.
func (l *Languages) Switch(link, code string) string {
	return l.add(l.remove(link), code)
}

func (l *Languages) remove(link string) string {
	switch {
	case l.set.Form == LanguageParameter:
		return queryArg(link, "lang", "")
	case l.marked == nil:
		return link
	case l.set.Form == LanguageDirectory:
		return l.marked.ReplaceAllString(link, escapeDollar(l.root)+"${1}")
	case l.set.Form == LanguageSubdomain:
		return l.marked.ReplaceAllString(link, l.www)
	}
	return l.marked.ReplaceAllString(link, "://"+escapeDollar(l.host)+"${1}")
}

func (l *Languages) add(link, code string) string {
	if !slices.Contains(l.set.Codes, code) {
		return link
	}
	switch l.set.Form {
	case LanguageDirectory:
		marked := l.root
		if code != l.set.Hidden {
			marked += l.set.Prefix + code + "/"
		}
		if strings.Contains(link, marked) {
			return link
		}
		return strings.Replace(link, l.root, marked, 1)
	case LanguageSubdomain:
		if code == l.set.Hidden || strings.Contains(link, "://"+code+".") {
			return link
		}
		return strings.ReplaceAll(link, l.www, "://"+code+".")
	case LanguageDomain:
		if host := l.hosts[code]; host != "" {
			return l.home.ReplaceAllString(link, "://"+escapeDollar(host)+"${1}")
		}
		return link
	}
	if code == l.set.Hidden {
		return link
	}
	return queryArg(link, "lang", code)
}

// escapeDollar keeps a text from being read as a template of package regexp.
func escapeDollar(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// Home returns the address of a language's start, with a slash at the end of its path.
func (l *Languages) Home(code string) string {
	home := l.set.Home + "/"
	switch {
	case l.set.Form == LanguageDomain && l.set.Domains[code] != "":
		return slashedAddress(l.set.Domains[code], l.set.Home)
	case l.set.Form == LanguageDomain, code == l.set.Hidden:
		return home
	case l.set.Form == LanguageDirectory:
		return home + l.index + l.set.Prefix + code + "/"
	}
	return l.add(home, code)
}

// slashedAddress gives a domain that is stored without scheme that of home.
func slashedAddress(domain, home string) string {
	if !strings.Contains(domain, "://") {
		scheme, _, ok := strings.Cut(home, "://")
		if !ok {
			scheme = "http"
		}
		domain = scheme + "://" + domain
	}
	return strings.TrimRight(domain, "/") + "/"
}

// queryArg sets an argument, or removes it when value is empty. The values already there come
// out encoded, as add_query_arg() parses and rebuilds them.
func queryArg(link, name, value string) string {
	path, query, _ := strings.Cut(link, "?")
	var args []string
	set := value == ""
	for pair := range strings.SplitSeq(query, "&") {
		switch key, old, _ := strings.Cut(pair, "="); {
		case key == "":
		case key != name:
			args = append(args, argument(key, php.URLEncode(php.URLDecode(old))))
		case !set:
			set = true
			args = append(args, argument(key, value))
		}
	}
	if !set {
		args = append(args, argument(name, value))
	}
	if len(args) == 0 {
		return path
	}
	return path + "?" + strings.Join(args, "&")
}

// argument is one of a query; build_query() drops the equals sign of an empty value.
func argument(name, value string) string {
	if value == "" {
		return name
	}
	return name + "=" + value
}

// PageAddress is the address of a page by its path, also of the one that is the static front page.
func (b *Builder) PageAddress(id int64, path string) string {
	return b.post(&Post{ID: id, Type: &registry.PostType{Name: "page"}, Status: "publish", Path: path})
}
