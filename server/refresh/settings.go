package refresh

import (
	"context"
	"slices"

	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/writes"
)

// settingsChanged reads the settings of the blogs whose settings tables were written. It reports whether a setting that
// matters has changed or cannot be read.
func (r *Refresher) settingsChanged(ctx context.Context, written *writes.Set) bool {
	release, ok := r.daemon.Slots.Acquire(ctx, r.site.DatabaseServer(), nil)
	if !ok {
		return false
	}
	defer release()
	var walk *wp.Walk
	err := r.session.limited(ctx, func(ctx context.Context) (err error) {
		walk, err = r.session.network().Walk(ctx, r.list.walk)
		return err
	})
	now := r.site.Snapshot()
	if err != nil || r.session.optionsChanged(ctx) || !slices.Equal(walk.Gone, now.Gone) {
		return true
	}
	known := 0
	for _, row := range walk.Live {
		before := now.Of(row.ID)
		if len(before) == 0 || !before[0].Stands(row) || !before[0].Known() && !walk.Multisite() {
			return true
		}
		known += len(before)
		if !before[0].Resident() || !concerns(written, before[0], blogSettings()) {
			continue
		}
		var blogs []*site.Blog
		err := r.session.limited(ctx, func(ctx context.Context) (err error) {
			blogs, err = r.site.ReadBlog(ctx, walk, row)
			return err
		})
		same := func(b, before *site.Blog) bool {
			return b.Key() == before.Key() && b.Fingerprint == before.Fingerprint
		}
		if err != nil || !slices.EqualFunc(blogs, before, same) {
			return true
		}
	}
	return known != len(now.Blogs)
}
