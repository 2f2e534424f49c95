package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// thing is an object that may have the address asked for. Its Of is a name: "post 17", "home".
type thing struct {
	seo.Subject
	kind seo.ObjectKind // KindPost, KindTerm, KindUser, KindArchive; front and posts page are posts
	of   string         // post type or taxonomy; "" for users and home
	id   int64          // 0 for an archive
	like likeness

	title string // plain text, where it was read
}

func (e *explainer) newThing(kind seo.ObjectKind, of string, id int64, link string) *thing {
	name := fmt.Sprintf("%s %d", cmp.Or(of, "author"), id)
	switch {
	case kind == seo.KindArchive && of == "":
		name = "home"
	case kind == seo.KindArchive:
		name = "archive of " + of
	}
	return &thing{Subject: seo.Subject{Rules: e.Rules, Of: name, Link: link}, kind: kind, of: of, id: id}
}

func (e *explainer) postThing(p *wp.Post) *thing {
	t := e.newThing(seo.KindPost, p.Type, p.ID, p.Link)
	t.Post = p
	return t
}

func (e *explainer) termThing(of *registry.Taxonomy, term *wp.Term) *thing {
	t := e.newThing(seo.KindTerm, of.Name, term.ID, term.Link)
	t.Taxonomy, t.Term = of, term
	return t
}

func (e *explainer) authorThing(a *wp.Author) *thing {
	t := e.newThing(seo.KindUser, "", a.ID, a.Link)
	t.Author = a
	return t
}

// find returns what has the address, best first, and apart from it what only has a name in it.
func (e *explainer) find(asked spelled) (found, hints []*thing, err error) {
	segments, _ := asked.below(&e.home)
	name := ""
	if len(segments) > 0 {
		name = segments[len(segments)-1]
	}
	q := e.query(asked, len(segments) == 0 || e.isStart(segments))
	var all []*thing
	for _, look := range []func(spelled, []string, string, query) ([]*thing, error){e.findPosts, e.findTerms, e.findAuthors, e.findArchives} {
		things, err := look(asked, segments, name, q)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, things...)
	}
	for _, t := range all {
		if t.like == named {
			hints = append(hints, t)
		} else if t.like > named {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(x, y *thing) int { return cmp.Compare(y.like, x.like) })
	if len(found) > 0 && found[0].kind == seo.KindPost { // a page is there
		found = slices.DeleteFunc(found, func(t *thing) bool { return t.kind == seo.KindArchive && t.PostType == nil })
	}
	return found, hints, nil
}

// isStart reports whether a path holds nothing but a language: what is there, the query says.
func (e *explainer) isStart(segments []string) bool {
	if len(segments) == 2 && segments[0] == "language" { // as Polylang may write it
		segments = segments[1:]
	}
	return len(segments) == 1 && slices.ContainsFunc(e.Blog.Languages(), func(l wp.Language) bool { return l.Code == segments[0] })
}

// query is what the variables name by which WordPress finds objects. On a path they count for nothing.
type query map[string]string

// query returns the variables of an address that mean something.
func (e *explainer) query(asked spelled, atHome bool) query {
	q := query{}
	for name, value := range asked.vars {
		if atHome && e.routes(name) {
			q[name] = strings.Trim(value, "/")
		}
	}
	return q
}

// number is the number that a variable has; 0 for none.
func (q query) number(name string) int64 {
	n, _ := strconv.ParseInt(q[name], 10, 64)
	return n
}

// slug is the slug that a variable has: the end of a path.
func (q query) slug(name string) string { return q[name][strings.LastIndexByte(q[name], '/')+1:] }

// has reports whether one of some variables has the slug of an object.
func (q query) has(stored string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && q.slug(name) != "" && slices.Contains(slugForms(q.slug(name)), stored)
	})
}

// slugNames are the variables of WordPress that have a slug, beside those of types and taxonomies.
var slugNames = []string{"name", "pagename", "attachment", "category_name", "tag", "term"}

// slugs are those that a query names.
func (q query) slugs() (all []string) {
	for name := range q {
		if slug := q.slug(name); slug != "" && (slices.Contains(slugNames, name) || !slices.Contains(wordpressVars, name)) {
			all = append(all, slug)
		}
	}
	return all
}

// routes reports whether a query variable means something to WordPress.
func (e *explainer) routes(name string) bool {
	return slices.Contains(wordpressVars, name) ||
		slices.ContainsFunc(e.Blog.Registry().PostTypes, func(t *registry.PostType) bool { return t.QueryVar == name }) ||
		slices.ContainsFunc(e.Blog.Registry().Taxonomies, func(t *registry.Taxonomy) bool { return t.QueryVar == name })
}

