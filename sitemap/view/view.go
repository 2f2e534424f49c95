// Package view makes the HTML view of a sitemap: a page for people, with links that work.
//
// A view is made from the bytes of the XML file. So both always agree, also while an older page is served, and no second query is
// needed. Only the view of an index shows more: the number of URLs of each sitemap.
//
// The texts were written by authors, importers and plugins, so html/template escapes all of them. Only addresses with http or
// https become links.
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

// maxRows is how many entries one page shows. The view of a longer sitemap has several parts. The largest file of WordPress' own
// sitemaps has as many entries, and browsers lay them out in about a tenth of a second.
const maxRows = 2000

// ErrNoPart says that the view of a sitemap has no part of the requested number.
var ErrNoPart = errors.New("the sitemap has no such part")

// Frame is what a view shows around the entries. All addresses except Stylesheet's are absolute.
type Frame struct {
	Home       string // address of the site, without a slash at the end
	Title      string // of the site; "" for none
	XML        string // address of the sitemap itself
	HTML       string // address of this view, without a part
	Index      string // address of the index's view; empty in that view itself
	Prev, Next string // addresses of the views of the neighbouring pages; empty for none
	Number, Of int    // number of the page within its list, and how many pages the list has
	Stylesheet string // address relative to the host
	Part       int    // number of the part to show, from 1

	// Twin returns the address of the view of a sitemap that an index names, or "" if there is none.
	Twin func(loc string) string
	// Entries is the number of URLs of each sitemap that an index names, by address.
	Entries map[string]int
}

//go:embed view.html
var text string

var page = template.Must(template.New("view").Funcs(template.FuncMap{
	"count": count, "utc": utc, "link": isLink, "language": language, "duration": duration,
}).Parse(text))

// MaxParts is the number of parts of the longest possible sitemap.
const MaxParts = (urlset.MaxEntries + maxRows - 1) / maxRows

// Render returns the HTML view of a sitemap. It returns ErrNoPart for a part that does not exist, and an error if the document is
// no sitemap or ctx ends.
func Render(ctx context.Context, xml []byte, p Frame) ([]byte, error) {
	if p.Part < 1 {
		return nil, ErrNoPart
	}
	first := (p.Part - 1) * maxRows
	doc, err := read(ctx, xml, first, first+maxRows)
	if err != nil {
		return nil, fmt.Errorf("HTML of %s: %w", p.XML, err)
	}
	parts := max(1, (doc.Total+maxRows-1)/maxRows)
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
	First int // number of entries before the first row
}

// Site returns the name of the site: host and folder.
func (d data) Site() string {
	_, name, _ := strings.Cut(d.Home, "://")
	return name
}

// File returns the file name of the sitemap.
func (d data) File() string {
	u, err := url.Parse(d.XML)
	if err != nil {
		return d.XML
	}
	path := strings.TrimSuffix(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Last returns the number of the last row, counted from 1.
func (d data) Last() int { return d.First + len(d.Rows) }

// Row returns the number of row i, counted from 1 in the whole sitemap.
func (d data) Row(i int) int { return d.First + i + 1 }

// PartURL returns the address of the part that is step parts away, or "" if there is none.
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

// Address splits a loc into home, which is shown paler, and the rest.
func (d data) Address(loc string) map[string]string {
	if rest, ok := strings.CutPrefix(loc, d.Home); ok && strings.HasPrefix(rest, "/") {
		return map[string]string{"loc": loc, "own": d.Home, "rest": rest}
	}
	return map[string]string{"loc": loc, "rest": loc}
}

// Addresses returns how many URLs the sitemaps of the index have together.
func (d data) Addresses() (sum int) {
	for _, r := range d.Rows {
		sum += d.Entries[r.Loc]
	}
	return sum
}

// isLink reports whether an address may become a link. Any scheme but http and https could be a script.
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

// utc writes a date of a sitemap for people, in UTC.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return date
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// language returns a language code that is valid in the attribute lang, or "".
func language(code string) string {
	if !languageForm.MatchString(code) || strings.EqualFold(code, "x-default") {
		return ""
	}
	return code
}

var languageForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// duration writes a number of seconds as 1:02:03. It returns any other text unchanged.
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
