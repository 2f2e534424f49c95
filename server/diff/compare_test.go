package diff

import (
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestSplitName(t *testing.T) {
	for _, test := range []struct {
		address, name string
		page          int
	}{
		{"https://a.test/post-sitemap.xml", "post", 1},
		{"https://a.test/blog/post-sitemap12.xml", "post", 12},
		{"https://a.test/index.php/post-sitemap.xml", "post", 1},
		{"https://a.test/my-news-sitemap.xml?x=1", "my-news", 1},
		{"https://a.test/post-sitemap3.xml.gz", "post", 3},
		{"https://a.test/?sitemap=post&sitemap_n=2", "post", 2},
		{"https://a.test/wp-sitemap-posts-page-2.xml", "page", 2},
		{"https://a.test/wp-sitemap-taxonomies-post_tag-1.xml", "post_tag", 1},
		{"https://a.test/wp-sitemap-users-1.xml", "author", 1},
		{"https://a.test/?sitemap=posts&sitemap-subtype=page&paged=2", "page", 2},
		{"https://a.test/?sitemap=users&paged=1", "author", 1},
		{"https://a.test/author.xml", "author", 1},
		{"https://a.test/posts/", "posts", 1},
		{"%", "%", 1},
	} {
		if name, page := splitName(test.address); name != test.name || page != test.page {
			t.Errorf("%s: %s, page %d; want %s, page %d", test.address, name, page, test.name, test.page)
		}
	}
}

// listing returns the listing that lines describe. A line is "file: path lastmod extra …; path …". lastmod is a day of
// January 2026 or "-". An image is +name, with its title after "=".
func listing(t *testing.T, lines ...string) *Listing {
	t.Helper()
	l := newListing(nil)
	for _, line := range lines {
		name, list, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("no file in %q", line)
		}
		name, indexed, _ := strings.Cut(name, "@")
		address := "https://a.test/" + name + ".xml"
		if list == "failed" {
			l.fail(address, january(t, indexed))
			continue
		}
		l.addNamed(address, january(t, indexed))
		var entries []live.Entry
		for item := range strings.SplitSeq(list, "; ") {
			words := strings.Fields(item)
			if len(words) == 0 {
				continue
			}
			e := live.Entry{Loc: "https://a.test" + words[0]}
			if strings.Contains(words[0], "://") {
				e.Loc = words[0]
			}
			for _, w := range words[1:] {
				if w[0] != '+' {
					e.LastMod = january(t, w)
					continue
				}
				if e.Extra == nil {
					e.Extra = &live.Extra{}
				}
				switch loc, title, _ := strings.Cut(w[1:], "="); {
				case loc == "news":
					e.Extra.News = []string{"title: " + title}
				case loc == "video":
					e.Extra.Videos = append(e.Extra.Videos, "title: "+title)
				case loc == "fr":
					e.Extra.Alternates = []string{"fr " + title}
				default:
					e.Extra.Images = append(e.Extra.Images, live.Image{Loc: "https://a.test/" + loc, Title: title})
				}
			}
			entries = append(entries, e)
		}
		l.add(address, entries)
	}
	return l
}

// compared returns the differences between two listings with their causes.
func compared(theirs, ours *Listing, why why) []Difference {
	why.Theirs = theirs
	all := find(theirs, ours)
	why.explain(all)
	return all
}

func january(t *testing.T, day string) live.Date {
	t.Helper()
	if day == "" || day == "-" {
		return live.Date{}
	}
	d, ok := live.ParseDate("2026-01-" + day + "T00:00:00Z")
	if !ok {
		t.Fatalf("%q is no day", day)
	}
	return d
}

// found returns differences as "facet URL cause".
func found(differences []Difference) []string {
	all := []string{}
	for _, d := range differences {
		all = append(all, fmt.Sprintf("%s %s %s", d.Facet, strings.TrimPrefix(d.URL, "https://a.test"), d.Cause.ID))
	}
	slices.Sort(all)
	return all
}

