// Package report writes for people: the log, and what commands have found.
package report

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count writes a number with what is counted.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Number(n) + " " + what + "s"
}

// Number writes 1234567 as 1,234,567.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Size writes a number of bytes.
func Size(bytes int64) string {
	n := float64(bytes)
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		switch {
		case n < 1024 && (unit == "B" || n >= 10):
			return fmt.Sprintf("%.0f %s", n, unit)
		case n < 1024:
			return fmt.Sprintf("%.1f %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.1f TB", n)
}

// Printable keeps the text of a site or its database from steering the terminal: but for tabs and ends of lines, what is not printed is
// a question mark.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return '?'
	}, s)
}

// Line is Printable for a text that has to stay in its line, such as the name of a file.
func Line(s string) string { return strings.NewReplacer("\n", "?", "\t", "?").Replace(Printable(s)) }

// Nameless is an error without the name of the site, which was printed already.
func Nameless(site, text string) string {
	text = strings.TrimPrefix(text, "site "+site+": ")
	return strings.TrimPrefix(text, "site "+site+", ")
}

// Table writes rows in columns, each line behind an indent. A cell is one line, whatever is in it.
func Table(w io.Writer, indent string, rows [][]string) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		fmt.Fprintln(tw, indent+strings.Join(cells, "\t"))
	}
	tw.Flush()
}

// Width is how many bytes a line has that is wrapped, at most.
const Width = 84

// Hanging wraps a paragraph; its first line begins with head, the others below it.
func Hanging(w io.Writer, head, text string) {
	line, empty := head, true
	for _, word := range strings.Fields(text) {
		if !empty && len(line)+1+len(word) > Width {
			fmt.Fprintln(w, line)
			line, empty = strings.Repeat(" ", len(head)), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, line)
}

// Progress is a line on a terminal that says how far something is. In a file it would be a nuisance.
type Progress struct{ out io.Writer }

// NewProgress returns progress on w, which is shown if that is a terminal.
func NewProgress(w io.Writer) Progress {
	f, ok := w.(*os.File)
	if !ok {
		return Progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return Progress{}
	}
	return Progress{w}
}

// Show puts a text in the place of the last one.
func (p Progress) Show(format string, args ...any) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
	}
}

// Of says how many of something are done since it began, and about how long the others take.
func (p Progress) Of(done, total int, what string, began time.Time) {
	p.Show("%s", howFar(done, total, what, time.Since(began)))
}

// Settings says how many blogs' settings were read since it began; nothing of a single one.
func (p Progress) Settings(began time.Time) func(done, total int) {
	return func(done, total int) {
		if total > 1 {
			p.Of(done, total, "options table", began)
		}
	}
}

func howFar(done, total int, what string, took time.Duration) string {
	text := fmt.Sprintf("%s of %s", Number(done), Count(total, what))
	left := time.Duration(float64(took) / float64(max(done, 1)) * float64(total-done))
	switch {
	case done == 0 || done == total || took < time.Second:
		return text
	case left < time.Minute:
		return text + ", less than a minute left"
	}
	return text + ", about " + Count(int(left.Round(time.Minute)/time.Minute), "minute") + " left"
}

// Clear takes the line off the terminal.
func (p Progress) Clear() { p.Show("") }
