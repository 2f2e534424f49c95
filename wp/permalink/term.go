package permalink

import (
	"cmp"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Term returns the link of a term. path is its TermPath. The link contains slug if path is "" or if the links of the
// taxonomy are not hierarchical.
//
// The bases of category and post_tag come from Settings, unless the operator's configuration names another slug.
func (b *Builder) Term(t *registry.Taxonomy, termID int64, slug, path string) string {
	pretty := b.pretty && t.Rewrite
	link := b.home + termQuery(t, termID, slug)
	if pretty {
		name := slug
		if t.RewriteHierarchical && path != "" {
			name = path
		}
		base, withFront := b.termBase(t)
		link = b.link(b.prefix(withFront) + fillSlug(base, t.Name, name, nil) + "/" + name)
	}
	if t.Query != "" {
		sign := "?"
		if strings.Contains(link, "?") {
			sign = "&"
		}
		link += sign + strings.ReplaceAll(t.Query, "{id}", strconv.FormatInt(termID, 10))
	}
	switch {
	case t.Name == productCategory && pretty:
		return b.productCategory(link[len(b.home):], t, slug)
	case t.Name == "category":
		// Plugins change the finished link, so that a home address below category/ loses that part, too.
		return strings.Replace(link, b.strip, "", 1)
	case t.Name == "post_format" && pretty:
		return strings.ReplaceAll(link, "/"+slug, "/"+formatSlug(slug))
	}
	return link
}

func termQuery(t *registry.Taxonomy, termID int64, slug string) string {
	switch {
	case t.Name == "category":
		return "/?cat=" + strconv.FormatInt(termID, 10)
	case t.QueryVar == "":
		return "/?taxonomy=" + t.Name + "&term=" + slug
	case t.Name == "post_format":
		slug = formatSlug(slug)
	}
	return "/?" + t.QueryVar + "=" + slug
}

// termBase returns the slug of a taxonomy and whether the front precedes it.
func (b *Builder) termBase(t *registry.Taxonomy) (slug string, withFront bool) {
	if t.Sources["slug"] != "configuration" {
		switch t.Name {
		case "category":
			return b.category.slug, b.category.withFront
		case "post_tag":
			return b.tag.slug, b.tag.withFront
		}
	}
	if t.Slug == "" {
		return t.Name, t.WithFront
	}
	return t.Slug, t.WithFront
}

// formatSlug returns the slug of a post format as links show it: gallery for post-format-gallery.
func formatSlug(slug string) string { return strings.ReplaceAll(slug, "post-format-", "") }

// Author returns the link of an author's archive. nicename is users.user_nicename.
func (b *Builder) Author(id int64, nicename string) string {
	if !b.pretty && b.set.AuthorRoot == "" {
		return b.plain("/?author=", id)
	}
	if empty(nicename) { // core treats "0" as no name
		nicename = ""
	}
	return b.link(b.author + "/" + nicename)
}

// Archive returns the link of a post type's archive as Yoast lists it, or "" if the type has none.
//
// pagePath is the Path of the page t.ArchivePage, or "" if there is no such page. The link contains it decoded,
// because WooCommerce registers the archive with the decoded path.
//
// For the type post the link is the home address if the front page shows the latest posts. If the front page is
// static, Archive returns "". The archive is then the posts page (option page_for_posts), and Post returns its
// link.
func (b *Builder) Archive(t *registry.PostType, pagePath string) string {
	if t.Name == "post" {
		switch {
		case b.set.ShowOnFront == "posts":
			return b.HomeURL()
		case b.set.ShowOnFront != "page" && b.set.PageForPosts > 0:
			return b.home // core's own answer to an unknown show_on_front
		}
		return ""
	}
	if !t.HasArchive {
		return ""
	}
	if !b.pretty || !t.Rewrite {
		return b.home + "/?post_type=" + t.Name
	}

	slug := t.ArchiveSlug
	if pagePath != "" {
		slug = php.URLDecode(pagePath)
	}
	return b.link(b.prefix(t.WithFront) + cmp.Or(slug, t.Slug, t.Name))
}
