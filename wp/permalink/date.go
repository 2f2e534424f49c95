package permalink

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Date returns the link of a month's archive. month is 1 to 12. If month is 0, Date returns the link of the year's
// archive.
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

// dateStructure returns the structure of date archives, as WP_Rewrite::get_date_permastruct() does. Year, month and day
// have the same order as in the permalink structure. If the structure holds %post_id%, date archives begin with date/,
// because a year could be taken for an id.
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