func TestFew(t *testing.T) {
	for _, test := range []struct{ list, other, want string }{
		{"", "a", "none"},
		{"a b", "b a c", "nothing else"},
		{"a b a", "a", "b, a"},
		{"a b c", "", "a, b, c"},
		{"a b c d e", "a", "b, c, d, and 1 more"},
	} {
		expect.Equal(t, few(strings.Fields(test.list), strings.Fields(test.other)), test.want, test.list, "without", test.other)
	}
}

// A URL that only the site lists, and that belongs to no known object, may come from a filter. No other difference has this advice.
func TestFiltersAreSuspected(t *testing.T) {
	for _, test := range []struct {
		facet  Facet
		object string
		want   bool
	}{{onlyTheirs, "", true}, {onlyTheirs, "post 1", false}, {onlyOurs, "", false}, {onlyOurs, "post 1", false}} {
		cause, _ := new(why).byURL(&Difference{Facet: test.facet}, func(string) *explain.Explanation {
			return &explain.Explanation{Rule: "listed", Object: test.object}
		})
		expect.Equal(t, strings.Contains(cause.Text, "filter in PHP"), test.want, test.facet, test.object)
	}
}

// A difference has a cause even if nothing is known of the site's sitemaps.
func TestCauseWithoutListing(t *testing.T) {
	for _, facet := range []Facet{indexDate, pageNumber} {
		cause, _ := (&why{ScanOrder: true}).cause(&Difference{Facet: facet, Sitemap: "post"}, nil)
		expect.Equal(t, cause.ID, unexplained.ID, string(facet))
	}
}

