package report

import "strings"

// Cell returns a text for a cell in CSV. Programs for tables would take some first characters for a formula, and strangers write
// titles, so Cell puts an apostrophe before them.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
