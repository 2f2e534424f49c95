// Package view makes the HTML view of a sitemap: a page for people, with links that work.
//
// It is made of the bytes of the XML file, so that the two cannot disagree, also while an older page is served, and so that
// the database is not asked a second time. Only the view of an index has more: the number of URLs of each sitemap.
//
// Authors, importers and plugins wrote what it shows. html/template escapes all of it, and only addresses with http or https
// become links.
package view

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/urlset"
)

// MaxRows is how many entries one page shows; the view of a longer sitemap has several parts. It is the size of the largest
// file of WordPress' own sitemaps, and about what browsers lay out in a tenth of a second.
const MaxRows = 2000

// ErrNoPart says that a sitemap has no such part.
var ErrNoPart = errors.New("the sitemap has no such part")

// Frame is what a view has around the entries. All addresses are absolute, but Stylesheet's.
type Frame struct {
	Home       string // of the site, without a slash at the end
	Title      string // of the site; "" where it has none
	XML        string // the sitemap itself
	HTML       string // this page, without a part
	Index      string // the view of the index; empty on the index itself
	Prev, Next string // the views of the pages before and after; empty for none
	Number, Of int    // which page of a list it is, and how many there are
	Stylesheet string // relative to the host
	Part       int    // which part to show, from 1

	// Twin returns the address of the view of a sitemap that an index names, "" for none.
	Twin func(loc string) string
	// Entries is how many URLs the sitemaps have that an index names, by address.
	Entries map[string]int
}

//go:embed view.html
var text string

var page = template.Must(template.New("view").Funcs(template.FuncMap{
	"count": count, "utc": utc, "link": isLink, "language": language, "duration": duration,
}).Parse(text))

// MaxParts is how many parts the longest sitemap has.
const MaxParts = (urlset.MaxEntries + MaxRows - 1) / MaxRows

// Render returns the HTML view of a sitemap. It fails with ErrNoPart, where the document is no sitemap, and when ctx ends.
func Render(ctx context.Context, xml []byte, p Frame) ([]byte, error) {
	if p.Part < 1 {
		return nil, ErrNoPart
	}
	first := (p.Part - 1) * MaxRows
	doc, err := read(ctx, xml, first, first+MaxRows)
	if err != nil {
		return nil, fmt.Errorf("HTML of %s: %w", p.XML, err)
	}
	parts := max(1, (doc.Total+MaxRows-1)/MaxRows)
	if p.Part > parts {
		return nil, ErrNoPart
	}
	var b bytes.Buffer
	b.Grow(4<<10 + 512*len(doc.Rows))
	if err := page.Execute(&b, data{Frame: p, document: doc, Parts: parts, First: first}); err != nil {
		return nil, fmt.Errorf("HTML of %s: %w", p.XML, err)
	}
	return b.Bytes(), nil
}

// data is the argument of the template.
type data struct {
	Frame
	*document
	Parts int
	First int // entries before the first row
}

// Site is the name of the site: its host, with the folder it is in.
func (d data) Site() string {
	_, name, _ := strings.Cut(d.Home, "://")
	return name
}

// File is the name of the sitemap.
func (d data) File() string {
	u, err := url.Parse(d.XML)
	if err != nil {
		return d.XML
	}
	path := strings.TrimSuffix(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Last is the number of the last row.
func (d data) Last() int { return d.First + len(d.Rows) }

// Row is the number of a row.
func (d data) Row(i int) int { return d.First + i + 1 }

// PartURL is the address of another part, "" without one.
func (d data) PartURL(step int) string {
	switch n := d.Part + step; {
	case n < 1 || n > d.Parts:
		return ""
	case n == 1:
		return d.HTML
	default:
		return d.HTML + "?part=" + strconv.Itoa(n)
	}
}

// Address is a loc in two pieces: home, which is shown paler, and the rest.
func (d data) Address(loc string) map[string]string {
	if rest, ok := strings.CutPrefix(loc, d.Home); ok && strings.HasPrefix(rest, "/") {
		return map[string]string{"loc": loc, "own": d.Home, "rest": rest}
	}
	return map[string]string{"loc": loc, "rest": loc}
}

// Addresses is how many the sitemaps of the index have together.
func (d data) Addresses() (sum int) {
	for _, r := range d.Rows {
		sum += d.Entries[r.Loc]
	}
	return sum
}

// isLink reports whether an address may become a link: anything but the web's own schemes
// could be a script.
func isLink(loc string) bool {
	scheme, _, ok := strings.Cut(loc, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// count writes a number with its noun: "1,234 images".
func count(n int, one, many string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	switch {
	case one == "":
		return s
	case n == 1:
		return s + " " + one
	}
	return s + " " + many
}

// utc writes a date of a sitemap for people, in UTC as the head of the column says.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return date
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// language returns a language as an attribute lang may have it, "" for anything else.
func language(code string) string {
	if !languageForm.MatchString(code) || strings.EqualFold(code, "x-default") {
		return ""
	}
	return code
}

var languageForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// duration writes seconds as people do: 1:02:03.
func duration(seconds string) string {
	n, err := strconv.Atoi(seconds)
	if err != nil || n < 0 {
		return seconds
	}
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}
