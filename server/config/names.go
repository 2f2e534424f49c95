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

// The people of an install choose the names of its folders. The installs a-b/c and a/b-c would therefore get the same name. A
// name leads to settings ([discover.site.NAME]), to an upstream and a database ({name}), and so to a host. The install that had
// a name first keeps it.

// holder is the install that has a name.
type holder struct{ file, top string }

// mostNames bounds how many names are remembered.
const mostNames = 2 * maxFound

// nameKey returns the form in which names are compared. Names that give the same host name are equal.
func nameKey(name string) string {
	if ascii, err := weburl.ASCII(name); err == nil {
		name = ascii
	}
	return strings.ToLower(name)
}

// nameFound gives every found install a unique name. If several sections have found an install, only the first of them keeps
// it.
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

// keeper decides which of several installs gets the name that all of them are due to get, so that no install gets the settings
// of another one. If an install had the name before, keeper returns that install. If that install is gone, it returns an
// install of the same customer, or nil if there is none. If no install had the name, it returns the only install, or nil if
// there are several.
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

// keptNames looks up in the store which install had a name before this process started. It opens the store when it is first
// asked.
type keptNames struct {
	config *Config
	tried  bool
	store  *store.Store // nil: there is no store, or it cannot be read
}

// holder returns the install that had the name before, according to the store. all are the installs that are due to get that
// name. known reports whether the store knows the name. had is empty if none of the installs in all had it.
func (k *keptNames) holder(all []*Found) (had holder, known bool) {
	if !k.tried {
		k.tried, k.store = true, k.open()
	}
	if k.store == nil {
		return holder{}, false
	}
	for _, f := range all {
		var site struct{ Source string } // a part of the stored record of a site; see Site.Identity
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
	if location == "" || err != nil || !backend.Holds(location) {
		return nil
	}
	s, err := store.New(backend, location, store.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil || s.Open() != nil {
		return nil
	}
	return s
}

func (k *keptNames) close() {
	if k.store != nil {
		ended, end := context.WithCancel(context.Background())
		end()
		k.store.Run(ended)
	}
}
