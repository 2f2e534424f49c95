package wp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wpconfig"
)

// Installed is the running version of WordPress or of a plugin.
type Installed struct {
	Name    string          `json:"name"`             // as in Inputs
	Version release.Version `json:"version"`          // "" if it is not known
	Source  string          `json:"source,omitempty"` // the option or file that shows the version; "" if the version is not known
	// Range is "7.0 or 7.1" if the version can be any of several. Version is the newest of them then.
	Range string `json:"range,omitempty"`
}

// String returns the name with the version.
func (i Installed) String() string {
	if i.Version == "" {
		return i.Name + ", version not known"
	}
	return i.Name + " " + cmp.Or(i.Range, string(i.Version))
}

// wordPress is the Inputs.Name of WordPress.
const wordPress = "WordPress"

const (
	// These options hold what WordPress found when it looked for updates: of itself, and of all plugins.
	optionCoreUpdates   = "_site_transient_update_core"
	optionPluginUpdates = "_site_transient_update_plugins"

	sqlTransient        = `SELECT option_value FROM wp_options WHERE option_name = ?`
	sqlNetworkTransient = `SELECT meta_value FROM wp_sitemeta WHERE meta_key = ? AND site_id = ?`

	// Revisions are among the newest rows, so an edit of an old post shows too.
	sqlNewestRows = `SELECT post_modified_gmt FROM wp_posts ORDER BY ID DESC LIMIT 20`

	// staleLook is how much older than the newest change of a site a look for updates may be. WordPress looks twice a
	// day.
	staleLook = 30 * 24 * time.Hour
)

// Version returns the version of WordPress or of a plugin by its Inputs.Name, or "" if the version is not known.
func (b *Blog) Version(name string) release.Version { return b.versions[name].Version }

// As returns the blog as it would be if a plugin had another version.
func (b *Blog) As(name string, version release.Version) *Blog {
	as := *b
	as.versions = maps.Clone(b.versions)
	as.versions[name] = Installed{Name: name, Version: version}
	return &as
}

func (b *Blog) WordPress() release.Version { return b.Version(wordPress) }

// Server returns the version of the database server, or "" for SQLite.
func (b *Blog) Server() release.Version { return b.network.db.Version }

// Installed returns WordPress and the active plugins whose rules depend on their version.
func (b *Blog) Installed() []Installed {
	all := []Installed{b.versions[wordPress]}
	for _, in := range b.network.declared.inputs {
		if in.Version != nil && b.folderOf(in) != "" {
			all = append(all, b.versions[in.Name])
		}
	}
	return all
}

// readVersions finds the versions of WordPress and of plugins. The version that a plugin itself has stored comes
// first, because WordPress' last look for updates may be hours old.
func (r *reading) readVersions(ctx context.Context) error {
	checked, err := r.checkedVersions(ctx, optionCoreUpdates)
	if err != nil {
		return err
	}
	core := r.walk.core
	if core.Version == "" {
		core = wordPressVersion(r.options.integer("db_version"), checked[wordPress])
	}
	r.blog.versions = map[string]Installed{wordPress: core}
	for _, in := range r.blog.network.declared.inputs {
		if in.Version == nil {
			continue
		}
		stored, option := in.Version(r.storedOf(in))
		v := Installed{Name: in.Name, Version: release.Valid(stored), Source: "option " + option}
		if v.Version == "" && r.blog.folderOf(in) != "" {
			if checked, err = r.checkedVersions(ctx, optionPluginUpdates); err != nil {
				return err
			}
			v.Version, v.Source = checked[in.Plugins[0]], "option "+optionPluginUpdates
		}
		if v.Version == "" {
			v.Source = ""
		}
		r.blog.versions[in.Name] = v
	}
	return nil
}

const (
	versionFile     = "wp-includes/version.php"
	mostVersionFile = 64 << 10 // bytes; WordPress' own has about 1,000
)

