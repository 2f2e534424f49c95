package video

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
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
		s = php.HTMLEntityDecode(php.HTMLEntityDecode(s, php.Latin9), php.UTF8)
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
	return formatting.SpecialChars(php.HTMLEntityDecode(s, php.UTF8), false)
}

var standardSpace = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\f", " ")

// variables are what stands for %%name%% in the texts of one post or term, as in Yoast's
// replacement variables; HTML, as those texts. A name without a value is taken out.
type variables struct {
	value func(name string) string
	sep   string
}

// variable is %%name%%; Yoast reads a single % at the end as well, and replaces nothing then.
var variable = regexp.MustCompile(`%%([^%]+(?:%%single)?)%%?`)

func (v *variables) replace(s string) string {
	names := variable.FindAllStringSubmatch(s, -1)
	separated := false
	for _, n := range names {
		value := v.value(n[1])
		if n[1] == "sep" {
			value, separated = v.sep, v.sep != ""
		}
		if value != "" {
			s = strings.ReplaceAll(s, "%%"+n[1]+"%%", value)
		}
	}
	for _, n := range names {
		s = strings.ReplaceAll(s, "%%"+n[1]+"%%", "")
	}
	if separated { // nothing stands between the separators around a variable without a value
		quoted := regexp.QuoteMeta(v.sep)
		s = regexp.MustCompile(quoted+`(?:\s*`+quoted+`)*`).ReplaceAllLiteralString(s, v.sep)
	}
	return s
}

// siteVariable is a variable that is the same for all posts.
func (c *reader) siteVariable(name string) string {
	set := c.Blog.Settings()
	now := c.Options.Now().In(set.Core.Zone)
	switch name {
	case "sitename":
		return formatting.PlainText(set.Title)
	case "sitedesc":
		return formatting.PlainText(set.Tagline)
	case "currentyear":
		return phpDate(now, "Y")
	case "currentmonth":
		return phpDate(now, "F")
	case "currentday":
		return phpDate(now, "j")
	case "currentdate":
		return phpDate(now, set.DateFormat)
	case "pagenumber", "pagetotal":
		return "1"
	}
	return ""
}

func (c *reader) postVariables(p *wp.FullPost) *variables {
	value := func(name string) string {
		switch name {
		case "title":
			return p.Title
		case "excerpt", "excerpt_only", "caption":
			if !p.Protected {
				return formatting.PlainText(p.Excerpt)
			}
		case "id":
			return strconv.FormatInt(p.ID, 10)
		case "userid":
			return strconv.FormatInt(p.Author, 10)
		case "name":
			return p.AuthorName
		case "permalink":
			return p.Link
		case "category", "ct_category":
			return strings.Join(p.Categories, ", ")
		case "primary_category":
			return p.Primary
		case "tag", "ct_post_tag":
			return strings.Join(p.Tags, ", ")
		case "date":
			return c.localDate(p.Date, "")
		case "modified":
			return c.localDate(p.Modified, "")
		case "post_year":
			return c.localDate(p.Date, "Y")
		case "post_month":
			return c.localDate(p.Date, "F")
		case "post_day":
			return c.localDate(p.Date, "d")
		}
		return c.siteVariable(name)
	}
	return &variables{value, options.Of(c.Blog).Separator()}
}

func (c *reader) termVariables(t *wp.NamedTerm) *variables {
	value := func(name string) string {
		switch name {
		case "term_title":
			return t.Name
		case "term_description", "category_description", "tag_description":
			return formatting.PlainText(t.Description)
		}
		return c.siteVariable(name)
	}
	return &variables{value, options.Of(c.Blog).Separator()}
}

// localDate writes a date column by a format of PHP's date(), "" for the site's date_format.
func (c *reader) localDate(column, format string) string {
	at := wp.ParseDate(column)
	if at == wp.NoTime {
		return ""
	}
	format = cmp.Or(format, c.Blog.Settings().DateFormat)
	return phpDate(time.Unix(at, 0).UTC(), format)
}

// phpLayouts are the letters of PHP's date() that sites use, as layouts of Go.
var phpLayouts = map[byte]string{
	'd': "02", 'j': "2", 'D': "Mon", 'l': "Monday", 'm': "01", 'n': "1", 'M': "Jan", 'F': "January", 'Y': "2006", 'y': "06",
	'H': "15", 'h': "03", 'g': "3", 'i': "04", 's': "05", 'a': "pm", 'A': "PM",
}

// phpDate writes a time as PHP's date() does. Names are English ones: those of other
// languages are in WordPress' language files, not in the database.
func phpDate(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch layout, ok := phpLayouts[format[i]]; {
		case ok:
			b.WriteString(t.Format(layout))
		case format[i] == 'S':
			b.WriteString(ordinal(t.Day()))
		case format[i] == 'G':
			b.WriteString(strconv.Itoa(t.Hour()))
		case format[i] == '\\' && i+1 < len(format):
			i++
			b.WriteByte(format[i])
		default:
			b.WriteByte(format[i])
		}
	}
	return b.String()
}

func ordinal(day int) string {
	if day/10 != 1 {
		switch day % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

var (
	// PHP takes a 31st of every month, and hour 24.
	isoDateTime = regexp.MustCompile(`^\d{4}-(0\d|1[0-2]|\d)-([0-2]\d|3[01]|\d)` +
		`(?:[T ]+([01]\d|2[0-4]|\d):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d{1,2}:?(?:\d\d)?)?)?$`)
	// The otherDateTimes forms of dates that exports and older versions have written.
	otherDateTimes = []string{
		time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate, time.RubyDate,
		"2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006",
		"20060102", "20060102T150405", "20060102T150405Z07:00", "2006/01/02", "2006/01/02 15:04:05", "01/02/2006", "2006-01", "02-01-2006", "02.01.2006",
	}
	relativeTimes = []string{"now", "today", "midnight", "noon", "yesterday", "tomorrow"}
)

// validDateTime reports whether PHP's DateTime can read a text: those forms that are dates
// somebody would store.
func validDateTime(s string) bool {
	s = strings.Trim(s, " \t\n")
	if s == "" || s == "0" {
		return false
	}
	if isoDateTime.MatchString(s) || slices.Contains(relativeTimes, strings.ToLower(s)) {
		return true
	}
	if seconds, ok := strings.CutPrefix(s, "@"); ok {
		_, err := strconv.ParseInt(seconds, 10, 64)
		return err == nil
	}
	return slices.ContainsFunc(otherDateTimes, func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	})
}
