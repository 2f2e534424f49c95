package rankmath

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// Rank Math dates authors twice: on their pages, and in the index. For the index it runs another query, which counts other users.

const sqlRegistered = `SELECT ID, user_registered FROM wp_users WHERE ID IN (?)`

// DatesOfAuthors implements provider.Policy. The date is the last update of the profile, or the
// registration of the user if there was no update.
func (PluginLevel) DatesOfAuthors(ctx context.Context, b *provider.Build, ids []int64, _ map[int64]int64) (map[int64]int64, error) {
	dates := map[int64]int64{}
	var without []int64
	for _, id := range ids {
		if stamp := b.Rows.Authors[id].Stamp; stamp == noStamp {
			without = append(without, id)
		} else {
			dates[id] = wp.Stamp(stamp)
		}
	}
	err := b.Rules.Blog.ByID(ctx, "reading when authors registered", sqlRegistered, without,
		db.Rows2(func(id int64, date string) { dates[id] = wp.ParseDate(date) }))
	if db.Unreadable(err) {
		b.Rules.Options.Log.Warn("dates of authors whose profile was never updated cannot be read, so these authors have no lastmod",
			"home", b.Rules.Blog.Home(), "reason", err, "hint", "wpsitemapd grants prints what the account needs")
		err = nil
	}
	return dates, err
}

// AuthorDates implements provider.Policy. For the dates in the index, the plugin makes a list of its own: the stored updates of
// the profiles of indexUsers, sorted as text in descending order. A page has the first date of its part of the list.
func (PluginLevel) AuthorDates(ctx context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	set := b.Rules.Settings.(*settings)
	if set.before("1.0.210") {
		return firstDates(b, l), nil
	}
	// These versions ask for the key wp_capabilities, whatever the prefix of the tables is.
	otherPrefix := set.before("1.0.241") && len(set.roles()) > 0 && b.Rules.Blog.Table("usermeta") != "wp_usermeta"
	if !set.indexesAuthors() || otherPrefix {
		return nil, nil
	}
	users, err := indexUsers(ctx, b)
	if err != nil {
		return nil, err
	}
	var updates []string // a user with several rows has several places, one without a row has one
	for _, u := range users {
		values := u.Meta(metaLastUpdate)
		for _, v := range values {
			updates = append(updates, v.String)
		}
		if len(values) == 0 {
			updates = append(updates, "")
		}
	}
	slices.SortFunc(updates, func(x, y string) int { return strings.Compare(y, x) })
	var dates []int64
	for page := range slices.Chunk(updates, b.Rules.Options.PageSize) {
		date := wp.NoTime
		if n, err := strconv.ParseInt(page[0], 10, 64); err == nil {
			date = wp.Stamp(n)
		}
		dates = append(dates, date)
	}
	return dates, nil
}

// indexUsers returns the users that the plugin counts in the index: those who wrote something, or all users if none needs a post.
func indexUsers(ctx context.Context, b *provider.Build) ([]*address.Author, error) {
	set := b.Rules.Settings.(*settings)
	var ids []int64
	var err error
	if set.AuthorTypes() != nil {
		ids, err = writers(ctx, b)
	} else {
		ids, err = b.Rows.EligibleAuthors(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	users, err := b.Rules.Book.Authors(ctx, ids)
	return slices.DeleteFunc(users, func(a *address.Author) bool { return !set.inIndex(a) }), err
}

const (
	sqlWriters = `SELECT DISTINCT post_author FROM wp_posts`
	sqlOpen    = `SELECT DISTINCT post_author FROM wp_posts WHERE post_author IN (?) AND post_status = 'publish' AND post_password = ''`
)

// writers returns the users with a published post without a password, of any type. Most are known from the rows that were
// read. For the other users, writers asks the database, because they may have posts of types without a sitemap.
func writers(ctx context.Context, b *provider.Build) ([]int64, error) {
	wrote := b.Rows.OpenAuthors()
	var others []int64
	err := b.Rules.Blog.Query(ctx, sqlWriters, nil, db.Rows1(func(id int64) {
		if !wrote[id] {
			others = append(others, id)
		}
	}))
	if err != nil {
		return nil, err
	}
	err = db.Batches(others, func(ids []int64) error {
		return b.Rules.Blog.Query(ctx, sqlOpen, []any{ids}, db.Rows1(func(id int64) { wrote[id] = true }))
	})
	return slices.Sorted(maps.Keys(wrote)), err
}

// firstDates returns the date of the first author of each page, as versions before 1.0.210 do.
func firstDates(b *provider.Build, l *catalog.List) (dates []int64) {
	for page := range slices.Chunk(l.Places, l.Size) {
		date := wp.NoTime
		if stamp := b.Rows.Authors[page[0].ID].Stamp; stamp != noStamp {
			date = wp.Stamp(stamp)
		}
		dates = append(dates, date)
	}
	return dates
}

// inIndex reports whether a user counts in the index. The plugin's query searches the stored
// capabilities for the names of excluded roles as plain text.
func (s *settings) inIndex(a *address.Author) bool {
	if roles := s.roles(); len(roles) > 0 && (!a.Roles || slices.ContainsFunc(roles, a.NamesRole)) {
		return false
	}
	if s.AuthorTypes() != nil && slices.Contains(s.excluded["exclude_users"], a.ID) {
		return false
	}
	return !authorNoindexed(a)
}

// sqlList matches a setting that is valid as a list of ids when the plugin puts it into SQL unchanged.
var sqlList = regexp.MustCompile(`^\s*[+-]?\d+(\s*,\s*[+-]?\d+)*\s*$`)

// indexesAuthors reports whether the plugin's query for the authors in the index is valid SQL. The plugin
// puts the settings into the query unchanged. The query is valid if ids are separated by commas, and if
// roles are in a list with keys from 0. An invalid query finds no authors.
func (o *options) indexesAuthors() bool {
	roles, users := o.sitemap.Get("exclude_roles"), o.sitemap.Get("exclude_users")
	if roles.Kind == php.Array {
		if pairs := roles.Pairs(); len(pairs) > 0 && pairs[0].Key != (php.Key{}) {
			return false
		}
	} else if on(roles) {
		return false
	}
	return !on(users) || on(o.sitemap.Get("include_authors_without_posts")) || users.Kind != php.Array && sqlList.MatchString(users.Str())
}
