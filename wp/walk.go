package wp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sites returns the site, or the live blogs of a network, each with its settings and registered types as they are now.
// A blog that cannot be read is left out and its error returned beside the others, joined.
func (n *Network) Sites(ctx context.Context) ([]*Site, error) {
	w, err := n.Walk(ctx, nil)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, b := range w.Live {
		if _, err := w.Read(ctx, b); err != nil {
			failed = append(failed, err)
		}
	}
	return w.End(), errors.Join(failed...)
}

// Walk is one reading of the settings of all blogs of a network, one after the other; a single site counts as one with
// one blog.
type Walk struct {
	// Live are the blogs visitors can see, the main one first, and Gone the others.
	Live, Gone []Blog

	network  *Network
	mappings map[int64]*mapping
	notice   string
	read     map[int64][]*Site
}

// Multisite reports whether the network is one, and no single site.
func (n *Network) Multisite() bool { return n.multisite }

// Walk begins a reading of a network. What was read in before, which may be nil, is kept of blogs whose rows have not
// changed, so that an interrupted reading goes on where it stopped.
func (n *Network) Walk(ctx context.Context, before *Walk) (*Walk, error) {
	w := &Walk{network: n, read: map[int64][]*Site{}}
	if !n.multisite {
		w.Live = []Blog{{ID: 1}}
		return w, nil
	}
	rows, err := n.Blogs(ctx)
	if err != nil {
		return nil, err
	}
	if w.mappings, w.notice, err = n.readMappings(ctx); err != nil {
		return nil, err
	}
	for _, b := range rows {
		if !b.Live() {
			w.Gone = append(w.Gone, b)
			continue
		}
		w.Live = append(w.Live, b)
		if before == nil {
			continue
		}
		if sites := before.read[b.ID]; len(sites) > 0 && sites[0].blog == b {
			w.read[b.ID] = sites
		}
	}
	if main := slices.IndexFunc(w.Live, func(b Blog) bool { return b.ID == n.mainBlog }); main > 0 {
		b := w.Live[main]
		w.Live = slices.Insert(slices.Delete(w.Live, main, main+1), 0, b)
	}
	return w, nil
}

// Done reports whether a blog is read.
func (w *Walk) Done(b Blog) bool { return w.read[b.ID] != nil }

// Read reads the settings of one blog.
func (w *Walk) Read(ctx context.Context, b Blog) ([]*Site, error) {
	s, err := w.network.site(ctx, b, w.mappings[b.ID])
	if err != nil {
		return nil, err
	}
	if w.notice != "" {
		s.warn(w.notice)
		w.notice = ""
	}
	sites := s.perLanguage()
	w.read[b.ID] = sites
	return sites, nil
}

// Forget has a blog read anew.
func (w *Walk) Forget(id int64) { delete(w.read, id) }

// End gives the sites what depends on the others, see Site.RobotsSites, and returns them in the order of their ids.
func (w *Walk) End() []*Site {
	var sites []*Site
	for _, b := range w.Live {
		sites = append(sites, w.read[b.ID]...)
	}
	slices.SortStableFunc(sites, func(a, b *Site) int { return cmp.Compare(a.blogID, b.blogID) })
	if w.network.subdirectories() {
		addNetworkRobots(sites)
	}
	return sites
}

// Address is the address of a blog by the network's table, before its settings are read: its home, and the hosts it
// answers.
func (w *Walk) Address(b Blog) (home string, hosts []string) {
	home = fmt.Sprintf("https://%s/%s", strings.ToLower(b.Domain), strings.Trim(b.Path, "/"))
	hosts = []string{strings.ToLower(b.Domain)}
	if m := w.mappings[b.ID]; m != nil {
		hosts = append(hosts, m.domains...)
	}
	return strings.TrimRight(home, "/"), hosts
}
