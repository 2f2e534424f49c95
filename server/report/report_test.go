package report

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestHowFar(t *testing.T) {
	for _, test := range []struct {
		done, total int
		took        time.Duration
		want        string
	}{
		{0, 2, time.Hour, "0 of 2 blogs"},
		{412, 10000, 8 * time.Second, "412 of 10,000 blogs, about 3 minutes left"},
		{9000, 10000, 9 * time.Minute, "9,000 of 10,000 blogs, about 1 minute left"},
		{9999, 10000, 10 * time.Minute, "9,999 of 10,000 blogs, less than a minute left"},
		{10, 20, 20 * time.Millisecond, "10 of 20 blogs"},
		{20, 20, time.Minute, "20 of 20 blogs"},
	} {
		expect.Equal(t, howFar(test.done, test.total, "blog", test.took), test.want)
	}
}

func TestProgressIsForTerminalsOnly(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	for _, w := range []io.Writer{f, &b} {
		NewProgress(w).Show("1 of 2")
	}
	if info, err := f.Stat(); err != nil || info.Size() > 0 || b.Len() > 0 {
		t.Error("a file or a buffer is taken for a terminal")
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		expect.Equal(t, Number(n), want, "Number", n, "=")
	}
}

// No text of a site becomes a formula.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{"": "", "a=b": "a=b", "=SUM(A1)": "'=SUM(A1)", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta"} {
		expect.Equal(t, cell(text), want, text)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 sites", 1: "1 site", 2: "2 sites", 1200: "1,200 sites"} {
		expect.Equal(t, Count(n, "site"), want)
	}
}

// A size has two digits at least, except that there is no part of a byte.
func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 7: "7 B", 1023: "1023 B", 1024: "1.0 KB", 1536: "1.5 KB", 10 << 10: "10 KB", 1023 << 10: "1023 KB", 1 << 20: "1.0 MB", 20 << 20: "20 MB",
		3 << 30: "3.0 GB", 5 << 40: "5.0 TB", 3000 << 40: "3000.0 TB",
	} {
		expect.Equal(t, Size(n), want, n)
	}
}

// A line of a paragraph has at most Width bytes, and a longer word a line of its own. Further lines are indented as the first.
func TestHanging(t *testing.T) {
	long := bytes.Repeat([]byte("x"), Width+1)
	fits := bytes.Repeat([]byte("y"), Width-len("  - aa "))
	for text, want := range map[string]string{
		"":                                   "  - \n",
		"  one \n two\t three ":              "  - one two three\n",
		"aa " + string(fits):                 "  - aa " + string(fits) + "\n",
		"aa " + string(fits) + "y":           "  - aa\n    " + string(fits) + "y\n",
		string(long) + " a":                  "  - " + string(long) + "\n    a\n",
		"aa " + string(fits) + "y b":         "  - aa\n    " + string(fits) + "y b\n",
		"aa " + string(fits) + "y b c d e f": "  - aa\n    " + string(fits) + "y b\n    c d e f\n",
	} {
		var b bytes.Buffer
		Hanging(&b, "  - ", text)
		expect.Equal(t, b.String(), want)
	}
}

// Cells stand below each other, and foreign text stays in its cell.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	Table(&b, "  ", [][]string{{"a", "long", "x"}, {"longer", "b\tc\nd", "\x1b[2J"}, {"one"}})
	expect.Equal(t, b.String(), "  a       long   x\n  longer  b?c?d  ?[2J\n  one\n")
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"Größe 日本": "Größe 日本", "a\tb\nc": "a\tb\nc", "a\rb": "a?b", "\x1b[31m": "?[31m", "\u202ea": "?a", "\xff": "?"} {
		expect.Equal(t, Printable(text), want)
	}
	expect.Equal(t, Line("a\tb\nc\r"), "a?b?c?")
}

// The name of the site is not said twice.
func TestNameless(t *testing.T) {
	for text, want := range map[string]string{
		"site a: cannot open": "cannot open", "site a, blog 2: cannot open": "blog 2: cannot open", "site b: cannot open": "site b: cannot open", "x": "x",
	} {
		expect.Equal(t, Nameless("a", text), want)
	}
}

// A table in CSV has its columns in the first line, also if there is no row. No cell is a formula.
func TestCSV(t *testing.T) {
	var b bytes.Buffer
	table := NewCSV(&b, "url", "title")
	expect.Equal(t, b.Len(), 0)
	wptest.Must(t, table.Row("https://a.test/", "=1+1"))
	expect.Equal(t, b.String(), "url,title\nhttps://a.test/,'=1+1\n")
	wptest.Must(t, table.Row("b", "a \"word\", and more"))
	expect.Equal(t, b.String(), "url,title\nhttps://a.test/,'=1+1\nb,\"a \"\"word\"\", and more\"\n")
	b.Reset()
	wptest.Must(t, NewCSV(&b, "url").Flush())
	expect.Equal(t, b.String(), "url\n")
}

// A terminal shows how far some work is, and of the options tables only if there are several.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := Progress{&b}
	p.Settings(time.Now())(1, 1)
	expect.Equal(t, b.String(), "")
	p.Settings(time.Now())(1, 2)
	expect.Equal(t, b.String(), "\r\x1b[K1 of 2 options tables")
	b.Reset()
	p.Clear()
	expect.Equal(t, b.String(), "\r\x1b[K")
	expect.Equal(t, howFar(1, 1000, "blog", time.Second), "1 of 1,000 blogs, about 17 minutes left")
	expect.Equal(t, howFar(10, 20, "blog", time.Second), "10 of 20 blogs, less than a minute left")
	expect.Equal(t, howFar(10, 20, "blog", time.Minute), "10 of 20 blogs, about 1 minute left")
}
