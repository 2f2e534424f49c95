package config

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/weburl"
)

// The people of an install choose names of folders, so that a-b/c and a/b-c are called the same. A name leads to settings
// ([discover.site.NAME]), to an upstream and to a database ({name}), and so to a host: the install that had it keeps it.

// holder is the install that has a name.
type holder struct{ file, top string }

// mostNames bounds the names that are remembered of installs that are missing.
const mostNames = 2 * maxFound

// nameKey is a name as names are compared: two that make one host name are one.
func nameKey(name string) string {
	if ascii, err := weburl.ASCII(name); err == nil {
		name = ascii
	}
	return strings.ToLower(name)
}

// nameFound gives every install that was found a name of its own, and drops those that another section has.
func (c *Config) nameFound(sections []*discovery) {
	files, own := map[string]bool{}, map[string]bool{}
	for _, s := range c.Sites {
		files[s.WPConfig], own[nameKey(s.Name)] = true, true
	}
	called := map[string][]*Found{}
	for _, d := range sections {
		d.installs = slices.DeleteFunc(d.installs, func(f Found) bool {
			seen := files[f.File]
			files[f.File] = true
			return seen
		})
		for i := range d.installs {
			f := &d.installs[i]
			f.plain = f.PlainName()
			called[nameKey(f.plain)] = append(called[nameKey(f.plain)], f)
		}
	}
	if len(c.names) > mostNames {
		maps.DeleteFunc(c.names, func(name string, _ holder) bool { return called[name] == nil })
	}
	if c.names == nil {
		c.names = map[string]holder{}
	}
	kept := &keptNames{config: c}
	defer kept.close()
	for name, all := range called {
		var keeps *Found
		if !own[name] {
			keeps = c.keeper(name, all, kept)
		}
		for _, f := range all {
			if f.Name = f.plain; f != keeps {
				f.Name = numbered(f.plain, f.File)
			}
		}
		if keeps != nil {
			c.names[name] = holder{keeps.File, keeps.Top}
		}
	}
}

// keeper returns which of some installs has the name that all of them would be called: the one that had it, or one of the same
// customer if that is gone, or the only one. It returns nil if nothing tells: then nobody gets the settings of another one.
func (c *Config) keeper(name string, all []*Found, kept *keptNames) *Found {
	had, known := c.names[name]
	if !known && len(all) > 1 {
		had, known = kept.holder(all)
	}
	first := func(is func(f *Found) bool) *Found {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i]
		}
		return nil
	}
	if !known && len(all) == 1 {
		return all[0]
	}
	if same := first(func(f *Found) bool { return f.File == had.file }); same != nil {
		return same
	}
	return first(func(f *Found) bool { return f.Top == had.top })
}

// keptNames is what the store remembers of names before the start. It is opened once somebody asks.
type keptNames struct {
	config *Config
	tried  bool
	store  *store.Store // nil: there is none, or none that can be read
}

// holder returns which of some installs had the name that they would be called; known is false if that is not stored.
func (k *keptNames) holder(all []*Found) (had holder, known bool) {
	if !k.tried {
		k.tried, k.store = true, k.open()
	}
	if k.store == nil {
		return holder{}, false
	}
	for _, f := range all {
		var site struct{ Source string } // see Site.Identity
		if !k.store.Site(f.plain, &site) {
			continue
		}
		known = true
		if strings.HasPrefix(site.Source, f.File+" ") {
			return holder{f.File, f.Top}, true
		}
	}
	return holder{}, known
}

func (k *keptNames) open() *store.Store {
	location := k.config.State.Reveal()
	backend, err := Store(location)
	if location == "" || err != nil || backend.Holds != nil && !backend.Holds(location) {
		return nil
	}
	s, err := store.New(backend, location, store.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil || s.Open() != nil {
		return nil
	}
	return s
}

// close closes the store.
func (k *keptNames) close() {
	if k.store != nil {
		ended, end := context.WithCancel(context.Background())
		end()
		k.store.Run(ended)
	}
}
