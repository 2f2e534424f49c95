package catalog

import (
	"bytes"
	"errors"

	"wpsitemapd/sitemap/urlset"
)

// An edit changes one of the thousand objects on a page. The piece of the page that is an object's has a fingerprint, as the
// page has: where it is the same as before, the bytes are taken over, and nothing of the object is read again.

// Pieces say where in the body of a page its objects are, and have the fingerprint of each.
type Pieces struct {
	prints []uint64 // of the objects, in the order of the page
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

// takes returns the pieces of an earlier page by their numbers.
func (e Earlier) takes() map[uint64][]byte {
	if e.Pieces == nil {
		return nil
	}
	body, from := e.Body(), e.Pieces.start
	taken := make(map[uint64][]byte, len(e.Pieces.prints))
	for i, print := range e.Pieces.prints {
		taken[print] = body[from:e.Pieces.ends[i]]
		from = e.Pieces.ends[i]
	}
	return taken
}

// sheet is a page that is being written.
type sheet struct {
	*urlset.Writer
	newest        int64
	refused, bare int // addresses left out, and those without their images
	taken         int // objects
	parts         int // addresses of objects behind the first of each
	pieces        *Pieces
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
			return err
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

// objects writes the objects of a list in their order: those that are taken over, and the URLs of the others. It returns the URLs
// that name no object, as those of lists that are not piecewise.
func (s *sheet) objects(objects []Entry, prints []uint64, taken map[uint64][]byte, rendered []urlset.URL) ([]urlset.URL, error) {
	s.pieces = &Pieces{prints: prints, ends: make([]uint32, len(objects)), start: uint32(len(s.Bytes()))}
	for i, e := range objects {
		before := s.Entries()
		if piece, ok := taken[prints[i]]; ok {
			if err := s.take(e, piece); err != nil {
				return nil, err
			}
		}
		own := 0
		for own < len(rendered) && rendered[own].Object == e.ID {
			own++
			if i+1 < len(objects) && objects[i+1].ID == e.ID { // listed twice
				break
			}
		}
		if err := s.add(rendered[:own]...); err != nil {
			return nil, err
		}
		rendered = rendered[own:]
		s.parts += max(s.Entries()-before-1, 0)
		s.pieces.ends[i] = uint32(len(s.Bytes()))
	}
	return rendered, nil
}

// prints returns the fingerprints of objects. One that is listed twice has two.
func (c *Catalog) prints(l *List, objects []Entry) []uint64 {
	prints := make([]uint64, len(objects))
	for i, e := range objects {
		prints[i] = entryPrint(l.stamp, e, c.touched)
		if i > 0 && objects[i-1].ID == e.ID {
			prints[i] = prints[i-1] + 1
		}
	}
	return prints
}
