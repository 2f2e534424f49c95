package permalink

import (
	"cmp"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// What is wanted was printed by the link models of Polylang 3.8.7 for the same settings and links.
func TestLanguagesSwitch(t *testing.T) {
	domains := map[string]string{"en": "https://ex.test", "fr": "https://exemple.test", "de": "https://www.beispiel.test"}
	for _, tt := range []struct {
		name   string
		set    LanguageSettings
		fr, en string      // homes
		links  [][3]string // a link, and the same in either language
	}{
		{"directory, default hidden", LanguageSettings{Form: LanguageDirectory, Hidden: "en"},
			"https://ex.test/fr/", "https://ex.test/", [][3]string{
				{"https://ex.test/hello/", "https://ex.test/fr/hello/", "https://ex.test/hello/"},
				{"https://ex.test/de/hello/", "https://ex.test/fr/hello/", "https://ex.test/hello/"},
				{"https://ex.test/fr/", "https://ex.test/fr/", "https://ex.test/"},
				{"https://ex.test/french/", "https://ex.test/fr/french/", "https://ex.test/french/"},
				{"https://ex.test/en/hello/", "https://ex.test/fr/en/hello/", "https://ex.test/en/hello/"}, // a page of that name
				{"http://ex.test/hello/", "http://ex.test/fr/hello/", "http://ex.test/hello/"},
				{"https://ex.test/?to=https://ex.test/", "https://ex.test/fr/?to=https://ex.test/", "https://ex.test/?to=https://ex.test/"},
				{"https://ex.test/?p=5", "https://ex.test/fr/?p=5", "https://ex.test/?p=5"},
				{"https://other.test/hello/", "https://other.test/hello/", "https://other.test/hello/"},
				{"https://ex.test", "https://ex.test", "https://ex.test"},
			}},
		{"directory, every code shown", LanguageSettings{Form: LanguageDirectory, Home: "https://ex.test/shop", Structure: "/read/%postname%/"},
			"https://ex.test/shop/fr/", "https://ex.test/shop/en/", [][3]string{
				{"https://ex.test/shop/read/hello/", "https://ex.test/shop/fr/read/hello/", "https://ex.test/shop/en/read/hello/"},
				{"https://ex.test/shop/en/read/hello/", "https://ex.test/shop/fr/read/hello/", "https://ex.test/shop/en/read/hello/"},
				{"https://ex.test/shop/", "https://ex.test/shop/fr/", "https://ex.test/shop/en/"},
				{"https://ex.test/shop", "https://ex.test/shop", "https://ex.test/shop"},
			}},
		{"language/ before the code", LanguageSettings{Form: LanguageDirectory, Prefix: "language/", Hidden: "en"},
			"https://ex.test/language/fr/", "https://ex.test/", [][3]string{
				{"https://ex.test/hello/", "https://ex.test/language/fr/hello/", "https://ex.test/hello/"},
				{"https://ex.test/language/de/hello/", "https://ex.test/language/fr/hello/", "https://ex.test/hello/"},
				{"https://ex.test/de/hello/", "https://ex.test/language/fr/de/hello/", "https://ex.test/de/hello/"},
			}},
		{"index.php before the code", LanguageSettings{Form: LanguageDirectory, Structure: "/index.php/%postname%/", Hidden: "en"},
			"https://ex.test/index.php/fr/", "https://ex.test/", [][3]string{
				{"https://ex.test/index.php/hello/", "https://ex.test/index.php/fr/hello/", "https://ex.test/index.php/hello/"},
				{"https://ex.test/index.php/de/hello/", "https://ex.test/index.php/fr/hello/", "https://ex.test/index.php/hello/"},
				{"https://ex.test/hello/", "https://ex.test/hello/", "https://ex.test/hello/"},
				{"https://ex.test/?page_id=3", "https://ex.test/?page_id=3", "https://ex.test/?page_id=3"},
			}},
		{"one code beside the hidden one", LanguageSettings{Form: LanguageDirectory, Codes: []string{"en", "fr"}, Hidden: "en"},
			"https://ex.test/fr/", "https://ex.test/", [][3]string{{"https://ex.test/fr/hello/", "https://ex.test/fr/hello/", "https://ex.test/hello/"}}},
		{"domains that are not used", LanguageSettings{Form: LanguageDirectory, Hidden: "en", Domains: domains},
			"https://ex.test/fr/", "https://ex.test/", [][3]string{
				{"https://ex.test/de/hello/", "https://ex.test/fr/hello/", "https://ex.test/hello/"},
				{"https://www.beispiel.test/hello/", "https://www.beispiel.test/hello/", "https://www.beispiel.test/hello/"},
			}},
		{"a home without a scheme", LanguageSettings{Form: LanguageDirectory, Hidden: "en", Home: "ex.test"}, "ex.test/fr/", "ex.test/", [][3]string{
			{"ex.test/hello/", "ex.test/fr/hello/", "ex.test/hello/"}, {"ex.test/de/hello/", "ex.test/fr/hello/", "ex.test/hello/"},
		}},
		{"domains, of which one is known", LanguageSettings{Form: LanguageDomain, Hidden: "en", Domains: map[string]string{"fr": "https://exemple.test"}},
			"https://exemple.test/", "https://ex.test/", [][3]string{{"https://exemple.test/a/", "https://exemple.test/a/", "https://ex.test/a/"}}},
		{"a code that begins like another", LanguageSettings{Form: LanguageDirectory, Codes: []string{"fr", "en", "en-gb"}, Hidden: "fr"},
			"https://ex.test/", "https://ex.test/en/", [][3]string{
				{"https://ex.test/en-gb/hello/", "https://ex.test/hello/", "https://ex.test/en/hello/"},
				{"https://ex.test/en/hello/", "https://ex.test/hello/", "https://ex.test/en/hello/"},
			}},
		{"sub-domain, default hidden", LanguageSettings{Form: LanguageSubdomain, Hidden: "en"},
			"https://fr.ex.test/", "https://ex.test/", [][3]string{
				{"https://ex.test/hello/", "https://fr.ex.test/hello/", "https://ex.test/hello/"},
				{"https://de.ex.test/hello/", "https://fr.ex.test/hello/", "https://ex.test/hello/"},
				{"https://ex.test", "https://fr.ex.test", "https://ex.test"},
			}},
		{"sub-domain in the place of www", LanguageSettings{Form: LanguageSubdomain, Home: "https://www.ex.test"},
			"https://fr.ex.test/", "https://en.ex.test/", [][3]string{
				{"https://www.ex.test/hello/", "https://fr.ex.test/hello/", "https://en.ex.test/hello/"},
				{"https://de.ex.test/hello/", "https://fr.ex.test/hello/", "https://en.ex.test/hello/"},
				{"https://ex.test/hello/", "https://ex.test/hello/", "https://ex.test/hello/"},
			}},
		{"domain", LanguageSettings{Form: LanguageDomain, Structure: "/%year%/%postname%/", Hidden: "en", Domains: domains},
			"https://exemple.test/", "https://ex.test/", [][3]string{
				{"https://ex.test/2024/hello/", "https://exemple.test/2024/hello/", "https://ex.test/2024/hello/"},
				{"https://www.beispiel.test/2024/hello/", "https://exemple.test/2024/hello/", "https://ex.test/2024/hello/"},
				{"https://ex.test", "https://exemple.test", "https://ex.test"},
				{"https://ex.test.other/hello/", "https://ex.test.other/hello/", "https://ex.test.other/hello/"},
				{"https://sub.ex.test/x/", "https://sub.ex.test/x/", "https://sub.ex.test/x/"},
			}},
		{"a domain without scheme, as WPML has it", LanguageSettings{Form: LanguageDomain, Hidden: "en", Domains: map[string]string{
			"en": "https://ex.test", "fr": "exemple.test",
		}}, "https://exemple.test/", "https://ex.test/", [][3]string{{"https://ex.test/a/", "https://exemple.test/a/", "https://ex.test/a/"}}},
		{"argument", LanguageSettings{Form: LanguageParameter, Hidden: "en"}, "https://ex.test/?lang=fr", "https://ex.test/", [][3]string{
			{"https://ex.test/?p=5", "https://ex.test/?p=5&lang=fr", "https://ex.test/?p=5"},
			{"https://ex.test/?p=5&lang=de", "https://ex.test/?p=5&lang=fr", "https://ex.test/?p=5"},
			{"https://ex.test/?lang=de", "https://ex.test/?lang=fr", "https://ex.test/"},
			{"https://ex.test/?tour=a/b", "https://ex.test/?tour=a%2Fb&lang=fr", "https://ex.test/?tour=a%2Fb"},
			{"https://ex.test/", "https://ex.test/?lang=fr", "https://ex.test/"},
			{"https://ex.test", "https://ex.test?lang=fr", "https://ex.test"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.set.Home = cmp.Or(tt.set.Home, "https://ex.test")
			if tt.set.Form != LanguageParameter {
				tt.set.Structure = cmp.Or(tt.set.Structure, "/%postname%/")
			}
			if tt.set.Codes == nil {
				tt.set.Codes = []string{"en", "fr", "de"}
			}
			l := NewLanguages(tt.set)
			expect.Equal(t, l.Home("fr"), tt.fr)
			expect.Equal(t, l.Home("en"), tt.en)
			for _, link := range tt.links {
				if fr, en := l.Switch(link[0], "fr"), l.Switch(link[0], "en"); fr != link[1] || en != link[2] {
					t.Errorf("Switch(%s) = %s and %s, want %s and %s", link[0], fr, en, link[1], link[2])
				}
			}
		})
	}
}

// Languages are read from a database. Any values must do no more harm than to make useless links.
func TestLanguagesTakeAnySettings(t *testing.T) {
	for _, form := range []LanguageForm{LanguageDirectory, LanguageSubdomain, LanguageDomain, LanguageParameter} {
		for _, code := range []string{"", "(", "fr|de", "$1", "%", "\xff"} {
			l := NewLanguages(LanguageSettings{Form: form, Home: code, Structure: "/%postname%/", Codes: []string{code, "fr"},
				Domains: map[string]string{code: code, "fr": "://"}})
			l.Home(code)
			for _, link := range []string{"", "https://ex.test/(/a/", code} {
				l.Switch(l.Switch(link, "fr"), code)
			}
		}
	}
}

// A domain without a scheme has the scheme of home. If home has none either, the scheme is http.
func TestSchemeOfADomain(t *testing.T) {
	for home, want := range map[string]string{"https://ex.test": "https://exemple.test/", "http://ex.test": "http://exemple.test/",
		"ex.test": "http://exemple.test/"} {
		l := NewLanguages(LanguageSettings{Form: LanguageDomain, Home: home, Codes: []string{"fr"}, Domains: map[string]string{"fr": "exemple.test"}})
		expect.Equal(t, l.Home("fr"), want, home)
	}
}
