package route

import (
	"slices"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/weburl"
)

// A Mount is a place on a host where a blog is. It stays the same when the blog is read again.
type Mount struct {
	Site    *site.Site
	Path    string   // Path is the path of home, without slashes at its ends.
	Key     string   // Key identifies the blog, see site.Snapshot.Blog. It is "" if the blog is not known or gone.
	Gone    bool     // Gone means that the blog is archived, deleted or spam. WordPress answers 410.
	Contest *Contest // Contest is set, and Site is nil, while it is not known which site has the place.
	Unnamed bool     // Unnamed means that no site has the host, and that Site is the only site of the daemon.
	Moved   bool     // Moved means that no site has the host, but Site has it with or without www. The home of the blog has another host.
}

// A Contest lists the sites that claim a place while it is not known which one has it.
type Contest struct {
	Sites []*site.Site
	Await []*site.Site // Await are sites that may claim the place too, and were not tried yet.
}

// A HostedMount is a mount with its hosts.
type HostedMount struct {
	Mount
	Hosts   []string
	Network bool // Network means that the blog is one of a network.
	// Home is the host of home if the configuration names only other hosts. It is served too, unless another site has it.
	Home string
}

// MountsOf returns the mounts of a site. Before the database was read, the configuration alone says where they are.
func MountsOf(of *site.Site) []HostedMount {
	known := of.Snapshot()
	var configured []string
	for _, h := range of.Config.HostNames() {
		configured = append(configured, string(h))
	}
	if !known.Known() {
		if len(configured) == 0 {
			return nil
		}
		return []HostedMount{{Mount: Mount{Site: of, Path: of.Config.Home.Path()}, Hosts: configured}}
	}
	var all []HostedMount
	shared := true // all blogs have the same hosts, and only the path tells them apart
	for _, b := range known.Blogs {
		m := HostedMount{Mount: Mount{Site: of, Path: b.Address.Path, Key: b.Key()}, Network: b.Network}
		for _, h := range b.Hosts {
			m.Hosts = append(m.Hosts, weburl.Host(h))
		}
		all = append(all, m)
		shared = shared && slices.Equal(m.Hosts, all[0].Hosts)
	}
	for i := range all {
		switch {
		case of.Config.Hosts == nil:
		case shared:
			all[i].Hosts = configured
			if host, _ := weburl.Split(known.Blogs[i].Home); !slices.Contains(configured, host) {
				all[i].Home = host
			}
		default: // a network on several hosts: only the configured ones
			all[i].Hosts = slices.DeleteFunc(all[i].Hosts, func(h string) bool { return !slices.Contains(configured, h) })
		}
	}
	for _, g := range known.Gone {
		hosts := []string{weburl.Host(g.Domain)}
		if of.Config.Hosts != nil && shared {
			hosts = configured
		}
		all = append(all, HostedMount{Mount: Mount{Site: of, Path: strings.Trim(g.Path, "/"), Gone: true}, Hosts: hosts})
	}
	return all
}
