package catalog

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"wpsitemapd/sitemap/seo"
)

// A Change is a URL that came to a sitemap, went from it, or got another date.
type Change struct {
	At      time.Time `json:"at"`
	What    string    `json:"what"`              // "came", "went", "changed", or "note" for a Note without a URL
	Sitemap string    `json:"sitemap,omitempty"` // name of the sitemap
	Object  string    `json:"object,omitempty"`  // such as "page 12"; "" if the URL belongs to no post, term or user
	URL     string    `json:"url,omitempty"`     // "" if the object was deleted, so that nobody knows its URL
	Note    string    `json:"note,omitempty"`    // a sentence for people; set only if What is "note"
}

// Changes compares the catalog with known, an earlier catalog. at is the time of the catalog. Changes names at most limit
// URLs that came, limit that went and limit that changed; a note counts the rest. News and videos do not count, because
// they repeat URLs of other sitemaps. If another plugin makes the sitemaps now, or if the permalinks have changed, the
// result is one note that says so.
func (c *Catalog) Changes(ctx context.Context, known *Catalog, at time.Time, limit int) ([]Change, error) {
	switch {
	case c.plugin != known.plugin:
		return []Change{{At: at, What: "note", Note: "The sitemaps are now those of " + c.plugin + ", no longer those of " + known.plugin + "."}}, nil
	case c.moved(known):
		return []Change{{At: at, What: "note", Note: "All URLs have changed, because the permalink settings have changed."}}, nil
	}
	came, changed, went := c.differences(known)
	var all []Change
	for _, of := range []struct {
		what    string
		entries []Entry
	}{{"went", went}, {"came", came}, {"changed", changed}} {
		newestFirst(of.entries)
		named := of.entries[:min(len(of.entries), limit)]
		locs, err := c.nowAt(ctx, named)
		if err != nil {
			return nil, err
		}
		for i, e := range named {
			change := Change{At: at, What: of.what, Sitemap: e.List.Name, URL: locs[i]}
			if id, ok := e.Object(); ok {
				change.Object = cmp.Or(e.List.Of, e.List.Name) + " " + strconv.FormatInt(id, 10)
			}
			all = append(all, change)
		}
		if more := len(of.entries) - limit; more > 0 {
			all = append(all, Change{At: at, What: "note", Note: fmt.Sprintf("And %d more %s.", more, of.what)})
		}
	}
	return all, nil
}

// nowAt returns the current addresses of entries, in their order. The entries may come from an earlier catalog. A post that is
// no longer published gets its former address, and an object that no longer exists gets "".
func (c *Catalog) nowAt(ctx context.Context, entries []Entry) ([]string, error) {
	current, posts := make([]Entry, len(entries)), []Entry(nil)
	for i, e := range entries {
		if now := c.List(e.List.Name); now != nil && now.Withheld == nil {
			e.List = now
		}
		if current[i] = e; e.List.Kind == seo.KindPost {
			posts = append(posts, e)
		}
	}
	found, err := addresses(ctx, current)
	if err != nil {
		return nil, fmt.Errorf("locating what has changed: %w", err)
	}
	former, err := c.formerLinks(ctx, posts)
	if err != nil {
		return nil, err
	}
	had := map[int64]string{}
	for _, f := range former {
		had[f.ID] = f.Link
	}
	locs := make([]string, len(entries))
	for i, e := range current {
		id, object := e.Object()
		switch {
		case len(found[i]) > 0:
			locs[i] = found[i][0]
		case object && e.List.Kind == seo.KindPost:
			locs[i] = had[id]
		}
	}
	return locs, nil
}
