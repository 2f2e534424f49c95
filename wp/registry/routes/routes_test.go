package routes

import "testing"

func TestParseRule(t *testing.T) {
	for _, tt := range []struct {
		name         string
		regex, query string
		want         Route // regex is filled in
		not          bool
	}{
		{name: "archive of a post type", regex: `books/?$`, query: `index.php?post_type=book`,
			want: Route{Shape: Archive, Base: "books", Name: "book"}},
		{name: "archive with a base of several directories", regex: `kitchen/recipe/?$`, query: `index.php?post_type=recipe`,
			want: Route{Shape: Archive, Base: "kitchen/recipe", Name: "recipe"}},
		{name: "flat post type", regex: `books/([^/]+)(?:/([0-9]+))?/?$`, query: `index.php?book=$matches[1]&page=$matches[2]`,
			want: Route{Shape: Single, Base: "books", QueryVar: "book"}},
		{name: "flat post type as written before WordPress 4.4", regex: `books/([^/]+)(/[0-9]+)?/?$`, query: `index.php?book=$matches[1]&page=$matches[2]`,
			want: Route{Shape: Single, Base: "books", QueryVar: "book"}},
		{name: "hierarchical post type", regex: `docs/(.+?)(?:/([0-9]+))?/?$`, query: `index.php?doc=$matches[1]&page=$matches[2]`,
			want: Route{Shape: Single, Base: "docs", QueryVar: "doc", Hierarchical: true}},
		{name: "flat post type without query variable", regex: `books/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&name=$matches[1]&page=$matches[2]`,
			want:  Route{Shape: Single, Base: "books", Name: "book"}},
		{name: "hierarchical post type without query variable", regex: `docs/(.+?)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=doc&pagename=$matches[1]&page=$matches[2]`,
			want:  Route{Shape: Single, Base: "docs", Name: "doc", Hierarchical: true}},
		{name: "taxonomy token in the base of a post type", regex: `shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?product_cat=$matches[1]&product=$matches[2]&page=$matches[3]`,
			want:  Route{Shape: Single, Base: "shop/%product_cat%", QueryVar: "product"}},
		{name: "core token in the base of a post type", regex: `by/([^/]+)/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?author_name=$matches[1]&book=$matches[2]&page=$matches[3]`,
			want:  Route{Shape: Single, Base: "by/%author%", QueryVar: "book"}},
		{name: "post type at the root of the site", regex: `([^/]+)(?:/([0-9]+))?/?$`, query: `index.php?book=$matches[1]&page=$matches[2]`,
			want: Route{Shape: Single, QueryVar: "book"}},
		{name: "flat taxonomy", regex: `genre/([^/]+)/?$`, query: `index.php?genre=$matches[1]`,
			want: Route{Shape: Term, Base: "genre", QueryVar: "genre"}},
		{name: "hierarchical taxonomy", regex: `genre/(.+?)/?$`, query: `index.php?genre=$matches[1]`,
			want: Route{Shape: Term, Base: "genre", QueryVar: "genre", Hierarchical: true}},
		{name: "taxonomy without query variable", regex: `genre/([^/]+)/?$`, query: `index.php?taxonomy=genre&term=$matches[1]`,
			want: Route{Shape: Term, Base: "genre", Name: "genre"}},
		{name: "post formats", regex: `type/([^/]+)/?$`, query: `index.php?post_format=$matches[1]`,
			want: Route{Shape: Term, Base: "type", QueryVar: "post_format"}},
		{name: "Custom Post Type Permalinks", regex: `(books)/([^/]+)/([0-9]{4})/([0-9]+)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&genre=$matches[2]&year=$matches[3]&p=$matches[4]&page=$matches[5]`,
			want:  Route{Shape: Single, Base: "books", Name: "book", QueryVar: "book", Structured: true}},
		{name: "Custom Post Type Permalinks behind a front", regex: `blog/(a/b)/(.+?)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&book=$matches[2]&page=$matches[3]`,
			want:  Route{Shape: Single, Base: "blog/a/b", Name: "book", QueryVar: "book", Structured: true, Hierarchical: true}},
		{name: "its rule of a page", regex: `(books)/([^/]+)/page/?([0-9]{1,})/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&book=$matches[2]&paged=$matches[3]`, not: true},
		{name: "Custom Post Type Permalinks without anything behind the slug", regex: `(books)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&page=$matches[2]`,
			want:  Route{Shape: Single, Base: "books", Name: "book", QueryVar: "book", Structured: true}},
		{name: "Custom Post Type Permalinks with a tree of terms above flat posts", regex: `(books)/(.+?)/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&genre=$matches[2]&book=$matches[3]&page=$matches[4]`,
			want:  Route{Shape: Single, Base: "books", Name: "book", QueryVar: "book", Structured: true}},
		{name: "a slug that is not literal", regex: `([0-9]+)/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[1]&book=$matches[2]&page=$matches[3]`, not: true},
		{name: "a slug behind another group", regex: `([0-9]+)/(books)(?:/([0-9]+))?/?$`,
			query: `index.php?post_type=book&slug=$matches[2]&year=$matches[1]&page=$matches[3]`, not: true},
		{name: "a slug of no group", regex: `(books)(?:/([0-9]+))?/?$`, query: `index.php?post_type=book&slug=$matches[7]&page=$matches[2]`, not: true},
		{name: "a slug of no type", regex: `(books)(?:/([0-9]+))?/?$`, query: `index.php?post_type=&slug=$matches[1]&page=$matches[2]`, not: true},
		{name: "escapes are removed from the base", regex: `v1\.0/c\+\+/?$`, query: `index.php?post_type=manual`,
			want: Route{Shape: Archive, Base: "v1.0/c++", Name: "manual"}},
		{name: "a base may be UTF-8 or percent-encoded", regex: `книги/%d0%b0/([^/]+)/?$`, query: `index.php?genre=$matches[1]`,
			want: Route{Shape: Term, Base: "книги/%d0%b0", QueryVar: "genre"}},
		{name: "a caret marks a rule written by hand", regex: `^books/?$`, query: `index.php?post_type=book`,
			want: Route{Shape: Archive, Base: "books", Name: "book", foreign: true}},

		{name: "Polylang's archive behind a language", regex: `(fr|de)/tour/?$`, query: `index.php?lang=$matches[1]&post_type=tour`,
			want: Route{Shape: Archive, Base: "tour", Name: "tour", language: true}},
		{name: "Polylang's archive of the default language", regex: `tour/?$`, query: `index.php?lang=en&post_type=tour`,
			want: Route{Shape: Archive, Base: "tour", Name: "tour"}},
		{name: "Polylang's single behind one language only", regex: `(fr)/read/tour/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?lang=$matches[1]&tour=$matches[2]&page=$matches[3]`,
			want:  Route{Shape: Single, Base: "read/tour", QueryVar: "tour", language: true}},
		{name: "Polylang's term behind language/", regex: `language/(fr|de)/theme/([^/]+)/?$`, query: `index.php?lang=$matches[1]&theme=$matches[2]`,
			want: Route{Shape: Term, Base: "theme", QueryVar: "theme", language: true}},
		{name: "Polylang behind index.php", regex: `index.php/(fr|de)/tour/?$`, query: `index.php?lang=$matches[1]&post_type=tour`,
			want: Route{Shape: Archive, Base: "index.php/tour", Name: "tour", language: true}},
		{name: "Polylang with a token in the base", regex: `(fr|de)/shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$`,
			query: `index.php?lang=$matches[1]&product_cat=$matches[2]&product=$matches[3]&page=$matches[4]`,
			want:  Route{Shape: Single, Base: "shop/%product_cat%", QueryVar: "product", language: true}},
		{name: "the variable lang of a group that is no list of codes", regex: `theme/([^/]+)/?$`, query: `index.php?lang=$matches[1]&theme=$matches[1]`,
			want: Route{Shape: Term, Base: "theme", QueryVar: "theme"}},
		{name: "the variable lang of a tree", regex: `theme/(.+?)/?$`, query: `index.php?lang=$matches[1]&theme=$matches[1]`,
			want: Route{Shape: Term, Base: "theme", QueryVar: "theme", Hierarchical: true}},
		{name: "the variable lang of a later group", regex: `theme/([^/]+)/(fr|de)/?$`, query: `index.php?theme=$matches[1]&lang=$matches[2]`, not: true},
		{name: "the variable lang without a group", regex: `tour/?$`, query: `index.php?lang=$matches[1]&post_type=tour`,
			want: Route{Shape: Archive, Base: "tour", Name: "tour"}},
		{name: "the variable lang of nothing", regex: `/?$`, query: `index.php?lang=$matches[1]`, not: true},
		{name: "Polylang's home behind index.php", regex: `index.php/(fr|de)/?$`, query: `index.php?lang=$matches[1]`, not: true},
		{name: "Polylang's home of a language is no term", regex: `(fr|de)/?$`, query: `index.php?lang=$matches[1]`, not: true},

		{name: "pages of a post that no variable takes", regex: `books/([^/]+)(?:/([0-9]+))?/?$`, query: `index.php?book=$matches[1]`, not: true},
		{name: "pages of a post that a variable has anyway", regex: `books/([^/]+)(?:/([0-9]+))?/?$`, query: `index.php?book=$matches[1]&page=2`,
			not: true},
		{name: "pages of nothing", regex: `books(?:/([0-9]+))?/?$`, query: `index.php`, not: true},
		{name: "pages of an archive", regex: `books(?:/([0-9]+))?/?$`, query: `index.php?post_type=book&page=$matches[1]`, not: true},
		{name: "an archive of no type", regex: `books/?$`, query: `index.php?post_type=`, not: true},
		{name: "an archive behind a group", regex: `(a|b)/books/?$`, query: `index.php?post_type=book`, not: true},
		{name: "an archive at the root", regex: `/?$`, query: `index.php?post_type=book`, not: true},
		{name: "an object of another form", regex: `genre/([a-z]+)/?$`, query: `index.php?genre=$matches[1]`, not: true},
		{name: "an object of another group", regex: `genre/([^/]+)/?$`, query: `index.php?genre=$matches[2]`, not: true},
		{name: "a tree of another group", regex: `genre/(.+?)/?$`, query: `index.php?genre=$matches[2]`, not: true},
		{name: "a taxonomy without a name", regex: `genre/([^/]+)/?$`, query: `index.php?taxonomy=&term=$matches[1]`, not: true},
		{name: "a taxonomy by a group", regex: `(a|b)/([^/]+)/?$`, query: `index.php?taxonomy=$matches[1]&term=$matches[2]`, not: true},
		{name: "a repeated group", regex: `books/([^/]+)+/?$`, query: `index.php?book=$matches[1]`, not: true},
		{name: "a group that may be missing", regex: `(a)?/books/?$`, query: `index.php?post_type=book`, not: true},
		{name: "an empty pair in the query", regex: `books/?$`, query: `index.php?&post_type=book`,
			want: Route{Shape: Archive, Base: "books", Name: "book"}},
		{name: "posts", regex: `([^/]+)(?:/([0-9]+))?/?$`, query: `index.php?name=$matches[1]&page=$matches[2]`, not: true},
		{name: "pages", regex: `(.?.+?)(?:/([0-9]+))?/?$`, query: `index.php?pagename=$matches[1]&page=$matches[2]`, not: true},
		{name: "authors", regex: `author/([^/]+)/?$`, query: `index.php?author_name=$matches[1]`, not: true},
		{name: "categories", regex: `category/(.+?)/?$`, query: `index.php?category_name=$matches[1]`, not: true},
		{name: "categories without base", regex: `(news/sport)/?$`, query: `index.php?category_name=$matches[1]`, not: true},
		{name: "attachments of a post type", regex: `books/[^/]+/([^/]+)/?$`, query: `index.php?attachment=$matches[1]`, not: true},
		{name: "dates", regex: `([0-9]{4})/?$`, query: `index.php?year=$matches[1]`, not: true},
		{name: "paging of an archive", regex: `books/page/([0-9]{1,})/?$`, query: `index.php?post_type=book&paged=$matches[1]`, not: true},
		{name: "paging of a term", regex: `genre/([^/]+)/page/?([0-9]{1,})/?$`, query: `index.php?genre=$matches[1]&paged=$matches[2]`, not: true},
		{name: "feed of a term", regex: `genre/([^/]+)/(feed|rdf)/?$`, query: `index.php?genre=$matches[1]&feed=$matches[2]`, not: true},
		{name: "embed of a term", regex: `genre/([^/]+)/embed/?$`, query: `index.php?genre=$matches[1]&embed=true`, not: true},
		{name: "endpoint of a term", regex: `genre/(.+?)/wc-api(/(.*))?/?$`, query: `index.php?genre=$matches[1]&wc-api=$matches[3]`, not: true},
		{name: "page with a variable of a plugin", regex: `find/([^/]+)/?$`, query: `index.php?pagename=find&what=$matches[1]`, not: true},
		{name: "archive with a filter of a plugin", regex: `books/?$`, query: `index.php?post_type=book&sort=new`, not: true},
		{name: "term without base", regex: `([^/]+)/?$`, query: `index.php?genre=$matches[1]`, not: true},
		{name: "group that the query does not use", regex: `a/([^/]+)/([^/]+)/?$`, query: `index.php?genre=$matches[2]`, not: true},
		{name: "not WordPress", regex: `books/?$`, query: `other.php?post_type=book`, not: true},
		{name: "no end", regex: `books`, query: `index.php?post_type=book`, not: true},
		{name: "open group", regex: `books/([^/]+/?$`, query: `index.php?book=$matches[1]`, not: true},
		{name: "escape at the end", regex: `books\`, query: `index.php?post_type=book`, not: true},
		{name: "class", regex: `b\d/?$`, query: `index.php?post_type=book`, not: true},
		{name: "nothing", not: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseRule(tt.regex, parseQuery(tt.query))
			if ok == tt.not {
				t.Fatalf("parseRule(%q, %q) = %+v, %v", tt.regex, tt.query, got, ok)
			}
			tt.want.Regex = tt.regex
			if ok && got != tt.want {
				t.Errorf("parseRule(%q, %q)\n got %+v\nwant %+v", tt.regex, tt.query, got, tt.want)
			}
		})
	}
}

func TestBestRoute(t *testing.T) {
	const q = `index.php?product_cat=$matches[1]`
	for _, tt := range []struct {
		name  string
		rules []Rule
		want  string
	}{
		{"the rule without a language before the one with it", []Rule{
			{`(fr|de)/fr-base/(.+?)/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]`}, {`base/(.+?)/?$`, q}}, "base"},
		{"with a language where there is no other", []Rule{
			{`(fr|de)/base/(.+?)/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]`}}, "base"},
		{"core's rule before one written by hand", []Rule{{`^alias/(.+?)/?$`, q}, {`base/(.+?)/?$`, q}}, "base"},
		{"not the walked directory of a post type's slug", []Rule{
			{`shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?product_cat=$matches[1]&product=$matches[2]&page=$matches[3]`},
			{`shop/(.+?)/?$`, q}, {`base/(.+?)/?$`, q}}, "base"},
		{"a rule with a language before one written by hand", []Rule{
			{`^alias/(.+?)/?$`, q}, {`(fr|de)/base/(.+?)/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]`}}, "base"},
		{"a rule written by hand, with a language, before a walked directory", []Rule{
			{`shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?product_cat=$matches[1]&product=$matches[2]&page=$matches[3]`},
			{`shop/(.+?)/?$`, q}, {`^(fr|de)/base/(.+?)/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]`}}, "base"},
		{"a walked directory where there is no other", []Rule{
			{`^(fr|de)/shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]&product=$matches[3]&page=$matches[4]`},
			{`^(fr|de)/shop/(.+?)/?$`, `index.php?lang=$matches[1]&product_cat=$matches[2]`}}, "shop"},
		{"the first of equals", []Rule{{`base/(.+?)/?$`, q}, {`late/(.+?)/?$`, q}}, "base"},
	} {
		rs := Read(tt.rules)
		if r, ok := rs.Named(Term, "product_cat"); !ok || r.Base != tt.want {
			t.Errorf("%s: got %+v, %v; want base %q", tt.name, r, ok, tt.want)
		}
	}
}

func TestLiteral(t *testing.T) {
	for pattern, want := range map[string]string{
		"books": "books", "books/?$": "", `a\.b`: "a.b", "books/([^/]+)/?$": "", "([^/]+)/?$": "", "bo+ks": "", "": "",
	} {
		if got, ok := Literal(pattern); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t; want %q", pattern, got, ok, want)
		}
	}
}

// Every type and query variable that a rule names is mentioned, whatever the rule's shape is.
func TestRead(t *testing.T) {
	rs := Read([]Rule{
		{`shelf/([^/]+)/feed/?$`, `index.php?shelf=$matches[1]&feed=rss`}, {`x/(.*)`, `index.php?post_type=book&p=$matches[1]`},
		{`y`, `index.php?taxonomy=genre`},
		{`genre/([^/]+)/embed/?$`, `index.php?genre=$matches[1]&embed=true`}, {`z/?$`, `index.php?name=fixed`},
	})
	for name, want := range map[string]bool{"shelf": true, "book": true, "genre": true, "p": true, "rss": false, "fixed": false, "name": false,
		"feed": false} {
		if rs.Mentions[name] != want {
			t.Errorf("%s is mentioned: %t, want %t", name, rs.Mentions[name], want)
		}
	}
	if !rs.Present || Read(nil).Present || !Read([]Rule{{}}).Present {
		t.Error("rules are present if there is one")
	}
	if !rs.Generated(`genre/([^/]+)/?$`) || rs.Generated(`shelf/([^/]+)/?$`) {
		t.Error("a rule is core's own if there is one for embeds beside it")
	}
}

// A rule that names the type counts before one whose query variable is called like the type.
func TestNamedRoute(t *testing.T) {
	rs := Read([]Rule{
		{`by-variable/([^/]+)/?$`, `index.php?genre=$matches[1]`}, {`by-name/([^/]+)/?$`, `index.php?taxonomy=genre&term=$matches[1]`},
		{`moods/([^/]+)/?$`, `index.php?mood=$matches[1]`}, {`books/?$`, `index.php?post_type=book`},
	})
	for _, tt := range []struct {
		shape      Shape
		name, base string
	}{{Term, "genre", "by-name"}, {Term, "mood", "moods"}, {Archive, "book", "books"}, {Term, "book", ""}, {Term, "", ""}, {Single, "genre", ""}} {
		if r, ok := rs.Named(tt.shape, tt.name); ok != (tt.base != "") || r.Base != tt.base {
			t.Errorf("%d of %q: %+v, %t, want base %q", tt.shape, tt.name, r, ok, tt.base)
		}
	}
	for base, want := range map[string]string{"moods": "mood", "by-name": "genre", "books": "", "none": ""} {
		if r, ok := rs.At(Term, base); ok != (want != "") || r.Key() != want {
			t.Errorf("a term at %s: %+v, %t, want %q", base, r, ok, want)
		}
	}
}
