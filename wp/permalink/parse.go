package permalink

import (
	"cmp"
	"fmt"
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

// Parse reads the path of an address, below home and without a slash before it, by the
// permalink structure, as the rewrite rules of posts do. More may follow it: the number of a
// part, or an attachment. ok is false for a path that no post can have, and where a token occurs twice in the structure.
func (b *Builder) Parse(path string) (f Fields, ok bool) {
	if !b.pretty {
		return f, false
	}
	pattern := literalPattern(strings.TrimLeft(strings.TrimRight(b.set.Structure, `/\`), "/"))
	for _, t := range b.tokens {
		pattern = strings.ReplaceAll(pattern, t.name, t.pattern)
	}
	form, err := regexp.Compile(`(?i)^` + pattern + `(?:/.*)?$`)
	if err != nil {
		return f, false
	}
	m := form.FindStringSubmatch(path)
	if m == nil {
		return f, false
	}
	group := func(name string) string {
		if i := form.SubexpIndex(name); i >= 0 {
			return m[i]
		}
		return ""
	}
	f.ID, _ = strconv.ParseInt(group("id"), 10, 64)
	f.Name = cmp.Or(group("name"), group("page"))
	if year := group("year"); year != "" {
		date := func(month, day, hour, minute, second string) string {
			return fmt.Sprintf("%s-%02s-%02s %02s:%02s:%02s", year, cmp.Or(group("monthnum"), month), cmp.Or(group("day"), day),
				cmp.Or(group("hour"), hour), cmp.Or(group("minute"), minute), cmp.Or(group("second"), second))
		}
		f.From, f.To = date("01", "01", "00", "00", "00"), date("12", "31", "23", "59", "59")
	}
	return f, true
}
