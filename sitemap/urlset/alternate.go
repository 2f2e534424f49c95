package urlset

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
		b = AppendText(b, alternates[i].Language)
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
