package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// each returns a content that gives every object the URLs that the function returns.
func each(urls func(id int64) []urlset.URL) numbered {
	return func(places Places) (r Rendered) {
		for _, p := range places {
			for _, u := range urls(p.ID) {
				u.Object = p.ID
				r.URLs = append(r.URLs, u)
			}
		}
		return r
	}
}

// plain returns the URL of an object.
func plain(id int64) []urlset.URL {
	return []urlset.URL{{Loc: fmt.Sprintf("https://a.test/%d", id), LastMod: 1000 + id}}
}

// logTo lets a catalog log to the returned buffer.
func logTo(c *Catalog) *bytes.Buffer {
	var log bytes.Buffer
	c.Rules.Options.Log = slog.New(slog.NewTextHandler(&log, nil))
	return &log
}

// A page has the first links, the listed objects, those at the end of every page, and what comes after the first page.
func TestPageInOrder(t *testing.T) {
	l := &List{
		Name: "post", Size: 2, Indexed: true, Places: placed(1, -2, 3), Tail: placed(9), After: linked("https://a.test/after"), Content: each(plain),
		First: []FirstLink{{Loc: "https://a.test/", LastMod: 5}, {PostID: 7, LastMod: 6, Hints: urlset.Hints{Priority: "1.0"}}},
	}
	c := catalogOf(t, seo.Options{}, l)
	for page, want := range map[int]string{
		1: "https://a.test/ https://a.test/7 https://a.test/1 https://a.test/9 https://a.test/after", 2: "https://a.test/3 https://a.test/9",
	} {
		doc, err := c.Render(t.Context(), "post", page)
		wptest.Must(t, err)
		var locs []string
		for i, part := range strings.Split(string(doc.Body), "<loc>") {
			if loc, _, _ := strings.Cut(part, "</loc>"); i > 0 {
				locs = append(locs, loc)
			}
		}
		expect.Equal(t, strings.Join(locs, " "), want, "page", page)
		expect.Equal(t, doc.Entries, len(locs), "entries of page", page)
		expect.Equal(t, doc.LastMod.Unix(), 1009)
		expect.Equal(t, strings.Count(string(doc.Body), "<priority>1.0</priority>"), map[int]int{1: 1}[page], "hints on page", page)
		expect.Equal(t, doc.LeftOut, 0)
	}
}

// Later parts of a post are counted. The same address is written once at level spec only.
func TestPartsAndRepeatedAddresses(t *testing.T) {
	urls := func(id int64) []urlset.URL {
		if id == 3 {
			return plain(1)
		}
		return append(plain(id), urlset.URL{Loc: fmt.Sprintf("https://a.test/%d/2", id), LastMod: wp.NoTime})
	}
	for _, tt := range []struct {
		level          seo.Level
		parts          bool
		entries, later int
	}{
		{seo.SpecLevel, true, 6, 2}, {seo.PluginLevel, true, 7, 2}, {seo.SpecLevel, false, 6, 0},
	} {
		l := &List{
			Name: "post", Size: 10, Parts: tt.parts, Places: placed(1, 2, 3), Content: each(urls), Indexed: true,
			First: linked("https://a.test/", "https://a.test/shop"), // addresses without an object are no parts of each other
		}
		doc, err := catalogOf(t, seo.Options{Compat: tt.level}, l).Render(t.Context(), "post", 1)
		wptest.Must(t, err)
		expect.Equal(t, fmt.Sprint(doc.Entries, doc.Parts), fmt.Sprint(tt.entries, tt.later), string(tt.level), tt.parts)
	}
}

