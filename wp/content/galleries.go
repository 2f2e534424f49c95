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

// galleryOf reads the attributes of a gallery.
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

// attributeForm matches an attribute of a shortcode, with its name and its value or without, as get_shortcode_atts_regex() has it.
var attributeForm = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s'"]+))(?:\s|$)|"[^"]*"(?:\s|$)|'[^']*'(?:\s|$)|\S+`)

// invisible is a run of no-break and zero-width spaces.
var invisible = regexp.MustCompile("[\u00A0\u200B]+")

// Attributes returns the named attributes of a shortcode, with names in lower case; of several of one name the last counts.
func Attributes(text string) map[string]string {
	named := map[string]string{}
	if !utf8.ValidString(text) {
		return named // preg_replace with the modifier u gives nothing
	}
	for _, m := range attributeForm.FindAllStringSubmatch(invisible.ReplaceAllString(text, " "), -1) {
		if m[1] != "" {
			named[strings.ToLower(m[1])] = m[2] + m[3] + m[4]
		}
	}
	return named
}

// idList reads ids separated by commas or white space as wp_parse_id_list does: no sign, no repetition, 0 for what is
// no number. It is never nil.
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

// isEmpty is PHP's empty() of a string.
func isEmpty(s string) bool { return s == "" || s == "0" }
