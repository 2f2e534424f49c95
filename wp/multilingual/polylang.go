package multilingual

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Polylang holds the files of Polylang, as active_plugins names them.
var Polylang = []string{"polylang/polylang.php", "polylang-pro/polylang.php"}

const (
	sqlPolylang = `SELECT t.slug, tt.term_taxonomy_id, tt.taxonomy, tt.description FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.taxonomy IN ('language', 'term_language') ORDER BY t.term_group, t.term_id`
	// The objects of a group share a term, whose description maps languages to objects. For an object without a
	// group the query returns only its language.
	sqlPolylangGroups = `SELECT a.object_id, a.term_taxonomy_id, b.object_id, bl.term_taxonomy_id,
CASE WHEN b.object_id IS NULL THEN '' ELSE tt.description END
FROM wp_term_relationships a JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = a.term_taxonomy_id AND tt.taxonomy IN (?)
LEFT JOIN wp_term_relationships b ON tt.taxonomy = ? AND b.term_taxonomy_id = a.term_taxonomy_id
LEFT JOIN wp_term_relationships bl ON bl.object_id = b.object_id AND bl.term_taxonomy_id IN (?)
WHERE a.object_id IN (?)`
	sqlPolylangPosts = `SELECT object_id, '' FROM wp_term_relationships WHERE term_taxonomy_id = ? AND object_id > ? ORDER BY object_id LIMIT ?`
)

// polylang is the Plugin of Polylang, which stores the language of an object as a term.
type polylang struct {
	site      *Site
	languages *Languages
	root      string // the x-default link of front pages, or ""
}

// readPolylang reads the plugin's option and the terms of the plugin's taxonomies, as Polylang 3.8 does.
func readPolylang(ctx context.Context, s *Site) (*Languages, error) {
	o := s.Settings
	l := &Languages{home: s.Home, AllTypes: true, Filters: true}
	plugin := &polylang{site: s, languages: l}
	l.Plugin = plugin
	terms := map[string]int64{}
	err := s.Blog.Query(ctx, sqlPolylang, nil, db.Rows4(func(slug string, taxonomyID int64, taxonomy, description string) {
		if taxonomy == "term_language" {
			terms[strings.TrimPrefix(slug, "pll_")] = taxonomyID
			return
		}
		lang := Language{Code: slug, Tag: slug, Active: true, postTerm: taxonomyID}
		if v, err := php.MaybeUnserialize(description); err == nil {
			lang.Locale = v.Get("locale").Str()
			if active, ok := v.Lookup("active"); ok {
				lang.Active = active.Truthy()
			}
		}
		if lang.Locale != "" {
			lang.Tag = languageTag(lang.Locale)
		}
		l.All = append(l.All, lang)
	}))
	if err != nil {
		return nil, s.Blog.Wrap("reading Polylang's languages", err)
	}
	if len(l.All) == 0 { // the plugin is not set up and does nothing
		return nil, nil
	}
	links := s.links()
	for i := range l.All {
		l.All[i].termTerm = terms[l.All[i].Code]
		links.Codes = append(links.Codes, l.All[i].Code)
	}
	l.Main = max(0, l.Index(o.Get("default_lang").Str()))
	if o.Get("hide_default").Truthy() {
		links.Hidden = l.All[l.Main].Code
	}
	if !o.Get("rewrite").Truthy() {
		links.Prefix = "language/"
	}
	for _, p := range o.Get("domains").Pairs() {
		links.Domains[p.Key.String()] = p.Value.Str()
	}
	mode := o.Get("force_lang").Int()
	l.Content = mode == 0
	if links.Hidden == "" && mode < 3 {
		plugin.root = strings.TrimRight(s.Home, "/") + "/"
	}
	pretty := links.Structure != ""
	switch {
	case !pretty:
		links.Form = permalink.LanguageParameter
	case mode == 2:
		links.Form, l.Domains = permalink.LanguageSubdomain, true
	case mode == 3:
		links.Form, l.Domains = permalink.LanguageDomain, true
	}
	l.Links = permalink.NewLanguages(links)
	l.PostTypes = settingNames(o.Get("post_types").Strings(), "post", "page", "wp_block")
	l.PostTypes["attachment"] = o.Get("media_support").Truthy()
	l.Taxonomies = settingNames(o.Get("taxonomies").Strings(), "category", "post_tag")
	l.Fronts = !o.Get("redirect_lang").Truthy() && !l.Domains
	return l, nil
}

