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

// newThing is the object of a subject; its link is the object's own where it has one.
func (e *explainer) newThing(s seo.Subject) *thing {
	s.Rules = e.Rules
	t := &thing{Subject: s}
	switch t.kind, t.of = s.Kind(); {
	case t.kind == seo.KindPost:
		t.id, t.Link = s.Post.ID, s.Post.Link
	case t.kind == seo.KindTerm:
		t.id, t.Link = s.Term.ID, s.Term.Link
	case t.kind == seo.KindUser:
		t.id, t.Link = s.Author.ID, s.Author.Link
	case s.PostType != nil:
		t.of = s.PostType.Name
		t.Of = "archive of " + t.of
		return t
	default:
		t.Of = "home"
		return t
	}
	t.Of = fmt.Sprintf("%s %d", cmp.Or(t.of, "author"), t.id)
	return t
}

// objects reads posts, users, or terms of a taxonomy.
func (e *explainer) objects(kind seo.ObjectKind, of *registry.Taxonomy, ids []int64) (all []*thing, err error) {
	switch {
	case len(ids) == 0:
	case kind == seo.KindPost:
		posts, err := e.Blog.Posts(e.ctx, ids, nil)
		for _, p := range posts {
			all = append(all, e.newThing(seo.Subject{Post: p}))
		}
		return all, err
	case kind == seo.KindTerm && of != nil:
		terms, err := e.Blog.TermsByID(e.ctx, of, ids)
		for _, term := range terms {
			all = append(all, e.newThing(seo.Subject{Term: term, Taxonomy: of}))
		}
		return all, err
	case kind == seo.KindUser:
		authors, err := e.Blog.Authors(e.ctx, ids)
		for _, a := range authors {
			all = append(all, e.newThing(seo.Subject{Author: a}))
		}
		return all, err
	}
	return nil, nil
}

// question is an address below home that was asked for, taken apart.
type question struct {
	spelled
	query             // what its variables mean
	segments []string // of the path below home
	name     string   // the last of them; "" for home
	posts    []int64  // those that a plugin has given this path by hand
	terms    []int64
}

func (e *explainer) question(asked spelled) (*question, error) {
	q := &question{spelled: asked, query: query{}}
	q.segments, _ = asked.below(&e.home)
	if n := len(q.segments); n > 0 {
		q.name = q.segments[n-1]
	}
	start := q.segments
	if len(start) == 2 && start[0] == "language" { // as Polylang may write it
		start = start[1:]
	}
	// Where a path holds nothing but a language, the query says what is there; on other paths it counts for nothing.
	isStart := len(start) == 0 || len(start) == 1 &&
		slices.ContainsFunc(e.Blog.Languages().All, func(l wp.Language) bool { return l.Code == start[0] })
	for name, value := range asked.vars {
		if isStart && e.routes(name) {
			q.query[name] = strings.Trim(value, "/")
		}
	}
	var err error
	q.posts, q.terms, err = e.Blog.AtPaths(e.ctx, pathForms(q.segments))
	return q, err
}

// find returns what has the address, best first, and apart from it what only has a name in it.
func (e *explainer) find(asked spelled) (found, hints []*thing, err error) {
	q, err := e.question(asked)
	if err != nil {
		return nil, nil, err
	}
	for _, look := range []func(*question) ([]*thing, error){e.findPosts, e.findTerms, e.findAuthors, e.findArchives} {
		things, err := look(q)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range things {
			if t.like == named {
				hints = append(hints, t)
			} else {
				found = append(found, t)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y *thing) int { return cmp.Compare(y.like, x.like) })
	if len(found) > 0 && found[0].kind == seo.KindPost { // a page is there
		found = slices.DeleteFunc(found, func(t *thing) bool { return t.kind == seo.KindArchive && t.PostType == nil })
	}
	return found, hints, nil
}

// query has the variables by which WordPress finds objects.
type query map[string]string

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
		slices.ContainsFunc(e.Blog.Registry().Types(), func(t *registry.Type) bool { return t.QueryVar == name })
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

// rate says how likely it is that a thing has the address: by its own, by the query, or by a name alone. It reports whether it may.
func (e *explainer) rate(q *question, t *thing, byQuery, byName bool) bool {
	switch t.like = e.likeOf(q.spelled, t.Link); {
	case t.like > unlike:
	case byQuery:
		t.like = identified
	case byName:
		t.like = named
	}
	return t.like > unlike
}

// findArchives finds home and the archives of post types, in every language.
func (e *explainer) findArchives(q *question) (all []*thing, err error) {
	add := func(t *registry.PostType, link string, byQuery bool) {
		found := e.newThing(seo.Subject{PostType: t, Link: link})
		if link != "" && !slices.ContainsFunc(all, func(has *thing) bool { return has.Link == link }) && e.rate(q, found, byQuery, false) {
			all = append(all, found)
		}
	}
	languages := append([]wp.Language{{Home: e.Links.HomeURL()}}, e.Blog.Languages().All...)
	for _, t := range e.Blog.Registry().PostTypes {
		if !t.HasArchive || t.Name == "post" {
			continue
		}
		byQuery := q.query["post_type"] == t.Name && q.number("p") == 0 && len(q.slugs()) == 0
		for _, l := range languages {
			link, err := e.Blog.ArchiveLinkIn(e.ctx, t, l.Code)
			if err != nil {
				return nil, err
			}
			add(t, link, byQuery)
		}
	}
	for _, l := range languages {
		add(nil, l.Home, false)
	}
	return all, nil
}

// findPosts finds posts of any type and status.
func (e *explainer) findPosts(q *question) ([]*thing, error) {
	ids, names, err := e.postsMeant(q)
	if err != nil {
		return nil, err
	}
	forms := map[string]bool{}
	for _, n := range names {
		for _, form := range slugForms(n) {
			if n != "" {
				forms[form], forms[form+"__trashed"] = true, true
			}
		}
	}
	slugs := slices.Sorted(maps.Keys(forms))
	byName, err := e.Blog.Find(e.ctx, wp.PostsNamed, slugs)
	if err != nil {
		return nil, err
	}
	bare := q.scheme + "://" + q.host + strings.TrimRight(q.path, "/")
	stored, err := e.Blog.PostsStoredAt(e.ctx, bare, bare+"/")
	if err != nil {
		return nil, err
	}
	ids = slices.Concat(ids, byName, q.posts, stored)
	slices.Sort(ids)
	all, err := e.objects(seo.KindPost, nil, slices.Compact(slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 })))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t *thing) bool {
		of := ""
		if pt := e.Blog.Registry().PostType(t.of); pt != nil {
			of = pt.QueryVar
		}
		byQuery := slices.ContainsFunc(postNumbers, func(name string) bool { return q.number(name) == t.id }) ||
			q.has(t.Post.Name, "name", "pagename", "attachment", of)
		return !e.rate(q, t, byQuery, slices.Contains(byName, t.id))
	})
	if len(all) == 0 && q.name != "" {
		return e.postsOnceNamed(slugs)
	}
	return all, e.rateUnopened(q, all)
}

