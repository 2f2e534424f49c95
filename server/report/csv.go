package report

import "strings"

// Cell is a text for a table in CSV. Programs for tables take what begins so for a formula, and others write titles.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
