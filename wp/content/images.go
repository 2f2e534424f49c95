package content

import (
	"math"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// MaxSrc is the longest src attribute that is read, in bytes as written. A sitemap cannot carry a longer address,
// since the protocol ends at 2,048 characters. Such a text is inlined data, or the rest of a post after a lost
// quote.
const MaxSrc = 64 << 10

// Image is one img element.
type Image struct {
	// Src is the src attribute with its references decoded. It is not trimmed or made absolute. If nothing had to
	// be decoded, it shares the memory of the content.
	Src string
	// AttachmentID is the N of the class wp-image-N: the attachment that the editor inserted. It is 0 if there is
	// no such class or if N cannot be an id.
	AttachmentID int64
	// Full reports whether the image was inserted in full size (class size-full). The full file of the attachment,
	// if it exists, replaces any other image (see WithQuery).
	Full bool
}

// AppendImages appends the img elements of raw content to dst, in document order, and returns the extended slice.
// It skips elements whose src is missing, "" or "0".
//
// It reads tags as the HTML 4 parser of libxml2 does (PHP's DOMDocument::loadHTML), which Yoast uses. Elements
// count inside noscript, textarea, template, iframe, select, title and CDATA sections. Elements inside comments,
// scripts and style sheets do not count.
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
		case c == '/':
			if p.pos += len("</"); p.name() != "" {
				p.skipTo('>')
			}
		case isLetter(c):
			p.pos++
			name := strings.ToLower(p.name())
			src, class := p.attributes()
			switch name {
			case "img":
				if dst = appendImage(dst, src, class); !hasImage(p.s[p.pos:]) {
					return dst
				}
			case "script", "style":
				if p.at(0) != '/' { // else the tag closes its own element
					p.skipToEnd(name)
				}
			}
		default:
			p.pos++ // a lone "<" is text
		}
	}
	return dst
}

// hasImage reports whether a text contains an img tag. Most content contains none and needs no parsing. The text behind the last
// img tag needs none either.
func hasImage(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		if s = s[i+1:]; len(s) > 0 && s[0]|0x20 == 'i' && hasPrefixFold(s, "img") {
			return true
		}
	}
}

// appendImage appends the image with these attributes, as written in its tag. It appends nothing if src is empty
// or too long.
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

// attachmentID returns the N of the class wp-image-N, or 0.
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
			continue // the first class with digits counts
		}
		id, err := strconv.ParseInt(class[:n], 10, 64)
		if err != nil || id == math.MaxInt64 {
			return 0
		}
		return id
	}
}

// unescape decodes the references in the value of an attribute. libxml2 also knows &apos;.
func unescape(s string) string {
	return php.HTMLEntityDecode(strings.ReplaceAll(s, "&apos;", "'"), php.UTF8)
}
