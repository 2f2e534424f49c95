package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Pieces say where in the body of a page its objects are, and have the fingerprint of each. An edit changes one of the thousand
// objects on a page, a deletion moves all behind it: what has the same fingerprint as before is taken over, and not read again.
type Pieces struct {
	prints []uint64 // of the objects, in the order of the page; 0: of an address alone
	ends   []uint32 // of their pieces in the body …
	start  uint32   // … of which the first begins here
}

// Size is about what they take in memory, in bytes.
func (p *Pieces) Size() int64 {
	if p == nil {
		return 0
	}
	return int64(8*cap(p.prints) + 4*cap(p.ends))
}

// Earlier is a page as it was rendered before. The zero value means that there is no such page.
type Earlier struct {
	Body   func() []byte // of its Document
	Pieces *Pieces       // and these; nil: there is nothing to take over
}

// pieces returns the pieces of an earlier page by their fingerprints.
func (e Earlier) pieces() map[uint64][]byte {
	if e.Pieces == nil {
		return nil
	}
	body, from := e.Body(), e.Pieces.start
	pieces := make(map[uint64][]byte, len(e.Pieces.prints))
	for i, print := range e.Pieces.prints {
		pieces[print] = body[from:e.Pieces.ends[i]]
		from = e.Pieces.ends[i]
	}
	return pieces
}

// sheet is a page that is being written.
type sheet struct {
	*urlset.Writer
	newest        int64
	refused, bare int // addresses left out, and those without their images
	taken         int // objects taken over
	parts         int // addresses of objects behind the first of each
	pieces        *Pieces
}

// sheet begins a page; encoding nil is the plugin's.
func (c *Catalog) sheet(extensions urlset.Extensions, encoding *urlset.Encoding) *sheet {
	s := &sheet{Writer: c.Writer(urlset.URLSet, extensions), newest: wp.NoTime}
	if encoding != nil {
		s.Encoding = *encoding
	}
	return s
}

// add writes addresses.
func (s *sheet) add(urls ...urlset.URL) error {
	for _, u := range urls {
		s.newest = max(s.newest, u.LastMod)
		if u.News != nil {
			s.newest = max(s.newest, u.News.Date)
		}
		err := s.AppendURL(u)
		if errors.Is(err, urlset.ErrFull) && len(u.Images) > 0 { // an address is worth more than its pictures
			s.bare++
			u.Images = nil
			err = s.AppendURL(u)
		}
		switch {
		case errors.Is(err, urlset.ErrRefused):
			s.refused++
		case err != nil:
			return fmt.Errorf("%w: lower page_size", err)
		}
	}
	return nil
}

// take writes the piece of an object as it was.
func (s *sheet) take(e Entry, piece []byte) error {
	s.taken++
	if len(piece) > 0 {
		s.newest = max(s.newest, e.LastMod())
	}
	return s.AppendEntries(piece, bytes.Count(piece, []byte("\t</url>\n")))
}

func (c *Catalog) renderPage(ctx context.Context, l *List, page int, earlier Earlier) (*Document, error) {
	on, ok := l.page(page)
	switch {
	case l.Withheld != nil && !ok: // it may exist
		return nil, l.Withheld
	case !ok:
		return nil, ErrNotFound
	}
	items := slices.Collect(on.Items())
	for i := range items {
		items[i].List = l
	}
	return c.renderItems(ctx, c.Filename(l.Name, page), l, items, earlier)
}

