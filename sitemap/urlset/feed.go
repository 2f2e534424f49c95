package urlset

import (
	"fmt"
	"time"
)

// Feed holds the values that the head of a feed shows.
type Feed struct {
	Self    string // address of the feed
	Home    string // address of the site that the feed is about
	Title   string // plain text, not empty
	Updated int64  // Unix seconds
}

type FeedEntry struct {
	Loc     string // address and id of the entry
	Title   string // plain text, not empty
	Updated int64  // Unix seconds
}

// FeedFormat is how a feed is written. head and entry are formats of package fmt. The arguments of head are title, address,
// home and date. The arguments of entry are title, address and date. All arguments are escaped for XML. date is a layout of
// package time.
type FeedFormat struct{ head, entry, end, date string }

// Atom is the format of RFC 4287. It requires an author, so the feed's title is written as the author's name.
var Atom = FeedFormat{
	date: "2006-01-02T15:04:05-07:00",
	head: `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
	<title>%[1]s</title>
	<id>%[2]s</id>
	<link rel="self" type="application/atom+xml" href="%[2]s"/>
	<link rel="alternate" href="%[3]s"/>
	<updated>%[4]s</updated>
	<author><name>%[1]s</name></author>
	<generator>wpsitemapd</generator>
`,
	entry: `	<entry>
		<title>%[1]s</title>
		<id>%[2]s</id>
		<link href="%[2]s"/>
		<updated>%[3]s</updated>
	</entry>
`,
	end: "</feed>\n",
}

// RSS is RSS 2.0.
var RSS = FeedFormat{
	date: time.RFC1123Z,
	head: `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
	<channel>
		<title>%[1]s</title>
		<link>%[3]s</link>
		<description>The latest changes of %[1]s</description>
		<atom:link rel="self" type="application/rss+xml" href="%[2]s"/>
		<lastBuildDate>%[4]s</lastBuildDate>
		<generator>wpsitemapd</generator>
`,
	entry: `		<item>
			<title>%[1]s</title>
			<link>%[2]s</link>
			<guid isPermaLink="true">%[2]s</guid>
			<pubDate>%[3]s</pubDate>
		</item>
`,
	end: "	</channel>\n</rss>\n",
}

// Write returns a feed whose addresses are in an encoding. It leaves out and counts entries whose address is refused or whose
// date cannot be written.
func (f *FeedFormat) Write(enc Encoding, feed Feed, entries []FeedEntry) (body []byte, refused int) {
	text := func(s string) []byte { return appendText(nil, s) }
	date := func(sec int64) string { return time.Unix(sec, 0).UTC().Format(f.date) }
	body = fmt.Appendf(nil, f.head, text(feed.Title), text(feed.Self), text(feed.Home), date(feed.Updated))
	for _, e := range entries {
		loc, ok := enc.AppendLoc(nil, e.Loc)
		if !ok || !hasDate(e.Updated) {
			refused++
			continue
		}
		body = fmt.Appendf(body, f.entry, text(e.Title), loc, date(e.Updated))
	}
	return append(body, f.end...), refused
}
