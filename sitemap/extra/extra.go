// Package extra adds to the sitemaps of any plugin what the operator configures in [[site.extra]]: URLs
// from a file, or the sitemap of another program, which the index then names.
package extra

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wpconfig"
)

// These limits apply to a file.
const (
	maxURLs  = 100_000
	maxBytes = 32 << 20
)

// Prefix is put before the configured name of an addition. The result is the name of its sitemap.
const Prefix = "extra-"

// Provider adds the lists of [[site.extra]] after the lists of the plugin. It reads the configured files
// again for every catalog.
type Provider struct{ provider.Lister }

// Names returns the names of the sitemaps that this provider makes. The sitemap of another program is not one of them.
func (Provider) Names(r *seo.Rules) map[string]bool {
	names := map[string]bool{}
	for _, e := range of(r) {
		if e.URL == "" {
			names[Prefix+e.Name] = true
		}
	}
	return names
}

// Lists adds the lists of the configured files and URLs. A private site has none.
func (Provider) Lists(_ context.Context, b *provider.Build) error {
	if b.Rules.Hidden() {
		return nil
	}
	for _, e := range of(b.Rules) {
		b.Add(list(b, e))
	}
	return nil
}

// of returns the additions of a blog. On a network only the main blog has additions.
func of(r *seo.Rules) []seo.Extra {
	if !r.Blog.IsMain() {
		return nil
	}
	return r.Options.Extra
}

// list returns the list of an addition.
func list(b *provider.Build, e seo.Extra) *catalog.List {
	l := b.List(catalog.List{
		Name: Prefix + e.Name, Kind: seo.KindOther, Extensions: urlset.Bare, Encoding: new(urlset.Strict),
		Explained: catalog.Explained{Why: []seo.Evidence{{Source: "[[site.extra]]", Value: e.File + e.URL}}},
	})
	l.FirstPlaced = true
	if e.URL != "" {
		l.Indexed, l.Elsewhere, l.Address, l.Dates = true, "[[site.extra]] url", e.URL, []int64{wp.NoTime}
	} else if err := ofFile(b, e, l); err != nil {
		b.Rules.Options.Log.Error("the URLs of [[site.extra]] cannot be read", "home", b.Rules.Blog.Home(), "name", e.Name, "reason", err,
			"hint", "correct the file or the line that reason names; until then this sitemap is answered with 503")
		l.Withheld = err // so the sitemap is an error until the file can be read, and not an empty sitemap
	}
	return l
}

// ofFile adds the URLs of a file to the list, each once.
func ofFile(b *provider.Build, e seo.Extra, l *catalog.List) error {
	links, err := read(e.File, e.Within, b.Rules.Blog.Home())
	seen := map[string]bool{}
	for _, link := range links {
		rule := b.Rules.JudgeArchive("", link.Loc)
		if rule == seo.Listed && !b.Rules.BelowHome(link.Loc, "") { // not every plugin at level plugin checks this
			rule = seo.ExternalLink
		}
		switch {
		case seen[link.Loc]:
		case rule != seo.Listed:
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: link.Loc})
		default:
			link.LastMod = b.Rules.Past(link.LastMod)
			l.First = append(l.First, link)
		}
		seen[link.Loc] = true
	}
	l.Indexed, l.Dates = len(l.First) > 0, l.PageDates()
	return err
}

// read reads the URLs of a file. A text file has one URL, or path below home, on each line. A CSV file
// has a URL and a date in each row. Its first row is a header if it has two cells, and the first cell is no URL.
//
// A tenant may own the file, so no error contains text from it.
func read(name, within, home string) ([]catalog.FirstLink, error) {
	if rel, err := filepath.Rel(within, name); err != nil || !filepath.IsLocal(rel) {
		within = "" // the operator's own file
	}
	text, err := wpconfig.ReadUnlinked(name, within, maxBytes)
	if err != nil {
		return nil, err
	}
	var links []catalog.FirstLink
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	err = eachRow(text, strings.EqualFold(filepath.Ext(name), ".csv"), func(line int, cells []string) error {
		link, err := parse(cells, home)
		switch {
		case errors.Is(err, errNoURL) && line == 1 && len(cells) > 1: // a header
		case err != nil:
			return fmt.Errorf("line %d: %w", line, err)
		case link.Loc != "":
			links = append(links, link)
		}
		if len(links) > maxURLs {
			return fmt.Errorf("the file has more than %d URLs: split it into several files, each in a [[site.extra]]", maxURLs)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return links, nil
}

// eachRow calls fn for each row of a CSV file, or for each line of a text file as a row of one cell, until fn returns an error. line
// is where the row begins, from 1. fn must not keep the cells.
func eachRow(text []byte, isCSV bool, fn func(line int, cells []string) error) error {
	if !isCSV {
		line := 0
		for text := range strings.Lines(string(text)) {
			line++
			if err := fn(line, []string{text}); err != nil {
				return err
			}
		}
		return nil
	}
	table := csv.NewReader(bytes.NewReader(text))
	table.FieldsPerRecord, table.ReuseRecord, table.LazyQuotes = -1, true, true
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := table.FieldPos(0)
		if err := fn(line, cells); err != nil {
			return err
		}
	}
}

var errNoURL = errors.New("there is neither a URL nor a path that begins with /")

// parse reads the cells of a row: a URL and, if present, a date. For empty rows and comments (#) it
// returns the zero FirstLink.
func parse(cells []string, home string) (catalog.FirstLink, error) {
	loc := strings.TrimSpace(cells[0])
	link := catalog.FirstLink{Loc: loc, LastMod: wp.NoTime}
	switch {
	case loc == "" || loc[0] == '#':
		return catalog.FirstLink{}, nil
	case strings.ContainsAny(loc, "\r\n"): // a cell in quotes may have several lines
		return link, errNoURL
	case loc[0] == '/':
		link.Loc = home + loc
	case !strings.HasPrefix(loc, "http://") && !strings.HasPrefix(loc, "https://"):
		return link, errNoURL
	}
	if len(cells) < 2 || strings.TrimSpace(cells[1]) == "" {
		return link, nil
	}
	var err error
	link.LastMod, err = dateOf(strings.TrimSpace(cells[1]))
	return link, err
}

// dateOf parses a date in one of dateForms. It returns Unix seconds.
func dateOf(date string) (int64, error) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, date); err == nil {
			return t.Unix(), nil
		}
	}
	return wp.NoTime, errors.New("the second column must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z")
}

// dateForms are the forms of W3C Datetime that the sitemap protocol allows.
var dateForms = []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04Z07:00"}
