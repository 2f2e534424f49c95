package catalog

import (
	"context"
	"fmt"
	"testing"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// piecesTest is a catalog with one list, whose render says for which objects it was asked.
type piecesTest struct {
	*Catalog
	list  *List
	each  int // addresses of an object
	loc   string
	asked []int64
}

func newPiecesTest(t *testing.T, objects int) *piecesTest {
	p := &piecesTest{each: 1, loc: "https://x.test/"}
	p.list = &List{Name: "post", Size: 10, Piecewise: true, Indexed: true, Render: func(_ context.Context, entries []Entry) (r Rendered, err error) {
		p.asked = nil
		for _, e := range entries {
			p.asked = append(p.asked, e.ID)
			for n := range p.each {
				r.URLs = append(r.URLs, urlset.URL{Object: e.ID, Loc: fmt.Sprint(p.loc, e.ID, "-", n), LastMod: e.LastMod()})
			}
		}
		return r, nil
	}}
	for i := range objects {
		p.list.Entries = append(p.list.Entries, NewEntry(int64(i+1), int64(1e9+i), seo.Listed))
	}
	p.Catalog = catalogOf(t, seo.Options{PageSize: 10, Keep: true}, p.list)
	return p
}

func (p *piecesTest) page(t *testing.T, earlier *Document) *Document {
	t.Helper()
	p.asked = nil
	var e Earlier
	if earlier != nil {
		e = Earlier{Body: func() []byte { return earlier.Body }, Pieces: earlier.Pieces}
	}
	doc, err := p.renderPage(t.Context(), p.list, 1, e)
	wptest.Must(t, err)
	return doc
}

// Of a page only the objects are rendered that changed, came, or are made of something else now,
// and it comes out as it would as a whole.
func TestPieces(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *piecesTest)
		want   string // asked for
	}{
		{"nothing", func(*piecesTest) {}, "[]"},
		{"another date", func(p *piecesTest) { p.list.Entries[3].Date = rows.Pack(7) }, "[4]"},
		{"a delta that had to do with it", func(p *piecesTest) { p.touched = map[int64]uint16{2: 1} }, "[2]"},
		{"one more in the middle", func(p *piecesTest) {
			p.list.Entries = append(p.list.Entries[:2:2], append([]Entry{NewEntry(40, 1e9, seo.Listed)}, p.list.Entries[2:]...)...)
		}, "[40]"},
		{"one less", func(p *piecesTest) { p.list.Entries = append(p.list.Entries[:2:2], p.list.Entries[3:]...) }, "[]"},
		{"another order", func(p *piecesTest) {
			e := p.list.Entries
			e[0], e[4] = e[4], e[0]
		}, "[]"},
		{"an object twice", func(p *piecesTest) { p.list.Entries[1].ID = 1 }, "[1]"},
		{"what all are made of", func(p *piecesTest) { p.list.stamp++ }, "[1 2 3 4 5]"},
		{"more addresses than a page of that size leaves room for", func(p *piecesTest) {
			p.Options.PageSize, p.list.Entries[0].Date = urlset.MaxEntries-1, rows.Pack(7)
			p.each = 2
		}, "[1 2 3 4 5]"},
		{"an address that is refused", func(p *piecesTest) {
			p.Dress.Encoding, p.loc, p.list.Entries[1].Date = urlset.Strict, "", rows.Pack(7)
		}, "[2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPiecesTest(t, 5)
			if tt.name == "more addresses than a page of that size leaves room for" {
				p.each = 2
			}
			before := p.page(t, nil)
			if before.Taken != 0 || before.Pieces == nil {
				t.Fatalf("%+v", before)
			}
			tt.change(p)
			got := p.page(t, before)
			expect.Equal(t, fmt.Sprint(p.asked), tt.want, "rendered")
			if got.LeftOut > 0 {
				if got.Pieces != nil || got.LeftOut != 1 {
					t.Errorf("a page that is not complete has pieces: %+v", got)
				}
				return
			}
			want := p.page(t, nil)
			if string(got.Body) != string(want.Body) || got.Entries != want.Entries || !got.LastMod.Equal(want.LastMod) {
				t.Errorf("%d entries, newest %v\n%s\nas a whole %d, %v\n%s", got.Entries, got.LastMod, got.Body, want.Entries, want.LastMod, want.Body)
			}
			if again := p.page(t, got); string(again.Body) != string(want.Body) || tt.want != "[1 2 3 4 5]" && p.asked != nil {
				t.Errorf("then rendered %d\n%s", p.asked, again.Body)
			}
		})
	}
}

// What has no pieces, or must not hand them on, is rendered as a whole.
func TestPagesWithoutPieces(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *piecesTest)
	}{
		{"of an export", func(p *piecesTest) { p.Options.Keep = false }},
		{"of a list that does not tell its objects apart", func(p *piecesTest) { p.list.Piecewise = false }},
		{"whose rows have changed since", func(p *piecesTest) {
			render := p.list.Render
			p.list.Render = func(ctx context.Context, entries []Entry) (Rendered, error) {
				r, err := render(ctx, entries)
				r.Behind = true
				return r, err
			}
		}},
		{"of such a list, with an object twice", func(p *piecesTest) {
			p.list.Piecewise, p.list.Entries[1].ID = false, 1
		}},
	} {
		p := newPiecesTest(t, 3)
		tt.change(p)
		if doc := p.page(t, nil); doc.Pieces != nil || doc.Entries != 3 {
			t.Errorf("a page %s has pieces: %+v", tt.name, doc)
		}
	}
}
