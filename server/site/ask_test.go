package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp"
)

// The upstream is asked for a public URL as the proxy would pass it on, and is not followed elsewhere.
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
