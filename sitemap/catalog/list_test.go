package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest/expect"
)

// placed returns places from their ids, each with the date 1000 + id. Places with a negative id are left out.
func placed(ids ...int64) (places Places) {
	for _, id := range ids {
		rule := seo.Listed
		if id < 0 {
			id, rule = -id, seo.MetaNoindex
		}
		places = append(places, NewPlace(id, 1000+id, rule))
	}
	return places
}

// linked returns first links to addresses, without dates.
func linked(locs ...string) (links []FirstLink) {
	for _, loc := range locs {
		links = append(links, FirstLink{Loc: loc, LastMod: wp.NoTime})
	}
	return links
}

// timed is a content whose articles are on the list by the clock.
type timed struct {
	numbered
	articles []rows.Article
}

func (timed) Absent(context.Context, *address.Post, Standing) (string, error) { return "", nil }
func (t timed) Articles() []rows.Article                                      { return t.articles }

// indexedBy is a timed content with rows of its own.
type indexedBy struct {
	timed
	date int64
}

func (indexedBy) RowsOf(context.Context, int64) ([]int64, error) { return nil, nil }
func (i indexedBy) IndexDate() int64                             { return i.date }

// article returns an article that is news in the windows after the two dates.
func article(id, published, changed int64) rows.Article {
	return rows.Article{ID: id, Published: published, LastMod: published, Spans: [2]rows.Span{rows.WindowAfter(published), rows.WindowAfter(changed)}}
}

// Which pages exist beside those with entries depends on the plugin.
func TestPastEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		past    PastEnd
		indexed bool
		places  Places
		pages   string // pages 0 to 4; x is a page that does not exist
	}{
		{"only full and started pages", PastMissing, true, placed(1, 2, 3), "x/1 2/3/x/x"},
		{"pages need not be in the index", PastMissing, false, placed(1), "x/1/x/x/x"},
		{"every page after the first shows the first", PastFirst, true, placed(1, 2, 3), "x/1 2/1 2/1 2/1 2"},
		{"but there is none without entries", PastFirst, true, nil, "x/x/x/x/x"},
		{"every page from 1 exists", PastEvery, true, placed(1, 2, 3), "x/1 2/3//"},
		{"even without entries", PastEvery, false, nil, "x////"},
		{"in the index, with entries", PastHidden, true, placed(1, 2, 3), "x/1 2/3/x/x"},
		{"not in the index", PastHidden, false, placed(1, 2, 3), "x/x/x/x/x"},
		{"a page with nothing but left-out objects", PastUnlisted, true, placed(1, 2, -3, -4), "x/1 2/x/x/x"},
		{"a page with one listed object", PastUnlisted, true, placed(-1, 2, 3), "x/[1] 2/3/x/x"},
		{"the first page of a post type", PastPostTypes, true, nil, "x//x/x/x"},
		{"the page after a full one", PastPostTypes, true, placed(1, 2), "x/1 2//x/x"},
	} {
		l := &List{Size: 2, Past: tt.past, Indexed: tt.indexed, Places: tt.places}
		var got []string
		for page := range 5 {
			got = append(got, describe(l, page))
		}
		expect.Equal(t, strings.Join(got, "/"), tt.pages, tt.name)
	}
	l := &List{Size: 2, Content: timed{}}
	expect.Equal(t, describe(l, 1)+"/"+describe(l, 2), "/x", "news has its first page always")
	l = &List{Size: 2, Past: PastUnlisted, First: linked("a"), Places: placed(-1)}
	expect.Equal(t, describe(l, 1), "F [1]", "a page with a first link")
	l = &List{Size: 2, FirstPlaced: true, First: linked("a", "b", "c"), Places: placed(1, 2)}
	expect.Equal(t, describe(l, 1)+"/"+describe(l, 2)+"/"+describe(l, 3)+"/"+describe(l, 4), "F F/F 1/2/x", "first links that take places")
}

// The entries are the first links, the listed objects, those at the end of every page, and the links after the first page.
func TestEntriesOfAList(t *testing.T) {
	l := &List{
		Name: "post", Size: 2, Indexed: true,
		First: linked("first", "second"), Places: placed(1, -2, 3, 4, 5), Tail: placed(90, 91), After: linked("after"),
	}
	l.Dates = l.PageDates()
	name := func(e Entry) string {
		if e.Link != nil {
			return e.Link.Loc
		}
		return fmt.Sprint(e.ID)
	}
	var all []string
	for e := range l.Entries() {
		expect.Equal(t, e.List, l, "the list of", name(e))
		all = append(all, name(e))
	}
	want := "first second 1 3 4 5 90 91 after"
	expect.Equal(t, strings.Join(all, " "), want)
	for i, stop := range strings.Fields(want) { // whoever reads the entries may stop at any of them
		n := 0
		for e := range l.Entries() {
			if n++; name(e) == stop {
				break
			}
		}
		expect.Equal(t, n, i+1, "entries up to", stop)
	}
	expect.Equal(t, l.Pages(), 3)
	expect.Equal(t, l.Listed(), 2+4+2*3+1, "addresses on three pages")
	var on []int
	for page := 1; page <= 4; page++ {
		on = append(on, l.pageListed(page))
	}
	expect.List(t, on, []int{2 + 1 + 2 + 1, 2 + 2, 1 + 2, 2})
	expect.List(t, l.Dates, []int64{1091, 1091, 1091})
	expect.Equal(t, l.NewestListed(), 1005)
	l.Tail, l.Places = nil, placed(1, -2, -3, -4, 5)
	expect.List(t, l.PageDates(), []int64{1001, wp.NoTime, 1005})
	l.Places = placed(-7)
	expect.Equal(t, l.NewestListed(), wp.NoTime)
	if l.FirstPlaced = true; l.Pages() != 2 || l.FirstPlaces() != 2 {
		t.Errorf("%d pages, %d places for first links", l.Pages(), l.FirstPlaces())
	}
}

