package content

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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
// order, and returns the extended slice. An element counts where libxml2's HTML 4 parser (PHP's
// DOMDocument::loadHTML), which Yoast uses, makes one of it: also inside noscript, textarea, template, iframe,
// select, title and CDATA sections, not inside comments, scripts and style sheets.
// Content is UTF-8; from the first byte that is not, the rest is taken for ISO 8859-1, as libxml2 does.
// (yoast-sitemaps.md 9.2)
func AppendImages(dst []Image, content string) []Image {
	last := lastImageTag(content)
	if last < 0 {
		return dst
	}
	if !utf8.ValidString(content) {
		content = latin1Tail(content)
		last = lastImageTag(content)
	}
	if strings.IndexByte(content, 0) < 0 {
		if images, ok := appendPlainImages(dst, content, last); ok {
			return images
		}
	}
	return appendParsedImages(dst, content, last)
}

// appendParsedImages is AppendImages with the whole parser, as far as last.
func appendParsedImages(dst []Image, content string, last int) []Image {
	p := parser{scanner: scanner{s: content, nul: strings.IndexByte(content, 0) >= 0}}
	p.prologue()
	for p.pos <= last {
		src, class, ok := p.nextImage()
		if !ok {
			break
		}
		dst = appendImage(dst, src, class)
	}
	return dst
}

// appendPlainImages does the same several times as fast for content in which nothing but comments
// and quotes can hide a tag, so that it does not matter which elements are open: nearly all
// there is. It is false where the parser has to look: at scripts and style sheets, processing
// instructions, a document type, or where more elements may be open than it lets in. There are
// no zero bytes.
func appendPlainImages(dst []Image, content string, last int) ([]Image, bool) {
	const most = maxDepth - 8 // with the html, head, body and p elements that are implied
	var storage [64]string
	open := storage[:0] // at least what the parser would have open: it also closes by other rules than an end tag
	p := scanner{s: content}
	for p.pos <= last {
		i := strings.IndexByte(content[p.pos:], '<')
		if i < 0 {
			break
		}
		p.pos += i
		switch c := p.at(1); {
		case c == '/':
			p.pos += 2
			name := nameAt(content, p.pos)
			if name == "" {
				break
			}
			p.pos += len(name)
			p.tagEnd()
			if n := len(open) - 1; n >= 0 && open[n] == name {
				open = open[:n]
			}
		case c == '!':
			if !p.comment() {
				if hasPrefixFold(content[p.pos:], "<!DOCTYPE") {
					return dst, false
				}
				p.pos++
			}
		case c == '?':
			return dst, false
		case isLetter(c):
			p.pos++
			name := nameAt(content, p.pos)
			if len(open) > most || strings.EqualFold(name, "script") || strings.EqualFold(name, "style") {
				return dst, false
			}
			p.pos += len(name)
			isImg := strings.EqualFold(name, "img") || isImage(name)
			src, class := p.attributes(isImg)
			if isImg {
				dst = appendImage(dst, src, class)
			}
			switch p.at(0) {
			case '>':
				p.pos++
				switch name {
				case "img", "br", "hr", "input", "html", "head", "body": // closed at once, or implied
				default:
					open = append(open, name)
				}
			case '/':
				p.pos += 2
			}
		default:
			p.pos++
		}
	}
	return dst, true
}

// appendImage appends an image with the attributes of its tag as written, if it has a source.
func appendImage(dst []Image, src, class string) []Image {
	if len(src) > MaxSrc {
		return dst
	}
	src = unescape(src)
	if src == "" || src == "0" {
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

// lastImageTag finds the last place where the start tag of an img element, with or without a name space prefix,
// may begin, or -1. Most content has none and is done with here.
func lastImageTag(s string) int {
	last := -1
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			return last
		}
		i += n + 1
		if i+2 < len(s) && s[i]|0x20 == 'i' && s[i+1]|0x20 == 'm' && s[i+2]|0x20 == 'g' {
			last = i - 1
			continue
		}
		if i < len(s) && isLetter(s[i]) {
			for j := i + 1; j < len(s) && j < i+maxName && isNameByte(s[j]); j++ {
				if s[j] == ':' {
					last = i - 1
					break
				}
			}
		}
	}
}

// latin1Tail rewrites s as UTF-8 from its first byte that does not fit, reading the rest as ISO 8859-1. That byte
// itself becomes the character of the first byte of its new form: libxml2 converts the input under its own feet.
func latin1Tail(s string) string {
	i := 0
	for i < len(s) {
		n := sequenceLen(s[i:])
		if n == 0 {
			break
		}
		i += n
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + (len(s)-i)/8)
	b.WriteString(s[:i])
	if s[i] < 0xC0 {
		b.WriteRune(0xC2)
	} else {
		b.WriteRune(0xC3)
	}
	for i++; i < len(s); i++ {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// sequenceLen is the length of the multi-byte form s starts with, or 0. Unlike package utf8 it lets surrogates and
// code points above U+10FFFF pass: libxml2 complains about them but goes on in UTF-8.
func sequenceLen(s string) int {
	c := s[0]
	n, least := 0, rune(0)
	var r rune
	switch {
	case c < 0x80:
		return 1
	case c&0xE0 == 0xC0:
		n, least, r = 2, 0x80, rune(c&0x1F)
	case c&0xF0 == 0xE0:
		n, least, r = 3, 0x800, rune(c&0x0F)
	case c&0xF8 == 0xF0:
		n, least, r = 4, 0x10000, rune(c&0x07)
	default:
		return 0
	}
	if len(s) < n {
		return 0
	}
	for i := 1; i < n; i++ {
		if s[i]&0xC0 != 0x80 {
			return 0
		}
		r = r<<6 | rune(s[i]&0x3F)
	}
	if r < least {
		return 0
	}
	return n
}
