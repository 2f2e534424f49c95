package refresh

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// What a record keeps of a blog is all that requests need before its database is read again.
func TestRecordOfABlog(t *testing.T) {
	facts := site.Facts{
		ID: 7, Home: "https://a.test", Hosts: []string{"a.test"}, Network: true, Plain: true, Robots: []int64{7, 8}, Apart: true,
		RobotsText: "User-agent: *", WebRoots: []string{"/www"}, Routed: "book",
	}
	read := facts
	read.Warnings, read.Fingerprint, read.Reader = []string{"odd"}, 1, &fakeSite{}
	outline := catalog.Outline{Active: true, Plugin: sitemap.DefaultPlugin.Name, Title: "A", Files: []catalog.File{{Name: "post", Page: 1, Entries: 3}}}
	before := site.Remembered(read, outline, time.Unix(1e9, 0).UTC())
	before.AskedAt(time.Unix(1e9, 5))
	text, err := json.Marshal(recordOf(site.New(config.Site{Name: "a"}, nil), before))
	var r BlogRecord
	if err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatal(err)
	}
	after := RememberedBlog(&r)
	facts.Plugin, outline.Title = sitemap.DefaultPlugin, ""
	if diff := cmp.Diff(facts, after.Facts, cmp.Comparer(func(a, b *seo.Plugin) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(outline, after.Outline); diff != "" || !after.Built.Equal(before.Built) || after.Asked() != before.Asked() {
		t.Errorf("%s, %v, %d", diff, after.Built, after.Asked())
	}
}
