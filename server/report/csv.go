package report

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV writes a table in CSV. Strangers write some of the texts, and spreadsheet programs take some cells for formulas. CSV
// puts an apostrophe before such a cell.
type CSV struct{ rows *csv.Writer }

// NewCSV returns a table with the names of its columns in the first line. This line is written together with the first row,
// or by Flush.
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

// Flush writes the line of column names if there was no row. It returns the first error of w.
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
