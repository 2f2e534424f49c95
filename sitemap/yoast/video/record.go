package video

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// A record is a stored video: an array whose order stays the same when a value is replaced.
type record struct{ php.Value }

// text returns a value as text, or "" if the value is not a scalar.
func (r *record) text(key string) string { return scalarText(r.Get(key)) }

func scalarText(v php.Value) string {
	switch v.Kind {
	case php.String, php.Int, php.Float, php.Bool:
		return v.Str()
	}
	return ""
}

// set replaces the value of a key without changing the order, or appends a new key.
func (r *record) set(key string, v php.Value) {
	r.Value = php.NewArray(append(slices.Clip(r.Pairs()), php.Element(key, v))...)
}

func (r *record) setString(key, s string) { r.set(key, php.NewString(s)) }

// chosen returns the record with the thumbnail and the duration that the editor of the post has chosen.
func (m *meta) chosen() *record {
	r := &record{m.record}
	if r.Len() > 0 && m.thumbnail != "" {
		r.setString("thumbnail_loc", m.thumbnail)
	}
	if r.Len() > 0 && aboveZero(m.duration) {
		r.setString("duration", m.duration)
	}
	return r
}

// aboveZero returns the result of s > 0 in PHP 8. A text that is not a number is compared as text.
func aboveZero(s string) bool {
	if !php.IsNumeric(s) {
		return s > "0"
	}
	n, _ := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return n > 0
}

// complete reports whether the plugin prints the record: it has a thumbnail, and a player or a file.
func (r *record) complete() bool {
	return !r.Get("thumbnail_loc").IsNull() && (!r.Get("player_loc").IsNull() || !r.Get("content_loc").IsNull())
}

// storedRating parses a rating from 0 to 5 and rounds it to one decimal.
func storedRating(s string) (rating float64, ok bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || s == "0" || !(0 <= n && n <= 5) {
		return 0, false
	}
	return math.Round(n*10) / 10, true
}

// neverPrinted are the keys of a record that the plugin does not print.
var neverPrinted = []string{
	"id", "url", "type", "permalink", "post_id", "hd", "maybe_local", "attachment_id", "file_path", "file_url", "last_fetched",
}

// proseKeys are the keys whose values are texts for readers.
var proseKeys = []string{"description", "category", "tag", "title"}

// elements returns the elements that the plugin prints for the record, in the order of the keys.
func (r *record) elements(vars variables, author, authorLink string) []urlset.VideoElement {
	out := []urlset.VideoElement{}
	for _, p := range r.Pairs() {
		key := p.Key.String()
		if slices.Contains(neverPrinted, key) {
			continue
		}
		if key == "author" {
			if authorLink != "" {
				out = append(out, urlset.VideoElement{Name: "uploader", Text: formatting.NumericEntities(formatting.EscHTML(author)), Info: authorLink})
			}
			continue
		}
		v := p.Value
		if key == "description" && !v.Truthy() {
			v = r.Get("title")
		}
		values := []php.Value{v}
		if v.Kind == php.Array {
			values = values[:0]
			for _, inner := range v.Pairs() {
				values = append(values, inner.Value)
			}
			if key == "tag" {
				values = values[:min(len(values), urlset.MaxVideoTags)]
			}
		} else if !v.Truthy() {
			continue
		}
		prose := slices.Contains(proseKeys, key)
		for _, v := range values {
			if text := videoText(scalarText(v), prose, vars.replace); text != "" {
				out = append(out, urlset.VideoElement{Name: key, Text: text, CDATA: prose})
			}
		}
	}
	return out
}

// maxVideoText is the maximum length in bytes of a printed value. A longer value cannot be a title or
// an address. The time for cleaning grows with the square of the length.
const maxVideoText = 16 << 10

// phpSpace are the characters that PHP's trim() removes.
const phpSpace = " \t\n\r\x00\v"

// videoText returns a value of a record as the plugin prints it, escaped for HTML. It returns "" if
// nothing is printed.
//
// It removes shortcodes and decodes references, first into ISO 8859-15, then into UTF-8. prose is set
// for titles, descriptions, categories and tags. replace fills in variables such as %%sitename%%.
func videoText(s string, prose bool, replace func(string) string) string {
	if len(s) > maxVideoText {
		return ""
	}
	s = formatting.StripShortcodes(strings.Trim(s, phpSpace))
	s = formatting.SpecialChars(php.HTMLEntityDecode(php.HTMLEntityDecode(s, php.Latin9), php.UTF8), false)
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
	return formatting.SpecialChars(php.HTMLEntityDecode(s, php.UTF8), false)
}

var standardSpace = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\f", " ")

// variables maps the names of Yoast's replacement variables (%%name%%) to their values for one post or
// term. The values are HTML.
type variables map[string]string

// variable matches %%name%%. Like Yoast, it also matches %%name%, which is not replaced.
var variable = regexp.MustCompile(`%%([^%]+(?:%%single)?)%%?`)

// replace fills in the variables of a text. It removes variables without a value.
func (v variables) replace(s string) string {
	names := variable.FindAllStringSubmatch(s, -1)
	for _, n := range names {
		if value := v[n[1]]; value != "" {
			s = strings.ReplaceAll(s, "%%"+n[1]+"%%", value)
		}
	}
	for _, n := range names {
		s = strings.ReplaceAll(s, "%%"+n[1]+"%%", "")
	}
	return s
}

func postVariables(r *seo.Rules, p *address.FullPost) variables {
	v := variables{
		"sitename": siteName(r), "title": p.Title, "name": p.AuthorName, "category": strings.Join(p.Categories, ", "),
		"primary_category": p.Primary, "tag": strings.Join(p.Tags, ", "),
	}
	if !p.Protected {
		v["excerpt"] = formatting.PlainText(p.Excerpt)
		v["excerpt_only"] = v["excerpt"]
	}
	return v
}

func termVariables(r *seo.Rules, t *address.NamedTerm) variables {
	return variables{"sitename": siteName(r), "term_title": t.Name, "term_description": formatting.PlainText(t.Description)}
}

func siteName(r *seo.Rules) string { return formatting.PlainText(r.Blog.Settings().Title) }
