// Package permalink computes the addresses of a WordPress site from its options and rows,
// the way core 7.0 does without filters of other plugins. It reads no database: callers
// hand in what a link needs.
//
// Slugs and bases are inserted as they are stored: nothing is encoded, decoded or folded.
package permalink

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// Settings are what a site's links depend on. All are options of the blog, as stored.
type Settings struct {
	Home               string // home, or siteurl when that is empty; may hold a path
	Structure          string // permalink_structure; "" means plain links
	CategoryBase       string // category_base
	TagBase            string // tag_base
	AuthorBase         string // registry.Registry.AuthorBase; "" means author
	StripCategoryBase  bool   // a plugin removes the base of categories …
	StripCategoryFront bool   // … with the front before it
	ShowOnFront        string // show_on_front: posts or page
	PageOnFront        int64  // page_on_front
	PageForPosts       int64  // page_for_posts
	WooCommerce        bool   // it is active: what is attached to a product has a plain link
	AuthorRoot         string // base of author archives that a plugin has put in the place of front and AuthorBase; "" for none

	StripProductBase         bool // a plugin removes the base of products,
	StripProductCategoryBase bool // that of product categories,
	FlatProductCategories    bool // the slugs of the categories above one
}

// Builder computes the links of one site. It is immutable and safe for concurrent use.
type Builder struct {
	set    Settings
	home   string // without slash at the end
	pretty bool
	slash  string // "/" where links end in one
	front  string // structure up to its first token
	root   string // "index.php/" or ""

	tokens []token // of the structure

	category, tag base
	author        string // base of author archives, with what is before it
	strip         string // what a plugin removes from category links
}

// base is a core taxonomy's slug and whether the front comes before it.
type base struct {
	slug      string
	withFront bool
}

// New returns the builder of a site. Any settings are accepted; a home or structure that
// makes no sense gives links that make no sense.
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
		if s.StripCategoryFront && b.category == taxonomyBase("", "category", b.root != "") {
			b.strip = strings.TrimLeft(b.front, "/") + b.strip
		}
	}
	return b
}

// Pretty reports whether the site has a permalink structure.
func (b *Builder) Pretty() bool { return b.pretty }

// Front is what comes before the first token of the structure, as WP_Rewrite::$front: "/blog/" for /blog/%postname%/,
// "" without a token.
func (b *Builder) Front() string { return b.front }

// Needs reports whether the links of posts hold %token%, so that callers load authors and
// categories only for sites that show them. token is written without its percent signs.
func (b *Builder) Needs(token string) bool {
	return strings.Contains(b.set.Structure, "%"+token+"%")
}

// namedForm matches structures by which a segment of a path is the name of a post, perhaps with an extension, or has its id in it.
var namedForm = regexp.MustCompile(`%post_id%|/%(?:postname|pagename)%(?:[/.]|$)`)

// NamesPosts reports whether the links of posts show their names or ids in such a way that Named finds them.
func (b *Builder) NamesPosts() bool { return namedForm.MatchString(b.set.Structure) }

var digits = regexp.MustCompile(`[0-9]+`)

// Named returns the names and ids that segments of the path of a post may have in them.
func (b *Builder) Named(segments []string) (names []string, ids []int64) {
	for _, segment := range segments {
		name, _, _ := strings.Cut(segment, ".") // slugs have none
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

// IsFrontPage reports whether the page of that ID is the static front page
// (options show_on_front and page_on_front).
func (b *Builder) IsFrontPage(id int64) bool {
	return b.set.ShowOnFront == "page" && b.set.PageOnFront == id
}

// HomeURL is the home address as Yoast's Url_Helper::home() prints it: slashed at the root of a host, in a
// sub-directory slashed when the structure is. (The static front page's own link, by Post, always has the slash.)
func (b *Builder) HomeURL() string {
	if _, rest, ok := strings.Cut(b.home, "//"); ok {
		if i := strings.IndexAny(rest, "/?#"); i < 0 || rest[i] != '/' {
			return b.home + "/"
		}
	}
	return b.home + b.slash
}

// Trailing ends a whole link as permalinks end, with one slash or none, as core's user_trailingslashit().
func (b *Builder) Trailing(link string) string { return strings.TrimRight(link, `/\`) + b.slash }

// Sitemap is the address Yoast gives to a sitemap file such as "post-sitemap2.xml", the
// same one under plain permalinks, where it is not routed.
func (b *Builder) Sitemap(file string) string {
	return b.home + "/" + b.root + strings.TrimLeft(file, "/")
}

// Part is the address of part n of a post cut by <!--nextpage-->, given its link, its
// status and whether it is the static front page (IsFrontPage). Below 2 it is the link.
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

// empty is PHP's idea of an empty string option.
func empty(s string) bool { return s == "" || s == "0" }

// startsWithIndex reports whether a structure begins with index.php. Core's pattern takes
// any character for the dot.
func startsWithIndex(structure string) bool {
	s := strings.TrimLeft(structure, "/")
	return len(s) >= 9 && s[:5] == "index" && s[5] != '\n' && s[6:9] == "php"
}

// taxonomyBase reads category_base or tag_base. The settings screen stores it with a slash before it, and below
// /index.php on some sites; core removes both on every read. An own base has no front before it, except behind
// index.php.
func taxonomyBase(stored, standard string, index bool) base {
	s := strings.TrimRight(stored, `/\`)
	if !empty(s) {
		s = strings.Trim(strings.TrimPrefix(s, "/index.php/"), "/")
	}
	if empty(s) {
		return base{slug: standard, withFront: true}
	}
	return base{slug: s, withFront: index}
}

// prefix is what comes before a base.
func (b *Builder) prefix(withFront bool) string {
	if withFront {
		return b.front
	}
	return b.root
}

// link is the link of a path: exactly one slash between home and path, the slash of the structure behind it.
func (b *Builder) link(path string) string {
	if path != "" {
		path = "/" + strings.TrimLeft(path, "/")
	}
	return b.home + b.Trailing(path)
}
