package wp

import (
	"context"
	"fmt"
	"maps"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/release"
)

// Installed is WordPress or a plugin in the version that runs.
type Installed struct {
	Name    string          `json:"name"`             // as in Inputs
	Version release.Version `json:"version"`          // "": not known
	Source  string          `json:"source,omitempty"` // where it is stored; "" where the version is not known
	Before  release.Version `json:"before,omitempty"` // set: only that the version is older is known, and Version is the newest such one
}

// String is its name with its version.
func (i Installed) String() string {
	switch {
	case i.Version == "":
		return i.Name + ", version not known"
	case i.Before != "":
		return i.Name + " before " + string(i.Before)
	}
	return i.Name + " " + string(i.Version)
}

// wordPress is the name of WordPress in inputs.
const wordPress = "WordPress"

const (
	// What WordPress has found out when it looked for updates: of itself, and of all plugins.
	optionCoreUpdates   = "_site_transient_update_core"
	optionPluginUpdates = "_site_transient_update_plugins"

	sqlTransient        = `SELECT option_value FROM wp_options WHERE option_name = ?`
	sqlNetworkTransient = `SELECT meta_value FROM wp_sitemeta WHERE meta_key = ? AND site_id = ?`

	// Revisions are among the newest rows, so that an edit of an old post shows, too.
	sqlNewestRows = `SELECT post_modified_gmt FROM wp_posts ORDER BY ID DESC LIMIT 20`

	// staleLook is how much older than the newest change of a site a look for updates may be. WordPress looks twice a day.
	staleLook = 30 * 24 * time.Hour
)

// Version returns that of WordPress or of a plugin, by the name of its Inputs; "" where it is not known.
func (s *Blog) Version(name string) release.Version { return s.versions[name].Version }

// As returns the site as it would be read if a plugin had another version.
func (s *Blog) As(name string, version release.Version) *Blog {
	as := *s
	as.versions = maps.Clone(s.versions)
	as.versions[name] = Installed{Name: name, Version: version}
	return &as
}

// WordPress returns the version of WordPress.
func (s *Blog) WordPress() release.Version { return s.Version(wordPress) }

// Server returns the version of the database server; "" of SQLite.
func (s *Blog) Server() release.Version { return s.network.db.Version }

// Installed returns WordPress, and the active ones of those plugins whose rules depend on their version.
func (s *Blog) Installed() []Installed {
	all := []Installed{s.versions[wordPress]}
	for _, in := range s.network.declared.inputs {
		if in.Version != nil && s.network.declared.folderOf(in.Plugins, s.set.ActivePlugins) != "" {
			all = append(all, s.versions[in.Name])
		}
	}
	return all
}

// readVersions finds the versions of WordPress and of plugins. What a plugin itself has stored counts first: what WordPress
// saw when it looked for updates may be hours old.
func (s *Blog) readVersions(ctx context.Context, o options) error {
	checked, err := s.checkedVersions(ctx, optionCoreUpdates)
	if err != nil {
		return err
	}
	s.versions = map[string]Installed{wordPress: wordPressVersion(o.integer("db_version"), checked[wordPress])}
	for _, in := range s.network.declared.inputs {
		if in.Version == nil {
			continue
		}
		stored, option := in.Version(s.storedOf(in, o, s.set.ActivePlugins))
		is := Installed{Name: in.Name, Version: release.Valid(stored), Source: "option " + option}
		if is.Version == "" && s.network.declared.folderOf(in.Plugins, s.set.ActivePlugins) != "" {
			if checked, err = s.checkedVersions(ctx, optionPluginUpdates); err != nil {
				return err
			}
			is.Version, is.Source = checked[in.Plugins[0]], "option "+optionPluginUpdates
		}
		if is.Version == "" {
			is.Source = ""
		}
		s.versions[in.Name] = is
	}
	return nil
}

// releases are the versions of WordPress by their db_version, which several share.
var releases = []struct {
	database       int64
	oldest, newest release.Version
}{
	{0, "1.0", "5.4"}, {firstCoreDatabase, "5.5", "5.5"}, {49752, "5.6", "5.8"}, {51917, "5.9", "5.9"}, {53496, "6.0", "6.2"},
	{55853, "6.3", "6.3"}, {56657, "6.4", "6.4"}, {57155, "6.5", "6.6"}, {58975, "6.7", "6.7"}, {60421, "6.8", "6.8"}, {60717, "6.9", "6.9"},
	{61833, "7.0", "7.1"},
}

// wordPressVersion is the version that last looked for updates, else the newest one that has the db_version. A version that is older than
// the db_version looked before an update; one that is newer has not updated the database yet.
func wordPressVersion(database int64, checked release.Version) Installed {
	is := Installed{Name: wordPress}
	if database <= 0 {
		return is
	}
	for i, r := range releases {
		last := i == len(releases)-1
		if database < r.database || !last && database >= releases[i+1].database {
			continue
		}
		switch {
		case checked != "" && !checked.Before(r.oldest):
			is.Version, is.Source = checked, "option "+optionCoreUpdates
		case database == r.database || !last:
			is.Version, is.Source = r.newest, fmt.Sprintf("option db_version: %d, as of %s to %s", database, r.oldest, r.newest)
			if i == 0 {
				is.Before = releases[1].oldest
				is.Source = fmt.Sprintf("option db_version: %d, as before %s", database, is.Before)
			}
		}
	}
	return is
}

// look is what WordPress noted when it looked for updates.
type look struct {
	at       int64 // when
	versions map[string]release.Version
}

// checkedVersions returns the versions that WordPress noted in an option when it looked for updates: its own, or those of known plugins.
// A look that is far older than the newest change of the site tells no version.
func (s *Blog) checkedVersions(ctx context.Context, option string) (map[string]release.Version, error) {
	seen, err := s.lookOf(ctx, option)
	if err != nil || len(seen.versions) == 0 {
		return nil, err
	}
	newest := int64(0)
	err = s.Query(ctx, sqlNewestRows, nil, db.Rows1(func(date string) { newest = max(newest, ParseDate(date)) }))
	if err != nil {
		return nil, s.Wrap("looking for the newest change", err)
	}
	if min(newest, time.Now().Unix())-seen.at > int64(staleLook.Seconds()) {
		return nil, nil
	}
	return seen.versions, nil
}

// lookOf reads a look, once for the blogs of a Walk: the options are large.
func (s *Blog) lookOf(ctx context.Context, option string) (*look, error) {
	if known := s.walk.looks[option]; known != nil {
		return known, nil
	}
	query, args := sqlTransient, []any{option}
	if s.network.multisite {
		query, args = sqlNetworkTransient, append(args, s.network.mainNetwork)
	}
	found := options{}
	if err := s.Query(ctx, query, args, db.Rows1(func(value string) { found[option] = value })); err != nil {
		return nil, s.Wrap("reading which versions are installed", err)
	}
	value := found.serialized(option, func(string) {})
	seen := &look{value.Get("last_checked").Int(), map[string]release.Version{}}
	if v := release.Valid(value.Get("version_checked").Str()); v != "" {
		seen.versions[wordPress] = v
	}
	for _, p := range value.Get("checked").Pairs() {
		if plugin := s.network.declared.knownPlugin(p.Key.String()); plugin != "" {
			seen.versions[plugin] = release.Valid(p.Value.Str())
		}
	}
	s.walk.looks[option] = seen
	return seen, nil
}
