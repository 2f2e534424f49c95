package view

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// document is what is shown of a sitemap: the entries of one part, and figures of them all.
type document struct {
	IsIndex bool
	Rows    []row

	Total, Images, Videos int    // in the whole file
	Newest                string // of all dates of change; empty where none has one
	// what the file has at all, so that every part has the same columns
	Dated, News, Alternates bool
}

// row is an entry. All texts are as a parser of XML gives them.
type row struct {
	Loc        string
	LastMod    string
	Images     int
	News       *news
	Videos     []video
	Alternates []alternate
}

type news struct {
	Publication, Language, Date, Title, Tickers string
}

type video struct {
	Title, Player, Content, Duration string
}

type alternate struct {
	Language, Href string
}

var errNoSitemap = errors.New("not an XML sitemap")

// read reads a sitemap and keeps the entries from the number first up to last, which is
// not one of them. Names are taken by their prefix, as urlset writes them.
func read(ctx context.Context, b []byte, first, last int) (*document, error) {
	dec := xml.NewDecoder(bytes.NewReader(b))
	doc := &document{}
	newest := time.Time{}
	var root, name string // of the document, and of the element that text is in
	var entry *row
	ended := false
	var text strings.Builder
	for {
		token, err := dec.RawToken()
		switch {
		case err == io.EOF && ended:
			return doc, nil
		case err == io.EOF:
			return nil, errNoSitemap
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errNoSitemap, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			name = fullName(t.Name)
			text.Reset()
			switch {
			case root == "":
				root = name
				doc.IsIndex = root == "sitemapindex"
			case name == "url" || name == "sitemap":
				entry = &row{}
			case entry == nil:
			case name == "image:image":
				entry.Images++
			case name == "news:news":
				entry.News = &news{}
			case name == "video:video":
				entry.Videos = append(entry.Videos, video{})
			case name == "xhtml:link":
				entry.Alternates = append(entry.Alternates, alternate{attribute(t, "hreflang"), attribute(t, "href")})
			}
		case xml.CharData:
			if entry != nil {
				text.Write(t)
			}
		case xml.EndElement:
			end := fullName(t.Name)
			if entry == nil {
				ended = end == root && (root == "urlset" || root == "sitemapindex")
				break
			}
			if end != "url" && end != "sitemap" {
				if end == name { // not the end of an element that holds others
					entry.set(name, text.String())
				}
				name = ""
				break
			}
			if date, err := time.Parse(time.RFC3339, entry.LastMod); err == nil && (doc.Newest == "" || date.After(newest)) {
				newest, doc.Newest = date, entry.LastMod
			}
			doc.Images += entry.Images
			doc.Videos += len(entry.Videos)
			doc.Dated = doc.Dated || entry.LastMod != ""
			doc.News = doc.News || entry.News != nil
			doc.Alternates = doc.Alternates || len(entry.Alternates) > 0
			if first <= doc.Total && doc.Total < last {
				doc.Rows = append(doc.Rows, *entry)
			}
			if doc.Total++; doc.Total%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			entry = nil
		}
	}
}

func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// set puts the text of an element into its place, if it has one.
func (r *row) set(name, text string) {
	switch name {
	case "loc":
		r.Loc = text
	case "lastmod":
		r.LastMod = text
	}
	if n := r.News; n != nil {
		switch name {
		case "news:name":
			n.Publication = text
		case "news:language":
			n.Language = text
		case "news:publication_date":
			n.Date = text
		case "news:title":
			n.Title = text
		case "news:stock_tickers":
			n.Tickers = text
		}
	}
	if len(r.Videos) > 0 {
		v := &r.Videos[len(r.Videos)-1]
		switch name {
		case "video:title":
			v.Title = text
		case "video:player_loc":
			v.Player = text
		case "video:content_loc":
			v.Content = text
		case "video:duration":
			v.Duration = text
		}
	}
}
