// Package multilingual reads what the plugins Polylang and WPML store about the languages of a site. It reads the
// languages, how addresses show them, and which objects are translations of each other. Each plugin has a file of
// its own.
package multilingual

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Language is one language of a multilingual site.
type Language struct {
	Code   string // the code in addresses
	Locale string // WordPress' locale, such as de_DE_formal
	Tag    string // the BCP 47 tag, such as de-DE
	Active bool   // visitors may see it
	Home   string // address of its start page, as the plugin links to it
	Front  int64  // page_on_front in this language; 0: not translated, or the front page shows the latest posts
	Posts  int64  // page_for_posts in this language

	postTerm, termTerm int64 // Polylang: term_taxonomy_id in language and in term_language
}

// Languages are the languages of a site and the settings of its multilingual plugin. The zero value is a site
// without such a plugin.
type Languages struct {
	Plugin  Plugin
	All     []Language // in the order of the plugin
	Links   *permalink.Languages
	Main    int  // the index in All of the default language
	Current int  // the index in All of the language of the sitemaps, see Asked: the language of the domain, or else the default one
	Content bool // Polylang's mode in which links of archives show a language, but links of posts and terms do not
	Domains bool // each language has its own host and its own sitemaps
	Fronts  bool // the start page of a language is its static front page, not the address with the code only

	PostTypes, Taxonomies map[string]bool // the translated post types and taxonomies, by name

	AllTypes     bool // one call of EachPost covers every post type
	ByTaxonomyID bool // the plugin knows terms by term_taxonomy_id, not by term_id
	Filters      bool // links of attachments without a parent and of post_format show a language

	home                 string // of the site, before a language changes it
	listsWithoutLanguage bool   // posts without a language are listed with the default language
}

// None reports whether the site has no languages.
func (l *Languages) None() bool { return len(l.All) == 0 }

// Asked returns the language in which visitors request the sitemaps. known is false without a multilingual plugin.
// Polylang may take the language of a page from its content. A sitemap has no such content, so Asked then returns the
// default language.
func (l *Languages) Asked() (asked Language, known bool) {
	if l.None() {
		return Language{}, false
	}
	return l.All[l.Current], true
}

// Default returns the code of the default language, or "" without a multilingual plugin.
func (l *Languages) Default() string {
	if l.None() {
		return ""
	}
	return l.All[l.Main].Code
}

// OfDomain returns the code of the language to which the site's domain belongs. It returns "" if the languages have
// no domains of their own.
func (l *Languages) OfDomain() string {
	if !l.Domains {
		return ""
	}
	return l.All[l.Current].Code
}

// HidesDefault reports whether the start page of the default language is at home itself. It is also true without
// languages.
func (l *Languages) HidesDefault() bool {
	return l.None() || strings.TrimRight(l.All[l.Main].Home, "/") == strings.TrimRight(l.home, "/")
}

// ListsWithoutLanguage reports whether posts of a translated type without a language are listed. WPML lists them in
// the default language, Polylang leaves them out.
func (l *Languages) ListsWithoutLanguage() bool { return l.None() || l.listsWithoutLanguage }

// TranslatesAny reports whether at least one of the post types is translated, so that each of its posts has a
// language.
func (l *Languages) TranslatesAny(postTypes []string) bool {
	return slices.ContainsFunc(postTypes, func(name string) bool { return l.PostTypes[name] })
}

// ByCode returns the language with a code. It returns false if there is none.
func (l *Languages) ByCode(code string) (Language, bool) {
	if i := l.Index(code); i >= 0 {
		return l.All[i], true
	}
	return Language{}, false
}

// ObjectID returns the id under which the plugin knows a term.
func (l *Languages) ObjectID(termID, taxonomyID int64) int64 {
	if l.ByTaxonomyID {
		return taxonomyID
	}
	return termID
}

// Term returns the link of a term as the multilingual plugin changes it. language is the language of the term.
func (l *Languages) Term(taxonomy, link, language string) string {
	switch {
	case l.None():
	case taxonomy == "post_format" && l.Filters: // not translated, and yet filtered by language
		return l.Links.Switch(link, l.All[l.Current].Code)
	case l.Content:
	case l.Taxonomies[taxonomy]:
		return l.Links.Switch(link, language)
	}
	return link
}

// Archive returns the link of an archive in a language. If language is "", it is the language that Asked returns.
func (l *Languages) Archive(link, language string) string {
	if l.None() {
		return link
	}
	return l.Links.Switch(link, cmp.Or(language, l.All[l.Current].Code))
}

