package content

import (
	"math"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// MaxSrc bounds a src attribute, in bytes as written. A longer one is no address a sitemap can carry
// (the protocol ends at 2,048 characters): it is inlined data, or the rest of a post after a lost quote.
const MaxSrc = 64 << 10

// Image is one img element.
type Image struct {
	// Src is the src attribute with its entities decoded, neither trimmed nor made absolute. Where nothing
	// had to be decoded it shares the memory of the content.
	Src string
	// AttachmentID is the N of the class wp-image-N: the attachment that was inserted. It is 0 when there is
	// none and when N is no possible id.
	AttachmentID int64
	// Full reports that an image was inserted in full size (class size-full). Any other is replaced with the full file
	// of its attachment, where that exists (see WithQuery).
	Full bool
}

// AppendImages appends every img element of raw content that has a src other than "" and "0" to dst, in document
// order, and returns the extended slice. It reads tags as the HTML 4 parser of libxml2 does (PHP's
// DOMDocument::loadHTML), which Yoast uses: an element counts inside noscript, textarea, template, iframe, select,
// title and CDATA sections, and not inside comments, scripts and style sheets. (yoast-sitemaps.md 9.2)
func AppendImages(dst []Image, content string) []Image {
	if !hasImage(content) {
		return dst
	}
	p := scanner{s: content}
	for p.skipTo('<'); p.pos < len(p.s); p.skipTo('<') {
		switch c := p.at(1); {
		case p.comment():
		case c == '?' && isLetter(p.at(2)): // a processing instruction, such as PHP code
			p.skipTo('>')
		case isLetter(c):
			p.pos++
			name := p.name()
			src, class := p.attributes()
			switch {
			case strings.EqualFold(name, "img"):
				dst = appendImage(dst, src, class)
			case p.at(0) == '/': // closed in its tag
			case strings.EqualFold(name, "script"), strings.EqualFold(name, "style"):
				p.skipToEnd(name)
			}
		default:
			p.pos++ // a lone "<" is text
		}
	}
	return dst
}

// hasImage reports whether there is an img tag. Most content has none and is done with here.
func hasImage(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		if s = s[i+1:]; hasPrefixFold(s, "img") {
			return true
		}
	}
}

// appendImage appends an image with the attributes of its tag as written, if it has a source.
func appendImage(dst []Image, src, class string) []Image {
	if len(src) > MaxSrc {
		return dst
	}
	src = unescape(src)
	if isEmpty(src) {
		return dst
	}
	class = unescape(class)
	return append(dst, Image{Src: src, AttachmentID: attachmentID(class), Full: strings.Contains(class, "size-full")})
}

// attachmentID reads the id of the class wp-image-N.
func attachmentID(class string) int64 {
	const prefix = "wp-image-"
	for {
		i := strings.Index(class, prefix)
		if i < 0 {
			return 0
		}
		class = class[i+len(prefix):]
		n := 0
		for n < len(class) && isDigit(class[n]) {
			n++
		}
		if n == 0 {
			continue // the first one with digits counts
		}
		id, err := strconv.ParseInt(class[:n], 10, 64)
		if err != nil || id == math.MaxInt64 {
			return 0
		}
		return id
	}
}

// unescape decodes the references of an attribute value. libxml2 knows &apos;, too.
func unescape(s string) string {
	return php.HTMLEntityDecode(strings.ReplaceAll(s, "&apos;", "'"), php.UTF8)
}
