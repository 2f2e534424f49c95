package urlset

// Text builds a text sitemap: an address a line, in UTF-8, and nothing else. The zero value
// is ready for use.
type Text struct {
	Encoding Encoding

	buf     []byte
	entries int
}

// Append writes an address, or returns ErrFull or ErrRefused and writes nothing.
func (t *Text) Append(loc string) error {
	b, ok := t.Encoding.AppendPlain(t.buf, loc)
	switch {
	case !ok:
		return ErrRefused
	case t.entries == MaxEntries || len(b)+1 > MaxBytes:
		return ErrFull
	}
	t.buf = append(b, '\n')
	t.entries++
	return nil
}

// Bytes returns the file.
func (t *Text) Bytes() []byte { return t.buf }

// Entries returns how many addresses the file has.
func (t *Text) Entries() int { return t.entries }
