package permalink

import (
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/weburl"
)

// LanguageForm is the way in which an address shows its language.
type LanguageForm uint8

// These are the ways in which an address names its language.
const (
	LanguageDirectory LanguageForm = iota // home/fr/…, or home/language/fr/…
	LanguageSubdomain                     // fr.example.com
	LanguageDomain                        // every language has its own domain
	LanguageParameter                     // ?lang=fr
)

// LanguageSettings hold the settings of a multilingual plugin that change links.
type LanguageSettings struct {
	Form      LanguageForm
	Home      string            // the home address of the site as stored, without a slash at the end
	Structure string            // permalink_structure
	Prefix    string            // "" or "language/": precedes the code in form LanguageDirectory
	Codes     []string          // the codes of all languages
	Hidden    string            // the code that links do not show; "" if links show all
	Domains   map[string]string // code → address of its domain, with or without scheme
}

// Languages changes the language of links. It works on finished links, as the plugins do with WordPress' link
// filters. A Languages is immutable and safe for concurrent use.
type Languages struct {
	set   LanguageSettings
	index string            // "index.php/" or ""
	root  string            // the address before a language directory, without its scheme
	host  string            // the host of home
	www   string            // "://" or "://www.": the sub-domain of a language replaces it
	hosts map[string]string // code → host of the language's domain

	marked *regexp.Regexp // matches the mark of a language in a link; nil if no language has one
	home   *regexp.Regexp // matches the host of home in a link
}

// NewLanguages returns the Languages of a multilingual site. It accepts any settings.
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

// literalPattern returns a pattern that matches s itself. Bytes that are not valid UTF-8 become U+FFFD.
func literalPattern(s string) string { return regexp.QuoteMeta(strings.ToValidUTF8(s, "\uFFFD")) }

// Switch returns link in the given language, whichever language it shows now. An unknown or empty code removes the
// mark of a language.
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

// escapeDollar escapes "$", so that package regexp does not read s as a replacement template.
func escapeDollar(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// Home returns the address of a language's start page. Its path ends with a slash.
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

// slashedAddress returns the address of a domain with one slash at its end. A domain without a scheme gets the
// scheme of home, else http.
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

// queryArg sets an argument of the query of link. If value is empty, queryArg removes the argument. The other
// arguments are decoded and encoded again, as add_query_arg() does.
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

// argument returns one argument of a query. An empty value has no equals sign, as in build_query().
func argument(name, value string) string {
	if value == "" {
		return name
	}
	return name + "=" + value
}

// PageAddress returns the address of the page with this path. The static front page, too, gets the address that
// follows from its path, and not home.
func (b *Builder) PageAddress(id int64, path string) string {
	return b.post(&Post{ID: id, Type: &registry.PostType{Name: "page"}, Status: "publish", Path: path})
}
