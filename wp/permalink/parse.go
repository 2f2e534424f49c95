package permalink

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// Fields is what the path of a post's address says of it; what the structure does not show is
// zero.
type Fields struct {
	ID   int64  // %post_id%
	Name string // %postname% or %pagename%, as the path has it
	// From and To are the first and last post_date that fit, in the form it is stored in;
	// "" for a structure without %year%.
	From, To string
}

// patterns are what core lets a path hold for the tokens.
var patterns = map[kind]string{
	year: `([0-9]{4})`, monthnum: `([0-9]{1,2})`, day: `([0-9]{1,2})`, hour: `([0-9]{1,2})`, minute: `([0-9]{1,2})`, second: `([0-9]{1,2})`,
	postname: `([^/]+)`, pagename: `([^/]+?)`, postID: `([0-9]+)`, category: `(.+?)`, author: `([^/]+)`,
}

// Parse reads the path of an address, below home and without a slash before it, by the
// permalink structure, as the rewrite rules of posts do. More may follow it: the number of a
// part, or an attachment. ok is false for a path that no post can have.
func (b *Builder) Parse(path string) (f Fields, ok bool) {
	if !b.pretty {
		return f, false
	}
	var pattern strings.Builder
	var groups []kind
	for i, t := range b.tokens {
		switch {
		case t.kind != literal:
			pattern.WriteString(patterns[t.kind])
			groups = append(groups, t.kind)
		case i == 0:
			pattern.WriteString(literalPattern(strings.TrimLeft(t.text, "/")))
		case i == len(b.tokens)-1:
			pattern.WriteString(literalPattern(strings.TrimRight(t.text, `/\`)))
		default:
			pattern.WriteString(literalPattern(t.text))
		}
	}
	form, err := regexp.Compile(`(?i)^` + pattern.String() + `(?:/.*)?$`)
	if err != nil {
		return f, false
	}
	m := form.FindStringSubmatch(path)
	if m == nil {
		return f, false
	}
	var date [6]string
	for i, k := range groups {
		switch text := m[i+1]; k {
		case postID:
			f.ID, _ = strconv.ParseInt(text, 10, 64)
		case postname, pagename:
			f.Name = text
		case year, monthnum, day, hour, minute, second:
			date[k-year] = text
		}
	}
	if date[0] != "" {
		f.From, f.To = dateRange(date)
	}
	return f, true
}

// dateRange returns the first and last date with the pieces given.
func dateRange(date [6]string) (from, to string) {
	first, last := [6]string{"0000", "01", "01", "00", "00", "00"}, [6]string{"9999", "12", "31", "23", "59", "59"}
	write := func(missing [6]string) string {
		var b strings.Builder
		for i, separator := range [6]string{"", "-", "-", " ", ":", ":"} {
			b.WriteString(separator)
			text := cmp.Or(date[i], missing[i])
			if len(text) == 1 {
				text = "0" + text
			}
			b.WriteString(text)
		}
		return b.String()
	}
	return write(first), write(last)
}
