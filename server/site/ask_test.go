package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
)

// The upstream is asked for a public URL as the proxy would pass it on, and is not followed elsewhere.
func TestAskTheUpstream(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := fmt.Sprint(r.Method, " ", r.Host, r.URL.RequestURI(), " ", r.Header.Get("X-Forwarded-Proto"))
		if r.URL.Path != "/é/" {
			http.Redirect(w, r, "/%C3%A9/", http.StatusMovedPermanently)
		} else if want := "HEAD www.example.com/%C3%A9/?a=1 https"; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	}))
	defer up.Close()
	cfg, err := config.Parse("[[site]]\nname = \"a\"\ndsn = \"sqlite:/none\"\nupstream = \""+up.URL+"\"\n", "c.toml", "/")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]int{"https://www.example.com/%C3%A9/?a=1": 200, "https://www.example.com/e/": 301} {
		if status, err := SourceOf(&cfg.Sites[0]).Ask(t.Context(), address); status != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", address, status, err, want)
		}
	}
	cfg.Sites[0].Upstream = config.Site{}.Upstream
	if SourceOf(&cfg.Sites[0]).Ask != nil {
		t.Error("a site without upstream is asked")
	}
}
