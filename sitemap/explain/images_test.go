package explain_test

import (
	"context"
	"errors"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

func TestFindIn(t *testing.T) {
	const page = `<?xml version="1.0"?><urlset><url><loc>https://a.test/one/</loc><lastmod>2026-01-02T03:04:05+00:00</lastmod></url>
<url><loc>https://a.test/%E6%B5%B7/?a=1&amp;b=2</loc><image:image><image:loc>https://a.test/x&amp;y.jpg</image:loc></image:image>
<video:video><video:thumbnail_loc><![CDATA[https://a.test/t&u.png]]></video:thumbnail_loc>
<video:content_loc>https://a.test/v.mp4</video:content_loc>
<video:player_loc allow_embed="yes">https://a.test/player</video:player_loc></video:video></url></urlset>`
	for _, tt := range []struct {
		rule, address, loc, lastmod, media string
	}{
		{"an address", "https://a.test/one/", "https://a.test/one/", "2026-01-02T03:04:05+00:00", ""},
		{"without its slash, with another scheme", "http://a.test/one", "https://a.test/one/", "2026-01-02T03:04:05+00:00", ""},
		{"decoded", "https://a.test/海/?b=2&a=1", "https://a.test/%E6%B5%B7/?a=1&b=2", "", ""},
		{"an image", "https://a.test/x&y.jpg", "https://a.test/%E6%B5%B7/?a=1&b=2", "", "image"},
		{"a thumbnail", "https://a.test/t%26u.png", "https://a.test/%E6%B5%B7/?a=1&b=2", "", "preview image"},
		{"a file of a video", "https://a.test/v.mp4", "https://a.test/%E6%B5%B7/?a=1&b=2", "", "file"},
		{"a player, whose element has an attribute", "https://a.test/player", "https://a.test/%E6%B5%B7/?a=1&b=2", "", "player"},
		{"another query", "https://a.test/one/?p=5", "", "", ""},
		{"the begin of one", "https://a.test/on", "", "", ""},
		{"a date", "2026-01-02T03:04:05+00:00", "", "", ""},
		{"nothing", "", "", "", ""},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			got, ok := explain.FindIn([]byte(page), tt.address)
			if ok != (tt.loc != "") || got.Loc != tt.loc || got.LastMod != tt.lastmod || got.Media != tt.media {
				t.Errorf("%+v, %v", got, ok)
			}
		})
	}
	for n := range len(page) { // cut off anywhere
		explain.FindIn([]byte(page[:n]), "https://a.test/nothing/")
	}
}

// If a search did not finish, the answer is unknown.
func TestExplainUnknown(t *testing.T) {
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic")}), seo.Options{Compat: seo.SpecLevel})
	const image = "https://example.test/wp-content/uploads/2099/01/none.jpg"
	rendered := func(ctx context.Context, f catalog.File) ([]byte, error) {
		doc, err := c.Render(ctx, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return doc.Body, nil
	}
	missing := func(ctx context.Context, f catalog.File) ([]byte, error) {
		switch f.Name {
		case "author":
			return nil, nil
		case "category":
			return nil, errors.New("broken")
		}
		return rendered(ctx, f)
	}
	x, err := c.ExplainIn(t.Context(), image, missing)
	if err != nil || x.In || !x.Unknown || x.Rule != explain.RuleUnknown || len(x.Evidence) == 0 || x.Because == "" {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err = c.ExplainIn(t.Context(), "https://example.test/none/", missing); err != nil || x.Unknown || x.Rule != "nothing at this URL" {
		t.Errorf("an address that rows decide about: %+v, %v", x, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := explain.SearchPages(ended, c.Files(), rendered, image); !errors.Is(err, context.Canceled) {
		t.Errorf("a question that nobody asks any more: %v", err)
	}
	gone := func(context.Context, catalog.File) ([]byte, error) { return nil, catalog.ErrNotFound }
	if s, err := explain.SearchPages(t.Context(), c.Files(), gone, image); err != nil || s.Missing+s.Searched > 0 {
		t.Errorf("pages that are no more: %+v, %v", s, err)
	}
}

// If no sitemap lists images, explain does not advise to show one in a post.
func TestExplainWithoutImages(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.PluginLevel})
	x := sitemaptest.Explain(t, c, c.Rules.Blog.Home()+"/wp-content/uploads/a.jpg?ver=2")
	if x.In || x.Rule != "no images in its sitemaps" || x.Do != "" || len(x.Evidence) != 1 {
		t.Errorf("%+v", *x)
	}
}