// TestDifferences checks every facet with its cause, without level spec.
func TestDifferences(t *testing.T) {
	same := "post-sitemap@03: /a/ 01 +1.jpg; /b/ 02; /c/ 03"
	for _, test := range []struct {
		rule         string
		theirs, ours []string
		why          why
		want         []string
	}{
		{"the same", []string{same}, []string{same}, why{}, nil},
		{"the order within a file does not count", []string{"post-sitemap: /b/; /a/"}, []string{"post-sitemap: /a/; /b/"}, why{}, nil},
		{"missing here", []string{same}, []string{"post-sitemap@03: /a/ 01 +1.jpg; /c/ 03"}, why{}, []string{"URL not in ours /b/ unexplained"}},
		{"missing there", []string{"post-sitemap@03: /a/ 01 +1.jpg; /c/ 03"}, []string{same}, why{}, []string{"URL only in ours /b/ unexplained"}},
		{"another date", []string{same}, []string{"post-sitemap@03: /a/ 02 +1.jpg; /b/ 02; /c/ 03"}, why{}, []string{"lastmod /a/ unexplained"}},
		{"no date", []string{same}, []string{"post-sitemap@03: /a/ - +1.jpg; /b/ 02; /c/ 03"}, why{}, []string{"lastmod /a/ unexplained"}},
		{"another image", []string{same}, []string{"post-sitemap@03: /a/ 01 +2.jpg; /b/ 02; /c/ 03"}, why{}, []string{"images /a/ unexplained"}},
		{"a repeated image", []string{same}, []string{"post-sitemap@03: /a/ 01 +1.jpg +1.jpg; /b/ 02; /c/ 03"}, why{}, []string{"images /a/ unexplained"}},
		{"a title", []string{same}, []string{"post-sitemap@03: /a/ 01 +1.jpg=T; /b/ 02; /c/ 03"}, why{}, []string{"image titles /a/ unexplained"}},
		{"a title that older versions wrote", []string{same}, []string{"post-sitemap@03: /a/ 01 +1.jpg=T; /b/ 02; /c/ 03"},
			why{Past: []seo.PastRule{{Differs: string(imageTitles), Text: "before 18.8"}}}, []string{"image titles /a/ version"}},
		{"news", []string{"news-sitemap: /a/ +news=T"}, []string{"news-sitemap: /a/ +news=U"}, why{}, []string{"news /a/ unexplained"}},
		{
			"a second video", []string{"video-sitemap: /a/ +video=T"}, []string{"video-sitemap: /a/ +video=T +video=U"}, why{},
			[]string{"video /a/ unexplained"},
		},
		{"a translation", []string{"post-sitemap: /a/"}, []string{"post-sitemap: /a/ +fr=/fr/"}, why{}, []string{"hreflang /a/ unexplained"}},
		{
			"a date in the index", []string{same}, []string{"post-sitemap@02: /a/ 01 +1.jpg; /b/ 02; /c/ 03"}, why{},
			[]string{"date in the index /post-sitemap.xml unexplained"},
		},
		{
			"a date in the index of the row that MariaDB read first", []string{"post-sitemap@01: /a/ 01; /b/ 02"}, []string{"post-sitemap@02: /a/ 01; /b/ 02"},
			why{ScanOrder: true}, []string{"date in the index /post-sitemap.xml scan-order"},
		},
		{
			"and one of no row", []string{"post-sitemap@03: /a/ 01; /b/ 02"}, []string{"post-sitemap@02: /a/ 01; /b/ 02"},
			why{ScanOrder: true}, []string{"date in the index /post-sitemap.xml unexplained"},
		},
		{
			"a date in the index of other terms", []string{"tag-sitemap@03: /a/ 01", "post-sitemap@03: /b/ 01"},
			[]string{"tag-sitemap@01: /a/ 01", "post-sitemap@01: /b/ 01"},
			why{MistakenIDs: map[string]bool{"tag": true}},
			[]string{"date in the index /post-sitemap.xml unexplained", "date in the index /tag-sitemap.xml term-ids"},
		},
		{
			"files of WordPress that are newer than the database", []string{"post-sitemap: /a/ 01; /b/ 03"}, []string{"post-sitemap: /a/; /b/ 02"},
			why{Undated: true}, []string{"lastmod /a/ newer-files", "lastmod /b/ unexplained"},
		},
		{"and where the same changed among the entries",
			[]string{"post-sitemap@03: /a/ 01; /b/ 03"}, []string{"post-sitemap@02: /a/ 01; /b/ 02"}, why{},
			[]string{"date in the index /post-sitemap.xml unexplained", "lastmod /b/ unexplained"}},
		{"of a repetition the first counts", []string{"post-sitemap: /a/ 01; /a/ 02"}, []string{"post-sitemap: /a/ 01"}, why{}, nil},
		{
			"repeated on another page, equal ones are put together", []string{"post-sitemap: /a/ 01", "post-sitemap2: /a/ 02"},
			[]string{"post-sitemap: /a/ 01", "post-sitemap2: /a/ 02"}, why{}, nil,
		},
		{"moved to another page", []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/"}, []string{"post-sitemap: /a/; /c/", "post-sitemap2: /b/"}, why{},
			[]string{"page of the sitemap /b/ unexplained", "page of the sitemap /c/ unexplained"}},
		{"moved to a page that ends between equal dates", []string{"post-sitemap: /a/ 03; /b/ 02", "post-sitemap2: /c/ 02; /d/ 01"},
			[]string{"post-sitemap: /a/ 03; /c/ 02", "post-sitemap2: /d/ 01; /b/ 02"}, why{},
			[]string{"page of the sitemap /b/ equal-dates", "page of the sitemap /c/ equal-dates"}},
		{"moved to a page with other dates", []string{"post-sitemap: /a/ 03; /b/ 02", "post-sitemap2: /c/ 01"},
			[]string{"post-sitemap: /a/ 03; /c/ 01", "post-sitemap2: /b/ 02"}, why{},
			[]string{"page of the sitemap /b/ unexplained", "page of the sitemap /c/ unexplained"}},
		{"and where one is missing", []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/"}, []string{"post-sitemap: /b/; /c/"}, why{},
			[]string{
				"URL not in ours /a/ unexplained", "page of the sitemap /c/ unexplained",
				"sitemap not in ours /post-sitemap2.xml unexplained",
			}},
		{"pages of another size", []string{"post-sitemap: /a/; /b/"}, []string{"post-sitemap: /a/", "post-sitemap2: /b/"}, why{PageSize: 1},
			[]string{"page of the sitemap /b/ page-size", "sitemap only in ours /post-sitemap2.xml page-size"}},
		{"in another sitemap", []string{"post-sitemap: /a/"}, []string{"page-sitemap: /a/"}, why{},
			[]string{
				"URL in another sitemap /a/ unexplained", "sitemap not in ours /post-sitemap.xml unexplained",
				"sitemap only in ours /page-sitemap.xml unexplained",
			}},
		{
			"another scheme", []string{"post-sitemap: http://a.test/a/ 01"}, []string{"post-sitemap: /a/ 01"}, why{},
			[]string{"spelling of the URL http://a.test/a/ unexplained"},
		},
		{
			"another host", []string{"post-sitemap: https://www.a.test/a/"}, []string{"post-sitemap: /a/"}, why{},
			[]string{"spelling of the URL https://www.a.test/a/ unexplained"},
		},
		{"another escaping, and what else differs", []string{"post-sitemap: /caf%c3%a9/ 02"}, []string{"post-sitemap: /café/ 01"}, why{},
			[]string{"lastmod /caf%c3%a9/ unexplained", "spelling of the URL /caf%c3%a9/ unexplained"}},
		{"an older copy lacks what is new", []string{"post-sitemap@02: /a/ 01; /b/ 02"}, []string{"post-sitemap@04: /a/ 03; /b/ 02; /c/ 04"}, why{},
			[]string{"URL only in ours /c/ older-copy", "date in the index /post-sitemap.xml older-copy", "lastmod /a/ older-copy"}},
		{"a copy with something younger is no older one", []string{"post-sitemap@05: /a/ 01; /b/ 05"},
			[]string{"post-sitemap@05: /a/ 03; /b/ 05; /c/ 04"}, why{},
			[]string{"URL only in ours /c/ unexplained", "lastmod /a/ unexplained"}},
		{"a copy without dates tells nothing of its age", []string{"post-sitemap: /a/"}, []string{"post-sitemap: /a/ 01; /b/ 02"}, why{},
			[]string{"URL only in ours /b/ unexplained", "lastmod /a/ unexplained"}},
		{"changed after ours was read", []string{"post-sitemap@09: /a/ 09; /b/ 09"},
			[]string{"post-sitemap@01: /a/ 01"}, why{Read: time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)},
			[]string{"URL not in ours /b/ changed-meanwhile", "date in the index /post-sitemap.xml changed-meanwhile", "lastmod /a/ changed-meanwhile"}},
		{"a sitemap that came after ours was read", []string{"post-sitemap: /a/", "page-sitemap@09: "}, []string{"post-sitemap: /a/"},
			why{Read: time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)}, []string{"sitemap not in ours /page-sitemap.xml changed-meanwhile"}},
		{
			"a term that shares its ID with one of another taxonomy", []string{"category-sitemap: /tag/red/; /category/x/"},
			[]string{"category-sitemap: /category/red/; /category/y/"},
			why{Shared: map[string]bool{"category 2": true, "post_tag 2": true}, Explain: func(loc string) *explain.Explanation {
				return &explain.Explanation{Rule: "listed", In: true, Object: map[string]string{"https://a.test/tag/red/": "post_tag 2",
					"https://a.test/category/red/": "category 2"}[loc]}
			}},
			[]string{"URL not in ours /category/x/ listed", "URL not in ours /tag/red/ shared-terms",
				"URL only in ours /category/red/ shared-terms", "URL only in ours /category/y/ listed"},
		},
		{"excluded by the operator", []string{"post-sitemap: /a/", "page-sitemap: /b/"},
			[]string{"page-sitemap: /b/"}, why{Excluded: func(name string) bool { return name == "post" }},
			[]string{"URL not in ours /a/ configuration", "sitemap not in ours /post-sitemap.xml configuration"}},
		{"what follows from known differences alone", []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/"}, []string{"post-sitemap: /b/; /c/"},
			why{Explain: func(string) *explain.Explanation {
				return &explain.Explanation{Rule: seo.Excluded.String()}
			}},
			[]string{"URL not in ours /a/ configuration", "page of the sitemap /c/ follows", "sitemap not in ours /post-sitemap2.xml follows"}},
		{"nothing follows beside an unexplained difference", []string{"post-sitemap: /a/; /b/ 05", "post-sitemap2: /c/"},
			[]string{"post-sitemap: /b/ 01; /c/"}, why{Explain: func(string) *explain.Explanation {
				return &explain.Explanation{Rule: seo.Excluded.String()}
			}},
			[]string{"URL not in ours /a/ configuration", "lastmod /b/ unexplained", "page of the sitemap /c/ unexplained",
				"sitemap not in ours /post-sitemap2.xml unexplained"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := found(compared(listing(t, test.theirs...), listing(t, test.ours...), test.why))
			expect.Same(t, append([]string{}, test.want...), got)
		})
	}
}

