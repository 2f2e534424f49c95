package server

import (
	"context"
	"fmt"
	"testing"

	"wpsitemapd/sitemap/catalog"
)

// A page too small to be worth compressing is, for clients that take nothing else.
func TestSmallPageForWhoTakesNothingElse(t *testing.T) {
	ts, c, _ := onePage(t)
	c.render = func(context.Context, string, int) (*catalog.Document, error) {
		return &catalog.Document{Body: []byte("<urlset/>")}, nil
	}
	for accept, want := range map[string]string{"gzip": "", "gzip, identity;q=0": "gzip", "*, identity;q=0": "gzip", "br, identity;q=0": "406", "gzip;q=0, *;q=0": "406"} {
		resp := ts.get("GET", "http://a.test/post-sitemap.xml", "Accept-Encoding", accept)
		got := resp.Header.Get("Content-Encoding")
		if resp.StatusCode != 200 {
			got = fmt.Sprint(resp.StatusCode)
		}
		if got != want || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %q, want %q", accept, got, want)
		}
	}
}
