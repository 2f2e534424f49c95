package wp

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
	"wpsitemapd/wp/writes"
)

// The rights that the manual asks for are to what is declared, and to nothing else.
func TestGrantsAreThoseOfInputs(t *testing.T) {
	want := map[string]string{}
	for _, table := range ownAlone.Tables {
		want[table.Name] = "SELECT"
		if table.Columns != nil {
			want[table.Name] += " (" + strings.Join(table.Columns, ", ") + ")"
		}
	}
	expect.Same(t, want, wptest.Grants(t), "the declared tables (-) and testdata/grants.sql (+) differ")
}

// What the code of this package reads is declared, and what is declared is read.
func TestInputsAreWhatIsRead(t *testing.T) {
	var code string
	var files []string
	for _, pattern := range []string{"*.go", "multilingual/*.go", "objects/*.go", "../sitemap/*/*.go", "../sitemap/*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		wptest.Must(t, err)
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/internal/") || file == "inputs.go" {
			continue
		}
		text, err := os.ReadFile(file)
		wptest.Must(t, err)
		code += string(text)
	}
	found := func(pattern string) []string {
		var names []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(code, -1) {
			names = append(names, m[1])
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	for _, tt := range []struct {
		what, pattern string
		atLeast       int
		declared      func(name string) bool
	}{
		{"table", `(?:FROM|JOIN) wp_(\w+)`, len(ownAlone.tableNames), func(name string) bool { return slices.Contains(ownAlone.tableNames, name) }},
		{"option", `\b(?:o|r|options)(?:\[|\.(?:integer|array|Array|Text|JSON)\()"([\w-]+)"[\]),]`, 30, ownAlone.Options.Has},
		{"option of a network", `(?:\bmeta(?:\[|\.(?:integer|serialized)\()|\bo\.Network\()"(\w+)"[\]),]`, 5, ownAlone.NetworkOptions.Has},
		{"meta key of a statement", `meta_key = '(\w+)'`, 4, ownAlone.PostMeta.Has},
		{"meta key", `\b[mM]eta[A-Z]\w+ += "([\w-]+)"`, 15, func(name string) bool {
			ofTerms := func(in Inputs) bool { return slices.Contains(in.TermMeta, name) }
			return ownAlone.PostMeta.Has(name) || ownAlone.UserMeta.Has(name) || slices.ContainsFunc(ownAlone.inputs, ofTerms)
		}},
	} {
		names := found(tt.pattern)
		if len(names) < tt.atLeast {
			t.Errorf("%d names of a %s are in the code, want %d at least: %q", len(names), tt.what, tt.atLeast, names)
		}
		for _, name := range names {
			if !tt.declared(name) {
				t.Errorf("the %s %q is read and not declared in inputs", tt.what, name)
			}
		}
	}
	for _, name := range ownAlone.tableNames {
		if !slices.Contains(found(`(?:FROM|JOIN) wp_(\w+)`), name) {
			t.Errorf("the table %q is declared and not read", name)
		}
	}
}

// Each declaration is whole in itself.
func TestInputsAreConsistent(t *testing.T) {
	for _, in := range ownAlone.inputs {
		meta := writes.NewNames(in.PostMeta)
		for _, key := range in.Decisive {
			if !meta.Has(key) {
				t.Errorf("%s: %s decides and is not among its meta", in.Name, key)
			}
		}
	}
}
