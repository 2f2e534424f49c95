package sitemap

import (
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp/formatting"
)

// maxVideoText bounds a value of a stored record, in bytes. A longer one is no title and no
// address, and cleaning takes time that grows with its square.
const maxVideoText = 16 << 10

// phpSpace is what PHP's trim() takes away.
const phpSpace = " \t\n\r\x00\v"

// cleanVideoText takes shortcodes and references out of a value the way Yoast Video SEO does:
// references are decoded, first into ISO 8859-15 and then into UTF-8, and what still looks
// like a short one loses all but its first letter.
func cleanVideoText(s string) string {
	if len(s) > maxVideoText {
		return ""
	}
	for from := 0; ; {
		s = formatting.StripShortcodes(strings.Trim(s, phpSpace))
		s = formatting.DecodeEntities(formatting.DecodeEntities(s, formatting.Latin9), formatting.UTF8)
		if s == "0" || from > len(s) {
			break
		}
		start := strings.IndexByte(s[from:], '&')
		if start < 0 {
			break
		}
		start += from
		length := strings.IndexByte(s[start:], ';')
		if length < 0 {
			break
		}
		from = start + 1
		if length > 7 {
			continue
		}
		letter := s[from : from+1]
		if letter == "#" {
			letter = "_"
		}
		s = s[:start] + letter + s[start+length+1:]
	}
	return formatting.SpecialChars(s, false)
}

// videoText turns a value of a record into the text the plugin prints, escaped for HTML, or ""
// for none. Titles, descriptions, categories and tags are prose; replace puts values in the
// place of variables such as %%sitename%%.
func videoText(s string, prose bool, replace func(string) string) string {
	s = cleanVideoText(s)
	if prose {
		s = formatting.EscHTML(s)
	}
	if s == "" || s == "0" {
		return ""
	}
	s = strings.Trim(s, phpSpace)
	if strings.Contains(s, "%%") && utf8.ValidString(s) {
		s = replace(s)
	}
	s = standardSpace.Replace(s)
	s = strings.Trim(strings.ReplaceAll(s, "  ", " "), phpSpace)
	return formatting.SpecialChars(formatting.DecodeEntities(s, formatting.UTF8), false)
}

var standardSpace = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\f", " ")
