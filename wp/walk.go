package wp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// Walk is the list of the blogs of a network, each of which is then read by itself. A single site counts as one blog.
type Walk struct {
	// Live are the blogs that visitors can see, the main one first. Gone are all other blogs.
	Live, Gone []BlogRow

	network *Network
	sum     string            // checksum of the rows, read before the rows; "" if no checksum was read
	robots  map[int64][]int64 // by network: the blogs whose sitemaps a robots.txt may have to name

	mustUse     []string         // known plugins in the folder of must-use plugins
	mustUseRead bool             // the folder could be read
	looks       map[string]*look // looks for updates that were read, by option
	core        Installed        // WordPress by its files
}

// Multisite reports whether the list is of a multisite network and not of a single site.
func (w *Walk) Multisite() bool { return w.network.multisite }

const (
	// sqlBlogsSum computes a checksum of what sqlBlogs reads.
	sqlBlogsSum = `SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CRC32(CONCAT_WS(' ', blog_id, site_id, domain, path, public, archived, spam, deleted))), 0))
FROM wp_blogs`
	manyBlogs = 1000 // from this number on, the checksum is read before the rows
)

// Walk reads the list of the blogs. before is an earlier list or nil. If the rows of a large network have not changed
// since, Walk returns before.
func (n *Network) Walk(ctx context.Context, before *Walk) (*Walk, error) {
	w := &Walk{network: n, looks: map[string]*look{}, core: n.readCore()}
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
			before.mustUse, before.mustUseRead, before.looks, before.core = w.mustUse, w.mustUseRead, w.looks, w.core
			return before, nil
		}
	}
	rows, err := n.blogs(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range rows {
		if b.live() {
			w.Live = append(w.Live, b)
		} else {
			w.Gone = append(w.Gone, b)
		}
	}
	if n.subdirectories() {
		w.robots = publicBlogs(w.Live)
	}
	if main := slices.IndexFunc(w.Live, func(b BlogRow) bool { return b.ID == n.shared.mainBlog }); main > 0 {
		b := w.Live[main]
		w.Live = slices.Insert(slices.Delete(w.Live, main, main+1), 0, b)
	}
	return w, nil
}

// Read reads one blog. It also returns the evidence from which the types of the blog were decided. The blog has the default language,
// see PerLanguage.
func (w *Walk) Read(ctx context.Context, b BlogRow) (*Blog, *registry.Evidence, error) {
	r := newReading(w, b)
	if err := r.read(ctx); err != nil {
		return nil, nil, err
	}
	if r.blog.any(func(d Decoded) bool { return d.NamesNetwork }) {
		r.blog.robotsBlogs = w.robots[b.Network]
	}
	return r.blog, &r.evidence, nil
}

// Address returns the home and the hosts of a blog, as the table blogs has them. The settings of the blog need not be read.
func (w *Walk) Address(b BlogRow) (home string, hosts []string) {
	scheme := "https"
	if strings.HasPrefix(w.network.shared.meta["siteurl"], "http:") {
		scheme = "http"
	}
	home = fmt.Sprintf("%s://%s/%s", scheme, strings.ToLower(b.Domain), strings.Trim(b.Path, "/"))
	return strings.TrimRight(home, "/"), []string{strings.ToLower(b.Domain)}
}

// maxRobotsBlogs is how many public blogs of a network the robots.txt of its host may name. get_sites() returns no more
// by default, and a robots.txt must stay small.
const maxRobotsBlogs = 100

// publicBlogs returns the ids of the first public blogs of each network, in the given order.
func publicBlogs(blogs []BlogRow) map[int64][]int64 {
	public := map[int64][]int64{}
	for _, b := range blogs {
		if b.Public == 1 && len(public[b.Network]) < maxRobotsBlogs {
			public[b.Network] = append(public[b.Network], b.ID)
		}
	}
	return public
}
