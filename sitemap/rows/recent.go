package rows

import (
	"math"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
)

// NewsWindow is the number of seconds for which an article is news.
const NewsWindow = 48 * 60 * 60

// Article is an object with the periods in which it is news.
type Article struct {
	ID        int64 // id of the post; if a plugin keeps news in a table of its own, the id of the row in that table
	Published int64
	LastMod   int64
	Spans     [2]Span
}

// A Span is a period in Unix seconds. until is the first second after the period.
type Span struct{ From, until int64 }

// WindowAfter returns the period in which an object with this date is news. The period is empty if date
// is wp.NoTime.
func WindowAfter(date int64) Span {
	if date == wp.NoTime {
		return Span{}
	}
	return Span{date, date + NewsWindow + 1}
}

func (a *Article) IsNews(now int64) bool {
	return slices.ContainsFunc(a.Spans[:], func(s Span) bool { return s.From <= now && now < s.until })
}

// Changes returns the first second after now at which the article enters or leaves the news. It returns math.MaxInt64 if the
// article does neither.
func (a *Article) Changes(now int64) int64 {
	next := int64(math.MaxInt64)
	for _, s := range a.Spans {
		for _, at := range []int64{s.From, s.until} {
			if at > now && at < next && a.IsNews(at) != a.IsNews(now) {
				next = at
			}
		}
	}
	return next
}

// Note adds a published post to Recent if its type is watched and the post is recent. It also updates
// Newest.
func (b *Reader) Note(postType string, p *objects.PostRow) {
	published := p.Dates.PublishedGMT
	b.Newest = max(b.Newest, published)
	if max(published, p.Dates.ChangedGMT) < b.Since || !slices.Contains(b.watched, postType) {
		return
	}
	modified := b.Rules.Past(p.Dates.ChangedGMT)
	a := Article{ID: p.ID, Published: Publication(published, modified), LastMod: max(published, modified)}
	a.Spans[0] = WindowAfter(a.Published)
	if toCome := b.Rules.Past(published) != published; !toCome && b.Rules.Options.News.Window != seo.ByPublication { // no news before its date
		a.Spans[1] = WindowAfter(modified)
	}
	b.Recent[postType] = append(b.Recent[postType], a)
}

// Publication returns the publication date of a post. If an old import left the row without a UTC date,
// Publication returns the date of change, because the protocol requires a date.
func Publication(dateGMT, modifiedGMT int64) int64 {
	if dateGMT == wp.NoTime {
		return modifiedGMT
	}
	return dateGMT
}
