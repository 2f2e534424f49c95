// Package multilingual reads what the plugins Polylang and WPML say of a site's languages: which there are, how addresses
// show them, and which objects are translations of each other. Each plugin is a file; the list of them is plugins.
package multilingual

import (
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Language is one language of a multilingual site.
type Language struct {
	Code   string // as addresses have it
	Locale string // of WordPress, de_DE_formal
	Tag    string // BCP 47, de-DE
	Active bool   // visitors may see it
	Home   string // address of its start, as its plugin links to it
	Front  int64  // page_on_front in this language; 0: not translated, or the latest posts
	Posts  int64  // page_for_posts in this language

	postTerm, termTerm int64 // Polylang: term_taxonomy_id in language and in term_language
}

// Languages is what a site's plugin says.
type Languages struct {
	Plugin
	Traits
	All     []Language
	Links   *permalink.Languages
	Main    int  // of All: the default language
	Content bool // Polylang's mode in which the links of posts and terms show no language; those of archives do
	Domains bool // each language has a host, and sitemaps, of its own
	Fronts  bool // a language starts at the address of its static front page, not at the bare code

	PostTypes, Taxonomies map[string]bool // translated ones
}

// Index returns the place of a language in All, -1 for none.
func (l *Languages) Index(code string) int {
	return slices.IndexFunc(l.All, func(x Language) bool { return x.Code == code })
}

// Alternate is the same content in one language.
type Alternate struct{ Language, Link string }

// DefaultHreflang is the hreflang of the address for readers of any other language.
const DefaultHreflang = "x-default"

// Plugin is how one of the plugins keeps languages.
type Plugin interface {
	// Translations reads the languages and the translations of objects of one kind, posts (kind is "" or a post type) or the
	// terms of a taxonomy. A group names only objects that say themselves that
	// they belong to it, in the language it names them for, so that of two of its members each names the other.
	Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error)
	// EachPost calls fn for the posts of a type that have a language, by language's place in All, in batches of
	// ascending ids. Ids of other types may come along.
	EachPost(ctx context.Context, postType string, fn func(id int64, language int)) error
	// Hreflang returns the links that the plugin prints in the head of a page that has these alternates, at least two. In
	// the result Language is the attribute hreflang. It is nil if the plugin prints none.
	Hreflang(alternates []Alternate) []Alternate
}

// Traits are in what the plugins differ.
type Traits struct {
	AllTypes             bool // one EachPost serves every post type
	ByTaxonomyID         bool // terms are known by their term_taxonomy_id, not by their term_id
	ListsWithoutLanguage bool // posts of a translated type without a language are listed, as the default language's
	Filters              bool // links of what need not be translated show a language: attachments without a parent, post_format
}

// Translation is the language of an object and its group.
type Translation struct {
	Language string
	Members  map[string]int64 // code → object, the object itself included; nil without a group
}

// TaxonomyKind comes before the name of a taxonomy where a kind of object is asked for.
const TaxonomyKind = "tax_"

// Access is what the plugins read of the blog that they are active on.
type Access struct {
	Home      string // what links are made of, before a language changes them
	Structure string // permalink_structure
	Prefix    string // of the tables, for messages

	Query  func(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error
	Option func(name string) php.Value // an option that holds an array
	Active func(plugin string) bool    // by its file, as active_plugins names it
	Warn   func(text string)
	Wrap   func(what string, err error) error
}

// plugins are those that are known; the first that is active counts.
var plugins = []struct {
	files []string
	read  func(ctx context.Context, s *Access) (*Languages, error)
}{
	{Polylang, readPolylang},
	{WPML, readWPML},
}

// Read reads the settings of the active plugin; nil where there is none, or it is not set up.
func Read(ctx context.Context, s *Access) (*Languages, error) {
	for _, p := range plugins {
		if slices.ContainsFunc(p.files, s.Active) {
			return p.read(ctx, s)
		}
	}
	return nil, nil
}

func (s *Access) links() permalink.LanguageSettings {
	return permalink.LanguageSettings{Home: s.Home, Structure: s.Structure, Domains: map[string]string{}}
}

// settingNames returns a set of names with more from a list of options.
func settingNames(list []string, more ...string) map[string]bool {
	names := map[string]bool{}
	for _, n := range append(more, list...) {
		names[n] = true
	}
	return names
}

// keyset walks a statement of the form key, last id, limit, whose rows are an id and a text.
func (s *Access) keyset(ctx context.Context, query string, key any, fn func(id int64, text string)) error {
	for last := int64(0); ; {
		n := 0
		err := s.Query(ctx, query, []any{key, last, db.ScanBatch}, db.Rows2(func(id int64, text string) { n, last = n+1, id; fn(id, text) }))
		if err != nil || n < db.ScanBatch {
			return s.Wrap("reading the languages of posts", err)
		}
	}
}
