package permalink

import (
	"strconv"
	"strings"
)

// token is one of core's, which stand in the structure for something of a post.
type token struct {
	name    string
	pattern string // what core lets a path hold for it, as a group of that name
	value   func(p *Post) string
}

// tokens are in core's order of replacement, which decides structures such as %postname%year%. An unknown token (%tag%) stays
// in the link as it is.
var tokens = []token{
	{"%year%", `(?P<year>[0-9]{4})`, dateField(0)},
	{"%monthnum%", `(?P<monthnum>[0-9]{1,2})`, dateField(1)},
	{"%day%", `(?P<day>[0-9]{1,2})`, dateField(2)},
	{"%hour%", `(?P<hour>[0-9]{1,2})`, dateField(3)},
	{"%minute%", `(?P<minute>[0-9]{1,2})`, dateField(4)},
	{"%second%", `(?P<second>[0-9]{1,2})`, dateField(5)},
	{"%postname%", `(?P<name>[^/]+)`, func(p *Post) string { return p.Name }},
	{"%post_id%", `(?P<id>[0-9]+)`, func(p *Post) string { return strconv.FormatInt(p.ID, 10) }},
	{"%category%", `.+?`, func(p *Post) string { return p.Category }},
	{"%author%", `[^/]+`, func(p *Post) string { return p.Author }},
	{"%pagename%", `(?P<page>[^/]+?)`, func(p *Post) string { return p.Name }},
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
