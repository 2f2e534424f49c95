package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// A thing is an object that may have the requested address. Its field Of is its name, such as "post
// 17" or "home".
type thing struct {
	seo.Subject
	kind seo.ObjectKind // KindPost, KindTerm, KindUser or KindArchive; front page and posts page are posts
	of   string         // post type or taxonomy; "" for users and home
	id   int64          // 0 for an archive
	like likeness

	title string // plain text, if the title was read
}

// newThing returns the thing for a subject. It fills in Rules, Of, and the Link of a post, term or author.
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

// objects reads objects by id: posts, users, or terms of the taxonomy of. It skips ids without an object.
func (e *explainer) objects(kind seo.ObjectKind, of *registry.Taxonomy, ids []int64) (all []*thing, err error) {
	switch {
	case len(ids) == 0:
	case kind == seo.KindPost:
		posts, err := e.Rules.Book.Posts(e.ctx, ids, nil)
		for _, p := range posts {
			all = append(all, e.newThing(seo.Subject{Post: p}))
		}
		return all, err
	case kind == seo.KindTerm && of != nil:
		terms, err := e.Rules.Book.TermsByID(e.ctx, of, ids)
		for _, term := range terms {
			all = append(all, e.newThing(seo.Subject{Term: term, Taxonomy: of}))
		}
		return all, err
	case kind == seo.KindUser:
		authors, err := e.Rules.Book.Authors(e.ctx, ids)
		for _, a := range authors {
			all = append(all, e.newThing(seo.Subject{Author: a}))
		}
		return all, err
	}
	return nil, nil
}

// A question is a requested address with its parts that may identify objects.
type question struct {
	spelled
	segments []string // path segments below home
	slugs    []string // possible slugs: the last path segments and those in query values
	posts    []int64  // ids of posts in the path, and of posts to which a plugin assigned this path
	terms    []int64
}

func (e *explainer) question(asked spelled) (*question, error) {
	q := &question{spelled: asked}
	q.segments, _ = asked.below(&e.home)
	names, numbers := e.Rules.Links.Named(q.segments[max(0, len(q.segments)-2):]) // a part number or an attachment may follow the name
	for _, value := range asked.vars {
		value = strings.Trim(value, "/")
		names = append(names, value[strings.LastIndexByte(value, '/')+1:])
	}
	for _, n := range names {
		if n != "" {
			q.slugs = append(q.slugs, slugForms(n)...)
		}
	}
	slices.Sort(q.slugs)
	q.slugs = slices.Compact(q.slugs)
	var err error
	q.posts, q.terms, err = e.Rules.Book.AtPaths(e.ctx, pathForms(q.segments))
	q.posts = append(q.posts, numbers...)
	return q, err
}

// number returns the integer value of a query variable, or 0.
func (q *question) number(name string) int64 {
	n, _ := strconv.ParseInt(q.vars[name], 10, 64)
	return n
}

// find returns the objects that may have the address, the most certain first. hints are the objects whose
// name is in the address, but which have another address.
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
	if len(found) > 0 && found[0].kind == seo.KindPost { // the posts archive is not at home, because a page is there
		found = slices.DeleteFunc(found, func(t *thing) bool { return t.kind == seo.KindArchive && t.PostType == nil })
	}
	return found, hints, nil
}

// routes reports whether WordPress uses a query variable.
func (e *explainer) routes(name string) bool {
	return slices.Contains(wordpressVars, name) ||
		slices.ContainsFunc(e.Rules.Blog.Registry().Types(), func(t *registry.Type) bool { return t.QueryVar == name })
}

// likeOf compares the requested address with the link of an object. It tries the computed link and the
// spelling in a sitemap, and returns the better result.
func (e *explainer) likeOf(asked spelled, link string) likeness {
	best := unlike
	for _, form := range []string{link, e.spelling(link)} {
		if own, err := spell(form); err == nil {
			best = max(best, asked.like(&own, e.routes))
		}
	}
	return best
}

