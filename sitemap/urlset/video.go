package urlset

import (
	"math"
	"strconv"
	"unicode/utf8"

	"wpsitemapd/wp/formatting"
)

// The limits of Google's video extension.
const (
	MaxVideoTags        = 32
	MaxVideoDescription = 2048  // characters
	MaxVideoDuration    = 28800 // seconds
	MaxVideoUploader    = 255   // characters
)

// Video is a video:video of an entry. Texts are plain. What is outside the protocol's limits is
// cut or left out; a video without title, description or thumbnail, or with neither player nor
// file, is not written.
type Video struct {
	Title        string
	Published    int64 // Unix seconds; NoDate for none
	Description  string
	PlayerLoc    string // address of the player; empty for none
	ContentLoc   string // address of the media file; empty for none
	ThumbnailLoc string
	Duration     int64    // seconds; 0 for unknown
	ViewCount    int64    // 0 for unknown
	Category     string   // empty for none
	Tags         []string // empty ones are left out
	Rated        bool
	Rating       float64 // 0 to 5
	NotFamily    bool    // not for the whole family
	Uploader     string  // name; empty for none
	UploaderInfo string  // address of a page on the uploader, on the host of the entry; empty for none
	Expires      int64   // Unix seconds; NoDate for none
	Subscription string  // "yes" or "no": has to be paid for; empty for unknown
	Live         string  // "yes" or "no": a live stream; empty for unknown

	// Stored are elements in an order of their own, written instead of all fields above: what
	// Yoast Video SEO prints of its record. Keys that are no XML name are skipped.
	Stored []VideoElement
}

// VideoElement is an element of the video name space with a text that has been escaped for HTML.
type VideoElement struct {
	Name  string // without prefix
	Text  string
	CDATA bool   // the text is in a CDATA section, so that its references are text
	Info  string // attribute info, escaped for HTML; empty for none
}

// appendVideo is false, with nothing appended, for a video that may not be in a sitemap.
func (w *Writer) appendVideo(b []byte, v *Video) ([]byte, bool) {
	start := len(b)
	b = append(b, "\t\t<video:video>\n"...)
	if v.Stored != nil {
		for i := range v.Stored {
			b = appendStored(b, &v.Stored[i])
		}
		return append(b, "\t\t</video:video>\n"...), true
	}
	b, ok := w.appendVideoFields(b, v)
	if !ok {
		return b[:start], false
	}
	return append(b, "\t\t</video:video>\n"...), true
}

// appendVideoFields appends the elements in the order of Yoast's functional specification, with
// the protocol's further ones beside their like.
func (w *Writer) appendVideoFields(b []byte, v *Video) ([]byte, bool) {
	if v.Title == "" || v.Description == "" || v.ThumbnailLoc == "" {
		return b, false
	}
	b = appendVideoText(b, "title", v.Title, math.MaxInt)
	b = appendVideoDate(b, "publication_date", v.Published)
	b = appendVideoText(b, "description", v.Description, MaxVideoDescription)
	found := false
	for _, loc := range []struct{ open, name, url string }{
		{`player_loc allow_embed="yes"`, "player_loc", v.PlayerLoc},
		{"content_loc", "content_loc", v.ContentLoc},
	} {
		if with, ok := w.appendVideoURL(b, loc.open, loc.name, loc.url); ok {
			b, found = with, true
		}
	}
	b, ok := w.appendVideoURL(b, "thumbnail_loc", "thumbnail_loc", v.ThumbnailLoc)
	if !ok || !found {
		return b, false
	}
	if 1 <= v.Duration && v.Duration <= MaxVideoDuration {
		b = appendVideoText(b, "duration", strconv.FormatInt(v.Duration, 10), math.MaxInt)
	}
	if v.ViewCount > 0 {
		b = appendVideoText(b, "view_count", strconv.FormatInt(v.ViewCount, 10), math.MaxInt)
	}
	b = appendVideoText(b, "category", v.Category, MaxVideoUploader)
	tags := 0
	for _, tag := range v.Tags {
		if tag != "" && tags < MaxVideoTags {
			tags++
			b = appendVideoText(b, "tag", tag, math.MaxInt)
		}
	}
	if v.Rated && 0 <= v.Rating && v.Rating <= 5 {
		b = appendVideoText(b, "rating", strconv.FormatFloat(v.Rating, 'f', 1, 64), math.MaxInt)
	}
	friendly := "yes"
	if v.NotFamily {
		friendly = "no"
	}
	b = appendVideoText(b, "family_friendly", friendly, math.MaxInt)
	if v.Uploader != "" {
		b = append(b, "\t\t\t<video:uploader"...)
		if with, ok := w.Encoding.AppendLoc(append(b, ` info="`...), v.UploaderInfo); ok && v.UploaderInfo != "" {
			b = append(with, '"')
		}
		b = append(b, '>')
		b = AppendText(b, cutText(v.Uploader, MaxVideoUploader))
		b = append(b, "</video:uploader>\n"...)
	}
	b = appendVideoDate(b, "expiration_date", v.Expires)
	for _, flag := range []struct{ name, value string }{{"requires_subscription", v.Subscription}, {"live", v.Live}} {
		if flag.value == "yes" || flag.value == "no" {
			b = appendVideoText(b, flag.name, flag.value, math.MaxInt)
		}
	}
	return b, true
}

