package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/wpconfig"
)

// The bounds of a search for installs. A tenant may own folders below a pattern, and could fill them so that a search never ends. A
// search that reaches a bound ends and says so.
const (
	maxWalked  = 20_000  // folders that are read
	maxEntries = 500_000 // names in these folders
	maxFound   = 5000    // installs that are found
	maxBelow   = 8       // nested folders that ** may stand for
)

// bounds limits one search.
type bounds struct{ folders, entries, installs int }

// Search says where a [[discover]] looks for installs of WordPress. Tenants, who may be hostile, own folders below the patterns.
// Therefore a search is bounded, and an install cannot take over the settings of another one by its name.
type Search struct {
	Patterns []string // absolute paths
	Skip     []string // folders: absolute paths, or the last parts of paths
}

// Found is a file that matches a pattern.
type Found struct {
	File   string
	Within string // the folder of the install; the same people own everything below it
	Top    string // the folder that the first wildcard stands for; one customer owns everything below it
	Name   string // what the wildcards stand for; nameFound replaces it by the name of the install

	plain string // the name of the install, unless another install has it
}

// Findings are the results of a search.
type Findings struct {
	Found     []Found
	Unmatched []string // patterns that match nothing
	Stopped   string   // why the search ended early; "": it did not
}

// Find looks for installs. The results are in the order of the patterns, then of paths. A ** does not follow symbolic links;
// other parts of a pattern do.
func (s *Search) Find() *Findings { return s.find(bounds{maxWalked, maxEntries, maxFound}) }

func (s *Search) find(most bounds) *Findings {
	f := &Findings{}
	w := walk{Findings: f, most: most, skip: s.Skip}
	for _, pattern := range s.Patterns {
		before := len(f.Found)
		w.pattern = pattern
		w.match("/", parts(pattern), place{})
		if len(f.Found) == before {
			f.Unmatched = append(f.Unmatched, pattern)
		}
	}
	return f
}

// oneFile reports whether the search is for one file without wildcards.
func (s *Search) oneFile() bool {
	return len(s.Patterns) == 1 && !strings.ContainsAny(s.Patterns[0], wildcards)
}

