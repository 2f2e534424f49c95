// Package report writes text for people: the log, and the results of commands.
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

// Count formats a number with the name of what is counted. It adds an s unless the number is 1.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Number(n) + " " + what + "s"
}

// Number formats 1234567 as 1,234,567.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Size formats a number of bytes.
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

// Printable makes foreign text safe for a terminal. It replaces every character that is not printable by a question mark, except
// for tabs and ends of lines.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return '?'
	}, s)
}

// Line makes foreign text safe for a terminal, as Printable does, and also replaces tabs and ends of lines. The result stays
// in one line.
func Line(s string) string { return strings.NewReplacer("\n", "?", "\t", "?").Replace(Printable(s)) }

// Nameless removes the name of the site from the beginning of an error text. It is for output that has printed the name
// already.
func Nameless(site, text string) string {
	text = strings.TrimPrefix(text, "site "+site+": ")
	return strings.TrimPrefix(text, "site "+site+", ")
}

// Table writes rows in columns, each line after an indent. Every cell stays in one line.
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

// Width is the longest line in bytes that Hanging writes.
const Width = 84

// Hanging writes a paragraph, and begins a new line before a word that would end beyond Width. The first line begins with
// head. The other lines begin with as many spaces as head has bytes.
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

// Progress is a line on a terminal that says how far some work is. It writes nothing to a file.
type Progress struct{ out io.Writer }

// NewProgress returns a Progress on w. If w is not a terminal, it shows nothing.
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

// Show replaces the text of the line.
func (p Progress) Show(format string, args ...any) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
	}
}

// Of shows how many of total steps are done, and about how long the other steps will take.
func (p Progress) Of(done, total int, what string, began time.Time) {
	p.Show("%s", howFar(done, total, what, time.Since(began)))
}

// Settings returns a function that shows how many options tables were read. It shows nothing if there is only one.
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

// Clear removes the line from the terminal.
func (p Progress) Clear() { p.Show("") }
