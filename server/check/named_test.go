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
)

// Types and ids of the configuration that the site does not have are warned of; others are not.
func TestNamedWhatIsNotThere(t *testing.T) {
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, "https://www.example.com"))
	base := "[[site]]\nname = \"a\"\ndsn = \"sqlite:" + database + "\"\n"
	for _, tt := range []struct{ rule, text, want string }{
		{"nothing is named", "", ""},
		{"what is there", "[site.post_type.page]\nexclude = true\n[site.taxonomy.category]\npublic = true\n[site.exclude]\nterm_ids = [1]\nuser_ids = [1]", ""},
		{"a type that is not to be public", "[site.post_type.note]\npublic = false", ""},
		{"a post type", "[site.post_type.prodct]\nexclude = true", `the post type "prodct", but nothing else says`},
		{"a post type of the news", "[site.news]\npost_types = [\"post\", \"nws\"]", `the post type "nws"`},
		{"a taxonomy", "[site.taxonomy.categry]\nexclude = true", `the taxonomy "categry"`},
		{"a post", "[site.exclude]\npost_ids = [1, 987654]", "exclude.post_ids names what the database does not have: 987654"},
		{"a term", "[site.exclude]\nterm_ids = [987654, 987655]", "exclude.term_ids names what the database does not have: 987654, 987655"},
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
				return !strings.Contains(w, "nothing else says") && !strings.Contains(w, "does not have")
			})
			if text := strings.Join(got, "\n"); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
