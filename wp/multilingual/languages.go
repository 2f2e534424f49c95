package multilingual

import (
	"cmp"
	"slices"
	"strings"

	"wpsitemapd/wp/permalink"
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
	Main    int // the index in All of the default language
	Current int // the index in All of the language of the sitemaps: the language of their domain, or the default language

	PostTypes, Taxonomies map[string]bool // whether a post type or a taxonomy is translated, by name

	// How addresses show languages.
	Domains bool // each language has its own host and its own sitemaps
	Content bool // addresses of archives show a language, those of posts and terms do not: a mode of Polylang
	Fronts  bool // a static front page has the address of its page (/start/), not the home URL of its language (/en/)
	Filters bool // addresses of attachments without a parent and of post formats show a language, as in Polylang

	// How the plugin stores languages.
	AllTypes     bool // one call of EachPost finds the posts of every type
	ByTaxonomyID bool // the plugin knows terms by term_taxonomy_id, not by term_id

	home                 string // of the site, before a language changes it
	listsWithoutLanguage bool   // posts without a language are listed, as if they had the default language
}

// None reports whether the site has no languages.
func (l *Languages) None() bool { return len(l.All) == 0 }

// Asked returns the language in which the plugin answers requests for sitemaps: the language of their domain, or
// the default language. known is false without a multilingual plugin.
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

// HidesDefault reports whether the start page of the default language is at home itself. It returns true without
// languages.
func (l *Languages) HidesDefault() bool {
	return l.None() || strings.TrimRight(l.All[l.Main].Home, "/") == strings.TrimRight(l.home, "/")
}

// ListsWithoutLanguage reports whether sitemaps list posts of a translated type that have no language. With WPML, such
// posts have the default language. With Polylang, they are in the sitemaps of no language.
func (l *Languages) ListsWithoutLanguage() bool { return l.None() || l.listsWithoutLanguage }

// TranslatesAny reports whether at least one of the post types is translated.
func (l *Languages) TranslatesAny(postTypes []string) bool {
	return slices.ContainsFunc(postTypes, func(name string) bool { return l.PostTypes[name] })
}

// ByCode returns the language with a code. It returns false if no language has the code.
func (l *Languages) ByCode(code string) (Language, bool) {
	if i := l.Index(code); i >= 0 {
		return l.All[i], true
	}
	return Language{}, false
}

// ObjectID returns the id under which the plugin knows a term: one of the term's two ids, see ByTaxonomyID.
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
	case taxonomy == "post_format" && l.Filters: // post formats are not translated, but their links get a language
		return l.Links.Switch(link, l.All[l.Current].Code)
	case l.Content:
	case l.Taxonomies[taxonomy]:
		return l.Links.Switch(link, language)
	}
	return link
}

// Archive returns the link of an archive in a language. If language is "", Archive uses the language that Asked returns.
func (l *Languages) Archive(link, language string) string {
	if l.None() {
		return link
	}
	return l.Links.Switch(link, cmp.Or(language, l.All[l.Current].Code))
}

// Alternates returns the links of an object, self, and of its translations, in the order of the languages. members are
// the ids of self and of its translations, by language code. links are links of objects, by id. Alternates skips a member
// without a link. It returns nil if self has no link, or if no other member has a link.
func (l *Languages) Alternates(members map[string]int64, self int64, links map[int64]string) []Alternate {
	var all []Alternate
	named := false // all contains self
	for _, lang := range l.All {
		member := members[lang.Code]
		if link, ok := links[member]; ok {
			named = named || member == self
			all = append(all, Alternate{Language: lang.Code, Link: link})
		}
	}
	if !named || len(all) < 2 {
		return nil
	}
	return all
}

// Index returns the index of a language in All, or -1 if there is none.
func (l *Languages) Index(code string) int {
	return slices.IndexFunc(l.All, func(x Language) bool { return x.Code == code })
}