// A page without an address or an image that it should have is logged, with the number.
func TestPageThatIsNotComplete(t *testing.T) {
	log := func(content Content) (*Document, string) {
		l := &List{Name: "post", Size: 10, Places: placed(1, 2), Content: content, Indexed: true}
		c := catalogOf(t, seo.Options{}, l)
		c.Dress.Encoding = urlset.Strict
		logged := logTo(c)
		doc, err := c.Render(t.Context(), "post", 1)
		wptest.Must(t, err)
		return doc, logged.String()
	}
	doc, logged := log(each(plain))
	expect.Equal(t, strings.TrimSpace(fmt.Sprintln(doc.LeftOut, doc.Entries, logged)), "0 2", "complete")

	doc, logged = log(each(func(id int64) []urlset.URL {
		u := plain(id)
		u[0].Images = []urlset.Image{{Loc: "https://a.test/a.jpg"}, {Loc: "javascript:a"}}
		return append(u, urlset.URL{Loc: "mailto:a", LastMod: wp.NoTime})
	}))
	expect.Equal(t, fmt.Sprint(doc.LeftOut, doc.Entries), "4 2", "left out")
	for _, want := range []string{"sitemap=post-1.xml", "invalid_urls=2", "invalid_images=2", "urls_without_images_for_size=0",
		"wpsitemapd explain"} {
		if !strings.Contains(logged, want) {
			t.Errorf("no %s in %s", want, logged)
		}
	}

	huge := strings.Repeat("x", urlset.MaxBytes)
	doc, logged = log(each(func(id int64) []urlset.URL {
		u := plain(id)
		if u[0].Images = []urlset.Image{{Loc: "https://a.test/a.jpg"}}; id == 1 {
			u[0].Images = []urlset.Image{{Loc: "https://a.test/a.jpg", Title: huge}}
		}
		return u
	}))
	expect.Equal(t, fmt.Sprint(doc.LeftOut, doc.Entries, strings.Count(string(doc.Body), "<image:image>")), "1 2 1", "a full file keeps the address")
	for _, want := range []string{"urls_without_images_for_size=1", "lower page_size"} {
		if !strings.Contains(logged, want) {
			t.Errorf("no %s in %s", want, logged)
		}
	}
}

// What goes wrong names the sitemap, except that a page does not exist.
func TestPageThatFails(t *testing.T) {
	many := each(func(int64) []urlset.URL {
		var urls []urlset.URL
		for i := range urlset.MaxEntries + 1 {
			urls = append(urls, plain(int64(i))...)
		}
		return urls
	})
	bad := errors.New("connection lost")
	broken := Relocated(failing{many, bad}, func(loc string) string { return loc })
	for _, tt := range []struct {
		name string
		list List
		want string
	}{
		{"too many addresses", List{Places: placed(1), Content: many}, "page_size"},
		{"the database fails", List{Places: placed(1), Content: broken}, bad.Error()},
		{"it fails for a first link", List{First: []FirstLink{{PostID: 1}}, Content: broken}, bad.Error()},
		{"it fails for what comes after", List{First: linked("https://a.test/"), After: []FirstLink{{PostID: 1}}, Content: broken}, bad.Error()},
	} {
		tt.list.Name, tt.list.Size, tt.list.Indexed = "post", 10, true
		c := catalogOf(t, seo.Options{}, &tt.list)
		_, err := c.Render(t.Context(), "post", 1)
		if err == nil || !strings.Contains(err.Error(), "post-1.xml") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		_, err = c.Render(t.Context(), "post", 9)
		expect.Equal(t, err, ErrNotFound, tt.name)
	}
}

// failing is a content whose Render fails.
type failing struct {
	Own
	err error
}

func (f failing) Render(context.Context, Places) (Rendered, error) { return Rendered{}, f.err }

// A list that rows have changed under says so on the page.
func TestPageThatIsBehind(t *testing.T) {
	for _, first := range []bool{false, true} {
		l := &List{Name: "post", Size: 10, Indexed: true, Content: numbered(func(p Places) Rendered {
			return Rendered{URLs: plain(p[0].ID), Behind: p[0].ID == 1}
		})}
		if l.Places = placed(1); first {
			l.Places, l.First = placed(2), []FirstLink{{PostID: 1}}
		}
		doc, err := catalogOf(t, seo.Options{}, l).Render(t.Context(), "post", 1)
		if wptest.Must(t, err); !doc.Behind {
			t.Errorf("first link %t: not behind", first)
		}
	}
}

// A content that is relocated has other addresses in the sitemap only.
func TestRelocated(t *testing.T) {
	own := Relocated(Located(
		func(context.Context, []int64) (map[int64]string, error) {
			return map[int64]string{1: "https://a.test/1", 3: "https://a.test/3"}, nil
		},
		func(_ context.Context, ids []int64) (map[int64]string, error) {
			return map[int64]string{ids[0]: "One"}, nil
		},
	), func(loc string) string { return strings.Replace(loc, "a.test", "b.test", 1) })
	r, err := own.Render(t.Context(), placed(1, 2, 3))
	wptest.Must(t, err)
	expect.Same(t, []urlset.URL{{Object: 1, Loc: "https://b.test/1", LastMod: 1001}, {Object: 3, Loc: "https://b.test/3", LastMod: 1003}}, r.URLs)
	r, err = own.Locate(t.Context(), placed(3))
	wptest.Must(t, err)
	expect.Equal(t, r.URLs[0].Loc, "https://a.test/3")
	titles, err := own.Titles(t.Context(), []int64{1})
	wptest.Must(t, err)
	expect.Equal(t, titles[1], "One")
}

