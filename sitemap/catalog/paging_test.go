package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// The entries of these lists are the numbers from 0, with date 1000 + number. F is a first link. An
// entry in brackets is left out. x is a page that does not exist.
func TestPages(t *testing.T) {
	for _, tt := range []struct {
		name         string
		entries      int
		hidden       []int // only the plugin keeps them
		first        bool
		past         PastEnd
		size         int
		spec, plugin []string // pages from 1, with one behind those the index names
	}{
		{"nothing at all", 0, nil, false, PastMissing, 2, []string{"x"}, []string{"x"}},
		{"a post type without posts is an empty page at level plugin", 0, nil, false, PastPostTypes, 2, []string{"x"}, []string{""}},
		{"just a first link", 0, nil, true, PastPostTypes, 2, []string{"F", "x"}, []string{"F"}},
		{"less than a page", 1, nil, false, PastMissing, 2, []string{"0", "x"}, []string{"0", "x"}},
		{"exactly a page", 2, nil, false, PastMissing, 2, []string{"0 1", "x"}, []string{"0 1", "x"}},
		{"a page behind a full one exists for post types at level plugin", 2, nil, false, PastPostTypes, 2, []string{"0 1", "x"}, []string{"0 1", ""}},
		{"but not behind one that is not full", 3, nil, false, PastPostTypes, 2, []string{"0 1", "2", "x"}, []string{"0 1", "2", "x"}},
		{"a first link takes a place at level spec", 2, nil, true, PastPostTypes, 2, []string{"F 0", "1", "x"}, []string{"F 0 1", ""}},
		{"a first link fills a page of one", 2, nil, true, PastMissing, 1, []string{"F", "0", "1", "x"}, []string{"F 0", "1", "x"}},
		{
			"hidden entries take places at level plugin", 3, []int{0, 3}, false, PastMissing, 2, []string{"1 2", "4", "x"},
			[]string{"[0] 1", "2 [3]", "4", "x"},
		},
		{
			"a page may hold nothing but hidden ones at level plugin", 1, []int{0, 1}, false, PastMissing, 2, []string{"2", "x"},
			[]string{"[0] [1]", "2", "x"},
		},
		{"many", 7, nil, false, PastMissing, 3, []string{"0 1 2", "3 4 5", "6", "x"}, []string{"0 1 2", "3 4 5", "6", "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for level, want := range map[seo.Level][]string{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				l := &List{Past: tt.past, Size: tt.size, FirstPlaced: level == seo.SpecLevel}
				if level == seo.SpecLevel {
					l.Past = PastHidden
				}
				if tt.first {
					l.First = []FirstLink{{Loc: "F", LastMod: wp.NoTime}}
				}
				for i := range tt.entries + len(tt.hidden) {
					p := NewPlace(int64(i), 1000+int64(i), seo.Listed)
					if slices.Contains(tt.hidden, i) {
						if p.Verdict = seo.MetaNoindex; level == seo.SpecLevel {
							continue
						}
					}
					l.Places = append(l.Places, p)
				}
				l.Indexed = len(l.Places) > 0 || tt.first && level == seo.SpecLevel
				pages := l.Pages()
				if !l.Indexed && level == seo.SpecLevel {
					pages = 0
				}
				var got []string
				for page := 1; page <= max(pages+1, len(want)); page++ {
					got = append(got, describe(l, page))
				}
				if tt.plugin[0] == "" || tt.plugin[0] == "F" { // not in the index, so there is no page behind
					got = got[:len(want)]
				}
				expect.Same(t, want, got, string(level))
				if level == seo.SpecLevel {
					l.Dates = l.PageDates()
					for i, date := range l.Dates {
						_, places, _ := l.Slice(i + 1)
						if len(places) > 0 && date != places[len(places)-1].Date.Unix() {
							t.Errorf("date of page %d: %d", i+1, date)
						}
					}
				}
			}
		})
	}
}

func describe(l *List, page int) string {
	first, places, ok := l.Slice(page)
	if !ok {
		return "x"
	}
	var words []string
	for range first {
		words = append(words, "F")
	}
	for _, p := range places {
		if p.Verdict != seo.Listed {
			words = append(words, fmt.Sprintf("[%d]", p.ID))
			continue
		}
		words = append(words, fmt.Sprint(p.ID))
	}
	return strings.Join(words, " ")
}

func TestPageNumbersOutOfRange(t *testing.T) {
	l := &List{Size: 1, Past: PastPostTypes, Places: make(Places, 3), Indexed: true}
	for _, page := range []int{-1 << 62, -1, 0, 5, 1 << 40, 1<<63 - 1} {
		if _, _, ok := l.Slice(page); ok {
			t.Errorf("page %d exists", page)
		}
	}
}

// At level plugin the empty first page of a post type is answered with 200.
func TestRenderWithoutEntries(t *testing.T) {
	l := &List{Name: "post", Size: 10, Past: PastPostTypes, Content: numbered(func(Places) Rendered {
		t.Error("read rows for a page without entries")
		return Rendered{}
	})}
	c := catalogOf(t, seo.Options{PageSize: 10})
	doc, err := c.renderPage(t.Context(), l, 1)
	if err != nil || doc.Entries != 0 || !doc.LastMod.IsZero() {
		t.Errorf("%+v, %v", doc, err)
	}
	if !bytes.Contains(doc.Body, []byte("</urlset>")) || bytes.Contains(doc.Body, []byte("<url>")) {
		t.Errorf("%s", doc.Body)
	}
}
