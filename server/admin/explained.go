package admin

import (
	"bytes"
	"encoding/json"
	"errors"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp"
)

// Explained is the explanation of a URL, with the site it belongs to. Its JSON is that
// of wpsitemapd explain --json.
type Explained struct {
	Site string `json:"site"` // by its name in the configuration
	Blog int64  `json:"blog"` // of a network; 1 for a single site, 0 for one that is gone
	Home string `json:"home,omitempty"`

	Versions []wp.Installed `json:"versions,omitempty"` // of WordPress and of SEO plugins
	*explain.Explanation
}

// ErrNoSite says that no site of the configuration has the host of an address.
var ErrNoSite = errors.New("no site of the configuration has this host")

// ErrNotRead says that the site of an address has not been read yet, so that nothing is known.
var ErrNotRead = errors.New("the site has not been read yet")

// MarshalJSON writes what nobody knows as null, since neither true nor false is right.
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
	e.SetEscapeHTML(false) // addresses are to be read; who embeds it escapes it
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// UnmarshalJSON is the reverse of MarshalJSON.
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
