package permalink

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Date returns the link of the archive of a month, 1 to 12, or with 0 that of the year.
func (b *Builder) Date(year, month int) string {
	number := ""
	if month > 0 {
		number = fmt.Sprintf("%02d", month)
	}
	if !b.pretty {
		return b.home + "/?m=" + strconv.Itoa(year) + number
	}
	path := strings.NewReplacer("%year%", strconv.Itoa(year), "%monthnum%", number, "%day%", "").Replace(b.dateStructure())
	return b.link(slashes.ReplaceAllString(path, "/"))
}

var (
	slashes   = regexp.MustCompile(`/+`)
	tokenForm = regexp.MustCompile(`%.*?%`)
)

// dateStructure is WP_Rewrite::get_date_permastruct(): the order of the date in the structure, below date/ where an id of a
// post could be taken for a part of it.
func (b *Builder) dateStructure() string {
	order := "%year%/%monthnum%/%day%"
	for _, o := range []string{order, "%day%/%monthnum%/%year%", "%monthnum%/%day%/%year%"} {
		if strings.Contains(b.set.Structure, o) {
			order = o
			break
		}
	}
	if slices.Contains(tokenForm.FindAllString(b.set.Structure, 3), "%post_id%") {
		return b.front + "date/" + order
	}
	return b.front + order
}
