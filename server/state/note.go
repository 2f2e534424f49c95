package state

import (
	"encoding/json"
)

// Note names what is kept of a site, or of one of its blogs, beside its copies: who fetched
// them, what was announced. It stays as long as the site or the blog does.
type Note struct {
	Site string
	Blog string // "": of the site as a whole
	Name string // letters
}

const (
	kindNote   = "note"
	noteSuffix = ".note"
)

// noteHead is what stands in the head of a note's file.
type noteHead struct {
	Note
	Value json.RawMessage
}

func (n Note) dir() string {
	if n.Blog == "" {
		return siteDir(n.Site)
	}
	return blogDir(n.Site, n.Blog)
}

// SaveNote has a note written, of a value in JSON and a body. It tells whether it will be: not
// when the queue is full, and then it may be saved again. Value and body must not change.
func (s *Store) SaveNote(n Note, value any, body []byte) bool {
	return s.enqueue(noteJob(n, value, body))
}

// Note reads a note into value, and returns its body. It is false where there is none, or none
// that is whole.
func (s *Store) Note(n Note, value any) (body []byte, ok bool) { return readNote(s.read, n, value) }
