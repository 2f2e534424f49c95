package permalink

import (
	"strconv"
	"strings"
)

// token is a piece of the structure: literal text or one of core's tokens.
type token struct {
	kind kind
	text string // of a literal
}

type kind uint8

const (
	literal kind = iota
	year
	monthnum
	day
	hour
	minute
	second
	postname
	postID
	category
	author
	pagename
)

// names are in core's order of replacement, which decides structures such as
// %postname%year%. An unknown token (%tag%) stays in the link as it is.
var names = [...]struct {
	name string
	kind kind
}{
	{"%year%", year},
	{"%monthnum%", monthnum},
	{"%day%", day},
	{"%hour%", hour},
	{"%minute%", minute},
	{"%second%", second},
	{"%postname%", postname},
	{"%post_id%", postID},
	{"%category%", category},
	{"%author%", author},
	{"%pagename%", pagename},
}

func parseStructure(structure string) []token {
	tokens := []token{{text: structure}}
	for _, n := range names {
		var cut []token
		for _, t := range tokens {
			if t.kind != literal {
				cut = append(cut, t)
				continue
			}
			rest := t.text
			for {
				before, after, found := strings.Cut(rest, n.name)
				if before != "" {
					cut = append(cut, token{text: before})
				}
				if !found {
					break
				}
				cut = append(cut, token{kind: n.kind})
				rest = after
			}
		}
		tokens = cut
	}
	return tokens
}

// appendValue appends what a token stands for in the link of p.
func appendValue(dst []byte, k kind, p *Post) []byte {
	switch k {
	case year, monthnum, day, hour, minute, second:
		return append(dst, dateField(p.Date, int(k-year))...)
	case postname, pagename:
		return append(dst, p.Name...)
	case postID:
		return strconv.AppendInt(dst, p.ID, 10)
	case category:
		return append(dst, p.Category...)
	case author:
		return append(dst, p.Author...)
	}
	return dst
}

// dateField returns piece n of "2024-05-01 10:20:30", "" when there is none. The text is
// not checked: a link shows the digits the row holds.
func dateField(date string, n int) string {
	for ; n > 0; n-- {
		i := strings.IndexAny(date, "-: ")
		if i < 0 {
			return ""
		}
		date = date[i+1:]
	}
	if i := strings.IndexAny(date, "-: "); i >= 0 {
		return date[:i]
	}
	return date
}
