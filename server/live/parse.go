package live

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/urlset"
)

// Bounds within one file, beside those of the protocol.
const (
	maxDepth = 32      // of elements; no sitemap needs more than five
	maxText  = 1 << 16 // bytes of one element's text
	maxNotes = 10
)

// ErrNotASitemap means the document is not a sitemap: HTML, an error message, empty.
var ErrNotASitemap = errors.New("not a sitemap")

// Parse reads one file in full. It takes what crawlers take: any prefixes, CDATA, a byte
// order mark, space before the XML declaration, charsets other than UTF-8. A document that is
// cut off or not well-formed is an error, as it is for crawlers, and so is one with more entries
// than the protocol allows. An entry without an absolute address is left out and noted.
func Parse(data []byte) (*File, error) {
	p := parser{file: &File{}}
	trimmed := bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if start := bytes.TrimLeft(trimmed, " \t\r\n"); len(start) < len(trimmed) && bytes.HasPrefix(start, []byte("<?xml")) {
		p.note("space before the XML declaration, which strict readers refuse")
		trimmed = start
	}
	if len(bytes.TrimSpace(trimmed)) == 0 {
		return nil, fmt.Errorf("%w: the document is empty", ErrNotASitemap)
	}
	d := xml.NewDecoder(bytes.NewReader(trimmed))
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) { return charset.NewReaderLabel(label, r) }
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.token(token)
		}
		if err != nil {
			if _, syntax := errors.AsType[*xml.SyntaxError](err); syntax && !p.rooted {
				err = fmt.Errorf("%w: %w", ErrNotASitemap, err)
			}
			return nil, err
		}
	}
	if !p.closed {
		return nil, fmt.Errorf("%w: no element in it", ErrNotASitemap)
	}
	p.finishNotes()
	return p.file, nil
}

// space is a namespace as far as sitemaps care.
type space uint8

const (
	other space = iota
	base
	imageSpace
	newsSpace
	videoSpace
	xhtmlSpace
)

// spaceOf recognises a namespace by its address in any version, or by the usual prefix where
// a document forgot to declare it.
func spaceOf(s string) space {
	switch {
	case s == "", strings.Contains(s, "schemas/sitemap/"):
		return base
	case strings.Contains(s, "schemas/sitemap-image/"), s == "image":
		return imageSpace
	case strings.Contains(s, "schemas/sitemap-news/"), s == "news":
		return newsSpace
	case strings.Contains(s, "schemas/sitemap-video/"), s == "video":
		return videoSpace
	case s == "http://www.w3.org/1999/xhtml", s == "xhtml":
		return xhtmlSpace
	}
	return other
}

type element struct {
	space space
	name  string
	field string // as Field.Name has it
}

type parser struct {
	file   *File
	stack  []element
	text   []byte
	rooted bool // the root has begun
	closed bool // and ended

	entry   Entry
	extra   Extra
	image   Image
	fields  []Field
	leaf    bool // nothing but text since the last start
	badLocs int
	badDate int
}

func (p *parser) note(s string) {
	if len(p.file.Notes) < maxNotes {
		p.file.Notes = append(p.file.Notes, s)
	}
}

func (p *parser) finishNotes() {
	if p.badLocs > 0 {
		p.note(fmt.Sprintf("%d entries without an absolute URL", p.badLocs))
	}
	if p.badDate > 0 {
		p.note(fmt.Sprintf("%d values of lastmod that are not dates", p.badDate))
	}
}

func (p *parser) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		return p.end()
	case xml.CharData:
		if len(p.stack) == 0 {
			if len(bytes.TrimSpace(t)) > 0 {
				return fmt.Errorf("%w: text outside of the root element", ErrNotASitemap)
			}
			return nil
		}
		if len(p.text)+len(t) > maxText {
			return fmt.Errorf("the text of an element has more than %d bytes", maxText)
		}
		p.text = append(p.text, t...)
	case xml.Comment:
		p.generator(string(t))
	case xml.ProcInst:
		if t.Target == "xml-stylesheet" {
			p.generator(string(t.Inst))
		}
	}
	return nil
}

func (p *parser) generator(text string) {
	switch {
	case isOurs(text): // whatever was found before: ours may name the plugin's stylesheet
		p.file.Generator = Ours
	case p.file.Generator == "":
		p.file.Generator = sitemap.GeneratorOf(text)
	}
}

