// Package sample makes the demo site that "wpsitemapd demo" serves.
package sample

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"time"
)

// Create writes the demo site to a new file at path, in the layout of the SQLite
// integration plugin: "The Saltwick Gazette", a town paper of some 300 posts with pages,
// recipes, a tree of town guides, categories, tags, authors and pictures, and with one of
// everything that has to stay out of a sitemap. home is its address, such as
// "http://127.0.0.1:8080", without a slash at the end. The same home gives the same rows.
// It fails with fs.ErrExist where the file is there already.
func Create(ctx context.Context, path, home string) error {
	if err := create(ctx, path, strings.TrimSuffix(home, "/")); err != nil {
		return fmt.Errorf("demo site: %w", err)
	}
	return nil
}

// schema has the tables of a single site in the layout of the plugin, 3.x.
//
//go:embed schema.sql
var schema string

func create(ctx context.Context, path, home string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	db, err := OpenSQLite(path)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	d := &demo{Writer: NewWriter(ctx, db), Texts: NewTexts(1), home: home, next: 1}
	d.writeUsers()
	d.writeTerms()
	d.writeImages()
	d.writePages()
	d.writePosts()
	d.writeRecipes()
	d.writeGuides()
	d.writeKeptOut()
	d.writeCounts()
	d.writeOptions()
	if err := d.Commit(); err != nil {
		return err
	}
	return db.Close()
}

// demo is the site in the making.
type demo struct {
	*Writer
	*Texts
	home   string
	next   int // next id of a post
	images []Image
	terms  []*demoTerm
	pages  struct{ front, journal int }
	b      strings.Builder
}

type demoTerm struct {
	id, parent     int
	taxonomy, name string
	count          int // published posts
}

const demoOffset = time.Hour // option gmt_offset

// demoBegin is when the paper was founded.
var demoBegin = time.Date(2021, 3, 1, 7, 30, 0, 0, time.UTC)

// The users. The last two are in no author sitemap: an author who asked to be left out, and
// a subscriber without posts.
var demoUsers = []struct {
	login, name, role string
	level             int
}{
	{"ottilie", "Ottilie Quay", "administrator", 10},
	{"barnaby", "Barnaby Finch", "editor", 7},
	{"marta", "Marta Lindqvist", "author", 2},
	{"teodor", "Teodor Vale", "author", 2},
	{"aiko", "Aiko Harbour", "author", 2},
	{"samuel", "Samuel Oyelaran", "contributor", 1},
	{"prudence", "Prudence Unlisted", "author", 2},
	{"reader", "A Faithful Reader", "subscriber", 0},
}

const unlistedUser = 7

func (d *demo) writeUsers() {
	for i, u := range demoUsers {
		d.AddUser(i+1, u.login, u.name, u.role, u.level, int(demoBegin.Unix())+i*86_400*90)
	}
	d.Add(d.usermeta, unlistedUser, "wpseo_noindex_author", "on")
}

// These are the terms as a tree: the parent of each is the one before it that has one space less.
var demoTerms = []struct {
	taxonomy string
	names    string
}{
	{"category", `
Uncategorized
Town
 Harbour
  Ferries
  Fishing fleet
 Council
Culture
 Music
 Books
 Theatre
Kitchen talk
Weather
Advertisements
Reprints
Empty drawer`},
	{"post_tag", `
boats
tides
storms
lanterns
bakery
bridge
market day
school
gardens
winter
summer
choir
lighthouse
nets
railway
volunteers
photographs
letters
cats
history
café
never used`},
	{"course", `
Breakfast
Soup
 Fish soup
 Clear soup
Main dish
Dessert
 Cake
 Pudding`},
}

func (d *demo) writeTerms() {
	id := 0
	for _, group := range demoTerms {
		var above [4]int // the newest term of each depth
		for name := range strings.Lines(strings.TrimSpace(group.names)) {
			id++
			name = strings.TrimSuffix(name, "\n")
			depth := len(name) - len(strings.TrimLeft(name, " "))
			t := &demoTerm{id: id, taxonomy: group.taxonomy, name: strings.TrimSpace(name)}
			if depth > 0 {
				t.parent = above[depth-1]
			}
			above[depth] = id
			d.terms = append(d.terms, t)
			d.Add(d.Writer.Terms, id, t.name, Slug(strings.ReplaceAll(t.name, "é", "e"), 0))
		}
	}
}

