package owner

import (
	"context"
	"log/slog"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"
)

// ReadBlog is a blog as its database has it.
type ReadBlog struct {
	Home  string
	Hosts []string
}

// Clashes reports, for every site that shares an address with another one, what a daemon would make of it, by what
// was read of their blogs. It reads the folder state and changes nothing there.
func Clashes(ctx context.Context, c *config.Config, read map[string][]ReadBlog) map[string]string {
	log := slog.New(slog.DiscardHandler)
	o := New(log)
	var sites []*site.Site
	for i, install := range c.Sites {
		s := site.New(install, log)
		s.Rank = uint64(i)
		now := &site.Snapshot{Opened: read[install.Name] != nil}
		for _, b := range read[install.Name] {
			now.Blogs = append(now.Blogs, site.Unread(site.Settings{Home: b.Home, Hosts: b.Hosts}, nil))
		}
		s.Publish(now)
		s.SetFiles(site.ReadFiles(ctx, &install))
		sites = append(sites, s)
	}
	if c.State != "" && stores.Holds(c.State) {
		kept, err := stores.Open(c.State, store.Options{Log: log})
		if err == nil && kept.Open() == nil {
			o.Recall(sites, kept)
		}
	}
	o.Table(sites, time.Now())
	clashes := map[string]string{}
	for _, s := range sites {
		if text, n, _ := o.Summary(s.Config.Name); n > 0 {
			clashes[s.Config.Name] = text
		}
	}
	return clashes
}