func (p *parser) start(t xml.StartElement) error {
	e := element{space: spaceOf(t.Name.Space), name: t.Name.Local}
	switch {
	case p.closed:
		return errors.New("a second root element")
	case !p.rooted:
		p.rooted = true
		if e.space != base || e.name != "urlset" && e.name != "sitemapindex" {
			return fmt.Errorf("%w: its root element is <%s>", ErrNotASitemap, Shorten(t.Name.Local, 40))
		}
		p.file.Index = e.name == "sitemapindex"
	case len(p.stack) == maxDepth:
		return errors.New("elements are nested too deeply")
	}
	p.leaf = true
	p.text = p.text[:0]
	switch parent := p.at(0); {
	case len(p.stack) == 1:
		p.entry, p.extra = Entry{}, Extra{}
	case e.space == imageSpace && e.name == "image":
		p.image = Image{}
	case e.space == newsSpace && e.name == "news", e.space == videoSpace && e.name == "video" && parent.space != videoSpace:
		p.fields = nil
	case e.space == newsSpace || e.space == videoSpace:
		e.field = fieldName(parent, e, t.Attr)
	case e.space == xhtmlSpace && e.name == "link":
		a := Alternate{attribute(t, "hreflang"), attribute(t, "href")}
		if strings.EqualFold(attribute(t, "rel"), "alternate") && a.Language != "" {
			p.extra.Alternates = append(p.extra.Alternates, a)
		}
	}
	p.stack = append(p.stack, e)
	return nil
}

// at returns the n-th innermost open element.
func (p *parser) at(n int) element {
	if n >= len(p.stack) {
		return element{}
	}
	return p.stack[len(p.stack)-1-n]
}

func fieldName(parent, e element, attributes []xml.Attr) string {
	name := e.name
	if parent.field != "" {
		name = parent.field + "/" + name
	}
	slices.SortFunc(attributes, func(a, b xml.Attr) int { return cmp.Compare(a.Name.Local, b.Name.Local) })
	for _, a := range attributes {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			name += "[" + a.Name.Local + "=" + a.Value + "]"
		}
	}
	return name
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// end closes the innermost element. encoding/xml has seen to it that there is one.
func (p *parser) end() error {
	e, parent := p.at(0), p.at(1)
	p.stack = p.stack[:len(p.stack)-1]
	text := strings.TrimSpace(string(p.text))
	leaf := p.leaf
	p.text, p.leaf = p.text[:0], false
	switch {
	case len(p.stack) == 0:
		p.closed = true
	case len(p.stack) == 1:
		return p.endEntry(e)
	case len(p.stack) == 2 && e.space == base && leaf:
		switch e.name {
		case "loc":
			p.entry.Loc = text
		case "lastmod":
			d, ok := ParseDate(text)
			if !ok && text != "" {
				p.badDate++
			}
			p.entry.LastMod = d
		}
	case e.space == imageSpace && e.name == "image":
		if p.image.Loc != "" {
			p.extra.Images = append(p.extra.Images, p.image)
		}
	case e.space == imageSpace && parent.name == "image":
		switch e.name {
		case "loc":
			p.image.Loc = text
		case "title":
			p.image.Title = text
		case "caption":
			p.image.Caption = text
		}
	case e.field != "":
		if leaf {
			p.fields = append(p.fields, Field{e.field, text})
		}
	case e.space == newsSpace && e.name == "news":
		p.extra.News = sorted(p.fields)
	case e.space == videoSpace && e.name == "video":
		p.extra.Videos = append(p.extra.Videos, sorted(p.fields))
	}
	return nil
}

// sorted brings fields into the order of their names: that of a file says nothing.
func sorted(fields []Field) []Field {
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Clip(fields)
}

func (p *parser) endEntry(e element) error {
	want := "url"
	if p.file.Index {
		want = "sitemap"
	}
	if e.space != base || e.name != want {
		return nil // of an extension nobody here knows
	}
	if len(p.file.Entries) == urlset.MaxEntries {
		return fmt.Errorf("more than %d entries", urlset.MaxEntries)
	}
	if !absolute(p.entry.Loc) {
		p.badLocs++
		return nil
	}
	if !p.extra.empty() {
		x := p.extra
		slices.SortFunc(x.Alternates, func(a, b Alternate) int {
			return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.Href, b.Href))
		})
		p.entry.Extra = &x
	}
	p.file.Entries = append(p.file.Entries, p.entry)
	return nil
}

// absolute reports whether an address has a scheme of the protocol and a host. It need not be
// valid: comparing is to show what is not.
func absolute(loc string) bool {
	scheme, rest, ok := strings.Cut(loc, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) && rest != "" && rest[0] != '/'
}

// Shorten cuts a text from elsewhere for a message.
func Shorten(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
