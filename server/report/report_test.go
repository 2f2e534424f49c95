package report

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

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
