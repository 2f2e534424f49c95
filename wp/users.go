package wp

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	sqlCapabilities = `SELECT user_id, meta_value FROM wp_usermeta WHERE meta_key = ?`
	sqlLevels       = `SELECT user_id FROM wp_usermeta WHERE meta_key = ? AND meta_value <> '0'`
	// The sort key of the column's own collation, as in sqlTerms.
	sqlNicenameKeys = `SELECT ID, WEIGHT_STRING(user_nicename) FROM wp_users WHERE ID IN (?)`
	sqlLogins       = `SELECT ID, WEIGHT_STRING(user_login) FROM wp_users WHERE ID IN (?)`
	sqlUserMeta     = `SELECT user_id, umeta_id, meta_key, meta_value FROM wp_usermeta WHERE user_id IN (?) AND meta_key IN (?)`
)

// Author is a user with what the author sitemap needs.
type Author struct {
	ID       int64
	Nicename string
	Link     string
	Member   bool // the user has a role on this blog; always true on a single site
	Level    bool // the user's user_level on this blog is not 0, as for contributors and higher roles
	Roles    bool // a row stores the user's roles on this blog

	capabilities string // the stored capabilities on this blog, in lower case
	meta         []userMeta
}

// NamesRole reports whether the stored roles of the user contain a text, in any letter case.
func (a *Author) NamesRole(text string) bool {
	return strings.Contains(a.capabilities, strings.ToLower(text))
}

// userMeta is one row of usermeta.
type userMeta struct {
	id    int64
	key   string
	value sql.NullString
}

// Meta returns the values of a key of Inputs.UserMeta. The first value is the one that WordPress reads.
func (a *Author) Meta(key string) []sql.NullString {
	var values []sql.NullString
	for _, m := range a.meta {
		if m.key == key {
			values = append(values, m.value)
		}
	}
	return values
}

// Editors returns the users who may edit posts: their capabilities on this blog contain edit_posts or a role with
// it. The search is on text and ignores letter case, like the LIKE in WordPress' user query.
func (s *Blog) Editors(ctx context.Context) ([]int64, error) {
	var needles []string
	for _, role := range append([]string{"edit_posts"}, s.set.editRoles...) {
		needles = append(needles, strings.ToLower(`"`+role+`"`))
	}
	return s.withCapabilities(ctx, needles)
}

// Members returns the users with a role on this blog.
func (s *Blog) Members(ctx context.Context) ([]int64, error) {
	return s.withCapabilities(ctx, []string{""})
}

// withCapabilities returns the users whose capabilities on this blog contain one of the texts.
func (s *Blog) withCapabilities(ctx context.Context, needles []string) ([]int64, error) {
	var ids []int64
	err := s.Query(ctx, sqlCapabilities, []any{s.prefix + "capabilities"}, db.Rows2(func(id int64, stored string) {
		capabilities := strings.ToLower(stored)
		if slices.ContainsFunc(needles, func(n string) bool { return strings.Contains(capabilities, n) }) {
			ids = append(ids, id)
		}
	}))
	return distinct(ids), s.Wrap("reading the roles of users", err)
}

// Leveled returns the users whose user_level on this blog is not 0.
func (s *Blog) Leveled(ctx context.Context) ([]int64, error) {
	return s.ids(ctx, "reading the levels of users", sqlLevels, s.prefix+"user_level")
}

// withAuthorSlug returns the link of an author. A slug that a plugin stores replaces user_nicename at every place
// in the link.
func (s *Blog) withAuthorSlug(a *Author) string {
	values := a.Meta(s.linked.AuthorSlug)
	if len(values) == 0 || !php.NewString(values[0].String).Truthy() || a.Nicename == "" {
		return a.Link
	}
	return strings.ReplaceAll(a.Link, a.Nicename, values[0].String)
}

// Authors reads users by id, in ascending order of id. It leaves out ids without a user.
func (s *Blog) Authors(ctx context.Context, ids []int64) ([]*Author, error) {
	byID := map[int64]*Author{}
	ids = distinct(ids)
	links := s.links()
	err := s.byID(ctx, "reading users", sqlNicenames, ids, db.Rows2(func(id int64, nicename string) {
		link := s.languages.Archive(links.Author(id, nicename), "")
		byID[id] = &Author{ID: id, Nicename: nicename, Link: link, Member: !s.network.multisite}
	}))
	if err != nil {
		return nil, err
	}
	capabilities, level := s.prefix+"capabilities", s.prefix+"user_level"
	keys := append(slices.Clone(s.network.declared.UserMeta.Plain), capabilities, level)
	err = s.byID(ctx, "reading user meta", sqlUserMeta, ids, db.Rows4(func(id, metaID int64, key string, value sql.NullString) {
		switch a := byID[id]; {
		case a == nil:
		case key == capabilities:
			a.Member, a.Roles, a.capabilities = true, true, strings.ToLower(value.String)
		case key == level:
			a.Level = a.Level || value.Valid && strings.TrimRight(value.String, " ") != "0"
		default:
			a.meta = append(a.meta, userMeta{metaID, key, value})
		}
	}), keys)
	if err != nil {
		return nil, err
	}
	authors := inOrder(byID, ids)
	for _, a := range authors {
		slices.SortFunc(a.meta, func(x, y userMeta) int { return cmp.Compare(x.id, y.id) })
		a.Link = s.withAuthorSlug(a)
	}
	return authors, nil
}

// SortByNicename sorts users by user_nicename in the collation of the table.
func (s *Blog) SortByNicename(ctx context.Context, users []int64) error {
	return s.sortUsers(ctx, sqlNicenameKeys, users)
}

// SortByLogin sorts users by user_login in the collation of the table. If the account may not read that column, it
// sorts by user_nicename, which WordPress derives from user_login.
func (s *Blog) SortByLogin(ctx context.Context, users []int64) error {
	err := s.sortUsers(ctx, sqlLogins, users)
	if db.Denied(err) {
		return s.SortByNicename(ctx, users)
	}
	return err
}

// sortUsers sorts users by the keys that a query returns for them, then by id.
func (s *Blog) sortUsers(ctx context.Context, query string, users []int64) error {
	keys, err := s.texts(ctx, "reading the order of users", query, users)
	slices.SortFunc(users, func(x, y int64) int { return cmp.Or(cmp.Compare(keys[x], keys[y]), cmp.Compare(x, y)) })
	return err
}