// A list that requests by query name differently gets another list for them.
func TestListByQuery(t *testing.T) {
	content := ByQuery{Own: each(plain), Asked: func(l *List) *List {
		other := *l
		other.Places = placed(5)
		return &other
	}}
	post := &List{Name: "post", Size: 10, Indexed: true, Places: placed(1), Dates: []int64{1001}, Content: content}
	page := &List{Name: "page", Size: 10, Indexed: true, Places: placed(2), Dates: []int64{1002}, Content: each(plain)}
	c := catalogOf(t, seo.Options{}, post, page)
	c.Owned["post"], c.Owned["page"], c.Owned["gone"] = true, true, false
	expect.Equal(t, c.QueryName("post")+" "+c.QueryName("page")+" "+c.QueryName("none"), "?post page none")
	for name, want := range map[string]string{"post": "/1<", "?post": "/5<", "page": "/2<", "?page": ""} {
		doc, err := c.Render(t.Context(), name, 1)
		if want == "" {
			expect.Equal(t, err, ErrNotFound, name)
		} else if wptest.Must(t, err); !strings.Contains(string(doc.Body), want) {
			t.Errorf("%s: %s", name, doc.Body)
		}
	}
	o := Outline{Asked: map[string]string{}}
	o.addNames(c)
	expect.Same(t, map[string]string{"post": "?post"}, o.Asked)
	expect.List(t, o.Open, []string{"?post"})
	expect.List(t, o.Owned, []string{"page", "post"})
}

// The index names pages with their addresses and dates. In Polylang's languages some plugins put another home before the files.
func TestIndexNamesPages(t *testing.T) {
	post := &List{
		Name: "post", Of: "post", Size: 2, Indexed: true, Places: placed(1, 2, -3, -4), Parts: true, Dates: []int64{1002, wp.NoTime},
		Content: each(plain),
	}
	forum := &List{Name: "forum", Size: 2, Indexed: true, Elsewhere: "a setting", Address: "https://a.test/forum.xml", Dates: []int64{wp.NoTime}}
	hidden := &List{Name: "page", Size: 2, Places: placed(5), Dates: []int64{1005}}
	c := catalogOf(t, seo.Options{}, post, forum, hidden)
	var got []string
	for _, f := range c.Files() {
		path := strings.TrimPrefix(f.URL, "https://a.test/")
		got = append(got, fmt.Sprintf("%s %d %s %d %t %t %q", f.Name, f.Page, path, f.Entries, f.Parted, f.Elsewhere, f.Of))
	}
	index := c.Files()[0]
	expect.List(t, got, []string{
		fmt.Sprintf("%s 1 %s 3 false false \"\"", seo.IndexName, index.Filename),
		`post 1 post-1.xml 2 true false "post"`, `post 2 post-2.xml 0 true false "post"`, `forum 1 forum.xml 0 false true ""`,
	})
	expect.Equal(t, index.LastMod.Unix(), 1002)
	for home, want := range map[string]string{
		"":                        "https://a.test/post-1.xml https://a.test/post-2.xml https://a.test/forum.xml",
		"https://a.test/en/":      "https://a.test/en/post-1.xml https://a.test/en/post-2.xml https://a.test/forum.xml",
		"https://a.test/?lang=en": "https://a.test/post-1.xml?lang=en https://a.test/post-2.xml?lang=en https://a.test/forum.xml",
	} {
		c.Dress.IndexHome = home
		doc, err := c.Render(t.Context(), seo.IndexName, 1)
		wptest.Must(t, err)
		var locs []string
		for _, part := range strings.Split(string(doc.Body), "<loc>")[1:] {
			loc, _, _ := strings.Cut(part, "</loc>")
			locs = append(locs, loc)
		}
		expect.Equal(t, strings.Join(locs, " "), want, "index home", home)
		expect.Equal(t, doc.Entries, 3)
	}
	c = catalogOf(t, seo.Options{}, hidden)
	_, err := c.Render(t.Context(), seo.IndexName, 1)
	expect.Equal(t, err, ErrNotFound, "an index without sitemaps")
	c = New(c.Rules, "none", plainURLs{}, Dress{}, false)
	c.Lists = []*List{post}
	_, err = c.Render(t.Context(), "post", 1)
	expect.Equal(t, err, ErrNotFound, "a site without sitemaps")
	post.Address = "nowhere"
	c = catalogOf(t, seo.Options{}, post)
	c.Dress.Encoding = urlset.Strict
	if _, err = c.Render(t.Context(), seo.IndexName, 1); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an index with an invalid address: %v", err)
	}
}

