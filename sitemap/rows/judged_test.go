package rows

import (
	"maps"
	"slices"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

// at returns a row of a post that changed at a time; local is the same time by the site's clock.
func at(id, gmt, local int64, s status, protected bool) *Post {
	return &Post{ID: id, ModifiedGMT: Pack(gmt), Modified: Pack(local), Status: s, protected: protected}
}

// Which posts count for which date of a term, and which of them is the newest.
func TestDatesOfATerm(t *testing.T) {
	t.Parallel()
	const none = wp.NoTime
	for _, tt := range []struct {
		rule  string
		posts []*Post
		of    bool // the posts have a type of the taxonomy
		want  [4]int64
		by    int64 // the post of DateAny
	}{
		{"no posts", nil, true, [4]int64{none, none, none, none}, 0},
		{"a published post", []*Post{at(1, 10, 12, Published, false)}, true, [4]int64{10, 12, 10, 10}, 1},
		{"of another type", []*Post{at(1, 10, 12, Published, false)}, false, [4]int64{10, none, 10, 10}, 1},
		{"with a password", []*Post{at(1, 10, 12, Published, true)}, true, [4]int64{none, 12, 10, 10}, 1},
		{"an attachment", []*Post{at(1, 10, 12, Inherited, false)}, true, [4]int64{10, none, none, 10}, 1},
		{"a draft", []*Post{at(1, 10, 12, otherwise, false)}, true, [4]int64{none, none, none, 10}, 1},
		{"the newest of several", []*Post{at(1, 10, 12, Published, false), at(2, 30, 32, Published, false), at(3, 20, 22, Published, false)}, true,
			[4]int64{30, 32, 30, 30}, 2},
		{"the first of equals", []*Post{at(1, 10, 12, Published, false), at(2, 10, 12, Published, false)}, true, [4]int64{10, 12, 10, 10}, 1},
		{"a post without a date", []*Post{at(1, none, none, Published, false)}, true, [4]int64{none, none, none, none}, 0},
	} {
		dates := NoDates
		for _, p := range tt.posts {
			dates.include(p, tt.of)
		}
		for k, want := range tt.want {
			expect.Equal(t, dates[k].At, want, tt.rule, k)
		}
		expect.Equal(t, dates[DateAny].post, tt.by, tt.rule)
		if tt.want[DateLocal] == 12 {
			expect.Equal(t, dates[DateLocal].GMT, 10, tt.rule)
		}
	}
}

// If a touched post gave a date of a term and no touched post is as new now, another post may be the newest.
func TestLosesItsNewest(t *testing.T) {
	t.Parallel()
	d := &delta{touched: map[int64]bool{1: true}}
	dates := func(at, post int64) *TermDates {
		all := NoDates
		all[DateLocal] = Date{At: at, post: post}
		return &all
	}
	for _, tt := range []struct {
		rule          string
		before, fresh *TermDates
		want          bool
	}{
		{"it became older", dates(10, 1), dates(9, 1), true}, {"it is gone", dates(10, 1), &NoDates, true},
		{"it stayed", dates(10, 1), dates(10, 1), false},
		{"it became newer", dates(10, 1), dates(11, 1), false}, {"another touched post is newer", dates(10, 1), dates(12, 3), false},
		{"another post gave the date", dates(10, 2), dates(9, 1), false},
	} {
		expect.Equal(t, d.loses(tt.before, tt.fresh), tt.want, tt.rule)
	}
}

// A term may change if a touched post gave one of its dates. It may also have lost its last post.
func TestMayChange(t *testing.T) {
	t.Parallel()
	tags := &registry.Taxonomy{Name: "post_tag", ObjectTypes: []string{"post"}}
	for _, tt := range []struct {
		rule  string
		count int64
		date  Date // DateOpen
		want  bool
	}{
		{"its newest post was touched", 5, Date{post: 1}, true},
		{"its only post is there", 1, Date{post: 3}, false},
		{"its only post is gone", 1, Date{post: 9}, true},
		{"its only post is a draft", 1, Date{post: 4}, true},
		{"its only post has another type", 1, Date{post: 5}, true},
		{"as many posts as were touched", 2, Date{post: 9}, true},
		{"more posts than were touched", 3, Date{post: 9}, false},
		{"no post", 0, Date{post: 9}, false},
	} {
		d := &delta{touched: map[int64]bool{1: true, 2: true}, Reader: &Reader{Rows: newRows()}}
		d.Posts = map[string][]Post{"post": {{ID: 3}, {ID: 4, Status: otherwise}}, "page": {{ID: 5}}}
		term := &Term{Row: objects.TermRow{Count: tt.count}, Dates: NoDates}
		term.Dates[DateOpen] = tt.date
		expect.Equal(t, d.mayChange(tags, term), tt.want, tt.rule)
	}
}

// The date of an author is that of the newest published post of the types that count, also if a password protects the post. An
// author of open posts has one without a password.
func TestDatesOfAuthors(t *testing.T) {
	t.Parallel()
	b := &Reader{Rows: newRows()}
	post := func(id, date int64, author int64, s status, protected bool) Post {
		return Post{ID: id, LastMod: Pack(date), author: b.number(author), Status: s, protected: protected}
	}
	b.Posts["post"] = []Post{
		post(1, 10, 71, Published, false), post(2, 30, 71, Published, false), post(3, 20, 71, Published, false), post(4, 50, 72, otherwise, false),
		post(5, 40, 73, Published, true), post(6, wp.NoTime, 74, Published, false), post(7, 90, 71, Inherited, false),
	}
	b.Posts["page"] = []Post{post(8, 60, 75, Published, false), post(9, 70, 71, Published, false)}
	of := func(r *Post) int64 { return r.LastMod.Unix() }
	expect.Same(t, map[int64]int64{71: 30, 73: 40, 74: wp.NoTime}, b.AuthorDates(of, "post"))
	expect.Same(t, map[int64]int64{71: 70, 73: 40, 74: wp.NoTime, 75: 60}, b.AuthorDates(of, "post", "page"))
	expect.List(t, slices.Sorted(maps.Keys(b.OpenAuthors())), []int64{71, 74, 75})
	expect.List(t, b.users, []int64{71, 72, 73, 74, 75})
}

// A language leaves out what the plugin's query would not find. An earlier verdict of the query itself stays.
func TestLeave(t *testing.T) {
	t.Parallel()
	for before, want := range map[seo.Verdict]seo.Verdict{
		seo.Listed: seo.OtherLanguage, seo.MetaNoindex: seo.OtherLanguage, seo.CanonicalElsewhere: seo.OtherLanguage,
		seo.NotPublished: seo.NotPublished, seo.PasswordProtected: seo.PasswordProtected,
	} {
		r := Post{Verdict: before}
		r.leave(seo.OtherLanguage)
		expect.Equal(t, r.Verdict, want, before)
	}
}

// An imported row may lack the UTC date of its publication.
func TestPublication(t *testing.T) {
	t.Parallel()
	expect.Equal(t, Publication(10, 20), 10)
	expect.Equal(t, Publication(wp.NoTime, 20), 20)
}

// The status of a row decides whether its date counts.
func TestStatusOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]status{"publish": Published, "Publish": Published, "inherit": Inherited, "trash": otherwise, "": otherwise} {
		expect.Equal(t, statusOf(text), want, text)
	}
	expect.Equal(t, (&Post{protected: true}).Protected(), true)
}

