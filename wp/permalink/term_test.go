package permalink

import (
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

func TestTerm(t *testing.T) {
	category := &registry.Taxonomy{Name: "category", Rewrite: true, RewriteHierarchical: true, QueryVar: "category_name", Slug: "ignored"}
	tag := &registry.Taxonomy{Name: "post_tag", Rewrite: true, QueryVar: "tag"}
	format := &registry.Taxonomy{Name: "post_format", Rewrite: true, Slug: "type", WithFront: true, QueryVar: "post_format"}
	genre := &registry.Taxonomy{Name: "genre", Rewrite: true, Slug: "genres", WithFront: true, QueryVar: "genre"}
	with := func(t *registry.Taxonomy, f func(*registry.Taxonomy)) *registry.Taxonomy { q := *t; f(&q); return &q }
	filtered := with(genre, func(t *registry.Taxonomy) { t.Query = "filter={id}" })
	place := with(genre, func(t *registry.Taxonomy) { t.RewriteHierarchical = true; t.WithFront = false })
	hidden := with(genre, func(t *registry.Taxonomy) { t.Rewrite = false })
	noVar := with(genre, func(t *registry.Taxonomy) { t.Rewrite = false; t.QueryVar = "" })
	configured := with(category, func(t *registry.Taxonomy) {
		t.Slug = "rubriek"
		t.Sources = registry.Sources{"slug": "configuration"}
	})

	blog := Settings{Structure: "/blog/%postname%/"}
	base := func(structure, category, tag string) Settings {
		return Settings{Structure: structure, CategoryBase: category, TagBase: tag}
	}
	strip := func(home, structure, base string) Settings {
		return Settings{Home: home, Structure: structure, CategoryBase: base, StripCategoryBase: true}
	}
	const gallery = "post-format-gallery"

	for _, c := range []struct {
		rule       string
		settings   Settings
		taxonomy   *registry.Taxonomy
		slug, path string
		want       string
	}{
		{"category: front, ancestors", blog, category, "sport", "news/sport", "/blog/category/news/sport/"},
		{"own category base: no front", base("/blog/%postname%/", "/topics/all", ""), category, "sport", "", "/topics/all/sport/"},
		{"category base is trimmed on read", base("/blog/%postname%/", "topics/", ""), category, "sport", "", "/topics/sport/"},
		{
			"own category base behind index.php: with front, one slash", base("/index.php/blog/%postname%/", "/topics", ""), category,
			"sport", "", "/index.php/blog/topics/sport/",
		},
		{
			"a stored /index.php/ is taken off the base", base("/index.php/%postname%/", "/index.php/topics", ""), category, "sport", "",
			"/index.php/topics/sport/",
		},
		{"a base of a slash is no base", base("/blog/%postname%/", "/", ""), category, "sport", "", "/blog/category/sport/"},
		{"a base of 0 is no base", base("/blog/%postname%/", "0", ""), category, "sport", "", "/blog/category/sport/"},
		{"the operator's slug beats the option", base("/blog/%postname%/", "/topics", ""), configured, "sport", "", "/rubriek/sport/"},
		{"category, plain: by id", Settings{}, category, "sport", "", "/?cat=14"},
		{"a missing parent leaves its slash", blog, category, "sport", "/sport", "/blog/category//sport/"},
		{"tag: front, never ancestors", blog, tag, "red", "colour/red", "/blog/tag/red/"},
		{"own tag base", base("/blog/%postname%", "", "/labels"), tag, "red", "", "/labels/red"},
		{"the category base does not touch tags", base("/blog/%postname%/", "/topics", ""), tag, "red", "", "/blog/tag/red/"},
		{"what a plugin adds", blog, filtered, "red", "", "/blog/genres/red/?filter=14"},
		{"what a plugin adds, plain", Settings{}, filtered, "red", "", "/?genre=red&filter=14"},
		{"tag, plain", Settings{}, tag, "red", "", "/?tag=red"},
		{"format: short slug", blog, format, gallery, "", "/blog/type/gallery/"},
		{"only formats have a short slug", blog, tag, gallery, "", "/blog/tag/post-format-gallery/"},
		{"format, plain", Settings{}, format, gallery, "", "/?post_format=gallery"},
		{"custom: flat", blog, genre, "noir", "crime/noir", "/blog/genres/noir/"},
		{"custom: hierarchical, no front", blog, place, "noir", "crime/noir", "/genres/crime/noir/"},
		{"custom: no front behind index.php", Settings{Structure: "/index.php/x/%postname%/"}, place, "noir", "", "/index.php/genres/noir/"},
		{"custom, plain: no ancestors", Settings{}, place, "noir", "crime/noir", "/?genre=noir"},
		{"rewrite false", blog, hidden, "noir", "", "/?genre=noir"},
		{"rewrite false, no query variable", blog, noVar, "noir", "", "/?taxonomy=genre&term=noir"},
		{"a taxonomy's own token in its slug", blog, with(genre, func(t *registry.Taxonomy) { t.Slug = "g-%genre%" }), "noir", "", "/blog/g-noir/noir/"},
		{"stripped base", strip("", "/blog/%postname%/", ""), category, "sport", "news/sport", "/blog/news/sport/"},
		{"stripped own base", strip("", "/%postname%/", "/topics"), category, "sport", "", "/sport/"},
		{"only the first occurrence goes", strip("", "/%postname%/", ""), category, "sport", "category/sport", "/category/sport/"},
		{"wherever it stands, home included", strip(home+"/my-category/x", "/%postname%/", ""), category, "sport", "", "/my-x/category/sport/"},
		{"an end without slash keeps a name", strip("", "/%postname%", ""), category, "category", "", "/category"},
		{"stripping leaves other taxonomies alone", strip("", "/%postname%/", "/tag"), tag, "red", "", "/tag/red/"},
		{"plain links have nothing to strip", strip("", "", ""), category, "sport", "", "/?cat=14"},
	} {
		if c.settings.Home == "" {
			c.settings.Home = home
		}
		expect.Equal(t, New(c.settings).Term(c.taxonomy, 14, c.slug, c.path), home+c.want, c.rule)
	}
}

func TestAuthor(t *testing.T) {
	for structure, want := range map[string]string{
		"":                      "/?author=3",
		"/%postname%/":          "/author/%d0%b0/",
		"/blog/%postname%":      "/blog/author/%d0%b0",
		"/index.php/%postname%": "/index.php/author/%d0%b0",
		"%postname%":            "/author/%d0%b0",
	} {
		expect.Equal(t, site(structure).Author(3, "%d0%b0"), home+want, structure)
	}
	expect.Equal(t, site("/%postname%/").Author(3, "0"), home+"/author/", "the name 0, which core takes for none")
	own := New(Settings{Home: home, Structure: "/blog/%postname%/", AuthorBase: "team/people"})
	expect.Equal(t, own.Author(3, "ann"), home+"/blog/team/people/ann/", "a base of its own")
}

func TestArchive(t *testing.T) {
	book := registry.PostType{Name: "book", Rewrite: true, Slug: "books", WithFront: true, HasArchive: true}
	with := func(f func(*registry.PostType)) *registry.PostType { q := book; f(&q); return &q }
	post := &registry.PostType{Name: "post", BuiltIn: true}
	blog := Settings{Structure: "/blog/%postname%/"}

	for _, c := range []struct {
		rule     string
		settings Settings
		typ      *registry.PostType
		page     string
		want     string
	}{
		{"the slug", blog, &book, "", home + "/blog/books/"},
		{"an archive slug of its own", blog, with(func(t *registry.PostType) { t.ArchiveSlug = "library" }), "", home + "/blog/library/"},
		{"no front", blog, with(func(t *registry.PostType) { t.WithFront = false }), "", home + "/books/"},
		{"no front behind index.php", Settings{Structure: "/index.php/%postname%"}, with(func(t *registry.PostType) { t.WithFront = false }), "", home +
			"/index.php/books"},
		{"a page's path, decoded", blog, with(func(t *registry.PostType) { t.WithFront = false; t.ArchiveSlug = "shop" }), "handel/%c3%bc-%x+a", home +
			"/handel/ü-%x a/"},
		{"plain", Settings{}, &book, "", home + "/?post_type=book"},
		{"rewrite false", blog, with(func(t *registry.PostType) { t.Rewrite = false }), "", home + "/?post_type=book"},
		{"none", blog, with(func(t *registry.PostType) { t.HasArchive = false }), "", ""},
		{"posts on the front page", Settings{Structure: "/%postname%", ShowOnFront: "posts"}, post, "", home + "/"},
		{"an unknown front, with a posts page", Settings{Structure: "/%postname%", PageForPosts: 1}, post, "", home},
		{"an unknown front, without a posts page", Settings{Structure: "/%postname%"}, post, "", ""},
		{"static front: the posts page's own link", Settings{ShowOnFront: "page", PageForPosts: 5}, post, "", ""},
	} {
		c.settings.Home = home
		expect.Equal(t, New(c.settings).Archive(c.typ, c.page), c.want, c.rule)
	}
}