// A stylesheet has an address without a host.
func TestStylesheets(t *testing.T) {
	for option, want := range map[string]string{
		"": "", "css": `<?xml-stylesheet type="text/css" href="/wpsitemapd.css"?>`, "xsl": `<?xml-stylesheet type="text/xsl" href="/style.xsl"?>`,
	} {
		l := &List{Name: "post", Size: 1, Places: placed(1), Content: each(plain)}
		doc, err := catalogOf(t, seo.Options{Stylesheet: option}, l).Render(t.Context(), "post", 1)
		wptest.Must(t, err)
		if n := strings.Count(string(doc.Body), "<?xml-stylesheet"); !strings.Contains(string(doc.Body), want) || n > len(want) {
			t.Errorf("%q: %s", option, doc.Body)
		}
	}
}

// If the plugin has an RSS feed of its own, the feed has only posts, and only as many as the plugin's.
func TestRSSOfThePlugin(t *testing.T) {
	post := &List{Name: "post", Kind: seo.KindPost, Size: 10, Indexed: true, Places: placed(1, 2, 3), Dates: []int64{1003}, Content: each(plain)}
	tag := &List{Name: "tag", Kind: seo.KindTerm, Size: 10, Indexed: true, Places: placed(8, 9), Dates: []int64{1009}, Content: each(plain)}
	for _, tt := range []struct {
		own       int
		atom, rss int
	}{{0, 5, 5}, {2, 5, 2}, {501, 5, 3}} {
		c := catalogOf(t, seo.Options{Atom: true, RSS: true, OwnRSS: tt.own}, post, tag)
		for name, want := range map[string]int{AtomName: tt.atom, RSSName: tt.rss} {
			logged := logTo(c)
			doc, err := c.Render(t.Context(), name, 1)
			wptest.Must(t, err)
			expect.Equal(t, doc.Entries, want, name, tt.own)
			expect.Equal(t, logged.String(), "", "nothing is left out of", name)
			_, err = c.Render(t.Context(), name, 2)
			expect.Equal(t, err, ErrNotFound, "page 2 of", name)
		}
	}
	c := catalogOf(t, seo.Options{Atom: true}, post)
	c.Dress.Encoding = urlset.Strict
	logged := logTo(c)
	post.Content = each(func(id int64) []urlset.URL { return []urlset.URL{{Loc: fmt.Sprintf("mailto:%d", id)}} })
	doc, err := c.Render(t.Context(), AtomName, 1)
	wptest.Must(t, err)
	if doc.Entries != 0 || !strings.Contains(logged.String(), "invalid_urls=3") {
		t.Errorf("%d entries, %s", doc.Entries, logged)
	}
	c = catalogOf(t, seo.Options{Atom: true}, &List{Name: "page", Size: 10, Indexed: true})
	_, err = c.Render(t.Context(), AtomName, 1)
	expect.Equal(t, err, ErrNotFound, "a feed without changes")
}

// An address without an object is named by its last segment, in words.
func TestTitleOf(t *testing.T) {
	c := catalogOf(t, seo.Options{})
	c.Rules.Blog.Settings().Title = "Small &amp; fine"
	for path, want := range map[string]string{
		"": "Small & fine", "/": "Small & fine", "/shop/": "Shop", "/about/our-team": "Our team",
		"/caf%C3%A9-bar/": "Café bar", "/%C3%A9t%C3%A9/": "Été",
		"/?post_type=shop": "https://a.test/?post_type=shop", "/2024/": "https://a.test/2024/", "/shop?x=1": "https://a.test/shop?x=1",
		"/%FF/": "https://a.test/%FF/",
	} {
		expect.Equal(t, c.titleOf("https://a.test"+path), want, path)
	}
	c.Rules.Blog.Settings().Title = ""
	expect.Equal(t, c.titleOf("https://a.test/"), "a.test", "a site without a name")
}

