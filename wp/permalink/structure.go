package permalink

import (
	"strconv"
	"strings"
)

// token is one of core's, which stand in the structure for something of a post.
type token struct {
	name  string
	value func(p *Post) string
}

// tokens are in core's order of replacement, which decides structures such as %postname%year%. An unknown token (%tag%) stays
// in the link as it is.
var tokens = []token{
	{"%year%", dateField(0)},
	{"%monthnum%", dateField(1)},
	{"%day%", dateField(2)},
	{"%hour%", dateField(3)},
	{"%minute%", dateField(4)},
	{"%second%", dateField(5)},
	{"%postname%", func(p *Post) string { return p.Name }},
	{"%post_id%", func(p *Post) string { return strconv.FormatInt(p.ID, 10) }},
	{"%category%", func(p *Post) string { return p.Category }},
	{"%author%", func(p *Post) string { return p.Author }},
	{"%pagename%", func(p *Post) string { return p.Name }},
}

// ofRow are the tokens that plugins replace in the slug of a custom type, too.
var ofRow = []string{"%year%", "%monthnum%", "%day%", "%hour%", "%minute%", "%second%", "%post_id%"}

// fill returns the structure with what its tokens stand for in the link of p.
func (b *Builder) fill(p *Post) string {
	path := b.set.Structure
	for _, t := range b.tokens {
		path = strings.ReplaceAll(path, t.name, t.value(p))
	}
	return path
}

var dateSeparators = strings.NewReplacer(" ", "-", ":", "-")

// dateField returns piece n of "2024-05-01 10:20:30", "" when there is none. The text is not checked: a link shows the digits
// that the row holds.
func dateField(n int) func(p *Post) string {
	return func(p *Post) string {
		if fields := strings.Split(dateSeparators.Replace(p.Date), "-"); n < len(fields) {
			return fields[n]
		}
		return ""
	}
}