// likeOf compares the address asked for with an object's own, as it is computed and as a
// sitemap spells it.
func (e *explainer) likeOf(asked spelled, link string) likeness {
	best := unlike
	for _, form := range []string{link, e.spelling(link)} {
		if own, err := spell(form); err == nil {
			best = max(best, asked.like(&own, e.routes))
		}
	}
	return best
}

// spelling is a link as a sitemap has it, "" for one that may not be in a sitemap.
func (e *explainer) spelling(link string) string {
	loc, _ := e.Dress.Encoding.AppendPlain(nil, link)
	return string(loc)
}

// findArchives finds home and the archives of post types, in every language.
func (e *explainer) findArchives(asked spelled, _ []string, _ string, q query) ([]*thing, error) {
	var all []*thing
	add := func(t *registry.PostType, link string) {
		like := e.likeOf(asked, link)
		if like == unlike && t != nil && q["post_type"] == t.Name && q.number("p") == 0 && len(q.slugs()) == 0 {
			like = identified
		}
		if like > unlike && link != "" {
			of := ""
			if t != nil {
				of = t.Name
			}
			found := e.newThing(seo.KindArchive, of, 0, link)
			found.PostType, found.like = t, like
			all = append(all, found)
		}
	}
	for _, t := range e.Blog.Registry().PostTypes {
		if !t.HasArchive || t.Name == "post" {
			continue
		}
		link, err := e.Blog.ArchiveLink(e.ctx, t)
		if err != nil {
			return nil, err
		}
		add(t, link)
		for _, l := range e.Blog.Languages() {
			own, err := e.Blog.ArchiveLinkIn(e.ctx, t, l.Code)
			if err != nil {
				return nil, err
			}
			if own != link {
				add(t, own)
			}
		}
	}
	add(nil, e.Links.HomeURL())
	for _, l := range e.Blog.Languages() {
		if l.Home != e.Links.HomeURL() {
			add(nil, l.Home)
		}
	}
	return all, nil
}

// findPosts finds posts of any type and status.
func (e *explainer) findPosts(asked spelled, segments []string, name string, q query) ([]*thing, error) {
	ids, names, err := e.postsMeant(segments, name, q)
	if err != nil {
		return nil, err
	}
	forms := map[string]bool{}
	for _, n := range names {
		for _, form := range slugForms(n) {
			forms[form], forms[form+"__trashed"] = true, true
		}
	}
	slugs := slices.Sorted(maps.Keys(forms))
	byName, err := e.Blog.PostsNamed(e.ctx, slugs)
	if err != nil {
		return nil, err
	}
	byHand, _, err := e.Blog.AtPaths(e.ctx, pathForms(segments))
	if err != nil {
		return nil, err
	}
	bare := asked.scheme + "://" + asked.host + strings.TrimRight(asked.path, "/")
	stored, err := e.Blog.PostsStoredAt(e.ctx, bare, bare+"/")
	if err != nil {
		return nil, err
	}
	ids = slices.Concat(ids, byName, byHand, stored)
	slices.Sort(ids)
	ids = slices.Compact(slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 }))
	posts, err := e.Blog.Posts(e.ctx, ids, nil)
	if err != nil {
		return nil, err
	}
	var all []*thing
	var closed []int64
	for _, p := range posts {
		t := e.postThing(p)
		t.like = e.likeOf(asked, p.Link)
		of := ""
		if pt := e.Blog.Registry().PostType(p.Type); pt != nil {
			of = pt.QueryVar
		}
		switch {
		case t.like > unlike:
		case slices.ContainsFunc(postNumbers, func(name string) bool { return q.number(name) == p.ID }),
			q.has(p.Name, "name", "pagename", "attachment", of):
			t.like = identified
		case slices.Contains(byName, p.ID):
			t.like = named
			if p.Status != "publish" && p.Type != "attachment" {
				closed = append(closed, p.ID)
			}
		default:
			continue
		}
		all = append(all, t)
	}
	former, err := e.Blog.FormerLinks(e.ctx, closed)
	if err != nil {
		return nil, err
	}
	for _, l := range former {
		if e.likeOf(asked, l.Link) >= alike {
			all[slices.IndexFunc(all, func(t *thing) bool { return t.Post.ID == l.ID })].like = unopened
		}
	}
	if len(all) == 0 && name != "" {
		return e.postsOnceNamed(slugs)
	}
	return all, nil
}

// postNumbers are the variables that have the number of a post.
var postNumbers = []string{"p", "page_id", "attachment_id"}

