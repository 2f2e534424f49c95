package urlset

import (
	"bytes"
	"unicode/utf8"
)

// News is the news:news of an entry. Its texts are plain, with one exception: in the encoding Plugin, Publication and Language may
// contain HTML references such as &amp;amp;, which are written unchanged.
type News struct {
	Publication  string // name of the publication
	Language     string // ISO 639, or zh-cn and zh-tw
	Date         int64  // of publication, Unix seconds; NoDate for none
	Title        string
	StockTickers string // "NASDAQ:AMAT, BOM:500325"; empty for none
}

func (w *Writer) appendNews(b []byte, n *News) []byte {
	b = append(b, "\t\t<news:news>\n\t\t\t<news:publication>\n\t\t\t\t<news:name>"...)
	b = appendEscaped(b, n.Publication, w.Encoding == Plugin)
	b = append(b, "</news:name>\n\t\t\t\t<news:language>"...)
	b = appendEscaped(b, n.Language, w.Encoding == Plugin)
	b = append(b, "</news:language>\n\t\t\t</news:publication>\n"...)
	if hasDate(n.Date) {
		b = append(b, "\t\t\t<news:publication_date>"...)
		b = AppendDate(b, n.Date)
		b = append(b, "</news:publication_date>\n"...)
	}
	b = append(b, "\t\t\t<news:title>"...)
	b = appendCDATA(b, n.Title)
	b = append(b, "</news:title>\n"...)
	if n.StockTickers != "" {
		b = append(b, "\t\t\t<news:stock_tickers>"...)
		b = appendCDATA(b, n.StockTickers)
		b = append(b, "</news:stock_tickers>\n"...)
	}
	return append(b, "\t\t</news:news>\n"...)
}

// appendCDATA appends s as a CDATA section. If s holds the end of a section, it is split into several. As in appendText invalid
// UTF-8 becomes U+FFFD, and characters that XML does not allow are left out. A parser reads a carriage return as a line feed.
func appendCDATA(dst []byte, s string) []byte {
	dst = append(dst, "<![CDATA["...)
	start := len(dst)
	for _, r := range s {
		if !isChar(uint64(r)) {
			continue
		}
		if r == '>' && bytes.HasSuffix(dst[start:], []byte("]]")) {
			dst = append(dst, "]]><![CDATA["...)
			start = len(dst)
		}
		dst = utf8.AppendRune(dst, r)
	}
	return append(dst, "]]>"...)
}
