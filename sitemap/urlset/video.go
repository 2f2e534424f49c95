package urlset

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"wpsitemapd/wp/formatting"
)

// The limits of Google's video extension.
const (
	MaxVideoTags        = 32
	maxVideoDescription = 2048  // characters
	maxVideoDuration    = 28800 // seconds
	maxVideoName        = 255   // characters of a category or an uploader
)

// Video is a video:video of an entry. Its texts are plain text. Values beyond the protocol's limits are cut or left out. A
// video is not written if it lacks a title, a description or a thumbnail, or has neither player nor file.
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
	NotFamily    bool    // not suitable for the whole family
	Uploader     string  // name; empty for none
	UploaderInfo string  // address of a page on the uploader, on the host of the entry; empty for none
	Expires      int64   // Unix seconds; NoDate for none
	Subscription string  // "yes" or "no": whether viewers must pay; empty for unknown
	Live         string  // "yes" or "no": whether it is a live stream; empty for unknown

	// Stored, if not nil, is written instead of all fields above: the elements that Yoast Video SEO prints, in their stored
	// order. An element whose name XML does not allow is skipped.
	Stored []VideoElement
}

// VideoElement is an element of the video name space. Its text is already escaped for HTML.
type VideoElement struct {
	Name  string // without prefix
	Text  string
	CDATA bool   // the text is written into a CDATA section, where references are plain text
	Info  string // attribute info, escaped for HTML; empty for none
}

// appendVideo appends a video:video. For a video that a sitemap may not list it appends nothing and returns false.
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

// appendVideoFields appends the elements in the order of Yoast's functional specification. The other elements of the protocol
// stand beside related ones.
func (w *Writer) appendVideoFields(b []byte, v *Video) ([]byte, bool) {
	raw := func(name, attributes string, text []byte) {
		b = append(append(b, "\t\t\t<video:"+name+attributes+">"...), text...)
		b = append(b, "</video:"+name+">\n"...)
	}
	text := func(name, s string) {
		if s != "" {
			raw(name, "", appendText(nil, s))
		}
	}
	date := func(name string, sec int64) { text(name, string(AppendDate(nil, sec))) }
	loc := func(name, attributes, url string) bool {
		written, ok := w.Encoding.AppendLoc(nil, url)
		if ok = ok && url != ""; ok {
			raw(name, attributes, written)
		}
		return ok
	}
	if v.Title == "" || v.Description == "" {
		return b, false
	}
	text("title", v.Title)
	date("publication_date", v.Published)
	text("description", cutText(v.Description, maxVideoDescription))
	player := loc("player_loc", ` allow_embed="yes"`, v.PlayerLoc)
	if file := loc("content_loc", "", v.ContentLoc); !player && !file || !loc("thumbnail_loc", "", v.ThumbnailLoc) {
		return b, false
	}
	if 1 <= v.Duration && v.Duration <= maxVideoDuration {
		text("duration", strconv.FormatInt(v.Duration, 10))
	}
	if v.ViewCount > 0 {
		text("view_count", strconv.FormatInt(v.ViewCount, 10))
	}
	text("category", cutText(v.Category, maxVideoName))
	tags := slices.DeleteFunc(slices.Clone(v.Tags), func(tag string) bool { return tag == "" })
	for _, tag := range tags[:min(len(tags), MaxVideoTags)] {
		text("tag", tag)
	}
	if v.Rated && 0 <= v.Rating && v.Rating <= 5 {
		text("rating", strconv.FormatFloat(v.Rating, 'f', 1, 64))
	}
	text("family_friendly", map[bool]string{false: "yes", true: "no"}[v.NotFamily])
	if v.Uploader != "" {
		info, ok := w.Encoding.AppendLoc([]byte(` info="`), v.UploaderInfo)
		if info = append(info, '"'); !ok || v.UploaderInfo == "" {
			info = nil
		}
		raw("uploader", string(info), appendText(nil, cutText(v.Uploader, maxVideoName)))
	}
	date("expiration_date", v.Expires)
	for _, flag := range []struct{ name, value string }{{"requires_subscription", v.Subscription}, {"live", v.Live}} {
		if flag.value == "yes" || flag.value == "no" {
			text(flag.name, flag.value)
		}
	}
	return b, true
}

// cutText returns the first characters of s, at most most.
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
		b = appendCDATA(b, e.Text)
	} else {
		b = appendEscaped(b, e.Text, true)
	}
	return append(append(append(b, "</video:"...), e.Name...), ">\n"...)
}

// maxElementName is the longest name of a stored element that is written, in bytes.
const maxElementName = 100

// elementName reports whether s can be an XML name after a prefix. It refuses names beyond ASCII, which XML allows but no program
// uses here.
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

// appendPermalink appends a loc as Yoast Video SEO prints it: the result of esc_url, without encoding the URL first.
func appendPermalink(b []byte, url string) ([]byte, bool) {
	url = formatting.DisplayURL(url)
	if url == "" || utf8.RuneCountInString(url) >= MaxLoc {
		return b, false
	}
	return appendEscaped(b, url, true), true
}
