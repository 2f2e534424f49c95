package config

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// lineIndex maps the full path of every key of a TOML document ("site[1].exclude.post_ids") to its line. The TOML library
// returns the keys in order, but tells lines only in its errors.
type lineIndex map[string]int

// line returns the line of a key, else of the table around it; 0 if neither is known.
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

// keyForm matches the last part of a key in front of = or ]. It also matches texts and comments as a whole, so that they are
// skipped.
var keyForm = regexp.MustCompile(`(?s:"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5})|#[^\n]*` +
	`|(?:"((?:\\.|[^"\\\n])*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*(?:=|\])|"(?:\\.|[^"\\\n])*"|'[^'\n]*'`)

// linesOf returns the lines of the keys of a valid document. doc is what the library has read.
func linesOf(text string, doc toml.MetaData) lineIndex {
	x, elements := lineIndex{}, map[string]int{} // how many elements of each array of tables were seen
	found := keyForm.FindAllStringSubmatchIndex(text, -1)
	line, counted := 1, 0
	for _, key := range doc.Keys() {
		path, array := "", doc.Type(key...) == "ArrayHash"
		var around []string // the tables that contain the key, which need no header of their own, and the key itself
		for i, part := range key {
			path = strings.TrimPrefix(path+"."+part, ".")
			if array && i == len(key)-1 {
				elements[path]++
			}
			if n := elements[path]; n > 0 {
				path += "[" + strconv.Itoa(n-1) + "]"
			}
			around = append(around, path)
		}
		for i, m := range found {
			if isKey(text, m, key[len(key)-1]) {
				line += strings.Count(text[counted:m[0]], "\n")
				counted, found = m[0], found[i+1:]
				break
			}
		}
		for _, at := range append(around, strings.TrimSuffix(path, "[0]")) { // the array begins where its first element begins
			if _, known := x[at]; !known {
				x[at] = line
			}
		}
	}
	return x
}

// isKey reports whether a match of keyForm is a key whose last part is part. If the match ends with ] and not with =,
// it is a key only in the header of a table.
func isKey(text string, m []int, part string) bool {
	for group := 2; group < len(m); group += 2 {
		if m[group] >= 0 && text[m[group]:m[group+1]] == part {
			before := text[strings.LastIndexByte(text[:m[0]], '\n')+1 : m[0]]
			return text[m[1]-1] == '=' || strings.HasPrefix(strings.TrimLeft(before, " \t"), "[")
		}
	}
	return false
}
