package urlset

const atomNamespace = "http://www.w3.org/2005/Atom"

// Feed is the head of an Atom feed (RFC 4287).
type Feed struct {
	Self    string // its own address, and its id
	Home    string // address of what it is about
	Title   string // plain text, not empty
	Updated int64  // Unix seconds
}

// FeedEntry is an entry of a feed.
type FeedEntry struct {
	Loc     string // its address, and its id
	Title   string // plain text, not empty
	Updated int64  // Unix seconds
}

// feed is what the two kinds of feed have in common: entries in one buffer, as many as the protocol allows.
type feed struct {
	Encoding Encoding

	buf     []byte
	entries int
}

// append writes an entry, or returns ErrFull or ErrRefused and writes nothing: an entry needs an address and a date.
func (f *feed) append(e FeedEntry, end string, write func(b, loc []byte) []byte) error {
	loc, ok := f.Encoding.AppendLoc(nil, e.Loc)
	if !ok || !hasDate(e.Updated) {
		return ErrRefused
	}
	b := write(f.buf, loc)
	if f.entries == MaxEntries || len(b)+len(end) > MaxBytes {
		return ErrFull
	}
	f.buf = b
	f.entries++
	return nil
}

// Bytes returns the feed.
func (f *feed) Bytes() []byte { return f.buf }

// Entries returns how many entries the feed has.
func (f *feed) Entries() int { return f.entries }

// Atom builds an Atom feed: Begin, entries, End, Bytes. Its author is named as the feed is,
// for RFC 4287 wants one.
type Atom struct{ feed }

// NewAtom returns an Atom feed whose addresses are written in an encoding.
func NewAtom(e Encoding) *Atom { return &Atom{feed{Encoding: e}} }

// Begin starts the feed.
func (a *Atom) Begin(f Feed) {
	b := append(a.buf[:0], `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<feed xmlns="`+atomNamespace+`">`+"\n\t<title>"...)
	b = AppendText(b, f.Title)
	b = AppendText(append(b, "</title>\n\t<id>"...), f.Self)
	b = AppendText(append(b, "</id>\n\t<link rel=\"self\" type=\"application/atom+xml\" href=\""...), f.Self)
	b = AppendText(append(b, "\"/>\n\t<link rel=\"alternate\" href=\""...), f.Home)
	b = AppendDate(append(b, "\"/>\n\t<updated>"...), f.Updated)
	b = AppendText(append(b, "</updated>\n\t<author><name>"...), f.Title)
	a.buf = append(b, "</name></author>\n\t<generator>wpsitemapd</generator>\n"...)
	a.entries = 0
}

// Append writes an entry, or returns ErrFull or ErrRefused and writes nothing.
func (a *Atom) Append(e FeedEntry) error {
	return a.append(e, endOfFeed, func(b, loc []byte) []byte {
		b = AppendText(append(b, "\t<entry>\n\t\t<title>"...), e.Title)
		b = append(append(b, "</title>\n\t\t<id>"...), loc...)
		b = append(append(b, "</id>\n\t\t<link href=\""...), loc...)
		b = AppendDate(append(b, "\"/>\n\t\t<updated>"...), e.Updated)
		return append(b, "</updated>\n\t</entry>\n"...)
	})
}

const endOfFeed = "</feed>\n"

// End closes the feed.
func (a *Atom) End() { a.buf = append(a.buf, endOfFeed...) }