// A difference at level spec is known if the two levels differ there. Other differences are not known.
func TestLevels(t *testing.T) {
	for _, test := range []struct {
		rule                 string
		theirs, plugin, spec []string
		want                 []string
	}{
		{"an order", []string{"post-sitemap: /a/", "post-sitemap2: /b/"},
			[]string{"post-sitemap: /a/", "post-sitemap2: /b/"}, []string{"post-sitemap: /b/", "post-sitemap2: /a/"},
			[]string{"page of the sitemap /a/ level", "page of the sitemap /b/ level"}},
		{"another order than either", []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/"},
			[]string{"post-sitemap: /a/; /c/", "post-sitemap2: /b/"}, []string{"post-sitemap: /b/; /c/", "post-sitemap2: /a/"},
			[]string{"page of the sitemap /a/ level", "page of the sitemap /c/ unexplained"}},
		{
			"titles", []string{"post-sitemap: /a/ +1.jpg"}, []string{"post-sitemap: /a/ +1.jpg"}, []string{"post-sitemap: /a/ +1.jpg=T"},
			[]string{"image titles /a/ level"},
		},
		{"authors", []string{"author-sitemap@02: /author/a/ 02"}, []string{"author-sitemap@02: /author/a/ 02"},
			[]string{"author-sitemap@01: /author/a/ 01; /author/b/ 01"},
			[]string{"URL only in ours /author/b/ level", "date in the index /author-sitemap.xml level", "lastmod /author/a/ level"}},
		{
			"home once", []string{"post-sitemap: /; /a/", "page-sitemap: /; /b/"}, []string{"post-sitemap: /; /a/", "page-sitemap: /; /b/"},
			[]string{"post-sitemap: /; /a/", "page-sitemap: /b/"}, []string{"URL not in ours / level"},
		},
		{
			"a sitemap without members", []string{"event-sitemap: "}, []string{"event-sitemap: "}, []string{"post-sitemap: "},
			[]string{"sitemap not in ours /event-sitemap.xml level", "sitemap only in ours /post-sitemap.xml level"},
		},
		{
			"addresses", []string{"post-sitemap: https://ä.test/a/"}, []string{"post-sitemap: https://ä.test/a/"},
			[]string{"post-sitemap: https://xn--4ca.test/a/"}, []string{"spelling of the URL https://ä.test/a/ level"},
		},
		{"video", []string{"video-sitemap: /a/ +video=T"}, []string{"video-sitemap: /a/ +video=T"},
			[]string{"video-sitemap: /a/ +video=T +video=U; /c/ +video=W"},
			[]string{"URL only in ours /c/ level", "video /a/ level"}},
		{"what plugin has otherwise is not known", []string{"post-sitemap@03: /a/ 03"},
			[]string{"post-sitemap@01: /a/ 01"}, []string{"post-sitemap@02: /a/ 02"},
			[]string{"date in the index /post-sitemap.xml unexplained", "lastmod /a/ unexplained"}},
		{"nothing follows from a difference between the levels", []string{"post-sitemap@03: /a/ 01", "post-sitemap2@03: /b/ 01"},
			[]string{"post-sitemap@02: /a/ 01; /b/ 01"}, []string{"post-sitemap@02: /a/ 01; /a/2/ 01; /b/ 01"},
			[]string{
				"URL only in ours /a/2/ level", "date in the index /post-sitemap.xml unexplained", "page of the sitemap /b/ unexplained",
				"sitemap not in ours /post-sitemap2.xml unexplained",
			}},
		{
			"what only plugin has otherwise does not count", []string{"post-sitemap: /a/ 03"}, []string{"post-sitemap: /b/ 01"},
			[]string{"post-sitemap: /a/ 03"}, nil,
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			theirs, plugin := listing(t, test.theirs...), listing(t, test.plugin...)
			why := why{AtPlugin: marksOf(find(theirs, plugin))}
			expect.Same(t, append([]string{}, test.want...), found(compared(theirs, listing(t, test.spec...), why)))
			if got := find(plugin, listing(t, test.plugin...)); len(got) > 0 {
				t.Errorf("plugin differs from itself: %+v", got)
			}
		})
	}
}

