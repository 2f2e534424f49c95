package permalink

import (
	"regexp"
	"strconv"
	"strings"
)

// A token is one of core's placeholders in a structure. value returns the text that replaces it in the link of a
// post.
type token struct {
	name  string
	value func(p *Post) string
}

// tokens holds core's tokens in the order in which core replaces them. The order matters for structures such as
// %postname%year%. An unknown token (%tag%) stays in the link.
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

// ofRow holds the tokens whose values are columns of the post's row. Plugins that allow tokens in the slug of a custom type replace
// these, and the tokens of terms.
var ofRow = []string{"%year%", "%monthnum%", "%day%", "%hour%", "%minute%", "%second%", "%post_id%"}

// fill returns the structure with its tokens replaced for p.
func (b *Builder) fill(p *Post) string {
	path := b.set.Structure
	for _, t := range b.tokens {
		path = strings.ReplaceAll(path, t.name, t.value(p))
	}
	return path
}

var dateSeparators = strings.NewReplacer(" ", "-", ":", "-")

// dateField returns a function that returns piece n of a post's date, such as the year of "2024-05-01 10:20:30" for
// 0. It returns "" if the date has no such piece. It does not check that the piece is a number.
func dateField(n int) func(p *Post) string {
	return func(p *Post) string {
		if fields := strings.Split(dateSeparators.Replace(p.Date), "-"); n < len(fields) {
			return fields[n]
		}
		return ""
	}
}

// verbose matches structures with which WordPress tries the rewrite rules of pages before the rules of posts.
var verbose = regexp.MustCompile(`^[^%]*%(?:postname|category|tag|author)%`)

// PagesFirst reports which object WordPress shows if a page and a post have the same address: true means the page.
func (s *Settings) PagesFirst() bool { return verbose.MatchString(s.Structure) }
