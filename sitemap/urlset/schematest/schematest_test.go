package schematest

import (
	"runtime"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// recorder notes how a test ended.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Fatal(...any) { r.ended = "failed"; runtime.Goexit() }
func (r *recorder) Skip(...any)  { r.ended = "skipped"; runtime.Goexit() }

func TestMissingXmllint(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, tt := range []struct{ name, ci, want string }{
		{"fails in CI", "true", "failed"},
		{"skips elsewhere", "", "skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				Check(r, []byte("<urlset/>"))
			}()
			<-done
			expect.Equal(t, r.ended, tt.want, "the test")
		})
	}
}

func TestCheckKeepsDocumentsApart(t *testing.T) {
	const ns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	docs := []string{
		"<urlset" + ns + "></urlset>",
		"<urlset" + ns + "><url/></urlset>",
		"<html/>",
		"",
		"<sitemapindex" + ns + "><sitemap><loc>https://example.test/a.xml</loc></sitemap></sitemapindex>",
		"<urlset" + ns + ">",
	}
	want := []string{"", "Missing child element", "neither urlset, sitemapindex nor feed", "no root element", "", "parser error"}
	var all [][]byte
	for _, doc := range docs {
		all = append(all, []byte(doc))
	}
	for i, err := range Check(t, all...) {
		switch {
		case want[i] == "" && err != nil:
			t.Errorf("%q: %v", docs[i], err)
		case want[i] != "" && (err == nil || !strings.Contains(err.Error(), want[i])):
			t.Errorf("%q: %v, want %q", docs[i], err, want[i])
		}
	}
}
