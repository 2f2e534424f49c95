package check

import (
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestHostsThatCannotBeRight(t *testing.T) {
	for _, test := range []struct {
		rule    string
		hosts   []config.Host
		homes   []string
		trouble string
		warning string
	}{
		{"none are set", nil, []string{"https://a.test"}, "", ""},
		{"home's and another", []config.Host{"b.test", "a.test"}, []string{"https://a.test"}, "", ""},
		{"not home's", []config.Host{"b.test"}, []string{"https://a.test"},
			`Requests for a.test get no sitemap. Add "a.test" to hosts. If this is a copy of the site that should list its own URLs, set home = "https://b.test" instead`, ""},
		{"not that of a network in folders", []config.Host{"b.test"}, []string{"https://a.test", "https://a.test/x"}, `Add "a.test" to hosts`, ""},
		{"some of a network", []config.Host{"b.test"}, []string{"https://a.test", "https://b.test"}, "", "no host of 1 blog of the network"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := &SiteReport{OK: true}
			for _, home := range test.homes {
				r.Blogs = append(r.Blogs, &BlogReport{Home: home, hosts: []string{strings.TrimPrefix(home, "https://")}})
			}
			r.noteHosts(&config.Site{Hosts: test.hosts})
			trouble, warning := strings.Join(r.Errors, "\n"), strings.Join(r.Warnings, "\n")
			if r.OK != (test.trouble == "") || !strings.Contains(trouble, test.trouble) || (test.warning == "") != (warning == "") ||
				!strings.Contains(warning, test.warning) {
				t.Errorf("trouble %q, warning %q", trouble, warning)
			}
		})
	}
}

func TestHomeThatDiffersFromWordPressItself(t *testing.T) {
	for _, test := range []struct {
		rule, home, siteURL string
		warns               bool
	}{
		{"one address", "https://a.test", "https://a.test", false},
		{"WordPress in a folder", "https://a.test", "https://a.test/wp", false},
		{"another host", "https://a.test", "https://cms.b.test", false},
		{"the scheme", "http://a.test", "https://a.test/wp", true},
		{"www", "https://a.test", "https://www.a.test", true},
		{"no address", "https://a.test", "", false},
	} {
		expect.Equal(t, homeWarning(test.home, test.siteURL) != "", test.warns, test.rule)
	}
}

// check warns of types and ids in the configuration that the site does not have, and of no others.
func TestNamedWhatIsNotThere(t *testing.T) {
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, "https://www.example.com"))
	base := "[[site]]\nname = \"a\"\ndsn = \"sqlite:" + database + "\"\n"
	for _, tt := range []struct{ rule, text, want string }{
		{"nothing is named", "", ""},
		{"what is there", "[site.post_type.page]\nexclude = true\n[site.taxonomy.category]\npublic = true\n" +
			"[site.exclude]\nterm_ids = [1]\nuser_ids = [1]", ""},
		{"a type that is not to be public", "[site.post_type.note]\npublic = false", ""},
		{"a post type", "[site.post_type.prodct]\nexclude = true", `the post type "prodct", but no sitemap lists`},
		{"a post type of the news", "[site.news]\npost_types = [\"post\", \"nws\"]", `the post type "nws"`},
		{"a taxonomy", "[site.taxonomy.categry]\nexclude = true", `the taxonomy "categry"`},
		{"a post", "[site.exclude]\npost_ids = [1, 987654]", "exclude.post_ids names ids that the database does not have. Correct " +
			"or remove them: 987654"},
		{"a term", "[site.exclude]\nterm_ids = [987654, 987655]", "exclude.term_ids names ids that the database does not have. " +
			"Correct or remove them: 987654, 987655"},
		{"a user", "[site.exclude]\nuser_ids = [987654]", "exclude.user_ids"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			cfg, err := config.Parse(base+tt.text, "c.toml", "/")
			wptest.Must(t, err)
			c := Check{Log: slog.New(slog.DiscardHandler), Err: io.Discard, Rate: 1}
			r, err := c.Run(t.Context(), cfg, cfg.Sites)
			if err != nil || len(r.Sites) != 1 || len(r.Sites[0].Blogs) != 1 {
				t.Fatal(r, err)
			}
			got := slices.DeleteFunc(r.Sites[0].Blogs[0].Warnings, func(w string) bool {
				return !strings.Contains(w, "no other source says") && !strings.Contains(w, "does not have")
			})
			if text := strings.Join(got, "\n"); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