// A URL that only the site lists is known if the configuration excludes it, or if other rules wrote the site's
// sitemaps. Else the cause is what explain says.
func TestURLsAreExplained(t *testing.T) {
	for _, test := range []struct {
		rule    string
		x       explain.Explanation
		foreign bool
		want    string
		known   bool
	}{
		{"the plugin lists what it should not", explain.Explanation{Object: "post 1", Rule: "noindex"}, false, "noindex", false},
		{"another plugin lists what ours would not", explain.Explanation{Object: "post 1", Rule: "noindex"}, true, "other-plugin", true},
		{"the operator excludes it", explain.Explanation{Object: "post 1", Rule: seo.Excluded.String()}, false, "configuration", true},
		{"nothing has the URL", explain.Explanation{Rule: "nothing at this URL"}, true, "nothing at this URL", false},
		{"it should be there", explain.Explanation{Object: "post 1", Rule: "listed", In: true}, false, "listed", false},
	} {
		t.Run(test.rule, func(t *testing.T) {
			asked := ""
			got := compared(listing(t, "post-sitemap: /a/"), listing(t, "post-sitemap: "), why{Foreign: test.foreign,
				Explain: func(loc string) *explain.Explanation {
					asked = loc
					return &test.x
				}})
			if len(got) != 1 || got[0].Cause.ID != test.want || got[0].Cause.Known != test.known || asked != "https://a.test/a/" {
				t.Errorf("%+v after %q", got, asked)
			}
		})
	}
}

