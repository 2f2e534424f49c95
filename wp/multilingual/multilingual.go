// Package multilingual reads what the plugins Polylang and WPML store about the languages of a site. It reads the
// languages, how addresses show them, and which objects are translations of each other. polylang.go and wpml.go read
// the rows of one plugin each. languages.go holds what they have read.
package multilingual

import (
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Alternate is a link to the translation of a page into one language.
type Alternate struct{ Language, Link string }

// defaultHreflang is the hreflang of the address for readers of all other languages.
const defaultHreflang = "x-default"

// Plugin reads the languages of objects from the tables of one plugin.
type Plugin interface {
	// Translations returns the languages and the translations of objects of one kind, by id. kind is TaxonomyKind and a
	// taxonomy for terms; any other text means posts of any type. An object without a language is missing in the result.
	//
	// The rows of a group may be stale. So a member counts only if its own row says that it has the language and belongs
	// to the group.
	Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error)
	// EachPost calls fn for the posts of a type that have a language. The ids ascend, for Polylang within one language.
	// language is an index in Languages.All. If Languages.AllTypes is set, EachPost calls fn for posts of other types, too.
	EachPost(ctx context.Context, postType string, fn func(id int64, language int)) error
	// Hreflang returns the links that the plugin prints in the head of a page with these alternates, of which
	// there are at least two. In the result, Language is the attribute hreflang. Hreflang returns nil if the
	// plugin prints no links.
	Hreflang(alternates []Alternate) []Alternate
}

// Translation is the language of an object and the group of its translations.
type Translation struct {
	Language string           // code
	Members  map[string]int64 // the objects of the group by language code, with the object itself; nil if it has no group
}

// TaxonomyKind precedes the name of a taxonomy in a kind of objects.
const TaxonomyKind = "tax_"

// Blog is what the package needs of wp.Blog: its queries, and what the operator is told about them.
type Blog interface {
	Query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error
	Notice(text string)                // tells the operator what could not be read
	Wrap(what string, err error) error // names the blog in an error; nil stays nil
}

// Site is a blog before its languages are read.
type Site struct {
	Blog          Blog
	Home          string // the home address in links before a language changes it
	Structure     string // permalink_structure
	Prefix        string // of the tables, for messages
	ActivePlugins map[string]bool
	Settings      php.Value // the option that OptionOf names
}

// active reports whether a plugin is active, by the names of its files.
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

// links returns link settings with the home address and the permalink structure alone. The readers of Polylang and WPML fill in
// the rest.
func (s *Site) links() permalink.LanguageSettings {
	return permalink.LanguageSettings{Home: s.Home, Structure: s.Structure, Domains: map[string]string{}}
}

// settingNames returns the names in list and in more as a set.
func settingNames(list []string, more ...string) map[string]bool {
	names := map[string]bool{}
	for _, n := range append(more, list...) {
		names[n] = true
	}
	return names
}

// keyset runs a query once for each batch of rows, and calls fn for each row. The arguments of the query are key, the last id of
// the batch before, and a limit. Its rows are an id and a text, in the order of ids.
func (s *Site) keyset(ctx context.Context, query string, key any, fn func(id int64, text string)) error {
	for last := int64(0); ; {
		n := 0
		err := s.Blog.Query(ctx, query, []any{key, last, db.ScanBatch}, db.Rows2(func(id int64, text string) {
			n, last = n+1, id
			fn(id, text)
		}))
		if err != nil || n < db.ScanBatch {
			return s.Blog.Wrap("reading the languages of posts", err)
		}
	}
}
