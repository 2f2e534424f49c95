package explain

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

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
		byQuery := t.id == category && t.of == "category" || q.vars["taxonomy"] == t.of && slices.Contains(slugForms(q.vars["term"]), t.slug)
		return !e.rate(q, t, byQuery, slices.Contains(slugs, t.slug))
	}), err
}

// findAuthors returns the users whose archive may have the address.
func (e *explainer) findAuthors(q *question) ([]*thing, error) {
	slugs := q.slugs
	if len(q.segments) == 1 { // in a path, an author's name follows a base
		slugs = nil
	}
	ids, err := objects.Find(e.ctx, e.Rules.Blog, objects.UsersNamed, slugs)
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
