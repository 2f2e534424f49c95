// Package schematest checks sitemap documents against the schemas in testdata/schema with
// xmllint (Debian package libxml2-utils). It is for tests only.
package schematest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// schemas maps the name of a root element to its schema. The namespace does not matter here, because the schema refuses a wrong
// one.
var schemas = map[string]string{
	"urlset":       "sitemap.xsd",
	"sitemapindex": "siteindex.xsd",
	"feed":         "atom.rng",
}

// Validate reports every document that its schema refuses, with the message of xmllint. Many documents cost little more than one.
// See Check for a missing xmllint.
func Validate(t testing.TB, docs ...[]byte) {
	t.Helper()
	for i, err := range Check(t, docs...) {
		if err != nil {
			t.Errorf("document %d of %d: %v\n%s", i+1, len(docs), err, excerpt(docs[i]))
		}
	}
}

// Check returns an error for each document, nil for a valid one. If xmllint is missing, the test is skipped, or fails if CI=true.
func Check(t testing.TB, docs ...[]byte) []error {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("xmllint is needed in CI; it is in the package libxml2-utils")
		}
		t.Skip("no xmllint (package libxml2-utils): schemas are not checked")
	}
	errs := make([]error, len(docs))
	dir := t.TempDir()
	bySchema := make(map[string][]int)
	for i, doc := range docs {
		root, err := rootElement(doc)
		schema, known := schemas[root]
		switch {
		case err != nil:
			errs[i] = err
		case !known:
			errs[i] = fmt.Errorf("root element %q is neither urlset, sitemapindex nor feed", root)
		default:
			wptest.Must(t, os.WriteFile(filepath.Join(dir, fileName(i)), doc, 0o600))
			bySchema[schema] = append(bySchema[schema], i)
		}
	}
	for schema, indexes := range bySchema {
		args := []string{"--nonet", "--noout", "--schema", filepath.Join(wptest.Testdata, "schema", schema)}
		if strings.HasSuffix(schema, ".rng") {
			args[2] = "--relaxng"
		}
		for _, i := range indexes {
			args = append(args, fileName(i))
		}
		cmd := exec.Command(xmllint, args...)
		cmd.Dir = dir
		// The exit code stands for one document only. The output has a verdict on each.
		output, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatalf("xmllint: %v", err)
		}
		for _, i := range indexes {
			errs[i] = verdict(string(output), fileName(i))
		}
	}
	return errs
}

func fileName(i int) string { return fmt.Sprintf("%d.xml", i) }

// verdict returns nil only if xmllint says that the file validates.
func verdict(output, file string) error {
	var complaints []string
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		if line == file+" validates" {
			return nil
		}
		if rest, found := strings.CutPrefix(line, file+":"); found {
			complaints = append(complaints, "line "+rest)
		}
	}
	if complaints == nil {
		return fmt.Errorf("xmllint has no verdict; it said:\n%s", excerpt([]byte(output)))
	}
	return errors.New(strings.Join(complaints, "\n"))
}

func rootElement(doc []byte) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", fmt.Errorf("no root element: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// excerpt shortens a document, so that the message of a failure stays readable.
func excerpt(b []byte) []byte {
	const most = 2000
	if len(b) > most {
		b = append(b[:most:most], " …"...)
	}
	return b
}
