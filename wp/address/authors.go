package address

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const sqlUserMeta = `SELECT user_id, umeta_id, meta_key, meta_value FROM wp_usermeta WHERE user_id IN (?) AND meta_key IN (?)`

// Author is a user, with the facts that decide whether the author sitemap lists the user.
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

// Meta returns the values that a user has under a meta key, or nil. The key must be one of Inputs.UserMeta. WordPress
// reads only the first value.
func (a *Author) Meta(key string) []sql.NullString {
	var values []sql.NullString
	for _, m := range a.meta {
		if m.key == key {
			values = append(values, m.value)
		}
	}
	return values
}

// withAuthorSlug returns the link of an author. If a plugin has stored another slug for the author, that slug
// replaces user_nicename wherever the link contains it.
func (b *Book) withAuthorSlug(a *Author) string {
	values := a.Meta(b.Blog.LinkRules().AuthorSlug)
	if len(values) == 0 || !php.NewString(values[0].String).Truthy() || a.Nicename == "" {
		return a.Link
	}
	return strings.ReplaceAll(a.Link, a.Nicename, values[0].String)
}

// Authors reads users by id, in ascending order of id. It leaves out ids without a user.
func (b *Book) Authors(ctx context.Context, ids []int64) ([]*Author, error) {
	byID := map[int64]*Author{}
	ids = wp.Distinct(ids)
	links := b.Blog.Links()
	err := b.Blog.ByID(ctx, "reading users", sqlNicenames, ids, db.Rows2(func(id int64, nicename string) {
		link := b.Blog.Languages().Archive(links.Author(id, nicename), "")
		byID[id] = &Author{ID: id, Nicename: nicename, Link: link, Member: !b.Blog.Multisite()}
	}))
	if err != nil {
		return nil, err
	}
	capabilities, level := b.Blog.TablePrefix()+"capabilities", b.Blog.TablePrefix()+"user_level"
	keys := append(slices.Clone(b.Blog.Declared().UserMeta.Plain), capabilities, level)
	err = b.Blog.ByID(ctx, "reading user meta", sqlUserMeta, ids, db.Rows4(func(id, metaID int64, key string, value sql.NullString) {
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
		a.Link = b.withAuthorSlug(a)
	}
	return authors, nil
}
