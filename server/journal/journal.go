// Package journal remembers which URLs came to the sitemaps of each blog, went from them, or changed. It compares each catalog
// of a blog with the catalog before. The first catalog after a start is compared with none, so what happened while the process
// did not run is missing. Start reading at Journal.Keep.
package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
)

const (
	// Days is how many days a change is kept.
	Days = 30
	// most is how many changes of a blog are kept, the newest. Packed, they take some 20 kB.
	most = 1000
	// mostAtOnce is how many URLs one comparison names of each kind: URLs that came, URLs that went, and URLs that changed.
	mostAtOnce = 200

	every          = 5 * time.Second // between two looks at the catalogs
	rest           = time.Minute     // between two comparisons of a blog, so that an edit that never ends costs little
	compareTimeout = 20 * time.Second
	maxUnpacked    = 4 << 20 // bytes
	began          = "The recording of changes began."
)

// A Journal contains the changes of all blogs. It is safe for concurrent use. The zero Journal is empty.
type Journal struct {
	mu    sync.Mutex
	kept  *store.Store // nil: none
	blogs map[store.Note]*blog
}

// blog is what the journal knows of a blog.
type blog struct {
	known  *sitemap.Catalog // the last compared catalog; nil: none since the start, or the blog was idle
	seen   uint64           // the generation of known
	due    time.Time        // the earliest time of the next comparison
	packed []byte           // the changes, see pack
	saved  bool             // the store has them
}

// Keep follows the catalogs of all sites until ctx ends, and saves their changes in the store kept, which may be nil.
// now is the clock for waiting.
func (j *Journal) Keep(ctx context.Context, sites func() []*site.Site, slots site.Slots, kept *store.Store, now func() time.Time) {
	j.mu.Lock()
	j.kept = kept
	j.mu.Unlock()
	beat := time.NewTicker(every)
	defer beat.Stop()
	for ctx.Err() == nil {
		j.look(ctx, sites(), slots, now())
		select {
		case <-ctx.Done():
		case <-beat.C:
		}
	}
}

// look compares each catalog that is new since the last look. It forgets blogs that are gone.
func (j *Journal) look(ctx context.Context, sites []*site.Site, slots site.Slots, now time.Time) {
	found := map[store.Note]bool{}
	for _, s := range sites {
		for _, b := range s.Snapshot().Blogs {
			n := noteOf(s.Config.Name, b)
			found[n] = true
			j.follow(ctx, n, s, b, slots, now)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for n := range j.blogs {
		if !found[n] {
			delete(j.blogs, n)
		}
	}
}

func noteOf(site string, b *site.Blog) store.Note {
	return store.Note{Site: site, Blog: b.Key(), Name: "changes"}
}

// follow compares the catalog of a blog with the last one. It skips a held loss, because the sitemaps do not show it.
func (j *Journal) follow(ctx context.Context, n store.Note, s *site.Site, b *site.Blog, slots site.Slots, now time.Time) {
	f := j.of(n)
	switch first := f.known == nil; {
	case b.Catalog == nil: // the blog of a network that nobody asks for
		f.known = nil
		j.release(n, f)
	case b.HeldBy != "" || ctx.Err() != nil:
	case first, f.seen == b.Generation:
		f.known, f.seen = b.Catalog, b.Generation
		if first && f.packed == nil {
			j.add(n, f, []catalog.Change{{At: b.Built, What: "note", Note: began}})
		}
	case !now.Before(f.due):
		f.due = now.Add(rest)
		changes, err := compare(ctx, s, b, f.known, slots)
		if err != nil {
			s.Log.Debug("the changes of the sitemaps are not known yet", "blog", b.ID, "reason", err)
			return
		}
		f.known, f.seen = b.Catalog, b.Generation
		if len(changes) > 0 {
			j.add(n, f, changes)
		}
	}
}

// compare returns the changes of a blog since an earlier catalog.
func compare(ctx context.Context, s *site.Site, b *site.Blog, known *sitemap.Catalog, slots site.Slots) (changes []catalog.Change, err error) {
	ctx, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	done, ok := slots.Acquire(ctx, s.DatabaseServer(), nil)
	if !ok {
		return nil, ctx.Err()
	}
	defer done()
	err = s.Guard(func() error {
		changes, err = b.Catalog.Changes(ctx, known.Catalog, b.Built, mostAtOnce)
		return err
	})
	return changes, err
}

// of returns what the journal knows of a blog, from this process or from the store.
func (j *Journal) of(n store.Note) *blog {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.blogs[n]
	if f == nil {
		f = new(blog)
		f.saved = j.kept != nil && j.kept.Note(n, &f.packed)
		if j.blogs == nil {
			j.blogs = map[store.Note]*blog{}
		}
		j.blogs[n] = f
	}
	return f
}

// release forgets an idle blog if the store has its changes.
func (j *Journal) release(n store.Note, f *blog) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if f.saved || f.packed == nil {
		delete(j.blogs, n)
	}
}

// add merges changes into the journal of a blog, and saves that journal.
func (j *Journal) add(n store.Note, f *blog, changes []catalog.Change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f.packed = pack(merge(unpack(f.packed), changes))
	f.saved = j.kept != nil && j.kept.SaveNote(n, f.packed)
}

// Of returns the changes of a blog, the newest first.
func (j *Journal) Of(site string, b *site.Blog) []catalog.Change {
	n := noteOf(site, b)
	j.mu.Lock()
	defer j.mu.Unlock()
	var packed []byte
	if f := j.blogs[n]; f != nil {
		packed = f.packed
	} else if j.kept != nil {
		j.kept.Note(n, &packed)
	}
	changes := unpack(packed)
	slices.Reverse(changes)
	return changes
}

// merge adds newer changes to older ones, within the bounds Days and most. If a URL changes again, its older change is
// removed, because the home page and the archives change with every edit. A newer entry of a deleted object has no URL:
// it gets the URL of the object's older entry if there is one.
func merge(older, newer []catalog.Change) []catalog.Change {
	of := func(c *catalog.Change) string { return c.Sitemap + "\n" + cmp.Or(c.Object, c.URL) }
	urls := map[string]string{}
	for i := range older {
		urls[of(&older[i])] = older[i].URL
	}
	again := map[string]bool{}
	var last time.Time
	for i := range newer {
		c := &newer[i]
		if c.URL == "" {
			c.URL = urls[of(c)]
		}
		again[of(c)] = c.What == "changed"
		last = c.At
	}
	older = slices.DeleteFunc(older, func(c catalog.Change) bool {
		return last.Sub(c.At) > Days*24*time.Hour || c.What == "changed" && again[of(&c)]
	})
	all := append(older, newer...)
	return all[max(0, len(all)-most):]
}

// pack returns changes as compressed JSON, because the journals of hundreds of sites are in memory.
func pack(changes []catalog.Change) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if errors.Join(json.NewEncoder(w).Encode(changes), w.Close()) != nil {
		return nil // this type always encodes, and a buffer takes everything
	}
	return bytes.Clone(b.Bytes())
}

// unpack returns the changes that pack has packed. It returns nil if they are damaged.
func unpack(packed []byte) (changes []catalog.Change) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil && json.NewDecoder(io.LimitReader(r, maxUnpacked)).Decode(&changes) == nil {
		return changes
	}
	return nil
}