// The detail of a difference names the object that holds a fact, unless it is the object at the URL.
func TestSay(t *testing.T) {
	x := &explain.Explanation{Object: "post 1", Because: "It is out.", Evidence: []seo.Evidence{
		{Source: "meta", Value: `"1"`, Of: "post 1"}, {Source: "status", Value: `"draft"`, Of: "post 2"}, {Source: "option", Value: `"0"`},
	}}
	expect.Equal(t, say(x), `post 1: It is out. meta is "1". status is "draft" (post 2). option is "0".`)
	expect.Equal(t, say(&explain.Explanation{Because: "Nothing is there."}), "Nothing is there.")
}

// If a plugin keeps finished sitemaps, the report says so about older entries, but not if another program wrote the sitemaps.
func TestCopiesOfThePlugin(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		got := compared(listing(t, "post-sitemap: /a/ 01"), listing(t, "post-sitemap: /a/ 03"), why{Foreign: foreign, Copies: "It keeps files."})
		if len(got) != 1 || got[0].Cause != olderCopy || strings.HasSuffix(got[0].Detail, ". It keeps files.") == foreign {
			t.Errorf("foreign %t: %+v", foreign, got)
		}
	}
}

// Entries that may be in an unreadable file do not count as missing.
func TestFailedFilesAreNotEmpty(t *testing.T) {
	ours := []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/", "page-sitemap: /p/", "author-sitemap: /author/x/"}
	for _, test := range []struct {
		rule    string
		theirs  []string
		unknown int
		want    []string
	}{
		{"a page of several", []string{"post-sitemap: /a/", "post-sitemap2: failed", "page-sitemap: ", "author-sitemap: /author/x/"}, 3, nil},
		{"what they have and ours has not still counts",
			[]string{"post-sitemap: /a/; /z/", "post-sitemap2: failed", "page-sitemap: /p/", "author-sitemap: /author/x/"}, 2,
			[]string{"URL not in ours /z/ unexplained"}},
		{"a file that may name others", []string{"post-sitemap: /a/; /b/", "post-sitemap2: /c/", "more_index: failed"}, 2, nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			theirs, ours := listing(t, test.theirs...), listing(t, ours...)
			expect.Same(t, append([]string{}, test.want...), found(compared(theirs, ours, why{})))
			expect.Equal(t, len(ours.without(theirs)), test.unknown, "not compared")
		})
	}
}

