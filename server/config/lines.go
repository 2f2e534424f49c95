package config

import (
	"strconv"
	"strings"
)

// lineIndex holds the line of every key of a TOML document, by its full path ("site[1].exclude.post_ids"). The TOML
// library knows lines only while it parses, and not those of single elements of an array of tables, so this reads the
// text once more. It is only given documents that parsed.
type lineIndex map[string]int

// line returns the line of a key, or of the nearest table around it; 0 when there is none.
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

func indexLines(text string) lineIndex {
	x := lineIndex{}
	elements := map[string]int{} // elements seen of each array of tables
	table := ""
	s := lineScanner{text: text, line: 1}
	for s.skipBlank() {
		line := s.line
		if s.peek() != '[' {
			path := join(table, s.key('='))
			x.put(path, line)
			s.value()
			continue
		}
		s.next()
		array := s.peek() == '['
		if array {
			s.next()
		}
		parts := s.key(']')
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
	return x
}

func (x lineIndex) put(path string, line int) {
	if _, dup := x[path]; !dup {
		x[path] = line
	}
}

func join(table string, parts []string) string {
	for _, p := range parts {
		if table != "" {
			table += "."
		}
		table += p
	}
	return table
}

type lineScanner struct {
	text string
	pos  int
	line int
}

func (s *lineScanner) peek() byte {
	if s.pos >= len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *lineScanner) next() byte {
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
func (s *lineScanner) skipBlank() bool {
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

func (s *lineScanner) toEndOfLine() {
	for s.pos < len(s.text) && s.peek() != '\n' {
		s.next()
	}
}

// key reads a dotted key up to and including the byte that ends it.
func (s *lineScanner) key(end byte) []string {
	var parts []string
	var part strings.Builder
	for s.pos < len(s.text) {
		switch c := s.peek(); {
		case c == end || c == '\n':
			s.next()
			return append(parts, part.String())
		case c == '.':
			s.next()
			parts = append(parts, part.String())
			part.Reset()
		case c == '"' || c == '\'':
			from := s.pos + 1
			s.quoted()
			part.WriteString(s.text[from:max(from, s.pos-1)])
		case c == ' ' || c == '\t':
			s.next()
		default:
			part.WriteByte(s.next())
		}
	}
	return append(parts, part.String())
}

// value skips a value: to the end of its last line, whatever brackets and strings it holds.
func (s *lineScanner) value() {
	depth := 0
	for s.pos < len(s.text) {
		switch s.peek() {
		case '"', '\'':
			s.quoted()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			s.toEndOfLine()
			continue
		case '\n':
			if depth <= 0 {
				return
			}
		}
		s.next()
	}
}

// quoted skips a string of any of TOML's four kinds.
func (s *lineScanner) quoted() {
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
