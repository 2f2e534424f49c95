package permalink

import (
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

const home = "https://example.test"

var (
	postType = &registry.PostType{Name: "post", BuiltIn: true, Public: true, Viewable: true}
	pageType = &registry.PostType{Name: "page", BuiltIn: true, Public: true, Viewable: true, Hierarchical: true}
	fileType = &registry.PostType{Name: "attachment", BuiltIn: true, Public: true, Viewable: true}
	bookType = &registry.PostType{Name: "book", Public: true, Viewable: true, Rewrite: true, Slug: "books", WithFront: true, QueryVar: "book"}
	secret   = &registry.PostType{Name: "secret", Rewrite: true, Slug: "secret"}
)

func site(structure string) *Builder { return New(Settings{Home: home, Structure: structure}) }

func TestPost(t *testing.T) {
	p := Post{ID: 42, Type: postType, Status: "publish", Name: "hello", Date: "2024-05-01 03:20:09", Author: "ann", Category: "news/sport"}
	with := func(f func(*Post)) Post { q := p; f(&q); return q }

	for _, c := range []struct {
		rule, structure string
		post            Post
		want            string
	}{
		{"plain", "", p, "/?p=42"},
		{"the structure 0 is empty to PHP", "0", p, "/?p=42"},
		{"name", "/%postname%/", p, "/hello/"},
		{"no slash at the end", "/%postname%", p, "/hello"},
		{"pagename is the name, too", "/%pagename%.html", p, "/hello.html"},
		{"date and time are pieces of post_date", "/%year%/%monthnum%/%day%/%hour%-%minute%-%second%", p, "/2024/05/01/03-20-09"},
		{"date is taken as it is", "/%year%/%monthnum%/%postname%/", with(func(p *Post) { p.Date = "0000-00-00 00:00:00" }), "/0000/00/hello/"},
		{"missing pieces of a date are empty", "/%year%-%minute%/%postname%/", with(func(p *Post) { p.Date = "2024" }), "/2024-/hello/"},
		{"id and author", "/%author%/%post_id%/", p, "/ann/42/"},
		{"tokens without anything between them", "/%hour%%minute%%post_id%", p, "/032042"},
		{"category path", "/%category%/%postname%/", p, "/news/sport/hello/"},
		{"empty category: leading slashes fold into one", "/%category%/%postname%/", with(func(p *Post) { p.Category = "" }), "/hello/"},
		{"empty category further down leaves two slashes", "/a/%category%/%postname%/", with(func(p *Post) { p.Category = "" }), "/a//hello/"},
		{"unknown tokens stay", "/%tag%/%postname%", p, "/%tag%/hello"},
		{"core replaces dates before names", "/%postname%year%/", p, "/%postname2024/"},
		{"structure without leading slash", "%postname%/", p, "/hello/"},
		{"several slashes at the ends", "//%postname%//", p, "/hello/"},
		{"backslashes at the end go", `/%postname%\`, p, "/hello"},
		{"empty name", "/%postname%/", with(func(p *Post) { p.Name = "" }), "/"},
		{"empty name, no slash", "/%postname%", with(func(p *Post) { p.Name = "" }), ""},
		{"the path 0 is no path to home_url()", "%post_id%", with(func(p *Post) { p.ID = 0 }), ""},
		{"pathinfo", "/index.php/%year%/%postname%/", p, "/index.php/2024/hello/"},
		{"slugs are not encoded", "/%postname%/", with(func(p *Post) { p.Name = "%e6%97%a5-ö" }), "/%e6%97%a5-ö/"},
		{"draft", "/%postname%/", with(func(p *Post) { p.Status = "draft" }), "/?p=42"},
		{"scheduled", "/%postname%/", with(func(p *Post) { p.Status = "future" }), "/?p=42"},
		{"private, seen by a visitor", "/%postname%/", with(func(p *Post) { p.Status = "private" }), "/?p=42"},
		{"unknown status", "/%postname%/", with(func(p *Post) { p.Status = "archived" }), "/?p=42"},
		{"type not registered", "/%postname%/", with(func(p *Post) { p.Type = nil }), "/?p=42"},
		{"other built-in types use the structure", "/%postname%/", with(func(p *Post) {
			p.Type = &registry.PostType{
				Name: "wp_block", BuiltIn: true,
			}
		}), "/hello/"},
	} {
		expect.Equal(t, site(c.structure).Post(c.post), home+c.want, c.rule)
	}
}

func TestPage(t *testing.T) {
	p := Post{ID: 7, Type: pageType, Status: "publish", Name: "team", Path: "about/team"}
	draft := p
	draft.Status = "draft"
	front := Settings{Home: home, Structure: "/%postname%", ShowOnFront: "page", PageOnFront: 7}
	latest := front
	latest.ShowOnFront = "posts"
	plainFront := front
	plainFront.Structure = ""

	for _, c := range []struct {
		rule     string
		settings Settings
		post     Post
		want     string
	}{
		{"the front of the structure is not used", Settings{Home: home, Structure: "/blog/%postname%/"}, p, "/about/team/"},
		{"index.php is", Settings{Home: home, Structure: "/index.php/%postname%/"}, p, "/index.php/about/team/"},
		{"plain", Settings{Home: home}, p, "/?page_id=7"},
		{"draft", Settings{Home: home, Structure: "/%postname%/"}, draft, "/?page_id=7"},
		{"the front page is the home with a slash, whatever the structure", front, p, "/"},
		{"the front page under plain permalinks", plainFront, p, "/"},
		{"even as a draft", front, draft, "/"},
		{"page_on_front is idle while the front shows posts", latest, p, "/about/team"},
		{"home in a sub-directory", Settings{Home: home + "/sub/", Structure: "/%postname%/"}, p, "/sub/about/team/"},
		{
			"without a path the name counts", Settings{Home: home, Structure: "/%postname%/"},
			Post{ID: 8, Type: pageType, Status: "publish", Name: "x"}, "/x/",
		},
	} {
		expect.Equal(t, New(c.settings).Post(c.post), home+c.want, c.rule)
	}
}

func TestCustomPost(t *testing.T) {
	typ := func(f func(*registry.PostType)) *registry.PostType { q := *bookType; f(&q); return &q }
	noFront := typ(func(t *registry.PostType) { t.WithFront = false })
	noRewrite := typ(func(t *registry.PostType) { t.Rewrite = false; t.QueryVar = "qv" })
	noVar := typ(func(t *registry.PostType) { t.Rewrite = false; t.QueryVar = "" })
	tree := typ(func(t *registry.PostType) { t.Hierarchical = true })
	treeNoRewrite := typ(func(t *registry.PostType) { t.Hierarchical = true; t.Rewrite = false })
	slug := func(s string) *registry.PostType {
		return typ(func(t *registry.PostType) { t.Slug = s; t.WithFront = false })
	}
	structured := func(f func(*registry.PostType)) *registry.PostType {
		return typ(func(t *registry.PostType) { t.Structure = "/%year%/%book%"; f(t) })
	}
	product := map[string]string{"product_cat": "kettles/electric", "category": "kettles/electric"}

	for _, c := range []struct {
		rule, structure string
		post            Post
		want            string
	}{
		{"front before the slug", "/blog/%postname%/", Post{Type: bookType}, "/blog/books/dune/"},
		{"without front", "/blog/%postname%/", Post{Type: noFront}, "/books/dune/"},
		{"without front behind index.php", "/index.php/blog/%postname%/", Post{Type: noFront}, "/index.php/books/dune/"},
		{"slash by the structure", "/archives/%post_id%", Post{Type: bookType}, "/archives/books/dune"},
		{"a structure without tokens has no front", "/fixed/", Post{Type: bookType}, "/books/dune/"},
		{"hierarchical", "/%postname%/", Post{Type: tree, Path: "saga/dune"}, "/books/saga/dune/"},
		{"a flat type ignores parents", "/%postname%/", Post{Type: bookType, Path: "saga/dune"}, "/books/dune/"},
		{"plain", "", Post{Type: bookType}, "/?book=dune"},
		{"rewrite false", "/blog/%postname%/", Post{Type: noRewrite}, "/?qv=dune"},
		{"rewrite false, hierarchical: the slash is not encoded", "/%postname%/", Post{Type: treeNoRewrite, Path: "saga/dune"}, "/?book=saga/dune"},
		{"no query variable", "/%postname%/", Post{Type: noVar}, "/?post_type=book&p=9"},
		{"draft", "/%postname%/", Post{Type: bookType, Status: "draft"}, "/?post_type=book&p=9"},
		{"empty name in a query loses its equals sign", "", Post{Type: bookType, Name: "-"}, "/?book"},
		{"slug of several segments", "/%postname%/", Post{Type: slug("a/b")}, "/a/b/dune/"},
		{"empty slug stands for the name of the type", "/%postname%/", Post{Type: slug("")}, "/book/dune/"},
		{"a leading slash of the slug folds without front", "/%postname%/", Post{Type: slug("/a")}, "/a/dune/"},
		{"the type's own token is replaced", "/%postname%/", Post{Type: slug("x-%book%")}, "/x-dune/dune/"},
		{"tokens of taxonomies stay in core", "/%postname%/", Post{Type: slug("in/%genre%/%year%")}, "/in/%genre%/%year%/dune/"},
		{"WooCommerce replaces its category", "/%postname%/", Post{Type: slug("store/%product_cat%"), Terms: product}, "/store/kettles/electric/dune/"},
		{
			"and dates, id and %category%", "/%postname%/", Post{Type: slug("%year%/%second%/%post_id%/%category%"), Terms: product},
			"/2024/09/9/kettles/electric/dune/",
		},
		{"but no other token", "/%postname%/", Post{Type: slug("%author%/%postname%"), Terms: product}, "/%author%/%postname%/dune/"},
		{"a structure of its own", "/blog/%postname%/", Post{Type: structured(func(*registry.PostType) {}), Terms: product}, "/blog/books/2024/dune"},
		{"a structure of its own, not public", "/blog/%postname%/", Post{Type: structured(func(*registry.PostType) {}), Status: "draft"},
			"/?post_type=book&p=9"},
		{"a structure of its own, plain", "", Post{Type: structured(func(*registry.PostType) {})}, "/?book=dune"},
		{"a structure of its own, rewrite false", "/blog/%postname%/", Post{Type: structured(func(t *registry.PostType) { t.Rewrite = false })},
			"/?book=dune"},
		{"a lone percent sign stays", "/%postname%/", Post{Type: slug("100%/%product_cat%"), Terms: product}, "/100%/kettles/electric/dune/"},
	} {
		p := c.post
		p.ID, p.Date = 9, "2024-05-01 03:20:09"
		if p.Name == "" {
			p.Name = "dune"
		} else {
			p.Name = ""
		}
		if p.Status == "" {
			p.Status = "publish"
		}
		expect.Equal(t, site(c.structure).Post(p), home+c.want, c.rule)
	}
}

func TestAttachment(t *testing.T) {
	story := &Post{ID: 1, Type: postType, Status: "publish", Name: "story", Category: "news"}
	about := &Post{ID: 2, Type: pageType, Status: "publish", Name: "about"}
	book := &Post{ID: 3, Type: bookType, Status: "publish", Name: "dune"}
	in := func(status, before string) *Post {
		return &Post{ID: 4, Type: postType, Status: status, Name: "story", TrashedStatus: before}
	}
	file := func(parent *Post, name string) Post {
		p := Post{ID: 5, Type: fileType, Status: "inherit", Name: name, Parent: parent}
		if parent != nil {
			p.ParentID = parent.ID
		}
		return p
	}
	nested := file(story, "first")
	nested.ID = 6
	loop := file(nil, "a")
	loop.ParentID, loop.Parent = 6, &loop
	missing := file(nil, "a")
	missing.ParentID = 99
	own := file(nil, "a")
	own.ParentID, own.Parent = 5, &own
	private := file(nil, "a")
	private.Status = "private"
	published := file(in("draft", ""), "a")
	published.Status = "publish"

	const plain = "/?attachment_id=5"
	for _, c := range []struct {
		rule, structure string
		post            Post
		want            string
	}{
		{"unattached", "/%postname%/", file(nil, "a"), "/a/"},
		{"unattached: neither front nor index.php", "/index.php/blog/%postname%/", file(nil, "a"), "/a/"},
		{"unattached with a number for a name", "/%postname%/", file(nil, "12"), "/12/"},
		{"unattached without a name", "/%postname%/", file(nil, ""), "/"},
		{"unattached named 0, no slash", "/%postname%", file(nil, "0"), ""},
		{"unattached named 0", "/%postname%/", file(nil, "0"), "/0/"},
		{"below a post", "/blog/%postname%/", file(story, "a"), "/blog/story/a/"},
		{"below a page", "/blog/%postname%/", file(about, "a"), "/about/a/"},
		{"below the front page: its path", "/%postname%", file(&Post{ID: 100, Type: pageType, Status: "publish", Name: "start"}, "a"), "/start/a"},
		{"below a custom post", "/blog/%postname%", file(book, "a"), "/blog/books/dune/a"},
		{"below an attachment", "/%postname%/", file(&nested, "a"), "/story/first/a/"},
		{"a number is marked", "/%postname%/", file(story, "12"), "/story/attachment/12/"},
		{"what PHP takes for a number as well", "/%postname%/", file(story, "1e5"), "/story/attachment/1e5/"},
		{"%category% marks all", "/%category%/%postname%/", file(story, "a"), "/news/story/attachment/a/"},
		{"without a name both slashes stay", "/%postname%/", file(story, ""), "/story//"},
		{"plain permalinks", "", file(story, "a"), plain},
		{"draft parent", "/%postname%/", file(in("draft", ""), "a"), plain},
		{"private parent", "/%postname%/", file(in("private", ""), "a"), plain},
		{"trashed parent: public by its former status, but its link is a query", "/%postname%/", file(in("trash", "publish"), "a"), plain},
		{
			"below a trashed attachment of a public post", "/%postname%/",
			file(&Post{ID: 6, Type: fileType, Status: "trash", Name: "first", ParentID: 1, Parent: story, TrashedStatus: "publish"}, "a"),
			plain,
		},
		{
			"parent without a public link", "/%postname%/",
			file(&Post{ID: 4, Type: &registry.PostType{Name: "x", Viewable: true, QueryVar: "x"}, Status: "publish", Name: "n"}, "a"), plain,
		},
		{"parent of a type that is not viewable", "/%postname%/", file(&Post{ID: 4, Type: secret, Status: "publish", Name: "n"}, "a"), plain},
		{"parent of a type that is not registered", "/%postname%/", file(&Post{ID: 4, Status: "publish", Name: "n"}, "a"), plain},
		{"parent missing", "/%postname%/", missing, plain},
		{"its own parent", "/%postname%/", own, plain},
		{"endless parents", "/%postname%/", loop, plain},
		{"own status private", "/%postname%/", private, plain},
		{"any other own status is published, the parent's link still a query", "/%postname%/", published, plain},
	} {
		b := New(Settings{Home: home, Structure: c.structure, ShowOnFront: "page", PageOnFront: 100})
		expect.Equal(t, b.Post(c.post), home+c.want, c.rule)
	}
}

// With WooCommerce the type of the parent decides, and nothing else of it.
func TestAttachmentOfAProduct(t *testing.T) {
	product := &Post{ID: 3, Type: &registry.PostType{Name: "product", Viewable: true, Rewrite: true, Slug: "goods"}, Status: "publish", Name: "rope"}
	variation := &Post{ID: 4, Type: &registry.PostType{Name: "product_variation"}, Status: "publish", Name: "rope-red"}
	below := Post{ID: 5, Type: fileType, Status: "inherit", Name: "a", ParentID: 3, Parent: product}
	for _, c := range []struct {
		rule        string
		wooCommerce bool
		post        Post
		want        string
	}{
		{"of a product", true, below, "/?attachment_id=5"},
		{"of a product that is another plugin's", false, below, "/goods/rope/a/"},
		{"of a variation", true, Post{ID: 5, Type: fileType, Status: "inherit", Name: "a", ParentID: 4, Parent: variation}, "/?attachment_id=5"},
		{
			"of an attachment of a product", true, Post{ID: 6, Type: fileType, Status: "inherit", Name: "b", ParentID: 5, Parent: &below},
			"/?attachment_id=6",
		},
		{"unattached", true, Post{ID: 5, Type: fileType, Status: "inherit", Name: "a"}, "/a/"},
	} {
		b := New(Settings{Home: home, Structure: "/%postname%/", WooCommerce: c.wooCommerce})
		expect.Equal(t, b.Post(c.post), home+c.want, c.rule)
	}
}

func TestAttachmentStatus(t *testing.T) {
	story := func(status, before string) *Post {
		return &Post{ID: 1, Type: postType, Status: status, TrashedStatus: before}
	}
	for _, c := range []struct {
		rule, status string
		parent       *Post
		want         string
	}{
		{"unattached is published", "inherit", nil, "publish"},
		{"parent's status", "inherit", story("draft", ""), "draft"},
		{"status before the trash", "inherit", story("trash", "pending"), "pending"},
		{"unknown status before the trash", "inherit", story("trash", ""), "publish"},
		{"trash of its own", "trash", story("publish", ""), "trash"},
		{"the parent is missing", "inherit", nil, "publish"},
		{"anything else is published", "draft", story("draft", ""), "publish"},
		{"through an attachment", "inherit", &Post{ID: 2, Type: fileType, Status: "inherit", ParentID: 1, Parent: story("pending", "")}, "pending"},
	} {
		p := Post{ID: 5, Type: fileType, Status: c.status, Parent: c.parent}
		if c.parent != nil {
			p.ParentID = c.parent.ID
		}
		if c.rule == "the parent is missing" {
			p.ParentID = 1
		}
		expect.Equal(t, p.status(0), c.want, c.rule)
	}
}

// A token whose part of the date is missing is empty.
func TestDateTokens(t *testing.T) {
	for date, want := range map[string]string{
		"2024-05-01 10:20:30": "/2024/05/01/10/20/30/a/", "2024-05": "/2024/05/////a/", "": "/a/",
	} {
		p := Post{ID: 1, Type: postType, Status: "publish", Name: "a", Date: date}
		expect.Equal(t, site("/%year%/%monthnum%/%day%/%hour%/%minute%/%second%/%postname%/").Post(p), home+want, date)
	}
}