// readCore returns the version of WordPress by its files in ABSPATH or beside wp-config.php. It returns no version if they cannot
// be read.
func (n *Network) readCore() Installed {
	core := Installed{Name: wordPress}
	if n.config == nil {
		return core
	}
	for _, dir := range slices.Backward(n.config.Folders()) { // an old WordPress may remain beside wp-config.php
		text, err := wpconfig.ReadUnlinked(filepath.Join(dir, versionFile), n.source.Within, mostVersionFile)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), "\n$wp_version = '")
		version, _, _ := strings.Cut(rest, "';\n")
		if core.Version = release.Valid(version); core.Version != "" {
			core.Source = versionFile
			return core
		}
	}
	return core
}

// releases maps each db_version to the versions of WordPress that have it.
var releases = []struct {
	database       int64
	oldest, newest release.Version
	all            string // for messages; "" if only one version has the db_version
}{
	{0, "1.0", "5.4", "before 5.5"}, {firstCoreDatabase, "5.5", "5.5", ""}, {49752, "5.6", "5.8", "5.6, 5.7 or 5.8"}, {51917, "5.9", "5.9", ""},
	{53496, "6.0", "6.2", "6.0, 6.1 or 6.2"}, {55853, "6.3", "6.3", ""}, {56657, "6.4", "6.4", ""}, {57155, "6.5", "6.6", "6.5 or 6.6"},
	{58975, "6.7", "6.7", ""}, {60421, "6.8", "6.8", ""}, {60717, "6.9", "6.9", ""}, {61833, "7.0", "7.1", "7.0 or 7.1"},
}

// wordPressVersion returns the version of WordPress by its db_version and by checked, the version that last looked for
// updates. If checked is too old for the db_version, WordPress was updated after that look. wordPressVersion then
// returns the newest version with the db_version. checked may be newer than the db_version, because WordPress updates
// the database later than its files.
func wordPressVersion(database int64, checked release.Version) Installed {
	core := Installed{Name: wordPress}
	if database <= 0 {
		return core
	}
	for i, r := range releases {
		last := i == len(releases)-1
		if database < r.database || !last && database >= releases[i+1].database {
			continue
		}
		switch {
		case checked != "" && !checked.Before(r.oldest):
			core.Version, core.Source = checked, "option "+optionCoreUpdates
		case database == r.database || !last:
			core.Version, core.Range = r.newest, r.all
			core.Source = fmt.Sprintf("option db_version: %d", database)
		}
	}
	return core
}

// look holds what WordPress stored when it looked for updates.
type look struct {
	at       int64 // Unix seconds
	versions map[string]release.Version
}

// checkedVersions returns the versions that WordPress stored in an option when it looked for updates. It returns nil
// if the look is much older than the newest change of the site.
func (r *reading) checkedVersions(ctx context.Context, option string) (map[string]release.Version, error) {
	seen, err := r.lookOf(ctx, option)
	if err != nil || len(seen.versions) == 0 {
		return nil, err
	}
	newest := int64(0)
	err = r.query(ctx, "looking for the newest change", sqlNewestRows, nil, db.Rows1(func(date string) { newest = max(newest, ParseDate(date)) }))
	if err != nil {
		return nil, err
	}
	if min(newest, time.Now().Unix())-seen.at > int64(staleLook.Seconds()) {
		return nil, nil
	}
	return seen.versions, nil
}

// lookOf reads a look for updates. The options are large, so it reads each only once for all blogs of a Walk.
func (r *reading) lookOf(ctx context.Context, option string) (*look, error) {
	if known := r.walk.looks[option]; known != nil {
		return known, nil
	}
	query, args := sqlTransient, []any{option}
	if r.blog.network.multisite {
		query, args = sqlNetworkTransient, append(args, r.blog.network.shared.mainNetwork)
	}
	found := options{}
	err := r.query(ctx, "reading which versions are installed", query, args, db.Rows1(func(value string) { found[option] = value }))
	if err != nil {
		return nil, err
	}
	value := found.serialized(option, func(string) {})
	seen := &look{value.Get("last_checked").Int(), map[string]release.Version{}}
	if v := release.Valid(value.Get("version_checked").Str()); v != "" {
		seen.versions[wordPress] = v
	}
	for _, p := range value.Get("checked").Pairs() {
		if plugin := r.blog.network.declared.knownPlugin(p.Key.String()); plugin != "" {
			seen.versions[plugin] = release.Valid(p.Value.Str())
		}
	}
	r.walk.looks[option] = seen
	return seen, nil
}