// A fingerprint changes exactly when what it stands for may have changed.
func TestFingerprints(t *testing.T) {
	n, err := wp.Open(t.Context(), wp.Source{Name: "test", DSN: wptest.Load(t, wptest.SQLite, "small"), Declared: wp.Declare()})
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	books, err := address.ReadAll(t.Context(), n)
	wptest.Must(t, err)
	type site struct{ post, tag, news List }
	start := func() *site {
		return &site{
			List{
				Name: "post", Size: 2, Indexed: true, Dates: []int64{1002, 1003},
				First: []FirstLink{{Loc: "https://a.test/", LastMod: 5, Object: 40}}, Places: placed(1, 2, 3),
			},
			List{Name: "tag", Size: 2, Places: placed(7), Dates: []int64{1007}},
			List{Name: "news", Size: 10, Content: indexedBy{timed{articles: []rows.Article{article(50, 500, wp.NoTime)}}, 77}},
		}
	}
	seal := func(touched map[int64]uint16, change func(*site)) *Catalog {
		s := start()
		change(s)
		c := catalogOn(books[0], seo.Options{}, &s.post, &s.tag, &s.news)
		c.Seal(touched)
		return c
	}
	same := seal(nil, func(*site) {})
	prints := []struct {
		name string
		page int
	}{
		{seo.IndexName, 1}, {"post", 1}, {"post", 2}, {"post", 3}, {"tag", 1}, {"news", 1}, {TextName, 1},
	}
	seen := map[uint64]string{}
	for _, of := range prints {
		print := same.Fingerprint(of.name, of.page)
		if other := seen[print]; other != "" || print == 0 {
			t.Errorf("%s %d has the fingerprint %d of %q", of.name, of.page, print, other)
		}
		seen[print] = of.name
	}
	expect.Equal(t, same.Fingerprint("none", 1), 0)
	for _, page := range []int{0, -1, 99} { // whether such a page exists depends on the whole list
		expect.Equal(t, same.Fingerprint("post", page), same.Fingerprint("post", 3), "page", page)
	}
	expect.Equal(t, same.Fingerprint("?post", 2), same.Fingerprint("post", 2), "by query")
	expect.Equal(t, same.Fingerprint(AtomName, 1), same.Fingerprint(TextName, 1), "the feed")

	nothing := func(*site) {}
	for _, tt := range []struct {
		name    string
		touched map[int64]uint16
		change  func(*site)
		want    string // which of the fingerprints differ, one character each: index, post 1, 2 and 3, tag, news, text
	}{
		{"nothing", nil, nothing, "......."},
		{"a date", nil, func(s *site) { s.post.Places[2].Date = rows.Pack(2000) }, "i.23..t"},
		{"another object", nil, func(s *site) { s.post.Places[0].ID = 9 }, "i1.3..t"},
		{"an object is left out", nil, func(s *site) { s.post.Places[1].Verdict = seo.MetaNoindex }, "i1.3..t"},
		{"a first link", nil, func(s *site) { s.post.First[0].Loc = "https://a.test/en/" }, "i1.3..t"},
		{"the date of a first link", nil, func(s *site) { s.post.First[0].LastMod = 6 }, "i1.3..t"},
		{"the page of a first link", nil, func(s *site) { s.post.First[0].PostID = 6 }, "i1.3..t"},
		{"a touched object", map[int64]uint16{3: 1}, nothing, "i.23..t"},
		{"an object touched again", map[int64]uint16{3: 2}, nothing, "i.23..t"},
		{"the touched page at the address of a first link", map[int64]uint16{40: 1}, nothing, "i1.3..t"},
		{"an object that no list has", map[int64]uint16{90: 1}, nothing, "......."},
		{"addresses", nil, func(s *site) { s.tag.Changes++ }, "i...g.t"},
		{"a list comes to the index", nil, func(s *site) { s.tag.Indexed = true }, "i.....t"},
		{"the site answers for a list", nil, func(s *site) { s.tag.Elsewhere = "a setting" }, "i......"},
		{"the date of a page in the index", nil, func(s *site) { s.post.Dates[0] = 3000 }, "i......"},
		{"a page in the index", nil, func(s *site) { s.tag.Dates = append(s.tag.Dates, 1) }, "i.....t"},
		{"an article", map[int64]uint16{50: 1}, nothing, "i....nt"},
		{"the rows of the news", nil, func(s *site) { s.news.Content = indexedBy{s.news.Content.(indexedBy).timed, 78} }, "i....nt"},
		{"another article", nil, func(s *site) {
			s.news.Content = indexedBy{timed{articles: []rows.Article{article(51, 500, wp.NoTime)}}, 77}
		}, "i....nt"},
	} {
		c, got := seal(tt.touched, tt.change), ""
		for i, of := range prints {
			if c.Fingerprint(of.name, of.page) != same.Fingerprint(of.name, of.page) {
				got += string("i123gnt"[i])
			} else {
				got += "."
			}
		}
		expect.Equal(t, got, tt.want, tt.name)
	}
	again := seal(map[int64]uint16{3: 2}, nothing)
	if again.Fingerprint("post", 2) == seal(map[int64]uint16{3: 1}, nothing).Fingerprint("post", 2) {
		t.Error("a post that was touched twice looks like one that was touched once")
	}
	expect.Equal(t, same.tag, same.Fingerprint(TextName, 1), "the tag of the index")
}