// renderItems writes a page of items: of one list (of) or, nil, of several. What changed of them is read with the queries of its lists.
func (c *Catalog) renderItems(ctx context.Context, filename string, of *List, items []Item, earlier Earlier) (*Document, error) {
	if of == nil {
		of = &List{Extensions: extensionsOf(items), Piecewise: true}
	}
	s := c.sheet(of.Extensions, of.Encoding)
	prints, pieces := c.prints(items, s.Extensions), earlier.pieces()
	missing := map[*List][]Entry{}
	for i := range items {
		if _, ok := pieces[prints[i]]; !ok && items[i].Link == nil {
			missing[items[i].List] = append(missing[items[i].List], items[i].Entry)
		}
	}
	made, unnamed, behind, err := renderLists(ctx, missing)
	if err != nil {
		return nil, err
	}
	s.pieces = &Pieces{prints: prints, ends: make([]uint32, len(items)), start: uint32(len(s.Bytes()))}
	for i := range items {
		it, before := &items[i], s.Entries()
		s.Hints = it.List.Hints
		switch piece, ok := pieces[prints[i]]; {
		case it.Link != nil:
			var front Rendered
			if front, err = it.List.linkURLs(ctx, it.Link); err == nil {
				behind = behind || front.Behind
				err = s.add(front.URLs...)
			}
		case ok:
			err = s.take(it.Entry, piece)
		default:
			own := made[it.List][it.Entry.ID]
			if i+1 < len(items) && items[i+1].same(it) { // listed twice
				own, made[it.List][it.Entry.ID] = own[:min(1, len(own))], own[min(1, len(own)):]
			}
			err = s.add(own...)
		}
		if err != nil {
			break
		}
		s.parts += max(s.Entries()-before-1, 0)
		s.pieces.ends[i] = uint32(len(s.Bytes()))
	}
	if err == nil {
		err = s.add(unnamed...)
	}
	if s.taken > 0 && (errors.Is(err, urlset.ErrFull) || s.parts > urlset.MaxEntries-c.Options.PageSize) { // it is for all to say who goes without
		return c.renderItems(ctx, filename, of, items, Earlier{})
	}
	if err != nil {
		return nil, err
	}
	doc := c.document(s, filename, behind)
	if c.Options.Keep && doc.LeftOut == 0 && !behind && of.Piecewise && len(unnamed) == 0 {
		doc.Pieces = s.pieces
	}
	return doc, nil
}

// prints returns the fingerprints of items, 0 of links, which are made of more than those would tell. An entry that is listed twice
// has two.
func (c *Catalog) prints(items []Item, extensions urlset.Extensions) []uint64 {
	prints := make([]uint64, len(items))
	for i := range items {
		switch it := &items[i]; {
		case it.Link != nil:
		case i > 0 && items[i-1].same(it):
			prints[i] = prints[i-1] + 1
		default:
			prints[i] = rows.Mix(entryPrint(it.List.stamp, it.Entry, c.touched), uint64(extensions))
		}
	}
	return prints
}

// renderLists renders entries of several lists. It returns the URLs by object; unnamed are the URLs of lists that are not Piecewise.
func renderLists(ctx context.Context, entries map[*List][]Entry) (
	made map[*List]map[int64][]urlset.URL, unnamed []urlset.URL, behind bool, err error,
) {
	made = map[*List]map[int64][]urlset.URL{}
	for l, entries := range entries {
		r, err := l.Render(ctx, entries)
		if err != nil {
			return nil, nil, false, err
		}
		behind = behind || r.Behind
		made[l] = make(map[int64][]urlset.URL, len(entries))
		if !l.Piecewise {
			unnamed = append(unnamed, r.URLs...)
			continue
		}
		for urls := r.URLs; len(urls) > 0; {
			n := 1
			for n < len(urls) && urls[n].Object == urls[0].Object {
				n++
			}
			made[l][urls[0].Object] = urls[:n]
			urls = urls[n:]
		}
	}
	return made, unnamed, behind, nil
}

// linkURLs renders a first link; a front page with content of its own brings its images.
func (l *List) linkURLs(ctx context.Context, f *FirstLink) (Rendered, error) {
	if f.PostID == 0 {
		return Rendered{URLs: []urlset.URL{{Loc: f.Loc, LastMod: f.LastMod, Hints: f.Hints, Alternates: f.Alternates}}}, nil
	}
	front, err := l.Render(ctx, []Entry{NewEntry(f.PostID, f.LastMod, seo.Listed)})
	for i := range front.URLs {
		front.URLs[i].Hints, front.URLs[i].Alternates = f.Hints, f.Alternates
	}
	return front, err
}

// extensionsOf returns what all lists of some items have.
func extensionsOf(items []Item) urlset.Extensions {
	extensions := urlset.Extensions(0)
	for i := range items {
		if e := items[i].List.Extensions; e != urlset.Bare {
			extensions |= cmp.Or(e, urlset.Images)
		}
	}
	return cmp.Or(extensions, urlset.Bare)
}

// document ends a page.
func (c *Catalog) document(s *sheet, filename string, behind bool) *Document {
	s.End()
	left := s.refused + s.bare + s.RefusedImages()
	if left > 0 {
		c.Options.Log.Warn("sitemap page is not complete", "home", c.Blog.Home(), "sitemap", filename,
			"invalid_urls", s.refused, "invalid_images", s.RefusedImages(), "urls_without_images_for_size", s.bare)
	}
	return &Document{Body: s.Bytes(), LastMod: toTime(known(s.newest)), Entries: s.Entries(), Parts: s.parts,
		LeftOut: left, Behind: behind, Taken: s.taken}
}