// rateUnopened notes of posts that are not published which of them would have the address if they were.
func (e *explainer) rateUnopened(q *question, posts []*thing) error {
	closed := map[int64]*thing{}
	for _, t := range posts {
		if t.like == named && t.Post.Status != "publish" && t.Post.Type != "attachment" {
			closed[t.id] = t
		}
	}
	former, err := e.Blog.FormerLinks(e.ctx, slices.Sorted(maps.Keys(closed)))
	for _, l := range former {
		if e.likeOf(q.spelled, l.Link) >= alike {
			closed[l.ID].like = unopened
		}
	}
	return err
}

// postNumbers are the variables that have the number of a post.
var postNumbers = []string{"p", "page_id", "attachment_id"}

// postsMeant returns the ids and the names of posts that a URL may mean: by its query, by its path, and those that may
// have any URL. 0 and "" among them mean none.
func (e *explainer) postsMeant(q *question) (ids []int64, names []string, err error) {
	for _, name := range postNumbers {
		ids = append(ids, q.number(name))
	}
	inPath, numbers := e.Links.Named(q.segments[max(0, len(q.segments)-2):]) // what follows the name is a part, or an attachment
	ids, names = append(ids, numbers...), append(q.slugs(), inPath...)
	if !e.Has(seo.NoAddress) { // those without one may have any URL
		var types []string
		for _, t := range e.Blog.Registry().PostTypes {
			if e.ListsType(t) {
				types = append(types, t.Name)
			}
		}
		nameless, err := e.Blog.Find(e.ctx, wp.PostsWithoutSlug, types)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, nameless...)
	}
	if len(q.segments) == 0 || !e.Blog.Languages().None() {
		ids = append(ids, e.Blog.Settings().PageOnFront, e.Blog.Settings().PageForPosts)
		for _, l := range e.Blog.Languages().All {
			ids = append(ids, l.Front)
		}
	}
	return ids, names, nil
}

// postsOnceNamed finds posts that had one of some slugs before.
func (e *explainer) postsOnceNamed(slugs []string) (all []*thing, err error) {
	old, err := e.Blog.Find(e.ctx, wp.OldSlugs, slugs)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	all, err = e.objects(seo.KindPost, nil, old)
	for _, t := range all {
		t.like = named
	}
	return all, err
}

// findTerms finds terms of registered taxonomies.
func (e *explainer) findTerms(q *question) (all []*thing, err error) {
	var slugs []string
	for _, n := range append(q.slugs(), q.name) {
		if n != "" {
			slugs = append(append(slugs, slugForms(n)...), "post-format-"+n)
		}
	}
	keys, err := e.Blog.TermsNamed(e.ctx, slugs)
	if err != nil {
		return nil, err
	}
	category := q.number("cat")
	ids := q.terms
	if category > 0 {
		ids = append(slices.Clip(ids), category)
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
	for _, t := range e.Blog.Registry().Taxonomies {
		terms, err := e.objects(seo.KindTerm, t, byTaxonomy[t.Name])
		if err != nil {
			return nil, err
		}
		for _, found := range terms {
			slug := found.Term.Slug
			byQuery := category == found.id && t.Name == "category" || q.has(slug, t.QueryVar) ||
				q.query["taxonomy"] == t.Name && (q.has(slug, "term") || slug == "post-format-"+q.slug("term"))
			if e.rate(q, found, byQuery, q.name != "") {
				all = append(all, found)
			}
		}
	}
	return all, nil
}

// findAuthors finds users by the names of their archives.
func (e *explainer) findAuthors(q *question) ([]*thing, error) {
	var slugs []string
	if slug := q.slug("author_name"); slug != "" {
		slugs = slugForms(slug)
	}
	if len(q.segments) > 1 { // their addresses have a base
		slugs = append(slugs, slugForms(q.name)...)
	}
	ids, err := e.Blog.Find(e.ctx, wp.UsersNamed, slugs)
	if err != nil {
		return nil, err
	}
	if id := q.number("author"); id > 0 {
		ids = append(ids, id)
	}
	all, err := e.objects(seo.KindUser, nil, ids)
	for _, t := range all {
		e.rate(q, t, len(q.segments) == 0, true)
	}
	return all, err
}
