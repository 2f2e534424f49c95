package php

import (
	"math"
	"strconv"
	"strings"
)

// PHP's defaults of max_input_vars and max_input_nesting_level.
const (
	maxVariables = 1000
	maxNesting   = 64
)

// array is what parse_str builds: an ordered PHP array of strings and arrays. Keys are kept
// as text, for an integer key and the string that spells it are the same key in PHP.
type array struct {
	elements []element
	next     int64 // key of the next element appended without one, when numbered
	numbered bool  // an integer key has been used
}

type element struct {
	key   string
	value string
	list  *array // nil for a string
}

func (a *array) parse(query string) {
	n := 0
	for variable := range strings.SplitSeq(query, "&") {
		if variable == "" {
			continue
		}
		if n++; n > maxVariables {
			return
		}
		name, value, _ := strings.Cut(variable, "=")
		a.register(URLDecode(name), URLDecode(value))
	}
}

// register stores one variable under its name as PHP does for input: brackets make arrays.
func (a *array) register(name, value string) {
	name, _, _ = strings.Cut(name, "\x00")
	name = strings.TrimLeft(name, " ")
	base, brackets, isArray := strings.Cut(name, "[")
	base = underscores(base)
	if base == "" {
		return
	}
	if !isArray {
		a.set(base, element{value: value})
		return
	}
	at, key, hasKey := a, base, true
	for level := 1; ; level++ {
		if level > maxNesting {
			a.remove(base)
			return
		}
		index, rest, closed := cutIndex(brackets)
		if !closed {
			// An opening bracket without its closing one is a character like a dot, but
			// only in the first name; behind an index it ends the name.
			if level == 1 {
				key += "_" + underscores(brackets)
			}
			break
		}
		at = at.child(key, hasKey)
		if at == nil {
			return
		}
		key, hasKey = index, index != ""
		if !strings.HasPrefix(rest, "[") {
			break
		}
		brackets = rest[1:]
	}
	if hasKey {
		at.set(key, element{value: value})
	} else {
		at.append(element{value: value})
	}
}

// cutIndex takes the text behind an opening bracket up to the closing one. One white space
// character alone counts as no index.
func cutIndex(s string) (index, rest string, closed bool) {
	if len(s) > 1 && s[1] == ']' && strings.IndexByte(" \t\n\r\v\f", s[0]) >= 0 {
		return "", s[2:], true
	}
	return strings.Cut(s, "]")
}

var mangled = strings.NewReplacer(" ", "_", ".", "_", "[", "_")

// underscores replaces what PHP does not take in the name of a variable.
func underscores(name string) string {
	return mangled.Replace(name)
}

func (a *array) find(key string) int {
	for i := range a.elements {
		if a.elements[i].key == key {
			return i
		}
	}
	return -1
}

// child returns the array at key (or a new last element), made if need be.
func (a *array) child(key string, hasKey bool) *array {
	if !hasKey {
		list := new(array)
		if !a.append(element{list: list}) {
			return nil
		}
		return list
	}
	if i := a.find(key); i >= 0 && a.elements[i].list != nil {
		return a.elements[i].list
	}
	list := new(array)
	a.set(key, element{list: list})
	return list
}

// set overwrites in place or adds at the end.
func (a *array) set(key string, e element) {
	e.key = key
	if i := a.find(key); i >= 0 {
		a.elements[i] = e
		return
	}
	a.elements = append(a.elements, e)
	if n, err := strconv.ParseInt(key, 10, 64); err == nil && strconv.FormatInt(n, 10) == key {
		if !a.numbered || n >= a.next {
			a.next = n
			if n < math.MaxInt64 {
				a.next++
			}
		}
		a.numbered = true
	}
}

// append adds at the next free integer key; it is false when no key is left.
func (a *array) append(e element) bool {
	key := strconv.FormatInt(a.next, 10)
	if a.find(key) >= 0 {
		return false
	}
	a.set(key, e)
	return true
}

func (a *array) remove(key string) {
	if i := a.find(key); i >= 0 {
		a.elements = append(a.elements[:i], a.elements[i+1:]...)
	}
}

// build appends the variables to out; prefix and suffix enclose each key.
func (a *array) build(out []byte, prefix, suffix, sep string) []byte {
	for _, e := range a.elements {
		if e.list != nil {
			name := string(rawEncode([]byte(prefix), e.key)) + suffix + "%5B"
			out = e.list.build(out, name, "%5D", sep)
			continue
		}
		if len(out) > 0 {
			out = append(out, sep...)
		}
		out = append(out, prefix...)
		out = rawEncode(out, e.key)
		out = append(out, suffix...)
		out = append(out, '=')
		out = rawEncode(out, e.value)
	}
	return out
}