// BenchmarkComparison compares a sitemap of 50,000 entries with two images each at both levels. It reports the memory
// that each address takes.
func BenchmarkComparison(b *testing.B) {
	entries := func(title string) []live.Entry {
		all := make([]live.Entry, 50_000)
		for i := range all {
			loc := fmt.Sprintf("https://www.example.test/2026/01/some-ordinary-post-name-%d/", i)
			var images []live.Image
			for n := range 2 {
				images = append(images, live.Image{Loc: fmt.Sprintf("https://www.example.test/wp-content/uploads/2026/01/picture-%d-%d.jpg", i, n), Title: title})
			}
			all[i] = live.Entry{Loc: loc, LastMod: live.DateOf(time.Unix(int64(i), 0)), Extra: &live.Extra{Images: images}}
		}
		return all
	}
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		plugin := newListing(nil)
		theirs, spec := newListing(plugin), newListing(plugin)
		const address = "https://www.example.test/post-sitemap.xml"
		plugin.add(address, entries(""))
		spec.add(address, entries("A title"))
		theirs.add(address, entries(""))
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/50_000, "B/address")
		if n := len(find(theirs, plugin)); n > 0 {
			b.Fatalf("%d differences", n)
		}
		if n := len(find(theirs, spec)); n != 50_000 {
			b.Fatalf("%d differences", n)
		}
	}
}

// Everything that can be read from a site can be compared, and a file never differs from itself.
func FuzzFind(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>https://a.test/%zz/</loc><lastmod>2026-01-02</lastmod></url></urlset>`))
	f.Add([]byte(`<urlset xmlns:video="video"><url><loc>https://a.test/</loc><video:video><video:a b="c">d</video:a></video:video></url></urlset>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := live.Parse(data)
		if err != nil {
			return
		}
		l := newListing(nil)
		l.add("https://a.test/post-sitemap.xml", file.Entries)
		for _, e := range file.Entries {
			spelling(e.Loc)
		}
		if found := find(l, l); len(found) > 0 {
			t.Errorf("a file differs from itself: %+v", found[0])
		}
	})
}

// In a network, the blog that the address is below is compared.
func TestBlogOfAnAddress(t *testing.T) {
	n, blogs, err := site.Blogs(t.Context(), &config.Site{DSN: config.Secret(wptest.Load(t, wptest.SQLite, "basic", "network"))})
	wptest.Must(t, err)
	defer n.Close()
	for live, want := range map[string]string{
		"https://example.test/sitemap_index.xml":      "https://example.test",
		"http://example.test/fish/sitemap_index.xml":  "https://example.test/fish",
		"https://example.test/fishes/post.xml":        "https://example.test",
		"https://bread.test/sitemap_index.xml":        "https://bread.test",
		"https://staging.example.test/sitemaps/x.xml": "https://example.test", // a copy on another host
	} {
		u, err := url.Parse(live)
		wptest.Must(t, err)
		if got, err := blogOf(blogs, u); err != nil || len(got) != 1 || got[0].Blog.Home() != want {
			t.Errorf("%s: %v, want %s", live, err, want)
		}
	}
}