// An object is listed as an entry, as a page that is a first link, or as the page at the address of an archive.
func TestLists(t *testing.T) {
	l := &List{Places: placed(3, -5, 8), First: []FirstLink{{PostID: 20}, {Loc: "https://a.test/shop/", Object: 30}}}
	for id, want := range map[int64]bool{3: true, 8: true, 20: true, 30: true, 5: false, 4: false, 1: false, 9: false} {
		expect.Equal(t, l.Lists(id), want, id)
	}
}

// What cannot be rendered says why, but a page without objects is not affected.
func TestWithheld(t *testing.T) {
	bad := errors.New("no such column")
	l := &List{Withheld: bad, Content: numbered(func(Places) Rendered {
		t.Error("rows were read")
		return Rendered{}
	})}
	for name, read := range map[string]func(context.Context, Places) (Rendered, error){"locate": l.Locate, "render": l.render} {
		_, err := read(t.Context(), placed(1))
		expect.Equal(t, err, bad, name)
		_, err = read(t.Context(), nil)
		expect.Equal(t, err, nil, name, "nothing")
	}
	l.Name, l.Size, l.Indexed = "post", 10, true
	c := catalogOf(t, seo.Options{}, l)
	for _, name := range []string{"post", seo.IndexName} { // nobody knows whether the page exists
		if _, err := c.Render(t.Context(), name, 1); !errors.Is(err, bad) || !strings.Contains(err.Error(), "post") {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.Past, l.Places, l.Dates = PastMissing, placed(1), []int64{1001}
	if _, err := c.Render(t.Context(), "post", 1); !errors.Is(err, bad) {
		t.Errorf("a page with objects: %v", err)
	}
	if _, err := c.Render(t.Context(), seo.IndexName, 1); err != nil {
		t.Errorf("an index that names it: %v", err)
	}
}

// Articles are on a list of news for two days after they were published or changed.
func TestNewsByTheClock(t *testing.T) {
	const day = 24 * 60 * 60
	now := int64(100 * day)
	l := &List{Name: "news", Size: 10, Content: timed{articles: []rows.Article{
		article(1, now-day, wp.NoTime), article(2, now-5*day, now-day), article(3, now-5*day, wp.NoTime), article(4, now+day, wp.NoTime),
		article(5, now-rows.NewsWindow, wp.NoTime),
	}}}
	older, all := l.Older(now)
	expect.Equal(t, fmt.Sprint(older, all), "1 3", "articles published before, all articles")
	for id, want := range map[int64]int64{1: now + day + 1, 2: now + day + 1, 3: 0, 4: 0, 5: now + 1, 6: 0} {
		expect.Equal(t, l.Leaves(id, now), want, "article", id, "leaves")
	}
	on := l.at(now)
	expect.List(t, on.Places.IDs(), []int64{1, 2, 5})
	expect.List(t, on.Dates, []int64{now - day})
	if !on.Indexed || l.Indexed || len(l.Places) != 0 {
		t.Errorf("%t, and the list itself: %t with %d places", on.Indexed, l.Indexed, len(l.Places))
	}
	if gone := l.at(now + 50*day); gone.Indexed || len(gone.Dates) != 0 {
		t.Errorf("without articles: %t, %d", gone.Indexed, gone.Dates)
	}
	l.Content = indexedBy{l.Content.(timed), 77}
	expect.List(t, l.at(now).Dates, []int64{77})
	expect.Equal(t, len(l.at(now+50*day).Dates), 0)
	plain := &List{Name: "post", Places: placed(1)}
	older, all = plain.Older(now)
	expect.Equal(t, fmt.Sprint(plain.at(now) == plain, older, all, plain.Leaves(1, now)), "true 0 0 0", "another list")
}

// The index names a dependent list only beside another list.
func TestDependentLists(t *testing.T) {
	video := &List{Name: "video", Size: 1, Indexed: true, Dependent: true, Places: placed(1), Dates: []int64{1001}}
	hidden := &List{Name: "page", Size: 1, Places: placed(2), Dates: []int64{1002}}
	post := &List{Name: "post", Size: 1, Indexed: true, Places: placed(3, 4), Dates: []int64{1003, 1004}}
	types := func(lists ...*List) string {
		var all []string
		for _, count := range catalogOf(t, seo.Options{}, lists...).Types() {
			all = append(all, fmt.Sprintf("%s %d/%d", count.Name, count.URLs, count.Pages))
		}
		return strings.Join(all, ", ")
	}
	expect.Equal(t, types(video), "", "alone")
	expect.Equal(t, types(hidden, video), "", "beside a list that the index does not name")
	expect.Equal(t, types(post, hidden, video), "post 2/2, video 1/1", "beside another list")
	expect.Equal(t, types(video, post), "post 2/2", "before the other list")
	if !video.Indexed {
		t.Error("the list itself was changed")
	}
}

func TestLeftOut(t *testing.T) {
	expect.Equal(t, LeftOut(nil), "none excluded")
	expect.Equal(t, LeftOut(map[seo.Verdict]int{seo.MetaNoindex: 0}), "none excluded")
	expect.Equal(t, LeftOut(map[seo.Verdict]int{seo.MetaNoindex: 2, seo.LinksElsewhere: 1, seo.Excluded: 0}),
		"excluded: 1 links elsewhere, 2 noindex")
}