func (d *demo) term(name string) *demoTerm {
	for _, t := range d.terms {
		if t.name == name {
			return t
		}
	}
	return nil
}

// assign puts a post into terms; term_taxonomy_id is term_id and 1,000.
func (d *demo) assign(p Post, terms ...*demoTerm) {
	seen := map[int]bool{}
	for _, t := range terms {
		if seen[t.id] {
			continue
		}
		seen[t.id] = true
		d.Add(d.Relations, p.ID, t.id+1000)
		if p.Status == "" || p.Status == "publish" {
			t.count++
		}
	}
}

func (d *demo) writeCounts() {
	for _, t := range d.terms {
		description := ""
		if t.parent == 0 && t.taxonomy == "category" {
			description = "Everything about " + strings.ToLower(t.name) + "."
		}
		d.Add(d.Taxonomy, t.id+1000, t.id, t.taxonomy, description, t.parent, t.count)
	}
}

func (d *demo) writeImages() {
	for i := range 80 {
		published := demoBegin.AddDate(0, i/2, i%27)
		thing := Pick(d.Texts, Things)
		im := Image{ID: d.next, Alt: thing, File: published.Format("2006/01/") + thing + "-" + itoa(d.next) + ".jpg"}
		p := Post{Slug: thing + "-" + itoa(d.next), Title: "The " + thing + " at " + Pick(d.Texts, places), Published: published}
		if i%2 == 0 {
			p.excerpt = "Photograph: the " + thing + ", seen from the quay." // the caption
		}
		p.ID, p.Author, p.offset = im.ID, 1+i%5, demoOffset
		d.next++
		d.images = append(d.images, im)
		d.AddImage(p, im.File, d.home)
	}
}

// write adds a post; id and offset are set here.
func (d *demo) write(p Post) Post {
	p.ID, p.offset = d.next, demoOffset
	d.next++
	p.Author = cmp.Or(p.Author, 2)
	p.Slug = cmp.Or(p.Slug, Slug(p.Title, 0))
	d.AddPost(p, d.home)
	return p
}

func (d *demo) twoImages() []Image {
	return []Image{Pick(d.Texts, d.images), Pick(d.Texts, d.images)}
}

func (d *demo) writePages() {
	page := func(parent int, title string) int {
		published := demoBegin.AddDate(0, 0, d.next%30)
		p := d.write(Post{Kind: "page", Title: title, Parent: parent, Author: 1, Published: published,
			Modified: published.AddDate(1, d.IntN(30), 0), Content: d.Content(&d.b, d.home, 2, Pick(d.Texts, d.images))})
		return p.ID
	}
	d.pages.front = page(0, "Welcome")
	d.pages.journal = page(0, "News")
	about := page(0, "About us")
	team := page(about, "The editors")
	page(team, "How to join")
	page(about, "Our printing press")
	page(0, "Contact")
	visit := page(0, "Visit Saltwick")
	for _, title := range []string{"By ferry", "By rail", "On foot", "Where to sleep", "Where to eat"} {
		page(visit, title)
	}
	page(0, "Subscriptions")
}

func (d *demo) writePosts() {
	categories := []string{"Town", "Harbour", "Ferries", "Fishing fleet", "Council", "Music", "Books", "Theatre", "Kitchen talk", "Weather"}
	tags := d.terms[15 : 15+21] // all but "never used"
	for i := range 300 {
		title := d.Title()
		published := demoBegin.AddDate(0, 0, i*5).Add(time.Duration(d.IntN(600)) * time.Minute)
		p := Post{Title: title, Slug: Slug(title, d.next), Author: 1 + i%6, Published: published}
		p.Modified = p.Published
		if i%3 == 0 {
			p.Modified = p.Published.Add(time.Duration(d.IntN(60*24)) * time.Hour)
		}
		p.Content = d.Content(&d.b, d.home, 3, d.twoImages()...)
		if i%40 == 7 {
			p.Content += "<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n\n" + d.Content(&d.b, d.home, 2, Pick(d.Texts, d.images))
		}
		p = d.write(p)
		d.Add(d.PostMeta, p.ID, "_thumbnail_id", itoa(Pick(d.Texts, d.images).ID))
		d.assign(p, d.term(Pick(d.Texts, categories)), Pick(d.Texts, tags), Pick(d.Texts, tags), Pick(d.Texts, tags))
	}
}

