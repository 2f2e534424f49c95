// Package permalink computes the addresses of a WordPress site from its options and rows. It follows core 7.0,
// without the filters of other plugins. It reads no database: callers pass what a link needs.
//
// Slugs and bases are inserted as they are stored. Nothing is encoded, decoded or put into lower case.
package permalink

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/wp/registry"
)

// Settings hold the options of a blog that its links depend on, as stored.
type Settings struct {
	Home               string // home, or siteurl if home is empty; may contain a path
	Structure          string // permalink_structure; "" means plain links
	CategoryBase       string // category_base
	TagBase            string // tag_base
	AuthorBase         string // registry.Registry.AuthorBase; "" means "author"
	StripCategoryBase  bool   // a plugin removes the base from links of categories
	StripCategoryFront bool   // the plugin also removes the front before that base
	ShowOnFront        string // show_on_front: posts or page
	PageOnFront        int64  // page_on_front
	PageForPosts       int64  // page_for_posts
	WooCommerce        bool   // WooCommerce is active: attachments of products have plain links
	AuthorRoot         string // a plugin's base of author archives, instead of front and AuthorBase; "" for none

	StripProductBase         bool // a plugin removes the base from links of products
	StripProductCategoryBase bool // a plugin removes the base from links of product categories
	FlatProductCategories    bool // a plugin removes the parents' slugs from links of product categories
}

// Builder computes the links of one site. It is immutable and safe for concurrent use.
type Builder struct {
	set    Settings
	home   string // without slash at the end
	pretty bool
	slash  string // "/" if links end in a slash, else ""
	front  string // the structure up to its first token
	root   string // "index.php/" or ""

	tokens []token // the tokens that the structure contains

	category, tag base
	author        string // base of author archives, with the front
	strip         string // what a plugin removes from category links
}

// base is the slug of a core taxonomy. withFront reports whether the front precedes it.
type base struct {
	slug      string
	withFront bool
}

