// Package live reads the sitemaps that a site serves now, and the pages that they list, over HTTP.
//
// Parse understands one file: an index or a urlset of any program. Crawler fetches an index and all that it names, at a limited
// rate. Inspect says why a listed page should not be listed. A file that could not be fetched or read in full counts as unknown,
// never as empty.
package live

import (
	"slices"
	"strings"
	"time"
)

type File struct {
	Index     bool     // the entries are sitemaps
	Entries   []Entry  // in the order of the file
	Generator string   // the program that wrote the file: Ours, or a plugin; "": unknown
	Notes     []string // what a crawler may refuse although the file can be read
}

// Entry is an address in a sitemap.
type Entry struct {
	Loc     string
	LastMod Date
	Extra   *Extra // nil: no extensions
}

// Extra is what an entry has from extensions of the protocol. Videos and Alternates are sorted, because their order in a file
// has no meaning.
type Extra struct {
	Images     []Image
	News       []string // elements of the last news:news, see node.fields
	Videos     []string // one text for each video:video, with one line for each of its elements
	Alternates []string // xhtml:link with rel="alternate", such as "fr https://www.example.com/fr/"
}

type Image struct{ Loc, Title, Caption string }

// Equal reports whether the extensions of two entries are equal.
func (x *Extra) Equal(y *Extra) bool {
	if x == nil || y == nil {
		return x == y
	}
	return slices.Equal(x.Images, y.Images) && slices.Equal(x.News, y.News) &&
		slices.Equal(x.Videos, y.Videos) && slices.Equal(x.Alternates, y.Alternates)
}

// Date is a lastmod: a moment, or a day if no time is given. The zero value means no date.
type Date struct {
	at  time.Time // UTC, without fractions of a second
	day bool      // only a day, month or year is given; at is its first day
}

// dateLayouts are the forms of the W3C note on dates, which the protocol requires. A fraction of a second is accepted too.
var dateLayouts = [...]string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"}

// ParseDate parses a lastmod. ok is false if the text is not a date of the protocol.
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

// DateOf returns the date of a moment. The zero time gives no date.
func DateOf(t time.Time) Date {
	if t.IsZero() {
		return Date{}
	}
	return Date{at: time.Unix(t.Unix(), 0).UTC()}
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d.at.IsZero() }

// Time returns the moment of the date. If no time is given, it is the beginning of the day in UTC.
func (d Date) Time() time.Time { return d.at }

// Same reports whether two dates are equal. If one of them is only a day, the days are compared.
func (d Date) Same(e Date) bool {
	if d.day || e.day {
		const day = 24 * time.Hour
		return d.IsZero() == e.IsZero() && d.at.Truncate(day).Equal(e.at.Truncate(day))
	}
	return d.at.Equal(e.at)
}

// After reports whether d is later than e. Every date is later than no date.
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

// Ours is the name of this program as the generator of a sitemap.
const Ours = "wpsitemapd"
