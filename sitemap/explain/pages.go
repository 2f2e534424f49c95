package explain

import (
	"bytes"
	"cmp"
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

// Only rendered sitemaps show which entries contain an image. So Address searches the pages for an image,
// for a limited time. If the search does not finish, the answer is unknown.

// Pages returns a sitemap as the daemon serves it. The body is nil if the sitemap is not available.
type Pages func(ctx context.Context, f catalog.File) (body []byte, err error)

// searchTime is the maximum duration of a search for one address in the pages of a site.
const searchTime = 10 * time.Second

// Found is the entry of a rendered sitemap in which an address was found.
type Found struct {
	Loc     string // loc of the entry
	LastMod string // lastmod of the entry; "" if it has none
	Media   string // what the address is to the entry: "image", or "file", "player" or "preview image" of a video; "" if it is the loc
}

// sentence says in words which part of the entry the address is, see Media.
func (f Found) sentence() string {
	switch f.Media {
	case "":
		return "A sitemap lists the file itself."
	case "image":
		return "It is an image of " + f.Loc + "."
	}
	return "It is the " + f.Media + " of a video of " + f.Loc + "."
}

// FindIn returns the first entry of a rendered sitemap that contains one of the addresses. It ignores
// differences in spelling that lead to the same page. It returns false if no entry does.
func FindIn(body []byte, addresses ...string) (Found, bool) {
	var asked []spelled
	for _, address := range addresses {
		if s, err := spell(address); err == nil {
			asked = append(asked, s)
		}
	}
	// A page does not tell which query variables WordPress uses, so every variable may lead to another page.
	everyVariable := func(string) bool { return true }
	isAsked := func(loc string) bool {
		own, err := spell(loc)
		return err == nil && slices.ContainsFunc(asked, func(s spelled) bool { return s.like(&own, everyVariable) >= alike })
	}
	for entry := range bytes.SplitSeq(body, []byte("</url>")) {
		var found Found
		if m := lastmodElement.FindSubmatch(entry); m != nil {
			found.LastMod = string(m[1])
		}
		for _, m := range locElement.FindAllSubmatch(entry, -1) {
			loc := string(m[2]) + html.UnescapeString(string(m[3]))
			if found.Media = ""; len(m[1]) == 0 {
				found.Loc = loc
			} else {
				found.Media = cmp.Or(mediaOf[string(m[1])], "file")
			}
			if isAsked(loc) {
				return found, true
			}
		}
	}
	return Found{}, false
}

// locElement matches the loc of an entry and the prefixed loc elements of its images and videos, whose URLs are text or CDATA.
// lastmodElement matches the date.
var (
	locElement     = regexp.MustCompile(`(?s)<((?:\w+:)?(?:\w+_)?)loc(?:\s[^>]*)?>(?:<!\[CDATA\[(.*?)\]\]>|([^<]*))`)
	lastmodElement = regexp.MustCompile(`<lastmod>([^<]*)`)
)

// mediaOf maps the letters before loc in the name of an element to Found.Media.
var mediaOf = map[string]string{
	"image:": "image", "video:thumbnail_": "preview image", "video:player_": "player", // all others are files of videos
}

// Search is the result of a search in the pages of a site.
type Search struct {
	Found    Found
	File     catalog.File // the file with the address; its Name is "" if none has it
	Searched int          // number of searched pages
	Missing  int          // number of pages that were unavailable or that time did not allow to search
}

// Listed reports whether a sitemap has the address.
func (s Search) Listed() bool { return s.File.Name != "" }

// SearchPages looks for an address in sitemaps, for at most searchTime. A page that no longer exists counts neither as searched nor as
// missing.
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
			body, err = pages(bounded, f)
			switch {
			case errors.Is(err, catalog.ErrNotFound): // the page no longer exists, because time has passed
				continue
			case err != nil:
				body = nil
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

// mediaFile matches the path of a file that a sitemap may list as an image or a video.
var mediaFile = regexp.MustCompile(`(?i)\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|heic|tiff?|mp4|m4v|mov|webm|ogv|avi|wmv|mpe?g|flv)$`)

// uploadEnd matches the end of an upload's address: the suffix that WordPress adds to the file names of copies, and the extension.
var uploadEnd = regexp.MustCompile(`(?:-(?:\d+x\d+|scaled|rotated))?(\.[^./]+)$`)

// uploadForms returns the addresses at which a sitemap may list the upload at an address. WordPress stores an image under several
// names: photo.jpg as it was uploaded, photo-300x200.jpg for each size, and since 5.3 photo-scaled.jpg if the original is very
// large, or photo-rotated.jpg if it was turned. A sitemap lists the original, or the copy that was scaled or turned. A query is of
// no importance to a file, but the address may be listed with it.
func uploadForms(address string) []string {
	file, _, _ := strings.Cut(address, "#")
	file, _, _ = strings.Cut(file, "?")
	forms := []string{address, file}
	for _, suffix := range []string{"", "-scaled", "-rotated"} {
		forms = append(forms, uploadEnd.ReplaceAllString(file, suffix+"$1"))
	}
	return forms
}

// media looks for an image or a video in the sitemaps.
func (e *explainer) media(asked spelled) error {
	e.x.Object = "file " + strings.TrimPrefix(asked.path, "/")
	switch {
	case !e.Active():
		e.decideElsewhere()
		return nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Extensions != urlset.Bare }):
		e.decide(ruleNoMedia, seo.Evidence{Source: e.Plugin(), Value: ruleNoMedia})
		return nil
	}
	s, err := SearchPages(e.ctx, e.Files(), e.pages, uploadForms(e.x.URL)...)
	if err != nil {
		return err
	}
	searched := seo.Evidence{Source: "sitemaps", Value: fmt.Sprintf("%s searched", plural(s.Searched, "page"))}
	switch {
	case s.Listed():
		e.x.IsIn(s.File, s.Found)
		e.decide(seo.Listed.String(), seo.Evidence{Source: s.File.Filename, Value: "has " + strconv.Quote(e.x.URL), Of: s.Found.Loc})
		e.x.Because = s.Found.sentence()
	case s.Missing > 0:
		e.x.SayUnknown(fmt.Sprintf("Of %s only %d could be searched.", plural(s.Searched+s.Missing, "page"), s.Searched), searched)
	default:
		e.decide(ruleNotShown, searched)
	}
	return nil
}