func (p *polylang) Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error) {
	s, l := p.site, p.languages
	language, translations := "language", "post_translations"
	termOf := func(lang Language) int64 { return lang.postTerm }
	if strings.HasPrefix(kind, TaxonomyKind) {
		language, translations = "term_language", "term_translations"
		termOf = func(lang Language) int64 { return lang.termTerm }
	}
	byTerm := map[int64]int{}
	for i, lang := range l.All {
		if id := termOf(lang); id != 0 {
			byTerm[id] = i
		}
	}
	found := make(map[int64]Translation, len(ids))
	if len(byTerm) == 0 {
		return found, nil
	}
	type group struct {
		named   php.Value
		members map[string]int64
	}
	byGroup := map[int64]*group{}
	in := map[int64][]int64{}
	var object, term int64
	var member, memberTerm sql.NullInt64
	var description string
	scan := db.Row(func() {
		if lang, ok := byTerm[term]; ok {
			t := found[object]
			if of := l.Index(t.Language); of < 0 || lang < of { // the first of several languages counts
				t.Language = l.All[lang].Code
				found[object] = t
			}
			return
		}
		lang, ok := byTerm[memberTerm.Int64]
		if !member.Valid || !ok {
			return
		}
		g := byGroup[term]
		if g == nil {
			g = &group{members: map[string]int64{}}
			g.named, _ = php.MaybeUnserialize(description) // a broken one names nobody
			byGroup[term] = g
		}
		if code := l.All[lang].Code; g.named.Get(code).Int() == member.Int64 {
			g.members[code] = member.Int64
		}
		if !slices.Contains(in[object], term) {
			in[object] = append(in[object], term)
		}
	}, &object, &term, &member, &memberTerm, &description)
	taxonomies, terms := []string{language, translations}, slices.Sorted(maps.Keys(byTerm))
	err := db.Batches(ids, func(ids []int64) error {
		return s.Blog.Query(ctx, sqlPolylangGroups, []any{taxonomies, translations, terms, ids}, scan)
	})
	if err != nil {
		return nil, s.Blog.Wrap("reading the translations of objects", err)
	}
	for object, groups := range in {
		t := found[object]
		slices.Sort(groups)
		for _, term := range groups {
			if g := byGroup[term]; t.Language != "" && g.members[t.Language] == object {
				t.Members = g.members
				break
			}
		}
		found[object] = t
	}
	return found, nil
}

func (p *polylang) EachPost(ctx context.Context, _ string, fn func(id int64, language int)) error {
	for i, lang := range p.languages.All {
		if err := p.site.keyset(ctx, sqlPolylangPosts, lang.postTerm, func(id int64, _ string) { fn(id, i) }); err != nil {
			return err
		}
	}
	return nil
}

// Hreflang follows PLL_Frontend_Filters_Links::wp_head. A tag has its country only if two links of the page share
// a language. If two locales have the same tag, such as de_DE and de_DE_formal, the link of the later one is
// printed.
func (p *polylang) Hreflang(alternates []Alternate) []Alternate {
	var links []Alternate
	sharing := map[string]int{}
	front := false
	for _, a := range alternates {
		lang := p.languages.All[p.languages.Index(a.Language)]
		front = front || a.Link == lang.Home
		if i := slices.IndexFunc(links, func(l Alternate) bool { return l.Language == lang.Tag }); i >= 0 {
			links[i].Link = a.Link
			continue
		}
		links = append(links, Alternate{lang.Tag, a.Link})
		sharing[bareTag(lang.Tag)]++
	}
	if len(links) < 2 {
		return nil
	}
	for i := range links {
		if bare := bareTag(links[i].Language); sharing[bare] == 1 {
			links[i].Language = bare
		}
	}
	if front && p.root != "" {
		links = append(links, Alternate{defaultHreflang, p.root})
	}
	return links
}

// bareTag returns the language part of a tag: de for de-DE.
func bareTag(tag string) string {
	bare, _, _ := strings.Cut(tag, "-")
	return bare
}

// shortCodes holds the ISO 639-1 codes of languages with a longer WordPress locale.
var shortCodes = map[string]string{
	"bel": "be", "bre": "br", "dzo": "dz", "hat": "ht", "hau": "ha", "ibo": "ig", "ido": "io", "kin": "rw", "lin": "ln",
	"lug": "lg", "mri": "mi", "oci": "oc", "roh": "rm", "sna": "sn", "srd": "sc", "tir": "ti", "tuk": "tk", "wol": "wo",
	"xho": "xh", "yor": "yo", "zul": "zu", "lb_LU": "lb",
}

// languageTag returns the BCP 47 tag of a WordPress locale: de-DE for de_DE_formal.
func languageTag(locale string) string {
	if short, ok := shortCodes[locale]; ok {
		return short
	}
	locale = strings.TrimSuffix(strings.TrimSuffix(locale, "_formal"), "_informal")
	return strings.ReplaceAll(locale, "_", "-")
}