func (d *demo) writeRecipes() {
	courses := []string{"Breakfast", "Fish soup", "Clear soup", "Main dish", "Cake", "Pudding"}
	for i := range 40 {
		course := courses[i%len(courses)]
		title := "Grandmother's " + Pick(d.Texts, adjectives) + " " + strings.ToLower(course)
		p := d.write(Post{Kind: "recipe", Title: title, Slug: Slug(strings.ReplaceAll(title, "'", ""), i+1), Author: 3 + i%3,
			Published: demoBegin.AddDate(0, i, 3), Content: d.Content(&d.b, d.home, 2, Pick(d.Texts, d.images))})
		d.assign(p, d.term(course))
	}
}

func (d *demo) writeGuides() {
	for i, place := range places {
		published := demoBegin.AddDate(0, 2*i, 11)
		town := d.write(Post{Kind: "guide", Title: place, Author: 2, Published: published, order: i,
			Content: d.Content(&d.b, d.home, 2, d.twoImages()...)})
		for _, part := range []string{"A walk", "The harbour"} {
			d.write(Post{Kind: "guide", Title: part, Parent: town.ID, Author: 2, Published: published.Add(time.Hour),
				Content: d.Content(&d.b, d.home, 1, Pick(d.Texts, d.images))})
		}
	}
}

// writeKeptOut adds what a sitemap must not list; the titles say why.
func (d *demo) writeKeptOut() {
	date := demoBegin.AddDate(2, 0, 0)
	town := d.term("Town")
	add := func(p Post, meta ...string) {
		date = date.AddDate(0, 0, 1)
		if p.Published.IsZero() {
			p.Published = date
		}
		p.Content = d.Content(&d.b, d.home, 2, d.twoImages()...)
		p = d.write(p)
		if p.Kind == "" {
			d.assign(p, town)
		}
		for i := 0; i+1 < len(meta); i += 2 {
			d.Add(d.PostMeta, p.ID, meta[i], meta[i+1])
		}
	}
	const noindex, canonical = "_yoast_wpseo_meta-robots-noindex", "_yoast_wpseo_canonical"
	add(Post{Title: "Kept out by noindex"}, noindex, "1")
	add(Post{Title: "Told to be indexed"}, noindex, "2") // this one stays in
	add(Post{Title: "Canonical elsewhere"}, canonical, "https://elsewhere.example.test/the-original/")
	add(Post{Title: "Canonical its own address"}, canonical, d.home+"/canonical-its-own-address/") // and this one
	add(Post{Title: "Behind a password", password: "sesame"})
	add(Post{Title: "A draft", Slug: "a-draft", Status: "draft"})
	add(Post{Title: "Waiting for review", Status: "pending"})
	add(Post{Title: "A private note", Status: "private"})
	add(Post{Title: "Scheduled for a distant year", Status: "future", Published: time.Date(2099, 1, 1, 9, 0, 0, 0, time.UTC)})
	add(Post{Title: "Thrown away", Slug: "thrown-away__trashed", Status: "trash"})
	add(Post{Title: "Imprint kept out by noindex", Kind: "page"}, noindex, "1")
	add(Post{Title: "A page behind a password", Kind: "page", password: "sesame"})
	add(Post{Title: "A recipe kept out by noindex", Kind: "recipe"}, noindex, "1")
	add(Post{Title: "By an author who is not listed", Author: unlistedUser})

	p := d.write(Post{Title: "In a category kept out by noindex", Published: date})
	d.assign(p, d.term("Advertisements"))
	p = d.write(Post{Title: "In a category with its canonical elsewhere", Published: date})
	d.assign(p, d.term("Reprints"))
}

