package admin

import (
	"encoding/csv"
	"io"
	"net/http"
	"strings"

	"wpsitemapd/sitemap/explain"
)

// LeftOutRows is how many objects that are left out one page shows; the table in CSV has all.
const LeftOutRows = 500

// LeftOut is a page of what a blog leaves out.
type LeftOut struct {
	Site, Rule string // Rule is "" for every one
	Blog       int64
	Rows       []explain.LeftOut
	More       bool // than Rows
	Error      string
}

// WriteLeftOut answers with the page of what a blog leaves out.
func WriteLeftOut(w http.ResponseWriter, r *http.Request, status int, l *LeftOut) {
	write(w, r, status, "left-out", struct {
		head
		Left *LeftOut
	}{head{"Left out of " + l.Site + " – wpsitemapd", "", false}, l})
}

// A LeftOutCSV writes what is left out as a table.
type LeftOutCSV struct {
	w     *csv.Writer
	began bool
}

// NewLeftOutCSV returns one that writes to w.
func NewLeftOutCSV(w io.Writer) *LeftOutCSV { return &LeftOutCSV{w: csv.NewWriter(w)} }

// Write writes a row, the first one below a row of names.
func (t *LeftOutCSV) Write(site string, l explain.LeftOut) error {
	if !t.began {
		t.began = true
		_ = t.w.Write([]string{"site", "address", "object", "title", "rule", "because", "do", "edit"})
	}
	_ = t.w.Write([]string{site, Cell(l.Address), l.Object, Cell(l.Title), l.Rule, Cell(l.Because), l.Do, l.Edit})
	t.w.Flush()
	return t.w.Error()
}

// Cell is a text for a table in CSV. Programs for tables take what begins so for a formula, and others write titles.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
