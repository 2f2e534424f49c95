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
	return s.enqueue(&job{
		dir: n.dir(), name: safe(n.Name) + noteSuffix, size: int64(len(body)) + 4096,
		encode: func() ([]byte, error) {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			return encode(kindNote, noteHead{n, text}, body)
		},
	})
}

// Note reads a note into value, and returns its body. It is false where there is none, or none
// that is whole.
func (s *Store) Note(n Note, value any) (body []byte, ok bool) {
	ok = s.read(n.dir(), safe(n.Name)+noteSuffix, func(data []byte) (err error) {
		var head noteHead
		if body, err = decode(data, kindNote, &head); err != nil {
			return err
		}
		if head.Note != n {
			return damaged("it is another note")
		}
		if err := json.Unmarshal(head.Value, value); err != nil {
			return damaged("value: %v", err)
		}
		return nil
	})
	if !ok {
		return nil, false
	}
	return body, true
}
