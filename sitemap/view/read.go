package view

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"time"
)

// document is what a view shows of a sitemap: the entries of one part and the figures of the whole file.
type document struct {
	IsIndex bool
	Rows    []row

	Total, Images, Videos int    // in the whole file
	Newest                string // the newest date of change; empty if no entry has one

	// These are set if at least one entry of the file has a date, news or alternates. All parts of the view
	// then show the column.
	Dated, News, Alternates bool
}

// row is an entry, with texts as an XML parser reads them.
type row struct {
	Loc        string      `xml:"loc"`
	LastMod    string      `xml:"lastmod"`
	Images     []struct{}  `xml:"http://www.google.com/schemas/sitemap-image/1.1 image"`
	News       *news       `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
	Videos     []video     `xml:"http://www.google.com/schemas/sitemap-video/1.1 video"`
	Alternates []alternate `xml:"http://www.w3.org/1999/xhtml link"`
}

type news struct {
	Publication string `xml:"publication>name"`
	Language    string `xml:"publication>language"`
	Date        string `xml:"publication_date"`
	Title       string `xml:"title"`
	Tickers     string `xml:"stock_tickers"`
}

type video struct {
	Title    string `xml:"title"`
	Player   string `xml:"player_loc"`
	Content  string `xml:"content_loc"`
	Duration string `xml:"duration"`
}

type alternate struct {
	Language string `xml:"hreflang,attr"`
	Href     string `xml:"href,attr"`
}

var errNoSitemap = errors.New("not an XML sitemap")

// read parses a sitemap. It counts all entries, and keeps the entries from index first to last-1, counted from 0.
func read(ctx context.Context, b []byte, first, last int) (*document, error) {
	dec := xml.NewDecoder(bytes.NewReader(b))
	doc, newest, root := &document{}, time.Time{}, ""
	for {
		token, err := dec.Token()
		switch {
		case err == io.EOF && root != "":
			return doc, nil
		case err == io.EOF:
			return nil, errNoSitemap
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errNoSitemap, err)
		}
		start, ok := token.(xml.StartElement)
		switch name := start.Name.Local; {
		case !ok:
		case root == "" && name != "urlset" && name != "sitemapindex":
			return nil, errNoSitemap
		case root == "":
			root, doc.IsIndex = name, name == "sitemapindex"
		case name == "url", name == "sitemap":
			var entry row
			if err := dec.DecodeElement(&entry, &start); err != nil {
				return nil, fmt.Errorf("%w: %w", errNoSitemap, err)
			}
			doc.count(&entry)
			if date, err := time.Parse(time.RFC3339, entry.LastMod); err == nil && (doc.Newest == "" || date.After(newest)) {
				newest, doc.Newest = date, entry.LastMod
			}
			if first <= doc.Total && doc.Total < last {
				doc.Rows = append(doc.Rows, entry)
			}
			if doc.Total++; doc.Total%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
}

// count adds an entry to the figures of the whole file.
func (d *document) count(r *row) {
	d.Images += len(r.Images)
	d.Videos += len(r.Videos)
	d.Dated = d.Dated || r.LastMod != ""
	d.News = d.News || r.News != nil
	d.Alternates = d.Alternates || len(r.Alternates) > 0
}
