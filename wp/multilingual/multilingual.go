// Package multilingual reads what the plugins Polylang and WPML store about the languages of a site. It reads the
// languages, how addresses show them, and which objects are translations of each other. Each plugin has a file of
// its own; the variable plugins lists them.
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
	Code   string // the code in addresses
	Locale string // WordPress' locale, such as de_DE_formal
	Tag    string // the BCP 47 tag, such as de-DE
	Active bool   // visitors may see it
	Home   string // address of its start page, as the plugin links to it
	Front  int64  // page_on_front in this language; 0: not translated, or the front page shows the latest posts
	Posts  int64  // page_for_posts in this language

	postTerm, termTerm int64 // Polylang: term_taxonomy_id in language and in term_language
}

// Languages are the languages of a site and the settings of its multilingual plugin.
type Languages struct {
	Plugin
	Traits
	All     []Language
	Links   *permalink.Languages
	Main    int  // the index in All of the default language
	Content bool // Polylang's mode in which links of archives show a language, but links of posts and terms do not
	Domains bool // each language has its own host and its own sitemaps
	Fronts  bool // the start page of a language is its static front page, not the address with the code only

	PostTypes, Taxonomies map[string]bool // the translated post types and taxonomies, by name
}

// Index returns the index of a language in All, or -1 if there is none.
func (l *Languages) Index(code string) int {
	return slices.IndexFunc(l.All, func(x Language) bool { return x.Code == code })
}

// Alternate is the link of the same content in one language.
type Alternate struct{ Language, Link string }

// DefaultHreflang is the hreflang of the address for readers of all other languages.
const DefaultHreflang = "x-default"

// Plugin reads the languages of objects from the tables of one plugin.
type Plugin interface {
	// Translations reads the languages and the translations of objects of one kind. kind is "" or a post type for
	// posts, or TaxonomyKind and a taxonomy for terms. If a group names one of its members for a language, that
	// member has this language and names the group, too.
	Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error)
	// EachPost calls fn for the posts of a type that have a language, in batches of ascending ids. language is an
	// index in All. EachPost may also return ids of other types.
	EachPost(ctx context.Context, postType string, fn func(id int64, language int)) error
	// Hreflang returns the links that the plugin prints in the head of a page with these alternates, of which
	// there are at least two. In the result, Language is the attribute hreflang. Hreflang returns nil if the
	// plugin prints no links.
	Hreflang(alternates []Alternate) []Alternate
}

// Traits are the differences between the plugins.
type Traits struct {
	AllTypes             bool // one call of EachPost covers every post type
	ByTaxonomyID         bool // the plugin knows terms by term_taxonomy_id, not by term_id
	ListsWithoutLanguage bool // posts without a language are listed with the default language
	Filters              bool // links of attachments without a parent and of post_format show a language
}

// Translation is the language of an object and the group of its translations.
type Translation struct {
	Language string
	Members  map[string]int64 // object by code, with the object itself; nil if it has no group
}

// TaxonomyKind precedes the name of a taxonomy in a kind of objects.
const TaxonomyKind = "tax_"

// Access is how a plugin reads the blog that it is active on.
type Access struct {
	Home      string // the home address in links before a language changes it
	Structure string // permalink_structure
	Prefix    string // of the tables, for messages

	Query  func(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error
	Option func(name string) php.Value // the value of an option that holds an array
	Active func(plugin string) bool    // reports whether a plugin is active, by its file in active_plugins
	Warn   func(text string)
	Wrap   func(what string, err error) error
}

// plugins lists the known plugins. The first active one counts.
var plugins = []struct {
	files []string
	read  func(ctx context.Context, s *Access) (*Languages, error)
}{
	{Polylang, readPolylang},
	{WPML, readWPML},
}

// Read reads the settings of the active plugin. It returns nil if no plugin is active or if it is not set up.
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
func (s *Access) keyset(ctx context.Context, query string, key any, fn func(id int64, text string)) error {
	for last := int64(0); ; {
		n := 0
		err := s.Query(ctx, query, []any{key, last, db.ScanBatch}, db.Rows2(func(id int64, text string) { n, last = n+1, id; fn(id, text) }))
		if err != nil || n < db.ScanBatch {
			return s.Wrap("reading the languages of posts", err)
		}
	}
}
