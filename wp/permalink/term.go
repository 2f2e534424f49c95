package permalink

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Term returns the link of a term. path is its TermPath; it is only used by taxonomies
// whose links are hierarchical, and "" stands for slug.
//
// The slugs of category and post_tag come from the options of Settings, unless the
// operator's configuration names others.
func (b *Builder) Term(t *registry.Taxonomy, termID int64, slug, path string) string {
	var buf [bufferSize]byte
	dst := append(buf[:0], b.home...)
	at := len(dst)

	if b.pretty && t.Rewrite {
		name := slug
		if t.RewriteHierarchical && path != "" {
			name = path
		}
		base, withFront := b.termBase(t)
		dst = append(dst, b.prefix(withFront)...)
		dst = appendSlug(dst, base, t.Name, name, nil)
		dst = append(dst, '/')
		dst = append(dst, name...)
		dst = b.join(dst, at)
	} else {
		dst = b.appendTermQuery(dst, t, termID, slug)
	}

	if t.Query != "" {
		dst = append(dst, "?&"[min(1, bytes.Count(dst, []byte{'?'}))])
		dst = append(dst, strings.ReplaceAll(t.Query, "{id}", strconv.FormatInt(termID, 10))...)
	}

	switch {
	case t.Name == productCategory && b.pretty && t.Rewrite:
		return string(b.productCategory(dst, at, t, slug))
	case t.Name == "category" && b.strip != nil:
		// Plugins look at the finished link: a home below category/ loses it there.
		if i := bytes.Index(dst, b.strip); i >= 0 {
			dst = append(dst[:i], dst[i+len(b.strip):]...)
		}
	case t.Name == "post_format" && b.pretty && t.Rewrite:
		return strings.ReplaceAll(string(dst), "/"+slug, "/"+formatSlug(slug))
	}
	return string(dst)
}

func (b *Builder) appendTermQuery(dst []byte, t *registry.Taxonomy, termID int64, slug string) []byte {
	switch {
	case t.Name == "category":
		dst = append(dst, "/?cat="...)
		return strconv.AppendInt(dst, termID, 10)
	case t.QueryVar != "":
		if t.Name == "post_format" {
			slug = formatSlug(slug)
		}
		dst = append(dst, "/?"...)
		dst = append(dst, t.QueryVar...)
		dst = append(dst, '=')
	default:
		dst = append(dst, "/?taxonomy="...)
		dst = append(dst, t.Name...)
		dst = append(dst, "&term="...)
	}
	return append(dst, slug...)
}

// termBase returns the slug of a taxonomy and whether the front comes before it.
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

// formatSlug is how core shows a post format in links: gallery for post-format-gallery.
func formatSlug(slug string) string { return strings.ReplaceAll(slug, "post-format-", "") }

// Author returns the link of an author's archive; nicename is users.user_nicename.
func (b *Builder) Author(id int64, nicename string) string {
	var buf [bufferSize]byte
	if !b.pretty && !b.authorRoot {
		return string(b.appendPlain(buf[:0], "/?author=", id))
	}
	dst := append(buf[:0], b.home...)
	at := len(dst)
	dst = append(dst, b.author...)
	dst = append(dst, '/')
	if !empty(nicename) { // core takes "0" for none
		dst = append(dst, nicename...)
	}
	return string(b.join(dst, at))
}

// Archive returns the link of a post type's archive as Yoast lists it, "" when it has none.
//
// pagePath is the Path of the page t.ArchivePage, "" when there is no such page. WooCommerce
// registers it decoded, so it stands decoded in the link.
//
// Type post: with the latest posts on the front page its archive is the home; with a static
// front page it is the posts page (option page_for_posts), whose link is that page's Post,
// and Archive returns "".
func (b *Builder) Archive(t *registry.PostType, pagePath string) string {
	if t.Name == "post" {
		switch {
		case b.showOnFront == "posts":
			return b.HomeURL()
		case b.showOnFront != "page" && b.pageForPosts > 0:
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
	slug = cmp.Or(slug, t.Slug, t.Name)
	var buf [bufferSize]byte
	dst := append(buf[:0], b.home...)
	at := len(dst)
	dst = append(dst, b.prefix(t.WithFront)...)
	dst = append(dst, slug...)
	return string(b.join(dst, at))
}
