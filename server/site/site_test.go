package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A wp-config.php cannot read a variable that the configuration uses by ${NAME}, whichever site it belongs to.
func TestEnvironmentOfTenants(t *testing.T) {
	dir := t.TempDir()
	wptest.Must(t, os.MkdirAll(filepath.Join(dir, "www", "b"), 0o755))
	wptest.Must(t, os.WriteFile(filepath.Join(dir, "www", "b", "wp-config.php"), []byte("<?php"), 0o600))
	t.Setenv("DB_A", "sesame")
	t.Setenv("DB_B", "open")
	c, err := config.Parse(`
[[site]]
name = "a"
wp_config = "a/wp-config.php"
dsn = "u:${DB_A}@tcp(h:1)/d"
[[site]]
name = "c"
wp_config = "c/wp-config.php"
[[discover]]
wp_config = "www/*/wp-config.php"
db_hosts = ["db1.internal"]
`, "c.toml", dir)
	wptest.Must(t, err)
	for i, want := range []struct{ hidden, open bool }{{false, true}, {false, true}, {false, false}} {
		source := SourceOf(&c.Sites[i])
		_, hidden := source.Env("DB_A")
		_, open := source.Env("DB_B")
		expect.Equal(t, hidden, want.hidden, source.Name)
		expect.Equal(t, open, want.open, source.Name)
		if found := source.Name == "b"; (source.Within != "") != found || (len(source.Servers) == 1) != found {
			t.Errorf("%s is kept within %q, with the servers %q", source.Name, source.Within, source.Servers)
		}
	}
}

// A blog keeps its last readings, up to a bound.
func TestReadings(t *testing.T) {
	b := &Blog{}
	for i := range 40 {
		b.Readings = b.Noted(Reading{Touched: i})
	}
	if got := len(b.Readings); got != keptReadings || b.Readings[0].Touched != 39 ||
		slices.ContainsFunc(b.Readings, func(r Reading) bool { return r.Touched < 24 }) {
		t.Errorf("%+v", b.Readings)
	}
	if _, ok := b.LastFullScan(); ok {
		t.Error("a full scan among deltas")
	}
	b.Readings = b.Noted(Reading{Kind: FullScan, Touched: 99})
	if r, ok := b.LastFullScan(); !ok || r.Touched != 99 {
		t.Errorf("the full scan is the newest reading: %v %+v", ok, r)
	}
}

// The upstream is asked for a public URL as the proxy would pass it on. Redirects are not followed.
func TestAskTheUpstream(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := fmt.Sprint(r.Method, " ", r.Host, r.URL.RequestURI(), " ", r.Header.Get("X-Forwarded-Proto"))
		if r.URL.Path != "/é/" {
			http.Redirect(w, r, "/%C3%A9/", http.StatusMovedPermanently)
		} else if want := "GET www.example.com/%C3%A9/?a=1 https"; got != want {
			t.Errorf("asked %q, want %q", got, want)
		} else {
			fmt.Fprint(w, `<!DOCTYPE html><html><head><link rel="canonical" href="/shelf/e/"></head>`)
		}
	}))
	defer up.Close()
	cfg, err := config.Parse("[[site]]\nname = \"a\"\ndsn = \"sqlite:/none\"\nupstream = \""+up.URL+"\"\n", "c.toml", "/")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]wp.Response{
		"https://www.example.com/%C3%A9/?a=1": {Status: 200, Elsewhere: "https://www.example.com/shelf/e/"},
		"https://www.example.com/e/":          {Status: 301, Elsewhere: "https://www.example.com/%C3%A9/"},
	} {
		if page, err := SourceOf(&cfg.Sites[0]).Ask(t.Context(), address); page != want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", address, page, err, want)
		}
	}
	cfg.Sites[0].Upstream = config.Site{}.Upstream
	if SourceOf(&cfg.Sites[0]).Ask != nil {
		t.Error("a site without upstream is asked")
	}
}