// wildcards are the characters that make a path a pattern.
const wildcards = `*?[\`

// matches reports whether the search would find a file.
func (s *Search) matches(file string) bool {
	w := walk{skip: s.Skip}
	for on := file; on != "/"; on = filepath.Dir(on) {
		if w.skips(on) {
			return false
		}
	}
	return slices.ContainsFunc(s.Patterns, func(pattern string) bool { return matches(parts(pattern), parts(file)) })
}

func parts(file string) []string {
	return strings.Split(strings.TrimPrefix(filepath.Clean(file), "/"), "/")
}

// walk is a search under way.
type walk struct {
	*Findings
	most            bounds
	skip            []string
	pattern         string
	folders, others int // how many folders and names were read
}

// place records what the wildcards of a pattern have matched on the way to the folder that a search has reached.
type place struct {
	names  []string // the folders that wildcards stand for
	top    string   // the first of these folders
	within string   // the folder that the last wildcard stands for; "" if that wildcard is **
	below  int      // how many folders ** stands for
}

func (p place) in(dir, name string) place {
	folder := filepath.Join(dir, name)
	return place{append(slices.Clip(p.names), name), cmp.Or(p.top, folder), folder, p.below}
}

// match adds the files below the folder dir whose paths match the rest of a pattern.
func (w *walk) match(dir string, rest []string, at place) {
	if w.Stopped != "" {
		return
	}
	name, last := rest[0], len(rest) == 1
	switch {
	case name == "**":
		at.within = ""
		w.match(dir, rest[1:], at)
		if at.below == maxBelow {
			return
		}
		for _, e := range w.read(dir) {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(inWordPress, e.Name()) && !w.skips(filepath.Join(dir, e.Name())) {
				next := at.in(dir, e.Name())
				next.within, next.below = "", at.below+1
				w.match(filepath.Join(dir, e.Name()), rest, next)
			}
		}
	case strings.ContainsAny(name, wildcards):
		for _, e := range w.read(dir) {
			file := filepath.Join(dir, e.Name())
			if ok, _ := path.Match(name, e.Name()); !ok || w.skips(file) {
				continue
			}
			switch {
			case last:
				w.add(file, at)
			case e.IsDir() || e.Type()&os.ModeSymlink != 0:
				w.match(file, rest[1:], at.in(dir, e.Name()))
			}
		}
	case w.skips(filepath.Join(dir, name)):
	case !last:
		w.match(filepath.Join(dir, name), rest[1:], at)
	default:
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			w.add(filepath.Join(dir, name), at)
		}
	}
}

// inWordPress are folders of WordPress itself. A ** does not look for installs in them.
var inWordPress = []string{"wp-admin", "wp-content", "wp-includes"}

// read returns the sorted content of a folder, or nothing if it cannot be read.
func (w *walk) read(dir string) []os.DirEntry {
	f, err := wpconfig.OpenFolder(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	var all []os.DirEntry
	for w.folders++; err == nil; {
		var some []os.DirEntry
		some, err = f.ReadDir(1000)
		all, w.others = append(all, some...), w.others+len(some)
		if w.folders > w.most.folders || w.others > w.most.entries {
			w.stop("%d folders with %d names were read", w.folders, w.others)
			return nil
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

func (w *walk) stop(format string, args ...any) {
	w.Stopped = fmt.Sprintf("the search for %s stopped early: %s", w.pattern, fmt.Sprintf(format, args...))
}

func (w *walk) add(file string, at place) {
	if len(w.Found) == w.most.installs {
		w.stop("%d installs were found", w.most.installs)
		return
	}
	f := Found{File: file, Within: at.within, Top: at.top, Name: strings.Join(at.names, "-")}
	if f.Within == "" {
		f.Within = installFolder(file)
	}
	if f.Top == "" {
		f.Top = f.Within
	}
	if f.Name == "" {
		f.Name = filepath.Base(filepath.Dir(file))
	}
	w.Found = append(w.Found, f)
}

// installFolder returns the folder of an install with this wp-config.php. It is for a pattern whose wildcards do not tell the
// folder. In an install of Bedrock, that is the folder above the folder of wp-config.php.
func installFolder(file string) string {
	dir := filepath.Dir(file)
	if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "config", "application.php")); err == nil {
		return filepath.Dir(dir)
	}
	return dir
}

// skips reports whether a folder or file must not be searched.
func (w *walk) skips(file string) bool {
	have := parts(file)
	return slices.ContainsFunc(w.skip, func(pattern string) bool {
		want := parts(pattern)
		if !filepath.IsAbs(pattern) {
			return len(have) >= len(want) && matches(want, have[len(have)-len(want):])
		}
		return matches(want, have)
	})
}

// matches reports whether the parts of a pattern match the parts of a path.
func matches(pattern, file []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for n := i; n <= len(file); n++ {
				if matches(pattern[i+1:], file[n:]) {
					return true
				}
			}
			return false
		}
		if i >= len(file) {
			return false
		}
		if ok, _ := path.Match(p, file[i]); !ok {
			return false
		}
	}
	return len(pattern) == len(file)
}

// checkPattern returns what is wrong with a pattern, or nil.
func checkPattern(pattern string) error {
	several := 0
	for _, part := range parts(pattern) {
		switch {
		case part == "**":
			several++
		case strings.Contains(part, "**"):
			return errors.New("is not a valid pattern: ** must be between two slashes, and stands for any folders")
		}
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("is not a valid pattern: %w", err)
		}
	}
	if several > 1 {
		return errors.New("is not a valid pattern: ** may occur only once")
	}
	return nil
}

var (
	notPlain   = regexp.MustCompile(`[^\pL\pN._-]`)
	numberForm = regexp.MustCompile(`-[0-9a-f]{8}$`) // what numbered appends
)

// PlainName returns a name for the install, made of the names of its folders. If these make no valid name, or make a name
// that looks like one from numbered, PlainName returns a name from numbered.
func (f *Found) PlainName() string {
	if nameForm.MatchString(f.Name) && !numberForm.MatchString(f.Name) {
		return f.Name
	}
	plain := []rune(strings.TrimLeft(notPlain.ReplaceAllString(f.Name, "-"), "._-"))
	return numbered(string(plain[:min(len(plain), 80)]), f.File)
}

// numbered returns a name that no other install has: the given name with a part of a hash of the path.
func numbered(name, file string) string {
	return strings.TrimLeft(fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(file)))[:len(name)+1+8], "-")
}
