package wp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
)

// ReadBlogs returns the site, or the live blogs of a network, each with its settings and registered types as they are now.
// A blog that cannot be read is left out and its error returned beside the others, joined.
func (n *Network) ReadBlogs(ctx context.Context, progress ...func(done, total int)) ([]*Blog, error) {
	w, err := n.Walk(ctx, nil)
	if err != nil {
		return nil, err
	}
	var blogs []*Blog
	var failed []error
	for i, b := range w.Live {
		for _, show := range progress {
			show(i, len(w.Live))
		}
		of, err := w.Read(ctx, b)
		blogs, failed = append(blogs, of...), append(failed, err)
	}
	slices.SortStableFunc(blogs, func(a, b *Blog) int { return cmp.Compare(a.row.ID, b.row.ID) })
	return blogs, errors.Join(failed...)
}

// Walk is the list of the blogs of a network, of which each is read by itself; a single site counts as one with one blog.
type Walk struct {
	// Live are the blogs visitors can see, the main one first, and Gone the others.
	Live, Gone []BlogRow

	network *Network
	sum     string            // of the rows, as they were before they were read; "": it was not asked for
	robots  map[int64][]int64 // by network: the blogs whose sitemaps a robots.txt may have to name

	mustUse     []string         // known plugins in the folder of must-use plugins
	mustUseRead bool             // it could be read
	looks       map[string]*look // for updates, by option, as far as they were read
}

// Multisite reports whether the network is one, and no single site.
func (n *Network) Multisite() bool { return n.multisite }

const (
	// sqlBlogsSum sums up what sqlBlogs reads.
	sqlBlogsSum = `SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CRC32(CONCAT_WS(' ', blog_id, site_id, domain, path, public, archived, spam, deleted))), 0))
FROM wp_blogs`
	manyBlogs = 1000 // from so many on it is cheaper to ask for their sum first
)

// Walk reads the list of the blogs. Of a large network it returns before, an earlier list or nil, where its rows are the same.
func (n *Network) Walk(ctx context.Context, before *Walk) (*Walk, error) {
	w := &Walk{network: n, looks: map[string]*look{}}
	w.mustUse, w.mustUseRead = n.readMustUse()
	if !n.multisite {
		w.Live = []BlogRow{{ID: 1}}
		return w, nil
	}
	if before != nil && before.network == n && len(before.Live)+len(before.Gone) >= manyBlogs && !n.db.SQLite {
		if err := n.query(ctx, sqlBlogsSum, nil, db.Rows1(func(sum string) { w.sum = sum })); err != nil {
			return nil, fmt.Errorf("site %s: reading %sblogs: %w", n.source.Name, n.base, err)
		}
		if w.sum == before.sum {
			before.mustUse, before.mustUseRead, before.looks = w.mustUse, w.mustUseRead, w.looks
			return before, nil
		}
	}
	rows, err := n.Blogs(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range rows {
		if b.Live() {
			w.Live = append(w.Live, b)
		} else {
			w.Gone = append(w.Gone, b)
		}
	}
	if n.subdirectories() {
		w.robots = publicBlogs(w.Live)
	}
	if main := slices.IndexFunc(w.Live, func(b BlogRow) bool { return b.ID == n.mainBlog }); main > 0 {
		b := w.Live[main]
		w.Live = slices.Insert(slices.Delete(w.Live, main, main+1), 0, b)
	}
	return w, nil
}

// Read reads the settings of one blog.
func (w *Walk) Read(ctx context.Context, b BlogRow) ([]*Blog, error) {
	s, err := w.readBlog(ctx, b)
	if err != nil {
		return nil, err
	}
	if s.any(func(d Decoded) bool { return d.NamesNetwork }) {
		s.robotsBlogs = w.robots[b.Network]
	}
	return s.perLanguage(), nil
}

// Address is the address of a blog by the network's table, before its settings are read: its home, and the hosts it
// answers.
func (w *Walk) Address(b BlogRow) (home string, hosts []string) {
	scheme := "https"
	if strings.HasPrefix(w.network.meta["siteurl"], "http:") {
		scheme = "http"
	}
	home = fmt.Sprintf("%s://%s/%s", scheme, strings.ToLower(b.Domain), strings.Trim(b.Path, "/"))
	return strings.TrimRight(home, "/"), []string{strings.ToLower(b.Domain)}
}
