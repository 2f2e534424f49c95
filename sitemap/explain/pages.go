package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// Only the rendered sitemaps tell which entries name an image: a post names images in its text, by its theme or by a plugin.
// So an image is searched for in the pages themselves, within bounds. What was not searched to its end is unknown, and
// never called out.

// Pages hands out a sitemap as it is served; nil for one that is not at hand.
type Pages func(ctx context.Context, f catalog.File) (body []byte, err error)

// searchTime bounds how long the pages of a site are searched for one address.
const searchTime = 10 * time.Second

// Found is where an address is in a rendered sitemap.
type Found struct {
	Loc     string // of the entry
	LastMod string // of the entry; "" for none
	Image   bool   // it is an image or a video of the entry
}

// FindIn looks for the first of some addresses in a rendered sitemap, spelled in any way that leads to the same.
func FindIn(body []byte, addresses ...string) (Found, bool) {
	var asked []spelled
	for _, address := range addresses {
		if s, err := spell(address); err == nil {
			asked = append(asked, s)
		}
	}
	is := func(loc string) bool {
		own, err := spell(loc)
		return err == nil && slices.ContainsFunc(asked, func(s spelled) bool { return s.like(&own, func(string) bool { return true }) >= alike })
	}
	for entry := range bytes.SplitSeq(body, []byte("</url>")) {
		var found Found
		if m := lastmodElement.FindSubmatch(entry); m != nil {
			found.LastMod = string(m[1])
		}
		for _, m := range locElement.FindAllSubmatch(entry, -1) {
			loc := string(m[2]) + html.UnescapeString(string(m[3]))
			if found.Image = len(m[1]) > 0; !found.Image {
				found.Loc = loc
			}
			if is(loc) {
				return found, true
			}
		}
	}
	return Found{}, false
}

// The elements of an entry that count: its loc, those of its images and videos, which have a prefix, and its date. Videos have CDATA.
var (
	locElement     = regexp.MustCompile(`(?s)<(\w+:)?(?:\w+_)?loc>(?:<!\[CDATA\[(.*?)\]\]>|([^<]*))`)
	lastmodElement = regexp.MustCompile(`<lastmod>([^<]*)`)
)

// Search is what looking through the pages of a site has brought.
type Search struct {
	Found    Found
	File     catalog.File // that holds it; no name: none does
	Searched int          // pages
	Missing  int          // pages that were not searched: they are not at hand, or it took too long
}

// SearchPages looks for an address through sitemaps, for a bounded time. An error of a page counts as not at hand.
func SearchPages(ctx context.Context, files []catalog.File, pages Pages, addresses ...string) (Search, error) {
	bounded, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	var s Search
	for _, f := range files {
		if f.Name == seo.IndexName || f.Elsewhere {
			continue
		}
		var body []byte
		if bounded.Err() == nil {
			var err error
			if body, err = pages(bounded, f); errors.Is(err, catalog.ErrNotFound) { // the clock has moved on
				continue
			}
		}
		if body == nil {
			s.Missing++
			continue
		}
		s.Searched++
		if found, ok := FindIn(body, addresses...); ok {
			s.Found, s.File = found, f
			return s, nil
		}
	}
	return s, ctx.Err()
}

// mediaFile matches what may be listed as an image or a video.
var mediaFile = regexp.MustCompile(`(?i)\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|heic|tiff?|mp4|m4v|mov|webm|ogv|avi|wmv|mpe?g|flv)$`)

// resized matches what WordPress puts behind the name of an image of another size. Sitemaps have the full one.
var resized = regexp.MustCompile(`-(?:\d+x\d+|scaled|rotated)(\.[^./]+)$`)

// media looks for an image or a video in the sitemaps, by its address or that of its full size.
func (e *explainer) media(asked spelled) error {
	e.x.Object = "file " + strings.TrimPrefix(asked.path, "/")
	switch {
	case !e.Active():
		e.decideElsewhere()
		return nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Extensions != urlset.Bare }):
		e.decide(ruleNoImage, seo.Evidence{Source: e.Plugin(), Value: "no images in its sitemaps"})
		return nil
	}
	full, scaled := resized.ReplaceAllString(e.x.URL, "$1"), resized.ReplaceAllString(e.x.URL, "-scaled$1")
	s, err := SearchPages(e.ctx, e.Files(), e.pages, e.x.URL, full, scaled)
	if err != nil {
		return err
	}
	searched := seo.Evidence{Source: "sitemaps", Value: fmt.Sprintf("%s searched", plural(s.Searched, "page"))}
	switch {
	case s.File.Name != "":
		e.x.IsIn(s.File, s.Found)
		e.decide(seo.Listed.String(), seo.Evidence{Source: s.File.Filename, Value: "has " + strconv.Quote(e.x.URL), Of: s.Found.Loc})
		e.x.Because = "It is an image of " + s.Found.Loc + "."
	case s.Missing > 0:
		e.x.SayUnknown(fmt.Sprintf("Of %s only %d could be searched in time.", plural(s.Searched+s.Missing, "page"), s.Searched), searched)
	default:
		e.decide(ruleNoImage, searched)
	}
	return nil
}

// IsIn says that what was asked for is in a file.
func (x *Explanation) IsIn(f catalog.File, found Found) {
	x.listedAt(Place{Sitemap: f.Name, Page: f.Page, File: f.URL, LastMod: found.LastMod})
}

// SayUnknown says that nobody knows whether it is listed, and why.
func (x *Explanation) SayUnknown(because string, evidence ...seo.Evidence) {
	x.unlisted()
	x.Unknown = true
	x.Rule, x.Because, x.Evidence = RuleUnknown, because, append(x.Evidence, evidence...)
}
