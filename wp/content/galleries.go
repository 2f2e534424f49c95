package content

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp/php"
)

// Gallery is a [gallery] shortcode.
type Gallery struct {
	// Include holds the ids of the attachments, from the attribute ids or, without it, from the attribute include. Without
	// both attributes, Include is nil, and the gallery shows the images attached to Parent. If the attribute names
	// nothing, such as ids=",", Include is empty but not nil.
	Include []int64
	// Parent is the post whose attached images are shown (attribute id). 0 means the current post. A negative
	// number means an id that no post can have.
	Parent int64
	// Exclude holds the ids of attachments of Parent that are not shown (attribute exclude).
	Exclude []int64
}

// Galleries finds the [gallery] shortcodes in raw content, by the grammar of get_shortcode_regex and
// shortcode_parse_atts. It returns nil if there are none. It also finds a shortcode in doubled brackets, but none
// with an upper-case name. It ignores the text between [gallery] and [/gallery].
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
		if content != "" && (isLetter(content[0]) || isDigit(content[0]) || strings.IndexByte("_-", content[0]) >= 0) {
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
		found = append(found, galleryOf(text))
	}
}

// galleryOf returns the gallery of a shortcode; text holds the attributes of the shortcode.
func galleryOf(text string) Gallery {
	named := Attributes(text)
	var g Gallery
	switch ids, include := named["ids"], named["include"]; {
	case !isEmpty(ids):
		g.Include = idList(ids)
	case !isEmpty(include):
		g.Include = idList(include)
	}
	if id := named["id"]; !isEmpty(id) {
		if g.Parent = php.NewString(id).Int(); g.Parent == 0 {
			g.Parent = -1
		}
	}
	if exclude := named["exclude"]; !isEmpty(exclude) {
		g.Exclude = idList(exclude)
	}
	return g
}

// attributeForm matches an attribute of a shortcode, with or without a name, as get_shortcode_atts_regex() does.
var attributeForm = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s'"]+))(?:\s|$)|"[^"]*"(?:\s|$)|'[^']*'(?:\s|$)|\S+`)

// invisible matches a run of no-break and zero-width spaces.
var invisible = regexp.MustCompile("[\u00A0\u200B]+")

// Attributes returns the named attributes of a shortcode, with their names in lower case. If several have the same
// name, the last one counts.
func Attributes(text string) map[string]string {
	named := map[string]string{}
	if !utf8.ValidString(text) {
		return named // PHP's preg_replace with modifier u returns nothing for such a text
	}
	for _, m := range attributeForm.FindAllStringSubmatch(invisible.ReplaceAllString(text, " "), -1) {
		if m[1] != "" {
			named[strings.ToLower(m[1])] = m[2] + m[3] + m[4]
		}
	}
	return named
}

// idList parses ids that commas or white space separate, as wp_parse_id_list does. It drops signs and repetitions,
// and reads text that is no number as 0. It never returns nil.
func idList(s string) []int64 {
	isSeparator := func(r rune) bool { return strings.ContainsRune(", \t\n\v\f\r", r) }
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

// isEmpty reports whether PHP's empty() is true for a string.
func isEmpty(s string) bool { return s == "" || s == "0" }