// New returns the Builder of a site. It accepts any settings, but a senseless home or structure gives senseless
// links.
func New(s Settings) *Builder {
	b := &Builder{set: s, home: strings.TrimRight(strings.TrimSpace(s.Home), `/\`), pretty: !empty(s.Structure)}
	if b.pretty {
		if strings.HasSuffix(s.Structure, "/") {
			b.slash = "/"
		}
		if i := strings.IndexByte(s.Structure, '%'); i > 0 {
			b.front = s.Structure[:i]
		}
		if startsWithIndex(s.Structure) {
			b.root = "index.php/"
		}
		for _, t := range tokens {
			if strings.Contains(s.Structure, t.name) {
				b.tokens = append(b.tokens, t)
			}
		}
	}

	b.category = taxonomyBase(s.CategoryBase, "category", b.root != "")
	b.tag = taxonomyBase(s.TagBase, "tag", b.root != "")
	b.author = b.front + cmp.Or(s.AuthorBase, "author")
	if s.AuthorRoot != "" {
		b.author = "/" + s.AuthorRoot
	}
	if s.StripCategoryBase {
		b.strip = b.category.slug + "/"
		if s.StripCategoryFront && b.category == (base{"category", true}) {
			b.strip = strings.TrimLeft(b.front, "/") + b.strip
		}
	}
	return b
}

// Pretty reports whether the site has a permalink structure.
func (b *Builder) Pretty() bool { return b.pretty }

// Front returns the text before the first token of the structure, as WP_Rewrite::$front: "/blog/" for
// /blog/%postname%/. Front returns "" if the structure has no token.
func (b *Builder) Front() string { return b.front }

// Needs reports whether the links of posts contain %token%. token has no percent signs. Callers load authors and
// categories only if links show them.
func (b *Builder) Needs(token string) bool {
	return strings.Contains(b.set.Structure, "%"+token+"%")
}

// namedForm matches a structure in which a segment of the path is the name of a post or contains its id. The name
// may have an extension.
var namedForm = regexp.MustCompile(`%post_id%|/%(?:postname|pagename)%(?:[/.]|$)`)

// NamesPosts reports whether Named can find the names or ids of posts in the paths of this site.
func (b *Builder) NamesPosts() bool { return namedForm.MatchString(b.set.Structure) }

var digits = regexp.MustCompile(`[0-9]+`)

// Named returns the names and ids of posts that the segments of a path may contain.
func (b *Builder) Named(segments []string) (names []string, ids []int64) {
	for _, segment := range segments {
		name, _, _ := strings.Cut(segment, ".") // slugs contain no dot
		names = append(names, segment, name)
		if b.Needs("post_id") {
			for _, number := range digits.FindAllString(segment, -1) {
				id, _ := strconv.ParseInt(number, 10, 64)
				ids = append(ids, id)
			}
		}
	}
	return names, ids
}

// IsFrontPage reports whether the page with this id is the static front page (options show_on_front and
// page_on_front).
func (b *Builder) IsFrontPage(id int64) bool {
	return b.set.ShowOnFront == "page" && b.set.PageOnFront == id
}

// HomeURL returns the home address as Yoast's Url_Helper::home() prints it. At the root of a host it ends with a
// slash. In a sub-directory it ends with a slash if the structure does.
//
// The link that Post returns for the static front page always ends with a slash.
func (b *Builder) HomeURL() string {
	if _, rest, ok := strings.Cut(b.home, "//"); ok {
		if i := strings.IndexAny(rest, "/?#"); i < 0 || rest[i] != '/' {
			return b.home + "/"
		}
	}
	return b.home + b.slash
}

// Trailing returns link with one slash or no slash at its end, as the structure says. It follows core's
// user_trailingslashit().
func (b *Builder) Trailing(link string) string { return strings.TrimRight(link, `/\`) + b.slash }

// Sitemap returns the address that Yoast gives to a sitemap file such as "post-sitemap2.xml". The address is the same
// with plain permalinks, although WordPress then shows no sitemap there.
func (b *Builder) Sitemap(file string) string {
	return b.home + "/" + b.root + strings.TrimLeft(file, "/")
}

// Part returns the address of part n of a post that <!--nextpage--> cuts into parts. link and status are the link and
// status of the post. front reports whether the post is the static front page. If n is below 2, Part returns link.
func (b *Builder) Part(link string, n int, front bool, status string) string {
	if n < 2 {
		return link
	}
	number := strconv.Itoa(n)
	if !b.pretty || status == "draft" || status == "pending" {
		return queryArg(link, "page", number)
	}
	if front {
		number = "page/" + number
	}
	return strings.TrimRight(link, `/\`) + "/" + number + b.slash
}

// empty reports whether PHP takes the text of an option for empty.
func empty(s string) bool { return s == "" || s == "0" }

// startsWithIndex reports whether a structure begins with index.php. Core's pattern accepts any character instead
// of the dot.
func startsWithIndex(structure string) bool {
	s := strings.TrimLeft(structure, "/")
	return len(s) >= 9 && s[:5] == "index" && s[5] != '\n' && s[6:9] == "php"
}

// taxonomyBase returns the base of categories or tags for option category_base or tag_base. Core puts the front before standard, which
// is the base of a site that has set none. It puts the front before a stored base only if index is true: the structure begins with
// index.php.
func taxonomyBase(stored, standard string, index bool) base {
	if s := registry.TaxonomyBase(stored); s != "" {
		return base{slug: s, withFront: index}
	}
	return base{slug: standard, withFront: true}
}

// prefix returns the text before a base: the front if withFront is set, or else the root.
func (b *Builder) prefix(withFront bool) string {
	if withFront {
		return b.front
	}
	return b.root
}

// link returns the link of a path below home. Exactly one slash is between home and path, and the link ends as the
// structure does.
func (b *Builder) link(path string) string {
	if path = strings.TrimLeft(strings.TrimRight(path, `/\`), "/"); path != "" {
		return b.home + "/" + path + b.slash
	}
	return b.home + b.slash
}
