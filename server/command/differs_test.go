package command

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/wp/wptest"
)

// runCommand runs any command.
func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, func(string) string { return "" }, &out, &errs)
	return code, out.String(), errs.String()
}

// writeConfig writes a configuration and returns its path.
func writeConfig(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "wpsitemapd.toml")
	writeTo(t, path, text)
	return path
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

// Where --live leads to the place of the site, its sitemaps are read there with the host they name; the public host is not asked.
func TestDiffReadsAllAtThePlaceOfLive(t *testing.T) {
	s := startLiveSite(t, "basic")
	for _, tt := range []struct {
		rule   string
		strict bool // the place knows the site by its public name only
	}{{"whatever the host", false}, {"by the public host only", true}} {
		t.Run(tt.rule, func(t *testing.T) {
			var mu sync.Mutex
			hosts := map[string]int{}
			origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				hosts[r.Host]++
				mu.Unlock()
				if body, ok := s.sitemaps[r.URL.Path]; ok && (!tt.strict || r.Host == "example.test") {
					fmt.Fprint(w, body)
					return
				}
				http.NotFound(w, r)
			}))
			defer origin.Close()
			before := len(s.requests)
			code, b, stderr := s.diff(t, "--live", origin.URL+"/sitemap_index.xml", "--compat", "plugin")
			if code != done || len(b.Failed) > 0 || b.URLs == 0 || len(b.Notes) > 0 || len(s.requests) != before || hosts["example.test"] < b.Sitemaps {
				t.Errorf("exit code %d, %d URLs, failed %v, notes %q, hosts %v, error %q\n%s", code, b.URLs, b.Failed, b.Notes, hosts, b.Error, stderr)
			}
		})
	}
}

// A host that has no address is asked once, not once for every sitemap.
func TestDiffGivesAHostUpOnce(t *testing.T) {
	s := startLiveSite(t, "basic")
	text, err := os.ReadFile(s.config)
	wptest.Must(t, err)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, upstream := range []string{closed.URL, "http://nowhere.invalid"} {
		s.config = writeConfig(t, regexp.MustCompile(`upstream = .*`).ReplaceAllString(string(text), "upstream = "+strconv.Quote(upstream)))
		code, b, _ := s.diff(t, "--compat", "plugin")
		if code != trouble || !strings.Contains(b.Error, "upstream "+upstream+" of site harbour does not answer") || b.Requests > 3 {
			t.Errorf("exit code %d, %d requests: %s", code, b.Requests, b.Error)
		}
		code, b, _ = s.diff(t, "--compat", "plugin", "--live", upstream+"/sitemap_index.xml")
		if code != trouble || !strings.Contains(b.Error, "--live "+upstream+"/sitemap_index.xml does not answer") || b.Requests > 5 {
			t.Errorf("--live: exit code %d, %d requests: %s", code, b.Requests, b.Error)
		}
	}
}
