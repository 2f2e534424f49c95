package rankmath

import (
	"database/sql"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
)

// This file decides which users are listed. authordates.go has the other rules by which Rank Math counts users in the index.

func (s *settings) Authors() *seo.Reason {
	if option, key, off := s.authorsOff(); off {
		return s.reason(seo.RuleAuthorsOff, "Authors have no sitemap by the settings of Rank Math.", option, key, doAuthors)
	}
	return nil
}

// authorsOff returns the option and the key that leave out all authors. off is false if authors are listed.
func (o *options) authorsOff() (option, key string, off bool) {
	switch {
	case on(o.titles.Get("disable_author_archives")):
		return optionTitles, "disable_author_archives", true
	case !o.saved, on(o.titles.Get("author_custom_robots")) && noindexed(o.titles.Get("author_robots")):
		return optionTitles, "author_robots", true
	case !on(o.sitemap.Get("authors_sitemap")):
		return optionSitemap, "authors_sitemap", true
	}
	return "", "", false
}

func (s *settings) AuthorTypes() []string {
	if on(s.sitemap.Get("include_authors_without_posts")) && !s.before("1.0.237") {
		return nil
	}
	types := []string{}
	for _, t := range s.Blog.Registry().PostTypes {
		if t.Public && t.Name != "attachment" {
			types = append(types, t.Name)
		}
	}
	return types
}

// Author implements seo.PluginSettings. The stored values mean what they mean for posts, except that several rows may say noindex.
func (s *settings) Author(a *address.Author) seo.Flags {
	f := means(seo.KindUser, func(key string) string {
		for _, first := range a.Meta(key) {
			return first.String
		}
		return ""
	})
	f.Noindex, f.Against, f.Stamp = authorNoindexed(a), s.authorAgainst(a), stampOf(a)
	return f
}

// authorNoindexed reports whether Rank Math's query leaves a user out by the robots of the user. The query finds users with a row
// that does not contain noindex, and users without a row. NULL contains nothing, and yet SQL does not find it.
func authorNoindexed(a *address.Author) bool {
	robots := a.Meta(metaRobots)
	open := func(v sql.NullString) bool { return v.Valid && !strings.Contains(strings.ToLower(v.String), "noindex") }
	return len(robots) > 0 && !slices.ContainsFunc(robots, open)
}

// authorAgainst returns the verdict of the lists of excluded users and roles. If roles are excluded, a user without stored roles
// is excluded, too.
func (s *settings) authorAgainst(a *address.Author) seo.Verdict {
	if v := s.against("exclude_users", a.ID); v != seo.Listed {
		return v
	}
	if s.excludedRole(a) != "" || !a.Roles && len(s.roles()) > 0 {
		return seo.ExcludedByRole
	}
	return seo.Listed
}

// roles returns the roles whose users are not listed as authors.
func (o *options) roles() []string { return listOf(o.sitemap.Get("exclude_roles")) }

// excludedRole returns the first excluded role that a user has, or "".
func (s *settings) excludedRole(a *address.Author) string {
	for _, role := range s.roles() {
		if a.NamesRole(`"` + role + `"`) {
			return role
		}
	}
	return ""
}

// noStamp is the Stamp of a user without metaLastUpdate.
const noStamp = -1

// stampOf returns when the profile of a user was last updated, in Unix seconds.
func stampOf(a *address.Author) int64 {
	if values := a.Meta(metaLastUpdate); len(values) > 0 && values[0].Valid {
		return php.NewString(values[0].String).Int()
	}
	return noStamp
}
