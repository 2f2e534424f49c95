package admin

import (
	"encoding/xml"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The page counts all changes of the period, and shows those that match the filters.
func TestChooseChanges(t *testing.T) {
	t.Parallel()
	day := func(d float64) time.Time { return at.Add(-time.Duration(d * 24 * float64(time.Hour))) }
	all := []catalog.Change{
		{At: day(0.5), What: "came", Sitemap: "post", URL: "1"}, {At: day(0.9), What: "note", Note: "2"}, {At: day(1), What: "went", Sitemap: "page", URL: "3"},
		{At: day(1.1), What: "came", Sitemap: "page", URL: "4"}, {At: day(6), What: "came", Sitemap: "post", URL: "5"}, {At: day(8), What: "went", Sitemap: "post", URL: "6"},
	}
	for _, tt := range []struct {
		days          int
		what, sitemap string
		want, counts  string
	}{
		{1, "", "", "1 2 3", "map[page:map[went:1] post:map[came:1]]"},
		{7, "", "", "1 2 3 4 5", "map[page:map[came:1 went:1] post:map[came:2]]"},
		{7, "came", "", "1 4 5", "map[page:map[came:1 went:1] post:map[came:2]]"},
		{7, "", "page", "3 4", "map[page:map[came:1 went:1] post:map[came:2]]"},
		{7, "came", "post", "1 5", "map[page:map[came:1 went:1] post:map[came:2]]"},
	} {
		c := &changed{Now: at, Days: tt.days, What: tt.what, Sitemap: tt.sitemap, Counts: map[string]map[string]int{}}
		var got []string
		for _, o := range c.choose(all) {
			got = append(got, o.URL+o.Note)
		}
		expect.Equal(t, strings.Join(got, " "), tt.want, tt.days, tt.what, tt.sitemap)
		expect.Equal(t, fmt.Sprint(c.Counts), tt.counts, tt.days)
		expect.List(t, c.Sitemaps, []string{"page", "post"}, tt.days)
	}
}

// A deleted object has no URL, so that nothing more can be found out about it.
func TestReasonOfDeleted(t *testing.T) {
	t.Parallel()
	got := new(handler).reasons(t.Context(), Install{}, []catalog.Change{{What: "went", Object: "post 7"}, {What: "came", URL: "https://a.test/"}})
	expect.Equal(t, got[0].Because, "The object was deleted. Its URL is not known any more.")
	expect.Equal(t, got[1].Because, "")
}

// A feed has the time of its newest entry. Entries have different ids, also if a URL went and came again.
func TestFeed(t *testing.T) {
	t.Parallel()
	type feed struct {
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		IDs     []string `xml:"entry>id"`
		Titles  []string `xml:"entry>title"`
		Updates []string `xml:"entry>updated"`
	}
	read := func(changes ...change) (f feed) {
		rec := httptest.NewRecorder()
		writeFeed(rec, "https://a.test/blog", changes)
		expect.Equal(t, rec.Header().Get("Content-Type"), "application/atom+xml; charset=utf-8")
		wptest.Must(t, xml.Unmarshal(rec.Body.Bytes(), &f))
		return f
	}
	empty := read()
	expect.Equal(t, empty.Title+" "+empty.Updated, "Changes of the sitemaps of a.test/blog 1970-01-01T00:00:00Z")
	f := read(
		change{Change: catalog.Change{At: at.In(time.FixedZone("", 3600)), What: "came", Sitemap: "post", URL: "https://a.test/x/", Object: "post 7"}},
		change{Change: catalog.Change{At: at.Add(-time.Hour), What: "went", Sitemap: "post", Object: "post 7"}},
		change{Change: catalog.Change{At: at.Add(-2 * time.Hour), What: "came", Sitemap: "post", URL: "https://a.test/x/", Object: "post 7"}},
	)
	expect.Equal(t, f.Updated, "2026-11-21T10:30:00Z")
	expect.List(t, f.Updates, []string{"2026-11-21T10:30:00Z", "2026-11-21T09:30:00Z", "2026-11-21T08:30:00Z"})
	expect.List(t, f.Titles, []string{"came: https://a.test/x/", "went: post 7", "came: https://a.test/x/"})
	if f.IDs[0] == f.IDs[2] || f.IDs[0] == f.IDs[1] {
		t.Errorf("two entries have the same id: %q", f.IDs)
	}
}
