package admin

import (
	"bytes"
	"encoding/json"
	"errors"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp"
)

// Explained is the explanation of a URL, with the site that the URL belongs to. The command explain --json prints it.
type Explained struct {
	Site string `json:"site"` // its name in the configuration
	Blog int64  `json:"blog"` // the id of the blog; 1 for a single site, 0 if the blog is gone
	Home string `json:"home,omitempty"`

	Versions []wp.Installed `json:"versions,omitempty"` // of WordPress and the SEO plugins
	*explain.Explanation
}

// ErrNoSite means that no site has the host of an address.
var ErrNoSite = errors.New("no site of the configuration has this host")

// ErrNotRead means that the site of an address was not read yet, so that nothing is known.
var ErrNotRead = errors.New("the site has not been read yet: wait a moment. If this stays, run wpsitemapd check")

// Listing returns whether the URL is listed, as one of the words in, out and unknown.
func (x *Explained) Listing() string {
	switch {
	case x.In:
		return "in"
	case x.Unknown:
		return "unknown"
	}
	return "out"
}

// MarshalJSON writes the key "in" as null if x.Unknown is set.
func (x Explained) MarshalJSON() ([]byte, error) {
	type plain Explained // without this method
	var value any = plain(x)
	if x.Explanation != nil && x.Unknown {
		value = struct {
			plain
			In *bool `json:"in"`
		}{plain: plain(x)}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read the addresses; a program that embeds them must escape them
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// UnmarshalJSON reads what MarshalJSON writes: if the key "in" is null or missing, it sets x.Unknown.
func (x *Explained) UnmarshalJSON(text []byte) error {
	type plain Explained
	var known struct {
		In *bool `json:"in"`
	}
	err := errors.Join(json.Unmarshal(text, (*plain)(x)), json.Unmarshal(text, &known))
	if x.Explanation != nil {
		x.Unknown = known.In == nil
	}
	return err
}