// An outline has the pages that the index does not name, and says of which lists it cannot have them.
func TestOutlineOfLists(t *testing.T) {
	named := func(l List) *List {
		l.Name, l.Size, l.Indexed = "post", 2, true
		l.Dates = make([]int64, l.Pages())
		return &l
	}
	hidden := named(List{Places: placed(1, 2, 3)})
	hidden.Indexed = false
	for _, tt := range []struct {
		name              string
		list              *List
		open, timed, more string
		size              Size
	}{
		{"all pages are in the index", named(List{Places: placed(1, 2, 3)}), "", "", "map[]", Size{3, 2}},
		{"first links take places", named(List{First: linked("a"), FirstPlaced: true, Places: placed(1, 2, 3)}), "", "", "map[]", Size{4, 2}},
		{"first links take no places", named(List{First: linked("a"), Places: placed(1, 2, 3)}), "", "", "map[]", Size{3, 2}},
		{"the index does not name it", hidden, "", "", "map[post:[1 2]]", Size{3, 2}},
		{"a page behind a full one", named(List{Places: placed(1, 2), Past: PastPostTypes}), "", "", "map[post:[2]]", Size{2, 2}},
		{"news", named(List{Content: timed{}}), "post", "post", "map[]", Size{0, 2}},
		{"every page shows the first", named(List{Places: placed(1), Past: PastFirst}), "post", "", "map[]", Size{1, 2}},
		{"every page exists", named(List{Past: PastEvery}), "post", "", "map[]", Size{0, 2}},
		{"nobody knows the objects", named(List{Withheld: ErrNotFound}), "post", "", "map[]", Size{0, 2}},
		{"the site answers", named(List{Past: PastEvery, Elsewhere: "a setting"}), "", "", "map[]", Size{0, 2}},
	} {
		o := Outline{Sizes: map[string]Size{}, More: map[string][]int{}}
		o.addList(tt.list)
		expect.Equal(t, strings.Join(o.Open, " "), tt.open, tt.name, "is open")
		expect.Equal(t, strings.Join(o.Timed, " "), tt.timed, tt.name, "is timed")
		expect.Equal(t, fmt.Sprint(o.More), tt.more, tt.name)
		expect.Equal(t, o.Sizes["post"], tt.size, tt.name)
	}
}

// countedURLs is an address scheme in which the number of pages is a part of each name.
type countedURLs struct{ plainURLs }

func (countedURLs) File(name string, page, pages int) string {
	return fmt.Sprintf("%s-%d-of-%d.xml", name, page, pages)
}

// The address of a page may depend on how many pages the index names.
func TestAddressesOfAnOutline(t *testing.T) {
	o := Outline{Base: seo.Base{Front: "https://a.test/"}, Files: []File{{Name: seo.IndexName}, {Name: "post", Page: 1}, {Name: "page", Page: 1},
		{Name: "post", Page: 2}}}
	for name, want := range map[string]string{"post": "post-3-of-2.xml", "page": "page-3-of-1.xml", "none": "none-3-of-0.xml"} {
		expect.Equal(t, o.URL(countedURLs{}, name, 3), "https://a.test/"+want)
	}
}
