package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/admin"
	"wpsitemapd/wp/sample"
)

// check --public hands its report to the daemon that runs, with the token.
func TestPublicReportIsHandedOver(t *testing.T) {
	var told admin.PublicCheck
	var path, token string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		path, token = r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
		if err := json.NewDecoder(r.Body).Decode(&told); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	if err := sample.Create(t.Context(), database, site.URL); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "c.toml")
	text := "state = \"\"\nadmin = \"" + strings.TrimPrefix(srv.URL, "http://") + "\"\nadmin_token = \"0123456789abcdef0123\"\n" +
		"[[site]]\nname = \"shop\"\ndsn = \"sqlite:" + database + "\"\n"
	writeTo(t, config, text)
	code, stdout, stderr := runCommand(t, "check", "--public", "--rate", "1000", "--config", config)
	if code != trouble || path != "POST /sites/shop/public" || token != "Bearer 0123456789abcdef0123" || len(told.Problems) == 0 || told.Requests == 0 {
		t.Errorf("%d %s %s %+v\n%.1000s%s", code, path, token, told, stdout, stderr)
	}
}