// The newest row of a type counts even if it is not listed, but not one in the trash.
func TestNewestRow(t *testing.T) {
	t.Parallel()
	b := &Reader{Rows: newRows()}
	b.Posts["post"] = []Post{*at(1, 10, 0, Published, false), *at(2, 20, 0, Inherited, true), *at(3, 30, 0, otherwise, false)}
	b.Posts["post"][0].Verdict = seo.MetaNoindex
	expect.Equal(t, b.NewestRow("post"), 20)
	expect.Equal(t, b.NewestRow("page"), wp.NoTime)
}

// A hash tells texts apart that differ in one place, in length or in order.
func TestMixText(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for _, text := range []string{"", "\x00", "\x00\x00", "a", "b", "ab", "ba", "abcdefgh", "abcdefgi", "bbcdefgh", "abcdefgh\x00",
		"abcdefghabcdefgh",
		"abcdefghabcdefgi", "abxdefgh", "abcxefgh", "abcdxfgh", "abcdexgh", "abcdefxh"} {
		h := MixText(7, text)
		if had, ok := seen[h]; ok {
			t.Errorf("%q and %q have the same hash", had, text)
		}
		seen[h] = text
	}
	expect.Equal(t, Mix(1, 2) == Mix(2, 2), false, "the hash before counts")
}
