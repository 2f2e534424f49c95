package report

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV writes a table in CSV. Programs for tables would take some cells for formulas, and strangers write titles, so CSV puts an
// apostrophe before these cells.
type CSV struct{ rows *csv.Writer }

// NewCSV returns a table with the names of its columns. w gets them with the first row, or by Flush.
func NewCSV(w io.Writer, columns ...string) *CSV {
	t := &CSV{csv.NewWriter(w)}
	_ = t.rows.Write(columns) // Flush returns its error
	return t
}

// Row writes a row to w at once.
func (t *CSV) Row(cells ...string) error {
	for i, text := range cells {
		cells[i] = cell(text)
	}
	_ = t.rows.Write(cells) // Flush returns its error
	return t.Flush()
}

// Flush writes to w what it has not got yet. It returns the first error of w.
func (t *CSV) Flush() error {
	t.rows.Flush()
	return t.rows.Error()
}

func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
