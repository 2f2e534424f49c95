package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// numbered is a content without a database.
type numbered func(Places) Rendered

func (n numbered) Render(_ context.Context, objects Places) (Rendered, error) {
	return n(objects), nil
}
func (n numbered) Locate(_ context.Context, objects Places) (Rendered, error) {
	return n(objects), nil
}
func (numbered) Titles(context.Context, []int64) (map[int64]string, error) { return nil, nil }

// Pages hold a fixed number of objects, and each page continues the one before.
func TestTextPages(t *testing.T) {
	places := make(Places, 2*textObjects+1)
	for i := range places {
		places[i] = NewPlace(int64(i+1), int64(i), seo.Listed)
	}
	places[7].Verdict = seo.MetaNoindex // level plugin counts such objects in its pages
	var most int
	locate := func(batch Places) (found Rendered) {
		most = max(most, len(batch))
		for _, e := range batch {
			if e.ID == 9 { // gone since
				continue
			}
			found.URLs = append(found.URLs, urlset.URL{Object: e.ID, Loc: fmt.Sprintf("https://a.test/%d", e.ID)})
			if e.ID == 10 {
				found.URLs = append(found.URLs, urlset.URL{Object: e.ID, Loc: "https://a.test/10/2"})
			}
		}
		return found
	}
	l := &List{Name: "post", Size: 1000, Indexed: true, First: []FirstLink{{Loc: "https://a.test/", LastMod: 3}}, Places: places,
		After:   []FirstLink{{Loc: "https://a.test/after", LastMod: 4}, {Loc: "mailto:none", LastMod: wp.NoTime}},
		Content: numbered(locate)}
	c := catalogOf(t, seo.Options{PageSize: 1000, Text: true}, l)
	c.Dress.Encoding = urlset.Strict
	var all []string
	var counts []int
	for _, f := range c.OtherFiles() {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		wptest.Must(t, err)
		lines := strings.Fields(string(doc.Body))
		counts = append(counts, len(lines))
		all = append(all, lines...)
		if f.Page == 2 && (f.Filename != "sitemap2.txt" || doc.LastMod.Unix() != 2*textObjects-1) {
			t.Errorf("page 2 is %s of %v", f.Filename, doc.LastMod.Unix())
		}
	}
	// home, one noindexed, one deleted, one more part; then the remaining ones, of which one is invalid
	expect.Same(t, []int{textObjects, textObjects, 2}, counts, "lines on pages")
	if all[0] != "https://a.test/" || all[len(all)-1] != "https://a.test/after" ||
		slices.Contains(all, "https://a.test/8") || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("from %s to %s", all[0], all[len(all)-1])
	}
	if most > LocateBatch {
		t.Errorf("%d objects were read at a time", most)
	}
	if _, err := c.Render(t.Context(), TextName, 4); !errors.Is(err, ErrNotFound) {
		t.Errorf("a page behind the last one: %v", err)
	}
}

// The newest entries come first. Entries with the same date stay in list order. Entries without a date
// do not count as changes.
func TestLatest(t *testing.T) {
	var a, b List
	for i := range int64(3000) {
		a.Places = append(a.Places, NewPlace(i, i*7919%3000, seo.Listed))
		b.Places = append(b.Places, NewPlace(10_000+i, 2990, seo.MetaNoindex))
	}
	b.First = []FirstLink{{Loc: "https://a.test/", LastMod: 2999}, {Loc: "https://a.test/b", LastMod: wp.NoTime}, {Loc: "https://a.test/c", LastMod: wp.ZeroTime}}
	var got []string
	for _, e := range latest([]*List{&a, &b}, 4) {
		got = append(got, fmt.Sprint(e.List == &b, " ", e.LastMod, " ", e.Link != nil))
	}
	expect.Same(t, []string{"false 2999 false", "true 2999 true", "false 2998 false", "false 2997 false"}, got)
	expect.Equal(t, len(latest([]*List{{First: b.First[1:]}}, 4)), 0, "is no change")
}
