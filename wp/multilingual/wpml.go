package multilingual

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
)

// WPML holds the file of WPML, as active_plugins names it.
var WPML = []string{"sitepress-multilingual-cms/sitepress.php"}

const (
	sqlWPML       = `SELECT l.code, l.default_locale, l.tag, l.active FROM wp_icl_languages l WHERE l.active = 1 ORDER BY l.id`
	sqlWPMLForm   = `SELECT element_type, element_id, trid, language_code FROM wp_icl_translations WHERE translation_id = 0`
	sqlWPMLGroups = `SELECT a.element_id, a.language_code, a.trid, b.element_id, b.language_code FROM wp_icl_translations a
JOIN wp_icl_translations b ON b.trid = a.trid AND b.element_type = a.element_type
WHERE a.element_type IN (?) AND a.element_id IN (?)`
	sqlWPMLPosts = `SELECT element_id, language_code FROM wp_icl_translations FORCE INDEX (el_type_id)
WHERE element_type = ? AND element_id > ? ORDER BY element_id LIMIT ?`
)

// wpml is the Plugin of WPML, which stores the languages of objects in its own table.
type wpml struct {
	site      *Site
	languages *Languages
}

// readWPML reads WPML's tables and its option icl_sitepress_settings. It returns nil, with a warning, if the
// tables cannot be read.
func readWPML(ctx context.Context, s *Site) (*Languages, error) {
	o := s.Settings
	l := &Languages{home: s.Home, ByTaxonomyID: true, listsWithoutLanguage: true}
	l.Plugin = &wpml{s, l}
	err := s.Blog.Query(ctx, sqlWPML, nil, db.Rows4(func(code, locale, tag string, active bool) {
		tag = strings.ReplaceAll(cmp.Or(tag, code), "_", "-")
		l.All = append(l.All, Language{Code: code, Locale: locale, Tag: tag, Active: active})
	}))
	if err == nil {
		err = s.Blog.Query(ctx, sqlWPMLForm, nil, func(*sql.Rows) error { return nil })
	}
	switch {
	case db.Unreadable(err):
		s.Blog.Notice(fmt.Sprintf("WPML is active, but its tables %sicl_languages and %sicl_translations cannot be read: languages are not known: %v",
			s.Prefix, s.Prefix, err))
		return nil, nil
	case err != nil:
		return nil, s.Blog.Wrap("reading WPML's languages", err)
	case len(l.All) == 0:
		return nil, nil
	}
	hidden := o.Get("hidden_languages").Strings()
	links := s.links()
	for i := range l.All {
		l.All[i].Active = !slices.Contains(hidden, l.All[i].Code)
		links.Codes = append(links.Codes, l.All[i].Code)
	}
	l.Main = max(0, l.Index(o.Get("default_language").Str()))
	main := l.All[l.Main].Code
	links.Hidden = main
	switch o.Get("language_negotiation_type").Int() {
	case 1:
		links.Form = permalink.LanguageDirectory
		if o.Get("urls").Get("directory_for_default_language").Truthy() {
			links.Hidden = ""
		}
	case 2:
		links.Form, l.Domains = permalink.LanguageDomain, true
		for _, p := range o.Get("language_domains").Pairs() {
			links.Domains[p.Key.String()] = p.Value.Str()
		}
		links.Domains[main] = s.Home
	default:
		links.Form = permalink.LanguageParameter
	}
	l.Links = permalink.NewLanguages(links)
	translated := func(setting string, always ...string) map[string]bool {
		names := settingNames(nil, always...)
		for _, p := range o.Get(setting).Pairs() { // 0: not translated, 1: translated, 2: shown in the default language if there is no translation
			names[p.Key.String()] = p.Value.Int() > 0
		}
		return names
	}
	l.PostTypes = translated("custom_posts_sync_option", "post", "page")
	l.Taxonomies = translated("taxonomies_sync_option", "category", "post_tag")
	return l, nil
}

func (w *wpml) Translations(ctx context.Context, kind string, ids []int64) (map[int64]Translation, error) {
	s, l := w.site, w.languages
	types := []string{kind}
	if !strings.HasPrefix(kind, TaxonomyKind) {
		types = types[:0]
		for name, on := range l.PostTypes {
			if on {
				types = append(types, "post_"+name)
			}
		}
		slices.Sort(types)
	}
	found := make(map[int64]Translation, len(ids))
	byGroup := map[int64]map[string]int64{}
	var object, trid, member int64
	var code, memberCode string
	scan := db.Row(func() {
		if l.Index(code) < 0 {
			return
		}
		t := found[object]
		t.Language = code
		if l.Index(memberCode) >= 0 {
			if t.Members = byGroup[trid]; t.Members == nil {
				t.Members = map[string]int64{}
				byGroup[trid] = t.Members
			}
			t.Members[memberCode] = member
		}
		found[object] = t
	}, &object, &code, &trid, &member, &memberCode)
	err := db.Batches(ids, func(ids []int64) error { return s.Blog.Query(ctx, sqlWPMLGroups, []any{types, ids}, scan) })
	return found, s.Blog.Wrap("reading WPML's translations", err)
}

func (w *wpml) EachPost(ctx context.Context, postType string, fn func(id int64, language int)) error {
	return w.site.keyset(ctx, sqlWPMLPosts, "post_"+postType, func(id int64, code string) {
		if i := w.languages.Index(code); i >= 0 {
			fn(id, i)
		}
	})
}

// Hreflang returns the alternates with tags in lower case. The last one is x-default, with the address in the default
// language. WPML_SEO_HeadLangs prints the same.
func (w *wpml) Hreflang(alternates []Alternate) []Alternate {
	l := w.languages
	var links, main []Alternate
	for _, a := range alternates {
		lang := l.Index(a.Language)
		links = append(links, Alternate{strings.ToLower(l.All[lang].Tag), a.Link})
		if lang == l.Main {
			main = []Alternate{{defaultHreflang, a.Link}}
		}
	}
	return append(links, main...)
}