// spelling returns a link as a sitemap writes it, or "" if a sitemap may not contain the link.
func (e *explainer) spelling(link string) string {
	loc, _ := e.Dress.Encoding.AppendPlain(nil, link)
	return string(loc)
}

// rate sets t.like from t's own address, from a query that identifies t (byQuery), or from a matching
// name (byName). It returns false if t cannot have the address.
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

// findArchives returns those of home and the archives of post types, in every language, that may have the address.
func (e *explainer) findArchives(q *question) (all []*thing, err error) {
	add := func(t *registry.PostType, link string) {
		found := e.newThing(seo.Subject{PostType: t, Link: link})
		if link != "" && !slices.ContainsFunc(all, func(has *thing) bool { return has.Link == link }) && e.rate(q, found, false, false) {
			all = append(all, found)
		}
	}
	languages := append([]wp.Language{{Home: e.Rules.Links.HomeURL()}}, e.Rules.Blog.Languages().All...)
	for _, t := range e.Rules.Blog.Registry().PostTypes {
		if !t.HasArchive || t.Name == "post" {
			continue
		}
		for _, l := range languages {
			link, err := e.Rules.Book.ArchiveLinkIn(e.ctx, t, l.Code)
			if err != nil {
				return nil, err
			}
			add(t, link)
		}
	}
	for _, l := range languages {
		add(nil, l.Home)
	}
	return all, nil
}

// findPosts returns posts of any type and status that may have the address.
func (e *explainer) findPosts(q *question) ([]*thing, error) {
	slugs := slices.Clone(q.slugs)
	for _, s := range q.slugs {
		slugs = append(slugs, s+"__trashed")
	}
	byName, err := objects.Find(e.ctx, e.Rules.Blog, objects.PostsNamed, slugs)
	if err != nil {
		return nil, err
	}
	bare := q.scheme + "://" + q.host + strings.TrimRight(q.path, "/")
	stored, err := e.Rules.Book.PostsStoredAt(e.ctx, bare, bare+"/")
	if err != nil {
		return nil, err
	}
	byNumber := []int64{q.number("p"), q.number("page_id"), q.number("attachment_id")}
	ids := slices.Concat(byNumber, byName, q.posts, stored)
	if !e.Rules.Has(seo.NoAddress) { // posts without a slug can have any URL
		var types []string
		for _, t := range e.Rules.Blog.Registry().PostTypes {
			if e.Rules.ListsType(t) {
				types = append(types, t.Name)
			}
		}
		nameless, err := objects.Find(e.ctx, e.Rules.Blog, objects.PostsWithoutSlug, types)
		if err != nil {
			return nil, err
		}
		ids = append(ids, nameless...)
	}
	if len(q.segments) == 0 || !e.Rules.Blog.Languages().None() {
		ids = append(ids, e.Rules.Blog.Settings().PageOnFront, e.Rules.Blog.Settings().PageForPosts)
		for _, l := range e.Rules.Blog.Languages().All {
			ids = append(ids, l.Front)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 }))
	all, err := e.objects(seo.KindPost, nil, ids)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t *thing) bool {
		return !e.rate(q, t, slices.Contains(byNumber, t.id), slices.Contains(byName, t.id))
	})
	return all, e.rateUnopened(q, all)
}

// rateUnopened rates unpublished posts as unopened if they would have the address once published.
func (e *explainer) rateUnopened(q *question, posts []*thing) error {
	closed := map[int64]*thing{}
	for _, t := range posts {
		if t.like == named && t.Post.Status != "publish" && t.Post.Type != "attachment" {
			closed[t.id] = t
		}
	}
	former, err := e.Rules.Book.FormerLinks(e.ctx, slices.Sorted(maps.Keys(closed)))
	for _, l := range former {
		if e.likeOf(q.spelled, l.Link) >= alike {
			closed[l.ID].like = unopened
		}
	}
	return err
}