func (d *demo) writeOptions() {
	options := coreOptions(d.home, "The Saltwick Gazette")
	set := func(name string, value any) {
		for i := range options {
			if options[i].name == name {
				options[i].value = value
				return
			}
		}
		options = append(options, option{name, value})
	}
	set("blogdescription", "News from the quay since breakfast")
	set("show_on_front", "page")
	set("page_on_front", itoa(d.pages.front))
	set("page_for_posts", itoa(d.pages.journal))
	set("gmt_offset", "1")
	set("wp_user_roles", userRoles())
	set("rewrite_rules", demoRules())
	set("wpseo", array{
		{"version", "28.3"},
		{"enable_xml_sitemap", true},
		{"permalink_structure", "/%postname%/"},
		{"home_url", d.home},
		{"last_known_public_post_types", list("post", "page", "recipe", "guide")},
		{"last_known_public_taxonomies", list("category", "post_tag", "post_format", "course")},
	})
	set("wpseo_titles", array{
		{"disable-author", false},
		{"disable-attachment", true},
		{"noindex-author-wpseo", false},
		{"noindex-author-noposts-wpseo", true},
		{"noindex-post", false},
		{"noindex-page", false},
		{"noindex-recipe", false},
		{"noindex-ptarchive-recipe", false},
		{"noindex-guide", false},
		{"noindex-ptarchive-guide", false},
		{"noindex-tax-category", false},
		{"noindex-tax-post_tag", false},
		{"noindex-tax-post_format", true},
		{"noindex-tax-course", false},
		{"stripcategorybase", false},
	})
	set("wpseo_taxonomy_meta", array{{"category", array{
		{d.term("Advertisements").id, array{{"wpseo_noindex", "noindex"}}},
		{d.term("Reprints").id, array{{"wpseo_canonical", "https://elsewhere.example.test/reprints/"}}},
	}}})
	for _, taxonomy := range []string{"category", "course"} {
		children := array{}
		for _, parent := range d.terms {
			var ids []int
			for _, t := range d.terms {
				if t.parent == parent.id {
					ids = append(ids, t.id)
				}
			}
			if parent.taxonomy == taxonomy && ids != nil {
				children = append(children, pair{parent.id, list(ids...)})
			}
		}
		set(taxonomy+"_children", children)
	}
	d.addOptions(options)
}

// demoRules is the option rewrite_rules with what WordPress generates for the types of the
// site. Feeds, embeds and comment pages are left out: nothing depends on them.
func demoRules() array {
	var rules array
	rule := func(regex, query string) { rules = append(rules, pair{regex, "index.php?" + query}) }
	for _, archive := range []struct{ slug, name string }{{"recipes", "recipe"}, {"guides", "guide"}} {
		rule(archive.slug+"/?$", "post_type="+archive.name)
		rule(archive.slug+"/page/([0-9]{1,})/?$", "post_type="+archive.name+"&paged=$matches[1]")
	}
	for _, t := range []struct{ base, slug, query string }{
		{"category", "(.+?)", "category_name"},
		{"tag", "([^/]+)", "tag"},
		{"type", "([^/]+)", "post_format"},
		{"course", "(.+?)", "course"},
	} {
		rule(t.base+"/"+t.slug+"/page/?([0-9]{1,})/?$", t.query+"=$matches[1]&paged=$matches[2]")
		rule(t.base+"/"+t.slug+"/?$", t.query+"=$matches[1]")
	}
	rule("recipes/[^/]+/attachment/([^/]+)/?$", "attachment=$matches[1]")
	rule("recipes/([^/]+)(?:/([0-9]+))?/?$", "recipe=$matches[1]&page=$matches[2]")
	rule("guides/.+?/attachment/([^/]+)/?$", "attachment=$matches[1]")
	rule("guides/(.+?)(?:/([0-9]+))?/?$", "guide=$matches[1]&page=$matches[2]")
	rule("page/?([0-9]{1,})/?$", "&paged=$matches[1]")
	rule("author/([^/]+)/page/?([0-9]{1,})/?$", "author_name=$matches[1]&paged=$matches[2]")
	rule("author/([^/]+)/?$", "author_name=$matches[1]")
	rule("(.?.+?)(?:/([0-9]+))?/?$", "pagename=$matches[1]&page=$matches[2]")
	rule("([^/]+)(?:/([0-9]+))?/?$", "name=$matches[1]&page=$matches[2]")
	return rules
}
