// Package live reads the sitemaps that a site serves now, and the pages that they list, over HTTP.
//
// Parse understands one file: an index or a urlset of any program. Crawler fetches an index and all it names, politely. Inspect says
// why a listed page should not be. A file that could not be fetched or read in full counts as unknown, never as empty.
package live

import (
	"slices"
	"strings"
	"time"
)

// File is one sitemap.
type File struct {
	Index     bool     // its entries are sitemaps
	Entries   []Entry  // in the order of the file
	Generator string   // the program that wrote it, as far as it says: Ours, or a plugin; "" for unknown
	Notes     []string // what a crawler may stumble over although it can be read
}

// Entry is an address in a sitemap.
type Entry struct {
	Loc     string
	LastMod Date
	Extra   *Extra // nil: nothing beside the date
}

// Extra is what an entry has from the extensions of the protocol. But for images it is lists of text, in alphabetical order: that of a
// file says nothing.
type Extra struct {
	Images     []Image
	News       []string // elements of its news:news, see node.fields
	Videos     []string // each with the elements of a video:video, a line each
	Alternates []string // xhtml:link with rel="alternate", as "fr https://www.example.com/fr/"
}

// Image is an image:image.
type Image struct{ Loc, Title, Caption string }

// Equal reports whether two entries have the same beside their dates.
func (x *Extra) Equal(y *Extra) bool {
	if x == nil || y == nil {
		return x == y
	}
	return slices.Equal(x.Images, y.Images) && slices.Equal(x.News, y.News) &&
		slices.Equal(x.Videos, y.Videos) && slices.Equal(x.Alternates, y.Alternates)
}

// Date is a lastmod: a moment, or a day where no more is given. The zero value means no date.
type Date struct {
	at  time.Time // UTC, without fractions of a second
	day bool      // or a month, or a year: at is its first day
}

// dateLayouts are the forms of the W3C's note on dates, which the protocol asks for; a fraction of the second is accepted, too.
var dateLayouts = [...]string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"}

// ParseDate reads a lastmod; ok is false for what is no date of the protocol.
func ParseDate(s string) (d Date, ok bool) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			d = DateOf(t)
			d.day = !strings.Contains(layout, "T")
			return d, true
		}
	}
	return Date{}, false
}

// DateOf is the date of a moment; the zero time has none.
func DateOf(t time.Time) Date {
	if t.IsZero() {
		return Date{}
	}
	return Date{at: time.Unix(t.Unix(), 0).UTC()}
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d.at.IsZero() }

// Time is the moment of the date, the begin of the day in UTC where no more is given.
func (d Date) Time() time.Time { return d.at }

// Same reports whether two dates are the same as far as the less exact one goes.
func (d Date) Same(e Date) bool {
	if d.day || e.day {
		const day = 24 * time.Hour
		return d.IsZero() == e.IsZero() && d.at.Truncate(day).Equal(e.at.Truncate(day))
	}
	return d.at.Equal(e.at)
}

// After reports whether a date is later than another one, which may be none.
func (d Date) After(e Date) bool { return !d.IsZero() && (e.IsZero() || d.at.After(e.at)) }

func (d Date) String() string {
	switch {
	case d.IsZero():
		return "none"
	case d.day:
		return d.at.Format("2006-01-02")
	}
	return d.at.Format("2006-01-02T15:04:05-07:00")
}

// Ours is our own name as the writer of a sitemap.
const Ours = "wpsitemapd"
