package urlset

import "time"

// RSS builds an RSS 2.0 feed: Begin, entries, End, Bytes.
type RSS struct{ feed }

// NewRSS returns an RSS feed whose addresses are written in an encoding.
func NewRSS(e Encoding) *RSS { return &RSS{feed{Encoding: e}} }

// Begin starts the feed.
func (r *RSS) Begin(f Feed) {
	b := append(r.buf[:0], `<?xml version="1.0" encoding="UTF-8"?>`+"\n"...)
	b = append(b, `<rss version="2.0" xmlns:atom="`+atomNamespace+`">`+"\n\t<channel>\n\t\t<title>"...)
	b = AppendText(b, f.Title)
	b = AppendText(append(b, "</title>\n\t\t<link>"...), f.Home)
	b = AppendText(append(b, "</link>\n\t\t<description>The latest changes of "...), f.Title)
	b = AppendText(append(b, "</description>\n\t\t<atom:link rel=\"self\" type=\"application/rss+xml\" href=\""...), f.Self)
	b = appendRSSDate(append(b, "\"/>\n\t\t<lastBuildDate>"...), f.Updated)
	r.buf = append(b, "</lastBuildDate>\n\t\t<generator>wpsitemapd</generator>\n"...)
	r.entries = 0
}

// Append writes an entry, or returns ErrFull or ErrRefused and writes nothing.
func (r *RSS) Append(e FeedEntry) error {
	return r.append(e, endOfRSS, func(b, loc []byte) []byte {
		b = AppendText(append(b, "\t\t<item>\n\t\t\t<title>"...), e.Title)
		b = append(append(b, "</title>\n\t\t\t<link>"...), loc...)
		b = append(append(b, "</link>\n\t\t\t<guid isPermaLink=\"true\">"...), loc...)
		b = appendRSSDate(append(b, "</guid>\n\t\t\t<pubDate>"...), e.Updated)
		return append(b, "</pubDate>\n\t\t</item>\n"...)
	})
}

// appendRSSDate writes Unix seconds as RFC 822 wants them, with a year of four digits.
func appendRSSDate(b []byte, unix int64) []byte {
	return time.Unix(unix, 0).UTC().AppendFormat(b, time.RFC1123Z)
}

const endOfRSS = "\t</channel>\n</rss>\n"

// End closes the feed.
func (r *RSS) End() { r.buf = append(r.buf, endOfRSS...) }