// appendVideoText appends an element with a text of at most most characters; an empty one is
// left out.
func appendVideoText(b []byte, name, text string, most int) []byte {
	if text == "" {
		return b
	}
	b = append(append(append(b, "\t\t\t<video:"...), name...), '>')
	b = AppendText(b, cutText(text, most))
	return append(append(append(b, "</video:"...), name...), ">\n"...)
}

func appendVideoDate(b []byte, name string, sec int64) []byte {
	if !hasDate(sec) {
		return b
	}
	b = append(append(append(b, "\t\t\t<video:"...), name...), '>')
	b = AppendDate(b, sec)
	return append(append(append(b, "</video:"...), name...), ">\n"...)
}

func (w *Writer) appendVideoURL(b []byte, open, name, url string) ([]byte, bool) {
	if url == "" {
		return b, false
	}
	with := append(append(append(b, "\t\t\t<video:"...), open...), '>')
	with, ok := w.Encoding.AppendLoc(with, url)
	if !ok {
		return b, false
	}
	return append(append(append(with, "</video:"...), name...), ">\n"...), true
}

// cutText returns the first most characters of s.
func cutText(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

func appendStored(b []byte, e *VideoElement) []byte {
	if !elementName(e.Name) {
		return b
	}
	b = append(append(b, "\t\t\t<video:"...), e.Name...)
	if e.Info != "" {
		b = append(b, ` info="`...)
		b = append(appendEscaped(b, e.Info, true), '"')
	}
	b = append(b, '>')
	if e.CDATA {
		b = AppendCDATA(b, e.Text)
	} else {
		b = appendEscaped(b, e.Text, true)
	}
	return append(append(append(b, "</video:"...), e.Name...), ">\n"...)
}

// maxElementName bounds the names that stored records can bring into a file, in bytes.
const maxElementName = 100

// elementName reports whether s is a name that can be behind a prefix. Those beyond ASCII,
// which XML has too, no program gives its keys.
func elementName(s string) bool {
	for i := range len(s) {
		c := s[i]
		first := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !first && (i == 0 || !(isAlnum(c) || c == '-' || c == '.')) {
			return false
		}
	}
	return s != "" && len(s) <= maxElementName
}

// appendPermalink appends the loc of a file that Yoast Video SEO prints: esc_url( ), and no
// encoding before.
func appendPermalink(b []byte, url string) ([]byte, bool) {
	url = formatting.DisplayURL(url)
	if url == "" || utf8.RuneCountInString(url) >= MaxLoc {
		return b, false
	}
	return appendEscaped(b, url, true), true
}
