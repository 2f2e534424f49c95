package content

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp/php"
)

// Gallery is a [gallery] shortcode. (yoast-sitemaps.md 9.4)
type Gallery struct {
	// Include names the attachments: attribute ids, else include. It is nil when neither is given, in which case the
	// images attached to Parent are meant. It is empty but not nil for an attribute such as ids="," that
	// names nothing.
	Include []int64
	// Parent is the post whose images are meant: attribute id, 0 for the current post, negative for an id that
	// cannot be a post's.
	Parent int64
	// Exclude names attachments to leave out of those of Parent: attribute exclude.
	Exclude []int64
}

// Galleries finds the [gallery] shortcodes in raw content with the grammar of get_shortcode_regex and
// shortcode_parse_atts. Doubled brackets do not hide one, an upper-case name does; what [gallery]…[/gallery] encloses
// is ignored. It returns nil without any.
func Galleries(content string) []Gallery {
	const (
		opening = "[gallery"
		closing = "[/gallery]"
	)
	var found []Gallery
	closed := true // a closing tag may still follow
	for {
		i := strings.Index(content, opening)
		if i < 0 {
			return found
		}
		content = content[i+len(opening):]
		if content != "" && (IsWord(content[0]) || content[0] == '-') {
			continue // another shortcode, or none
		}
		end := strings.IndexByte(content, ']')
		if end < 0 {
			return found
		}
		text := content[:end]
		content = content[end+1:]
		if strings.HasSuffix(text, "/") {
			text = text[:len(text)-1]
		} else if closed {
			if i := strings.Index(content, closing); i >= 0 {
				content = content[i+len(closing):]
			} else {
				closed = false
			}
		}
		found = append(found, GalleryOf(text))
	}
}

// GalleryOf reads the attributes of a gallery or a playlist.
func GalleryOf(text string) Gallery {
	var ids, include, id, exclude string
	Attributes(text, func(name, value string) {
		switch {
		case strings.EqualFold(name, "ids"):
			ids = value
		case strings.EqualFold(name, "include"):
			include = value
		case strings.EqualFold(name, "id"):
			id = value
		case strings.EqualFold(name, "exclude"):
			exclude = value
		}
	})
	var g Gallery
	switch {
	case !isEmpty(ids):
		g.Include = idList(ids)
	case !isEmpty(include):
		g.Include = idList(include)
	}
	if !isEmpty(id) {
		if g.Parent = php.NewString(id).Int(); g.Parent == 0 {
			g.Parent = -1
		}
	}
	if !isEmpty(exclude) {
		g.Exclude = idList(exclude)
	}
	return g
}

// Attributes calls f with the named attributes of a shortcode in order, a later one of the same name included. Names
// and values are as written. Positional attributes are passed over.
func Attributes(text string, f func(name, value string)) {
	if !utf8.ValidString(text) {
		return // preg_replace with the modifier u gives nothing
	}
	text = invisible.ReplaceAllString(text, " ")
	for {
		text = strings.TrimLeft(text, spaces)
		if text == "" {
			return
		}
		name, value, n := attribute(text)
		if n == 0 {
			// A positional attribute, quoted or bare.
			_, n = quoted(text)
			if n == 0 {
				n = strings.IndexAny(text, spaces)
			}
			if n < 0 {
				return
			}
		} else {
			f(name, value)
		}
		text = text[n:]
	}
}

// attribute reads a named attribute, name=value with the value in double quotes, single quotes or none. It must be
// followed by white space or the end. n is its length, 0 without one.
func attribute(text string) (name, value string, n int) {
	for n < len(text) && (IsWord(text[n]) || text[n] == '-') {
		n++
	}
	name = text[:n]
	rest := strings.TrimLeft(text[n:], spaces)
	if name == "" || rest == "" || rest[0] != '=' {
		return "", "", 0
	}
	rest = strings.TrimLeft(rest[1:], spaces)
	if value, n := quoted(rest); n > 0 {
		return name, value, len(text) - len(rest) + n
	}
	n = strings.IndexAny(rest, spaces+`'"`)
	if n < 0 {
		n = len(rest)
	}
	if n == 0 || n < len(rest) && !isSpace(rest[n]) {
		return "", "", 0
	}
	return name, rest[:n], len(text) - len(rest) + n
}

// quoted reads a quoted string that is followed by white space or the end; n is its length with the quotes, or 0.
func quoted(text string) (value string, n int) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return "", 0
	}
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return "", 0
	}
	n = end + 2
	if n < len(text) && !isSpace(text[n]) {
		return "", 0
	}
	return text[1 : end+1], n
}

// invisible is a run of no-break and zero-width spaces.
var invisible = regexp.MustCompile("[\u00A0\u200B]+")

// idList reads ids separated by commas or white space as wp_parse_id_list does: no sign, no repetition, 0 for what is
// no number. It is never nil.
func idList(s string) []int64 {
	isSeparator := func(r rune) bool { return r == ',' || r < utf8.RuneSelf && isSpace(byte(r)) }
	ids := []int64{}
	seen := map[int64]bool{}
	for field := range strings.FieldsFuncSeq(s, isSeparator) {
		id := php.NewString(field).Int()
		if id < 0 {
			id = -max(id, -math.MaxInt64)
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// isEmpty is PHP's empty() of a string.
func isEmpty(s string) bool { return s == "" || s == "0" }

// spaces is the white space of PCRE's \s.
const spaces = " \t\n\v\f\r"

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// IsWord reports whether a byte is one of the names of shortcodes, but for the hyphen.
func IsWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
