package urlset

// URL is an entry of a urlset. Fields of an extension that the file does not declare are not written.
type URL struct {
	Loc     string
	LastMod int64 // Unix seconds; NoDate for none
	Hints   Hints // hints of this entry; Writer.Hints replace those that are empty
	News    *News // nil for none
	Images  []Image
	// Alternates name the same content in all languages, the entry's own among them.
	Alternates []Alternate

	Videos []Video // in a file that declares Videos, an entry without one that can be written is refused

	Object int64 // id of the object that the entry is about; not written
}

// Hints are the protocol's statements about an entry beside its date. The zero value states nothing.
type Hints struct {
	ChangeFreq string // one of ChangeFreqs; "" for none
	Priority   string // a decimal number from 0 to 1; "" for none
}

// ChangeFreqs are the values that the protocol allows for changefreq.
var ChangeFreqs = []string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

// Image is an image:image of an entry. An image without Loc is left out.
type Image struct {
	Loc   string
	Title string // plain text; empty for none
}

// Sitemap is an entry of an index.
type Sitemap struct {
	Loc     string
	LastMod int64 // Unix seconds; NoDate for none
}

// Alternate is an xhtml:link of an entry. It names the same content in another language, or the entry itself in its own language.
type Alternate struct {
	Language string // BCP 47, or x-default
	Href     string
}

// appendAlternates appends the alternates. It skips alternates whose address the encoding refuses.
func (w *Writer) appendAlternates(b []byte, alternates []Alternate) []byte {
	for i := range alternates {
		start := len(b)
		b = append(b, "\t\t<xhtml:link rel=\"alternate\" hreflang=\""...)
		b = appendText(b, alternates[i].Language)
		b = append(b, "\" href=\""...)
		var ok bool
		if b, ok = w.Encoding.AppendLoc(b, alternates[i].Href); !ok {
			b = b[:start]
			continue
		}
		b = append(b, "\"/>\n"...)
	}
	return b
}
