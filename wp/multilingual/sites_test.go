package multilingual_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// read returns the languages of a site and the warnings about it.
func read(t *testing.T, seed string, statements ...string) (*multilingual.Languages, string) {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, "small", seed)
	wptest.Exec(t, dsn, statements...)
	n, err := wp.Open(t.Context(), wp.Source{Name: "a", DSN: dsn})
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	w, err := n.Walk(t.Context(), nil)
	wptest.Must(t, err)
	blog, _, err := w.Read(t.Context(), w.Live[0])
	wptest.Must(t, err)
	return blog.Languages(), strings.Join(blog.Warnings(), "\n")
}

// replace changes a part of an option.
func replace(option, from, to string) string {
	return fmt.Sprintf("UPDATE wp_options SET option_value = REPLACE(option_value, '%s', '%s') WHERE option_name = '%s'", from, to, option)
}

// describe returns the languages with their tags and homes, and the settings that are on.
func describe(l *multilingual.Languages) string {
	var b strings.Builder
	for _, lang := range l.All {
		fmt.Fprintf(&b, "%s %s %s", lang.Code, lang.Tag, strings.TrimPrefix(lang.Home, "https://small.test"))
		if !lang.Active {
			b.WriteString(" hidden")
		}
		b.WriteString(", ")
	}
	b.WriteString("main " + l.Default())
	for name, on := range map[string]bool{"domains": l.Domains, "content": l.Content} {
		if on {
			b.WriteString(" " + name)
		}
	}
	if l.Fronts {
		b.WriteString(" fronts")
	}
	return b.String()
}

// translated returns the names that are translated, in their order.
func translated(names map[string]bool) string {
	maps.DeleteFunc(names, func(_ string, on bool) bool { return !on })
	return strings.Join(slices.Sorted(maps.Keys(names)), " ")
}

// What the settings of Polylang say about languages and addresses.
func TestPolylangSettings(t *testing.T) {
	t.Parallel()
	set := func(from, to string) string { return replace("polylang", from, to) }
	const types = `s:10:"post_types";a:0:{}s:10:"taxonomies";a:0:{}`
	for _, tt := range []struct {
		rule  string
		set   []string
		want  string
		types string
	}{
		{"a folder each, the default language without", nil, "en en-US /, fr fr-FR /fr/, de de-DE /de/, main en fronts", ""},
		{"the default language has a folder", []string{set(`"hide_default";b:1`, `"hide_default";b:0`)}, "en en-US /en/, fr fr-FR /fr/, de de-DE /de/, main en fronts", ""},
		{"a folder before the codes", []string{set(`"rewrite";b:1`, `"rewrite";b:0`)}, "en en-US /, fr fr-FR /language/fr/, de de-DE /language/de/, main en fronts", ""},
		{"another default language", []string{set(`"default_lang";s:2:"en"`, `"default_lang";s:2:"fr"`)}, "en en-US /en/, fr fr-FR /, de de-DE /de/, main fr fronts", ""},
		{"a default language that is none", []string{set(`"default_lang";s:2:"en"`, `"default_lang";s:2:"it"`)}, "en en-US /, fr fr-FR /fr/, de de-DE /de/, main en fronts", ""},
		{"by content", []string{set(`"force_lang";i:1`, `"force_lang";i:0`)}, "en en-US /, fr fr-FR /fr/, de de-DE /de/, main en content fronts", ""},
		{"a subdomain each", []string{set(`"force_lang";i:1`, `"force_lang";i:2`)},
			"en en-US /, fr fr-FR https://fr.small.test/, de de-DE https://de.small.test/, main en domains", ""},
		{"a domain each", []string{set(`"force_lang";i:1`, `"force_lang";i:3`), set(`"domains";a:0:{}`, `"domains";a:1:{s:2:"fr";s:16:"https://fr.small";}`)},
			"en en-US /, fr fr-FR https://fr.small/, de de-DE /, main en domains", ""},
		{"no permalinks", []string{"UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'"},
			"en en-US /, fr fr-FR /?lang=fr, de de-DE /?lang=de, main en fronts", ""},
		{"front pages at their own addresses redirect", []string{set(`"redirect_lang";b:0`, `"redirect_lang";b:1`)}, "en en-US /, fr fr-FR /fr/, de de-DE /de/, main en", ""},
		{"a language that is not active, one without a locale, one with a short code", []string{
			`UPDATE wp_term_taxonomy SET description = 'a:2:{s:6:"locale";s:5:"lb_LU";s:6:"active";b:0;}' WHERE term_taxonomy_id = 2032`,
			"UPDATE wp_term_taxonomy SET description = '' WHERE term_taxonomy_id = 2033",
		}, "en en-US /, fr lb /fr/ hidden, de de /de/, main en fronts", ""},
		{"types, and media", []string{set(types, `s:10:"post_types";a:1:{i:0;s:4:"book";}s:10:"taxonomies";a:1:{i:0;s:5:"genre";}`), set(`"media_support";b:0`, `"media_support";b:1`)},
			"en en-US /, fr fr-FR /fr/, de de-DE /de/, main en fronts", "attachment book page post wp_block: category genre post_tag"},
		{"no languages", []string{"DELETE FROM wp_term_taxonomy WHERE taxonomy = 'language'"}, "main ", ":"},
	} {
		l, _ := read(t, "small-polylang", tt.set...)
		expect.Equal(t, describe(l), tt.want, tt.rule)
		if tt.types == "" {
			tt.types = "page post wp_block: category post_tag"
		}
		expect.Equal(t, strings.TrimSpace(translated(l.PostTypes)+": "+translated(l.Taxonomies)), tt.types, tt.rule)
	}
}