// postsMeant returns the ids and the names of posts that a URL may mean: by its query, by the form of permalinks, and those that may
// have any URL.
func (e *explainer) postsMeant(segments []string, name string, q query) (ids []int64, names []string, err error) {
	for _, name := range postNumbers {
		ids = append(ids, q.number(name))
	}
	names = q.slugs()
	if name != "" {
		names = append(names, name)
	}
	if f, ok := e.Links.Parse(strings.Join(segments, "/")); ok || e.Links.IndexPermalinks() {
		if !ok {
			f, _ = e.Links.Parse("index.php/" + strings.Join(segments, "/"))
		}
		if f.Name != "" {
			names = append(names, f.Name)
		}
		if f.ID > 0 {
			ids = append(ids, f.ID)
		}
		if f.From != "" && f.ID == 0 && !e.Links.Needs("postname") && !e.Links.Needs("pagename") {
			dated, err := e.Blog.PostsDated(e.ctx, f.From, f.To)
			if err != nil {
				return nil, nil, err
			}
			ids = append(ids, dated...)
		}
	}
	if e.Links.Needs("post_id") { // of a post without author or category the path has another form
		for _, segment := range segments {
			if id, err := strconv.ParseInt(segment, 10, 64); err == nil {
				ids = append(ids, id)
			}
		}
	}
	if !e.Has(seo.NoAddress) { // those without one may have any URL
		nameless, err := e.Blog.PostsWithoutSlug(e.ctx, e.postTypes())
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, nameless...)
	}
	if len(segments) == 0 || e.Blog.Languages() != nil {
		ids = append(ids, e.Blog.Settings().PageOnFront, e.Blog.Settings().PageForPosts)
		for _, l := range e.Blog.Languages() {
			ids = append(ids, l.Front)
		}
	}
	return ids, names, nil
}

// postsOnceNamed finds posts that had one of some slugs before.
func (e *explainer) postsOnceNamed(slugs []string) (all []*thing, err error) {
	old, err := e.Blog.OldSlugs(e.ctx, slugs)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	posts, err := e.Blog.Posts(e.ctx, old, nil)
	for _, p := range posts {
		t := e.postThing(p)
		t.like = named
		all = append(all, t)
	}
	return all, err
}

// postTypes are the names of the post types that are listed.
func (e *explainer) postTypes() []string {
	var names []string
	for _, t := range e.Blog.Registry().PostTypes {
		if e.ListsPostType(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// findTerms finds terms of registered taxonomies.
func (e *explainer) findTerms(asked spelled, segments []string, name string, q query) ([]*thing, error) {
	var keys []wp.TermKey
	var slugs []string
	for _, n := range append(q.slugs(), name) {
		if n != "" {
			slugs = append(append(slugs, slugForms(n)...), "post-format-"+n)
		}
	}
	keys, err := e.Blog.TermsNamed(e.ctx, slugs)
	if err != nil {
		return nil, err
	}
	_, ids, err := e.Blog.AtPaths(e.ctx, pathForms(segments))
	if err != nil {
		return nil, err
	}
	if id := q.number("cat"); id > 0 {
		ids = append(ids, id)
	}
	for _, id := range ids {
		more, err := e.Blog.TermKeys(e.ctx, id)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	byTaxonomy := map[string][]int64{}
	for _, k := range keys {
		byTaxonomy[k.Taxonomy] = append(byTaxonomy[k.Taxonomy], k.ID)
	}
	var all []*thing
	for _, t := range e.Blog.Registry().Taxonomies {
		ids := byTaxonomy[t.Name]
		if len(ids) == 0 {
			continue
		}
		terms, err := e.Blog.TermsByID(e.ctx, t, ids)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			found := e.termThing(t, term)
			found.like = e.likeOf(asked, term.Link)
			switch {
			case found.like > unlike:
			case q.number("cat") == term.ID && t.Name == "category", q.has(term.Slug, t.QueryVar),
				q["taxonomy"] == t.Name && (q.has(term.Slug, "term") || term.Slug == "post-format-"+q.slug("term")):
				found.like = identified
			case name != "":
				found.like = named
			default:
				continue
			}
			all = append(all, found)
		}
	}
	return all, nil
}

// findAuthors finds users by the names of their archives.
func (e *explainer) findAuthors(asked spelled, segments []string, name string, q query) ([]*thing, error) {
	ids := []int64{q.number("author")}
	var slugs []string
	if slug := q.slug("author_name"); slug != "" {
		slugs = slugForms(slug)
	}
	if len(segments) > 1 { // their addresses have a base
		slugs = append(slugs, slugForms(name)...)
	}
	byName, err := e.Blog.UsersNamed(e.ctx, slugs)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(append(ids, byName...), func(id int64) bool { return id <= 0 })
	if len(ids) == 0 {
		return nil, nil
	}
	authors, err := e.Blog.Authors(e.ctx, ids)
	if err != nil {
		return nil, err
	}
	var all []*thing
	for _, a := range authors {
		t := e.authorThing(a)
		if t.like = e.likeOf(asked, a.Link); t.like == unlike {
			t.like = identified
			if len(segments) > 0 {
				t.like = named
			}
		}
		all = append(all, t)
	}
	return all, nil
}
