package servertest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Entry is one entry of a sitemap or of an index.
type Entry struct {
	Loc     string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
}

// Entries returns the entries of a sitemap or of an index. It returns an error if the document is not well-formed, has
// another namespace, or is empty.
func Entries(text []byte) ([]Entry, error) {
	var doc struct {
		XMLName  xml.Name
		URLs     []Entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
		Sitemaps []Entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap"`
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	for token, err := d.Token(); err != io.EOF; token, err = d.Token() {
		_, comment := token.(xml.Comment)
		if text, ok := token.(xml.CharData); err != nil || !comment && (!ok || len(bytes.TrimSpace(text)) > 0) {
			return nil, fmt.Errorf("something behind the document: %v %v", token, err)
		}
	}
	all := map[string][]Entry{"urlset": doc.URLs, "sitemapindex": doc.Sitemaps}[doc.XMLName.Local]
	if len(all) == 0 {
		return nil, errors.New("an empty " + doc.XMLName.Local)
	}
	return all, nil
}