// Polylang prints the address for all other languages on front pages, unless the default language has no folder or the languages
// have domains.
func TestPolylangFrontPages(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		set  []string
		want bool
	}{
		"the default language has no folder": {nil, false},
		"it has one":                         {[]string{replace("polylang", `"hide_default";b:1`, `"hide_default";b:0`)}, true},
		"domains": {[]string{replace("polylang", `"hide_default";b:1`, `"hide_default";b:0`),
			replace("polylang", `"force_lang";i:1`, `"force_lang";i:3`)}, false},
	} {
		l, _ := read(t, "small-polylang", tt.set...)
		var page []multilingual.Alternate
		for _, lang := range l.All {
			page = append(page, multilingual.Alternate{Language: lang.Code, Link: lang.Home})
		}
		links := l.Plugin.Hreflang(page)
		expect.Equal(t, slices.Contains(links, multilingual.Alternate{Language: "x-default", Link: "https://small.test/"}), tt.want, rule, links)
	}
}

// What the settings of WPML say about languages and addresses.
func TestWPMLSettings(t *testing.T) {
	t.Parallel()
	set := func(from, to string) string { return replace("icl_sitepress_settings", from, to) }
	for _, tt := range []struct {
		rule string
		set  []string
		want string
	}{
		{"a folder each, the default language without", nil, "en en /, de de /de/, fr fr /fr/, main en"},
		{"the default language has a folder", []string{set(`default_language";i:0`, `default_language";i:1`)}, "en en /en/, de de /de/, fr fr /fr/, main en"},
		{"another default language", []string{set(`s:2:"en"`, `s:2:"de"`)}, "en en /en/, de de /, fr fr /fr/, main de"},
		{"a domain each", []string{set(`negotiation_type";i:1`, `negotiation_type";i:2`),
			set(`a:5:{`, `a:6:{s:16:"language_domains";a:1:{s:2:"fr";s:8:"fr.small";}`)}, "en en /, de de /, fr fr https://fr.small/, main en domains"},
		{"a parameter", []string{set(`negotiation_type";i:1`, `negotiation_type";i:3`)}, "en en /, de de /?lang=de, fr fr /?lang=fr, main en"},
		{"a hidden language, and one with a country", []string{set(`a:5:{`, `a:6:{s:16:"hidden_languages";a:1:{i:0;s:2:"fr";}`),
			"UPDATE wp_icl_languages SET tag = 'de_AT' WHERE code = 'de'", "UPDATE wp_icl_languages SET tag = NULL WHERE code = 'fr'"},
			"en en /, de de-AT /de/, fr fr /fr/ hidden, main en"},
		{"no languages", []string{"DELETE FROM wp_icl_languages"}, "main "},
		{"no table", []string{"DROP TABLE wp_icl_languages"}, "main "},
		{"no table of translations", []string{"DROP TABLE wp_icl_translations"}, "main "},
	} {
		l, warnings := read(t, "small-wpml", tt.set...)
		expect.Equal(t, describe(l), tt.want, tt.rule)
		expect.Equal(t, strings.Contains(warnings, "WPML is active, but its tables"), strings.HasPrefix(tt.rule, "no table"), tt.rule, warnings)
		if len(l.All) > 0 {
			expect.Equal(t, translated(l.PostTypes)+": "+translated(l.Taxonomies), "page post: category post_tag", tt.rule)
			expect.Equal(t, l.TranslatesAny([]string{"attachment", "book"}), false, tt.rule)
			expect.Equal(t, l.TranslatesAny([]string{"attachment", "page"}), true, tt.rule)
		}
	}
}

// Polylang counts if both plugins are active.
func TestOptionOf(t *testing.T) {
	polylang, pro, wpml := multilingual.Polylang[0], multilingual.Polylang[1], multilingual.WPML[0]
	for _, tt := range []struct {
		active []string
		want   string
	}{
		{nil, ""}, {[]string{polylang}, "polylang"}, {[]string{pro}, "polylang"}, {[]string{wpml}, "icl_sitepress_settings"}, {[]string{wpml, polylang}, "polylang"},
	} {
		active := map[string]bool{"other/other.php": true}
		for _, name := range tt.active {
			active[name] = true
		}
		expect.Equal(t, multilingual.OptionOf(active), tt.want, tt.active)
	}
}

