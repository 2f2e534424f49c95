package store

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
	NoteSuffix = ".note"
)

// noteHead is the head of a note's file.
type noteHead struct {
	Note
	Value json.RawMessage
}

func (n Note) dir() string {
	if n.Blog == "" {
		return SiteDir(n.Site)
	}
	return BlogDir(n.Site, n.Blog)
}