// findTerms returns terms of registered taxonomies that may have the address.
func (e *explainer) findTerms(q *question) (all []*thing, err error) {
	slugs := slices.Clone(q.slugs)
	for _, s := range q.slugs {
		slugs = append(slugs, "post-format-"+s)
	}
	keys, err := objects.TermsNamed(e.ctx, e.Rules.Blog, slugs)
	if err != nil {
		return nil, err
	}
	category := q.number("cat")
	for _, id := range append(q.terms, category) {
		if id <= 0 {
			continue
		}
		more, err := objects.TermKeys(e.ctx, e.Rules.Blog, id)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	all, err = e.termsOf(keys)
	return slices.DeleteFunc(all, func(t *thing) bool {
		byQuery := t.id == category && t.of == "category" || q.vars["taxonomy"] == t.of && slices.Contains(slugForms(q.vars["term"]), t.Term.Slug)
		return !e.rate(q, t, byQuery, slices.Contains(slugs, t.Term.Slug))
	}), err
}

// termsOf reads terms and skips unregistered taxonomies.
func (e *explainer) termsOf(keys []objects.TermKey) (all []*thing, err error) {
	byTaxonomy := map[string][]int64{}
	for _, k := range keys {
		byTaxonomy[k.Taxonomy] = append(byTaxonomy[k.Taxonomy], k.ID)
	}
	for _, t := range e.Rules.Blog.Registry().Taxonomies {
		terms, err := e.objects(seo.KindTerm, t, byTaxonomy[t.Name])
		if err != nil {
			return nil, err
		}
		all = append(all, terms...)
	}
	return all, nil
}

// findAuthors returns the users whose archive may have the address.
func (e *explainer) findAuthors(q *question) ([]*thing, error) {
	var ids []int64
	var err error
	if len(q.segments) != 1 { // an author's path has a base before the name, or a query identifies the author
		ids, err = objects.Find(e.ctx, e.Rules.Blog, objects.UsersNamed, q.slugs)
	}
	if err != nil {
		return nil, err
	}
	author := q.number("author")
	if author > 0 {
		ids = append(ids, author)
	}
	all, err := e.objects(seo.KindUser, nil, ids)
	return slices.DeleteFunc(all, func(t *thing) bool { return !e.rate(q, t, t.id == author, true) }), err
}

// mostSimilar is the maximum number of similar addresses in an explanation.
const mostSimilar = 3

// mostDistant is the maximum number of characters by which a similar name may differ.
const mostDistant = 2

// findSimilar returns published posts and terms whose name is similar to the last path segment, the
// most similar first.
func (e *explainer) findSimilar(segments []string) ([]*thing, error) {
	if len(segments) == 0 || len(segments[len(segments)-1]) <= 2*mostDistant {
		return nil, nil
	}
	asked := formatting.StoredSlug(segments[len(segments)-1])
	plain := php.RawURLDecode(asked)
	names, err := objects.NamesLike(e.ctx, e.Rules.Blog, asked)
	if err != nil {
		return nil, err
	}
	distance := map[string]int{}
	for _, n := range names {
		if len(n) > 2*mostDistant && len(n) <= 3*len(asked) {
			if d := levenshtein.ComputeDistance(plain, php.RawURLDecode(n)); d <= mostDistant {
				distance[n] = d
			}
		}
	}
	near := slices.Sorted(maps.Keys(distance))
	posts, err := objects.Find(e.ctx, e.Rules.Blog, objects.PostsNamed, near)
	if err != nil {
		return nil, err
	}
	all, err := e.objects(seo.KindPost, nil, posts)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t *thing) bool {
		pt := e.Rules.Blog.Registry().PostType(t.of)
		return t.Post.Status != "publish" || pt == nil || !pt.Viewable
	})
	keys, err := objects.TermsNamed(e.ctx, e.Rules.Blog, near)
	if err != nil {
		return nil, err
	}
	terms, err := e.termsOf(keys)
	all = append(all, slices.DeleteFunc(terms, func(t *thing) bool { return !t.Taxonomy.Public })...)
	name := func(t *thing) string {
		if t.kind == seo.KindTerm {
			return t.Term.Slug
		}
		return t.Post.Name
	}
	slices.SortStableFunc(all, func(x, y *thing) int { return cmp.Compare(distance[name(x)], distance[name(y)]) })
	return all, err
}
