package sitemap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Pages are cut after a number of objects, and each is the next part of the whole.
func TestTextPages(t *testing.T) {
	entries := make([]entry, 2*textObjects+1)
	for i := range entries {
		entries[i] = newEntry(int64(i+1), int64(i), Listed)
	}
	entries[7].rule = MetaNoindex // level plugin counts such entries in its pages
	var most int
	locate := func(batch []entry) []located {
		most = max(most, len(batch))
		var found []located
		for _, e := range batch {
			if e.id == 9 { // gone since
				continue
			}
			found = append(found, located{e.id, fmt.Sprintf("https://a.test/%d", e.id)})
			if e.id == 10 {
				found = append(found, located{e.id, "https://a.test/10/2"})
			}
		}
		return found
	}
	l := &list{name: "post", size: 1000, indexed: true, first: []firstLink{{loc: "https://a.test/", lastmod: 3}}, entries: entries,
		after: []firstLink{{loc: "https://a.test/after", lastmod: 4}, {loc: "mailto:none", lastmod: wp.NoTime}}, locate: func(_ context.Context, batch []entry) ([]located, error) { return locate(batch), nil }}
	c := catalogOf(t, Options{PageSize: 1000, Text: true}, l)
	c.dress.Encoding = urlset.Strict
	var all []string
	var counts []int
	for _, f := range c.OtherFiles() {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(string(doc.Body))
		counts = append(counts, len(lines))
		all = append(all, lines...)
		if f.Page == 2 && (f.Filename != "sitemap2.txt" || doc.LastMod.Unix() != 2*textObjects-1) {
			t.Errorf("page 2 is %s of %v", f.Filename, doc.LastMod.Unix())
		}
	}
	// home, one noindexed, one gone, one more part; then what is left over, of which one cannot be written
	if diff := cmp.Diff([]int{textObjects, textObjects, 2}, counts); diff != "" {
		t.Errorf("lines on pages, want (-), got (+):\n%s", diff)
	}
	if all[0] != "https://a.test/" || all[len(all)-1] != "https://a.test/after" || slices.Contains(all, "https://a.test/8") || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("from %s to %s", all[0], all[len(all)-1])
	}
	if most > locateBatch {
		t.Errorf("%d objects were read at a time", most)
	}
	if _, err := c.Render(t.Context(), TextName, 4); !errors.Is(err, ErrNotFound) {
		t.Errorf("a page behind the last one: %v", err)
	}
}

// The newest win, ties go by the order of the lists, and what has no date is no change.
func TestLatest(t *testing.T) {
	var a, b list
	for i := range int64(3000) {
		a.entries = append(a.entries, newEntry(i, i*7919%3000, Listed))
		b.entries = append(b.entries, newEntry(10_000+i, 2990, MetaNoindex))
	}
	b.first = []firstLink{{loc: "https://a.test/", lastmod: 2999}, {loc: "https://a.test/b", lastmod: wp.NoTime}}
	var got []string
	for _, ch := range latest([]*list{&a, &b}, 4) {
		got = append(got, fmt.Sprint(ch.list, " ", ch.lastmod(), ch.loc))
	}
	if diff := cmp.Diff([]string{"0 2999", "1 2999https://a.test/", "0 2998", "0 2997"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if got := latest([]*list{{first: b.first[1:]}}, 4); len(got) != 0 {
		t.Errorf("%v is no change", got)
	}
}