// The language of an object and the group of its translations, by the rows of the plugin. A row that contradicts counts for nothing.
func TestTranslations(t *testing.T) {
	t.Parallel()
	posts, terms := []int64{1001, 1002, 1003, 1004, 1005, 1006, 1008, 1012}, []int64{1021, 1022, 1023}
	all := map[string]string{ // of the seeds, which hold the same site
		"posts": "1001 en map[de:1003 en:1001 fr:1002] 1002 fr map[de:1003 en:1001 fr:1002] 1003 de map[de:1003 en:1001 fr:1002] " +
			"1004 en map[de:1008 en:1004] 1006 fr map[en:1007 fr:1006] 1008 de map[de:1008 en:1004] 1012 fr map[en:1011 fr:1012]",
		"polylang terms": "1021 en map[en:1021 fr:1022] 1022 fr map[en:1021 fr:1022]",
		"wpml terms":     "2021 en map[en:2021 fr:2022] 2022 fr map[en:2021 fr:2022]",
	}
	for _, tt := range []struct {
		rule, seed string
		set        []string
		ids        []int64
		kind, want string
	}{
		{"Polylang", "polylang", nil, posts, "post", all["posts"]},
		{"WPML", "wpml", nil, posts, "post", all["posts"]},
		{"Polylang, terms", "polylang", nil, terms, "tax_category", all["polylang terms"]},
		{"WPML, terms", "wpml", nil, []int64{2021, 2022, 2023}, "tax_category", all["wpml terms"]},
		{"Polylang: no language of terms", "polylang", []string{"DELETE FROM wp_term_taxonomy WHERE taxonomy = 'term_language'"}, terms, "tax_category", ""},
		{
			"Polylang: a group that names another post", "polylang",
			[]string{`UPDATE wp_term_taxonomy SET description = 'a:2:{s:2:"en";i:1001;s:2:"fr";i:1006;}' WHERE term_taxonomy_id = 2041`},
			[]int64{1001, 1002}, "post", "1001 en map[en:1001] 1002 fr map[]",
		},
		{
			"Polylang: a broken group", "polylang", []string{`UPDATE wp_term_taxonomy SET description = 'a:2:{' WHERE term_taxonomy_id = 2041`},
			[]int64{1001}, "post", "1001 en map[]",
		},
		{
			"Polylang: the first language of several, the first group of several", "polylang", []string{
				"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1002, 2033), (1003, 2032), (1001, 2043), (1001, 2042)",
				`UPDATE wp_term_taxonomy SET description = 'a:2:{s:2:"en";i:1001;s:2:"de";i:1008;}' WHERE term_taxonomy_id = 2042`,
			}, []int64{1001, 1002, 1003}, "post", "1001 en map[de:1003 en:1001 fr:1002] 1002 fr map[de:1003 en:1001 fr:1002] 1003 fr map[]",
		},
		{"Polylang: a post without a language in a group", "polylang", []string{"DELETE FROM wp_term_relationships WHERE object_id = 1002 AND term_taxonomy_id = 2032"},
			[]int64{1001, 1002}, "post", "1001 en map[de:1003 en:1001] 1002  map[]"},
		{"WPML: a type that is not translated", "wpml", []string{replace("icl_sitepress_settings", `s:4:"page";i:1`, `s:4:"page";i:0`)}, []int64{1011, 1001}, "page",
			"1001 en map[de:1003 en:1001 fr:1002]"},
		{"WPML: a language that is gone", "wpml", []string{"UPDATE wp_icl_languages SET active = 0 WHERE code = 'de'"}, []int64{1001, 1003}, "post",
			"1001 en map[en:1001 fr:1002]"},
	} {
		l, _ := read(t, "small-"+tt.seed, tt.set...)
		found, err := l.Plugin.Translations(t.Context(), tt.kind, tt.ids)
		wptest.Must(t, err)
		var got []string
		for _, id := range slices.Sorted(maps.Keys(found)) {
			got = append(got, fmt.Sprint(id, " ", found[id].Language, " ", found[id].Members))
		}
		expect.Equal(t, strings.Join(got, " "), tt.want, tt.rule)
	}
}

// Every post with a language is met once, in batches.
func TestEachPost(t *testing.T) {
	t.Parallel()
	for seed, add := range map[string]string{
		"small-polylang": fmt.Sprintf("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT 5000 + seq, 2032 FROM %s", wptest.Sequence(db.ScanBatch)),
		"small-wpml": fmt.Sprintf("INSERT INTO wp_icl_translations (translation_id, element_type, element_id, trid, language_code) "+
			"SELECT 5000 + seq, 'post_post', 5000 + seq, 5000 + seq, 'fr' FROM %s", wptest.Sequence(db.ScanBatch)),
	} {
		l, _ := read(t, seed, add)
		met, last := map[string]int{}, int64(0)
		seen := map[int64]bool{}
		wptest.Must(t, l.Plugin.EachPost(t.Context(), "post", func(id int64, language int) {
			if seen[id] {
				t.Errorf("%s: %d twice", seed, id)
			}
			seen[id] = true
			met[l.All[language].Code]++
			last = max(last, id)
		}))
		if french := met["fr"]; french < db.ScanBatch+2 || met["de"] < 2 || met["en"] < 3 || last != 5000+int64(db.ScanBatch)-1 && last != 5000+int64(db.ScanBatch) {
			t.Errorf("%s: %v, the last is %d", seed, met, last)
		}
	}
}
