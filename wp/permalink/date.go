package permalink

import (
	"fmt"
	"strconv"
	"strings"
)

// Year returns the link of the archive of a year, and Month that of a month, 1 to 12.
func (b *Builder) Year(year int) string { return b.date(year, 0) }

// Month returns the link of the archive of a month.
func (b *Builder) Month(year, month int) string { return b.date(year, month) }

func (b *Builder) date(year, month int) string {
	number := ""
	if month > 0 {
		number = fmt.Sprintf("%02d", month)
	}
	if !b.pretty {
		return b.home + "/?m=" + strconv.Itoa(year) + number
	}
	path := strings.NewReplacer("%year%", strconv.Itoa(year), "%monthnum%", number, "%day%", "").Replace(b.dateStructure())
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	dst := append([]byte(b.home), path...)
	return string(b.join(dst, len(b.home)))
}

// dateStructure is WP_Rewrite::get_date_permastruct(): the order of the date in the structure, below date/ where an id of a
// post could be taken for a part of it.
func (b *Builder) dateStructure() string {
	order := "%year%/%monthnum%/%day%"
	for _, o := range []string{"%year%/%monthnum%/%day%", "%day%/%monthnum%/%year%", "%monthnum%/%day%/%year%"} {
		if strings.Contains(b.structure, o) {
			order = o
			break
		}
	}
	front, n := b.front, 0
	for rest := b.structure; n < 3; n++ {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "%")
		if !closed {
			break
		}
		if name == "post_id" {
			front += "date/"
			break
		}
		rest = next
	}
	return front + order
}
