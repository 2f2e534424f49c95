package objects

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	sqlPostsOf      = `SELECT ID FROM wp_posts WHERE post_author = ? AND post_type = ? AND post_status IN (?) LIMIT 1`
	sqlCapabilities = `SELECT user_id, meta_value FROM wp_usermeta WHERE meta_key = ?`
	sqlLevels       = `SELECT user_id FROM wp_usermeta WHERE meta_key = ? AND meta_value <> '0'`
	// These read the sort key in the collation of the column, as sqlTerms does.
	sqlNicenameKeys = `SELECT ID, WEIGHT_STRING(user_nicename) FROM wp_users WHERE ID IN (?)`
	sqlLogins       = `SELECT ID, WEIGHT_STRING(user_login) FROM wp_users WHERE ID IN (?)`
)

// HasPosts reports whether a user is the author of a published post of one of the types.
func HasPosts(ctx context.Context, blog *wp.Blog, user int64, postTypes []string) (bool, error) {
	for _, postType := range postTypes {
		ids, err := blog.IDs(ctx, "looking for posts of a user", sqlPostsOf, user, postType, blog.Overrides().StoredAs(postType, "publish"))
		if err != nil || len(ids) > 0 {
			return len(ids) > 0, err
		}
	}
	return false, nil
}

// Editors returns the users who may edit posts: their capabilities on this blog contain edit_posts or a role with
// it. The search is on text and ignores letter case, like the LIKE in WordPress' user query.
func Editors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	var needles []string
	for _, role := range append([]string{"edit_posts"}, blog.Settings().EditRoles...) {
		needles = append(needles, strings.ToLower(`"`+role+`"`))
	}
	return withCapabilities(ctx, blog, needles)
}

// Members returns the users with a role on this blog.
func Members(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return withCapabilities(ctx, blog, []string{""})
}

// withCapabilities returns the users whose capabilities on this blog contain one of the texts.
func withCapabilities(ctx context.Context, blog *wp.Blog, needles []string) ([]int64, error) {
	var ids []int64
	err := blog.Query(ctx, sqlCapabilities, []any{blog.TablePrefix() + "capabilities"}, db.Rows2(func(id int64, stored string) {
		capabilities := strings.ToLower(stored)
		if slices.ContainsFunc(needles, func(n string) bool { return strings.Contains(capabilities, n) }) {
			ids = append(ids, id)
		}
	}))
	return wp.Distinct(ids), blog.Wrap("reading the roles of users", err)
}

// Leveled returns the users whose user_level on this blog is not 0.
func Leveled(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return blog.IDs(ctx, "reading the levels of users", sqlLevels, blog.TablePrefix()+"user_level")
}

// SortByNicename sorts users by user_nicename in the collation of the table.
func SortByNicename(ctx context.Context, blog *wp.Blog, users []int64) error {
	return sortUsers(ctx, blog, sqlNicenameKeys, users)
}

// SortByLogin sorts users by user_login in the collation of the table. If the account may not read that column, it
// sorts by user_nicename, which WordPress derives from user_login.
func SortByLogin(ctx context.Context, blog *wp.Blog, users []int64) error {
	err := sortUsers(ctx, blog, sqlLogins, users)
	if db.Denied(err) {
		return SortByNicename(ctx, blog, users)
	}
	return err
}

// sortUsers sorts users by the keys that a query returns for them, then by id.
func sortUsers(ctx context.Context, blog *wp.Blog, query string, users []int64) error {
	keys, err := blog.Texts(ctx, "reading the order of users", query, users)
	slices.SortFunc(users, func(x, y int64) int { return cmp.Or(cmp.Compare(keys[x], keys[y]), cmp.Compare(x, y)) })
	return err
}
