// Package view makes the HTML view of a sitemap: a page for people, with links that work.
//
// A view is made from the bytes of the XML file. So it shows what the file has, even if an older file is sent, and needs no query.
// Only the view of an index shows more: the number of URLs of each sitemap.
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

// maxRows is how many entries one part of a view shows. A longer sitemap has several parts. 2000 is the page size of WordPress' own
// sitemaps. Browsers lay out so many rows in about a tenth of a second.
const maxRows = 2000

// MaxParts is the number of parts of the longest possible sitemap.
const MaxParts = (urlset.MaxEntries + maxRows - 1) / maxRows

// ErrNoPart says that the view of a sitemap has no part of the requested number.
var ErrNoPart = errors.New("the sitemap has no such part")

// Frame is what a view shows around the entries. It is known to the caller, and not from the XML file.
type Frame struct {
	Home       string // address of the site, without a slash at the end
	Title      string // of the site; "" for none
	XML        string // address of the sitemap itself
	HTML       string // address of this view, without the number of a part
	Index      string // address of the view of the index; "" in that view itself
	Prev, Next string // addresses of the views of the sitemap's previous and next page; "" for none
	Number, Of int    // number of this page of the sitemap, and how many pages it has
	Stylesheet string // path on the host; all other addresses are absolute
	Part       int    // number of the part to show, from 1

	// The following fields are for the sitemaps that an index names, by their addresses.
	Twin    func(loc string) string // returns the address of the view; "" if there is none
	Entries map[string]int          // number of URLs
}

//go:embed view.html
var text string

var page = template.Must(template.New("view").Funcs(template.FuncMap{
	"count": count, "utc": utc, "link": isLink, "language": language, "duration": duration,
}).Parse(text))

// Render returns the HTML view of a sitemap. xml is the whole file. Render returns ErrNoPart if the part does not exist, and another
// error if xml is no sitemap or if ctx ends.
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

// data is what the template shows: the frame, the rows of one part, and what follows from both.
type data struct {
	Frame
	*document
	Parts int // number of parts of the view
	First int // number of entries in the parts before this one
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

// PartURL returns the address of the part step parts after this one, or before it if step is negative. It returns "" if there is no
// such part. The first part has the address of the view.
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

// Address returns the values of the template "address": loc, and its two pieces. own is home, which is shown paler. If loc is not
// below home, there is only rest.
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

// These are the functions that the template calls. They write values of the XML file for people.

// isLink reports whether an address may become a link. Any scheme but http and https could be a script.
func isLink(loc string) bool {
	scheme, _, ok := strings.Cut(loc, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// count writes a number with one of two nouns: "1 image" or "1,234 images". If one is "", it writes the number alone.
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

// utc writes a date of a sitemap for people, in UTC. It returns any other text unchanged.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return date
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// language returns code if it is valid in the attributes lang and hreflang of HTML, or "".
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
