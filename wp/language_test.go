package wp

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// A language of Polylang starts at the address of its static front page where redirect_lang is off, and at its code or domain
// else.
func TestLanguageHomes(t *testing.T) {
	t.Parallel()
	const options = `a:9:{s:12:"hide_default";b:1;s:7:"rewrite";b:1;s:13:"redirect_lang";b:0;s:10:"force_lang";i:1;s:7:"domains";` +
		`a:2:{s:2:"en";s:18:"https://small.test";s:2:"fr";s:18:"https://petit.test";}s:13:"media_support";b:0;s:10:"post_types";a:0:{}` +
		`s:10:"taxonomies";a:0:{}s:12:"default_lang";s:2:"en";}`
	redirected, domains := strings.NewReplacer(`redirect_lang";b:0`, `redirect_lang";b:1`), strings.NewReplacer(`force_lang";i:1`, `force_lang";i:3`)
	for options, want := range map[string]string{
		options:                     "https://small.test/fr/a-propos/",
		redirected.Replace(options): "https://small.test/fr/",
		domains.Replace(options):    "https://petit.test/",
		domains.Replace(redirected.Replace(options)): "https://petit.test/",
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('polylang', '"+options+"'), "+
			"('show_on_front', 'page'), ('page_on_front', '1011')")
		all := openSite(t, Source{DSN: dsn}).Languages().All
		if i := slices.IndexFunc(all, func(l Language) bool { return l.Code == "fr" }); i < 0 || all[i].Home != want {
			t.Errorf("%s: %+v, want %s", options, all, want)
		}
	}
}