// Alternates returns the translations of the object self that have a link, in the order of the languages. members
// maps language codes to objects, and links maps objects to their links. Alternates returns nil if self has no link
// or if no other member has one.
func (l *Languages) Alternates(members map[string]int64, self int64, links map[int64]string) []Alternate {
	var list []Alternate
	found := false
	for _, lang := range l.All {
		if link, ok := links[members[lang.Code]]; ok {
			found = found || members[lang.Code] == self
			list = append(list, Alternate{Language: lang.Code, Link: link})
		}
	}
	if !found || len(list) < 2 {
		return nil
	}
	return list
}

// Index returns the index of a language in All, or -1 if there is none.
func (l *Languages) Index(code string) int {
	return slices.IndexFunc(l.All, func(x Language) bool { return x.Code == code })
}

// Alternate is a link to the translation of a page into one language.
type Alternate struct{ Language, Link string }

// DefaultHreflang is the hreflang of the address for readers of all other languages.
const DefaultHreflang = "x-default"

// Plugin reads the languages of objects from the tables of one plugin.
type Plugin interface {
	// Translations reads the languages and the translations of objects of one kind. kind is "" or a post type for
	// posts, or TaxonomyKind and a taxonomy for terms. Translation.Members names an object for a language only if the
	// object itself belongs to the group and has that language.
	Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error)
	// EachPost calls fn for the posts of a type that have a language, in batches of ascending ids. language is an
	// index in All. EachPost may also return ids of other types.
	EachPost(ctx context.Context, postType string, fn func(id int64, language int)) error
	// Hreflang returns the links that the plugin prints in the head of a page with these alternates, of which
	// there are at least two. In the result, Language is the attribute hreflang. Hreflang returns nil if the
	// plugin prints no links.
	Hreflang(alternates []Alternate) []Alternate
}

// Translation is the language of an object and the group of its translations.
type Translation struct {
	Language string
	Members  map[string]int64 // the objects of the group by language code, with the object itself; nil if it has no group
}

// TaxonomyKind precedes the name of a taxonomy in a kind of objects.
const TaxonomyKind = "tax_"

// Blog is what this package needs of the blog that a plugin is active on.
type Blog interface {
	Query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error
	Notice(text string)                // tells the operator what could not be read
	Wrap(what string, err error) error // names the blog in an error; nil stays nil
}

// Site holds what Read needs to know about a blog.
type Site struct {
	Blog          Blog
	Home          string // the home address in links before a language changes it
	Structure     string // permalink_structure
	Prefix        string // of the tables, for messages
	ActivePlugins map[string]bool
	Settings      php.Value // the option that OptionOf names
}

func active(files []string, plugins map[string]bool) bool {
	return slices.ContainsFunc(files, func(file string) bool { return plugins[file] })
}

// OptionOf returns the name of the option with the settings of the active plugin, or "" if none is active. If both
// are active, Polylang counts.
func OptionOf(activePlugins map[string]bool) string {
	switch {
	case active(Polylang, activePlugins):
		return "polylang"
	case active(WPML, activePlugins):
		return "icl_sitepress_settings"
	}
	return ""
}

// Read reads the languages by the active plugin. It returns nil if no plugin is active or if it is not set up.
func Read(ctx context.Context, s *Site) (*Languages, error) {
	switch {
	case active(Polylang, s.ActivePlugins):
		return readPolylang(ctx, s)
	case active(WPML, s.ActivePlugins):
		return readWPML(ctx, s)
	}
	return nil, nil
}

func (s *Site) links() permalink.LanguageSettings {
	return permalink.LanguageSettings{Home: s.Home, Structure: s.Structure, Domains: map[string]string{}}
}

// settingNames returns the set of the names in list and in more.
func settingNames(list []string, more ...string) map[string]bool {
	names := map[string]bool{}
	for _, n := range append(more, list...) {
		names[n] = true
	}
	return names
}

// keyset calls fn for each row of a query, batch by batch. The arguments of the query are a key, the last id and a
// limit; its rows are an id and a text.
func (s *Site) keyset(ctx context.Context, query string, key any, fn func(id int64, text string)) error {
	for last := int64(0); ; {
		n := 0
		err := s.Blog.Query(ctx, query, []any{key, last, db.ScanBatch}, db.Rows2(func(id int64, text string) { n, last = n+1, id; fn(id, text) }))
		if err != nil || n < db.ScanBatch {
			return s.Blog.Wrap("reading the languages of posts", err)
		}
	}
}
