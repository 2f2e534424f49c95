package sitemap

import (
	"math"
	"slices"

	"wpsitemapd/wp"
)

// newsWindow is for how many seconds an article is news, the last one included.
const newsWindow = 48 * 60 * 60

// article is an object with the times in which it is news.
type article struct {
	id        int64 // of the post; by the plugin's rules of its row in the index table
	published int64
	lastmod   int64
	spans     [2]span
}

// span is a time in Unix seconds; until is the first second after it.
type span struct{ from, until int64 }

// windowAfter is the time in which something of that date is news.
func windowAfter(date int64) span {
	if date == wp.NoTime {
		return span{}
	}
	return span{date, date + newsWindow + 1}
}

func (a *article) isNews(now int64) bool {
	return slices.ContainsFunc(a.spans[:], func(s span) bool { return s.from <= now && now < s.until })
}

// changes returns the first second after now at which the article enters or leaves the news,
// math.MaxInt64 when it will not.
func (a *article) changes(now int64) int64 {
	next := int64(math.MaxInt64)
	for _, s := range a.spans {
		for _, at := range []int64{s.from, s.until} {
			if at > now && at < next && a.isNews(at) != a.isNews(now) {
				next = at
			}
		}
	}
	return next
}

// note notes a published post, if it is recent.
func (b *Reader) note(postType string, p *wp.PostRow) {
	b.newest = max(b.newest, p.DateGMT)
	lastmod := max(p.DateGMT, p.ModifiedGMT)
	if lastmod < b.since || !slices.Contains(b.watched, postType) {
		return
	}
	b.recent[postType] = append(b.recent[postType], article{
		id: p.ID, published: publication(p.DateGMT, p.ModifiedGMT), lastmod: lastmod,
		spans: [2]span{windowAfter(p.DateGMT), windowAfter(p.ModifiedGMT)},
	})
}

// publication is when a post was published. Rows of old imports do not tell in UTC, and the
// protocol wants a date.
func publication(dateGMT, modifiedGMT int64) int64 {
	if dateGMT == wp.NoTime {
		return modifiedGMT
	}
	return dateGMT
}
