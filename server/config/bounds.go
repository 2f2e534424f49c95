package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The bounds of a configuration are checked before it is decoded: the library takes time and memory by the square of
// the depth of nesting, so that a file of 100 KB could need 20 GB. Five thousand sites of twenty keys each are within
// them.
const (
	maxConfig  = 4 << 20 // bytes
	maxValues  = 200_000 // keys (a dotted one counts as several), sections and elements of lists
	maxDepth   = 10      // parts of a dotted key, and lists and inline tables within each other; no valid file has more than 5
	maxHosts   = 10_000  // of a site
	maxFinding = 1000    // problems that are reported
)

// readConfig reads a configuration: at most one byte more than is allowed.
func readConfig(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", withHint(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	return string(text), err
}

// withHint is the error of a file, with what to do where this user may not read it.
func withHint(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: let the user of the daemon read it, for example by a group (chgrp and chmod 640)", err)
	}
	return err
}

// beyondBounds returns why a text is too large to decode, or nil. The text may be invalid TOML: up to the first
// mistake, where the library stops, too, strings, comments and brackets mean what they mean to the library.
func beyondBounds(text string) *Problem {
	if len(text) > maxConfig {
		return &Problem{Message: fmt.Sprintf("is larger than %v, which no configuration has to be", Size(maxConfig))}
	}
	s := lineScanner{text: text, line: 1}
	values, parts, depth := 0, 1, 0
	for s.pos < len(s.text) {
		switch s.peek() {
		case '"', '\'':
			s.quoted()
			continue
		case '#':
			s.toEndOfLine()
			continue
		case '.':
			parts++
			values++
		case '[', '{':
			depth++
			values++
			parts = 1
		case ']', '}':
			depth = max(0, depth-1)
		case '=', ',':
			values++
			parts = 1
		case '\n':
			parts = 1
		}
		switch {
		case parts > maxDepth:
			return &Problem{Line: s.line, Message: fmt.Sprintf("a key with more than %d parts: there is none that deep", maxDepth)}
		case depth > maxDepth:
			return &Problem{Line: s.line, Message: fmt.Sprintf("more than %d lists or inline tables in each other: nothing is nested that deep", maxDepth)}
		case values > maxValues:
			return &Problem{
				Line:    s.line,
				Message: fmt.Sprintf("more than %d keys and values: let [[discover]] find the sites, or share them out to several daemons", maxValues),
			}
		}
		s.next()
	}
	return nil
}
