package config

import (
	"fmt"
	"strconv"
	"strings"
)

// lineIndex holds the line of every key of a TOML document, by its full path ("site[1].exclude.post_ids"). The TOML library knows
// lines only while it parses, and those of the last element of an array of tables alone.
type lineIndex map[string]int

// line returns the line of a key, or of its enclosing table; 0 if not found.
func (x lineIndex) line(path string) int {
	for {
		if n, ok := x[path]; ok {
			return n
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return 0
		}
		path = path[:i]
	}
}

func (x lineIndex) put(path string, line int) {
	if _, dup := x[path]; !dup {
		x[path] = line
	}
}

// The bounds of a document are checked before it is decoded: the library takes time and memory by the square of the depth of nesting,
// so that a file of 100 KB could need 20 GB. Five thousand sites of twenty keys each are within them.
const (
	maxValues = 200_000 // keys (a dotted one counts as several), sections and elements of lists
	maxDepth  = 10      // parts of a dotted key, and lists and inline tables within each other; no valid file has more than 5
)

// linesOf returns the lines of a document's keys, and why it is too large to decode: "" where it is not. The text may be invalid TOML:
// up to the first mistake, where the library stops, too, strings, comments and brackets mean what they mean to the library.
func linesOf(text string) (lineIndex, int, string) {
	x := lineIndex{}
	elements := map[string]int{} // elements seen of each array of tables
	table := ""
	s := scanner{text: text, line: 1}
	for s.skipBlank() {
		line := s.line
		if s.peek() != '[' {
			x.put(join(table, s.key('=')), line)
			if s.beyond == "" {
				s.value()
			}
			if s.beyond != "" {
				break
			}
			continue
		}
		s.next()
		array := s.peek() == '['
		if array {
			s.next()
		}
		parts := s.key(']')
		if s.beyond != "" {
			break
		}
		table = ""
		for i, part := range parts {
			table = join(table, []string{part})
			if array && i == len(parts)-1 {
				elements[table]++
				x.put(table, line) // of the whole array: its first element
			}
			if n := elements[table]; n > 0 {
				table += "[" + strconv.Itoa(n-1) + "]"
			}
		}
		x.put(table, line)
		s.toEndOfLine()
	}
	return x, s.line, s.beyond
}

func join(table string, parts []string) string {
	if table != "" {
		parts = append([]string{table}, parts...)
	}
	return strings.Join(parts, ".")
}

type scanner struct {
	text      string
	pos, line int
	values    int
	beyond    string // which bound was passed
}

func (s *scanner) peek() byte {
	if s.pos >= len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *scanner) next() byte {
	c := s.peek()
	if s.pos < len(s.text) {
		s.pos++
	}
	if c == '\n' {
		s.line++
	}
	return c
}

// skipBlank goes to the next thing that is neither space nor comment; false at the end.
func (s *scanner) skipBlank() bool {
	for s.pos < len(s.text) {
		switch s.peek() {
		case ' ', '\t', '\r', '\n':
			s.next()
		case '#':
			s.toEndOfLine()
		default:
			return true
		}
	}
	return false
}

func (s *scanner) toEndOfLine() {
	for s.pos < len(s.text) && s.peek() != '\n' {
		s.next()
	}
}

// count counts a value, at a depth of brackets and behind parts of a key; false where that is beyond the bounds.
func (s *scanner) count(parts, depth int) bool {
	s.values++
	switch {
	case parts > maxDepth:
		s.beyond = fmt.Sprintf("a key with more than %d parts: there is none that deep", maxDepth)
	case depth > maxDepth:
		s.beyond = fmt.Sprintf("more than %d lists or inline tables in each other: nothing is nested that deep", maxDepth)
	case s.values > maxValues:
		s.beyond = fmt.Sprintf("more than %d keys and values: let [[discover]] find the sites, or share them out to several daemons", maxValues)
	}
	return s.beyond == ""
}

// key reads a dotted key up to and including the byte that ends it.
func (s *scanner) key(end byte) (parts []string) {
	var part strings.Builder
	for s.pos < len(s.text) {
		switch c := s.peek(); c {
		case end, '\n', '.':
			if c != '\n' {
				s.next()
			}
			parts = append(parts, part.String())
			part.Reset()
			if !s.count(len(parts), 0) || c != '.' {
				return parts
			}
		case '"', '\'':
			from := s.pos + 1
			s.quoted()
			part.WriteString(s.text[from:max(from, s.pos-1)])
		case ' ', '\t':
			s.next()
		default:
			part.WriteByte(s.next())
		}
	}
	return append(parts, part.String())
}

// value skips a value: to the end of its last line, whatever brackets and strings it holds.
func (s *scanner) value() {
	for parts, depth := 1, 0; s.pos < len(s.text); {
		switch s.peek() {
		case '"', '\'':
			s.quoted()
			continue
		case '#':
			s.toEndOfLine()
			continue
		case '[', '{':
			depth++
			parts = 1
		case ']', '}':
			depth--
		case '.':
			parts++
		case '=', ',':
			parts = 1
		case '\n':
			if depth <= 0 {
				return
			}
			s.next()
			continue
		default:
			s.next()
			continue
		}
		if !s.count(parts, depth) {
			return
		}
		s.next()
	}
}

// quoted skips a string of any of TOML's four kinds.
func (s *scanner) quoted() {
	quote := s.text[s.pos : s.pos+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.text[s.pos:], long) {
		quote = long
	}
	for range quote {
		s.next()
	}
	for s.pos < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.pos:], quote):
			for range quote {
				s.next()
			}
			// a long string may end in one or two quotes of its own
			for len(quote) == 3 && s.peek() == quote[0] {
				s.next()
			}
			return
		case s.peek() == '\\' && quote[0] == '"':
			s.next()
		}
		s.next()
	}
}
