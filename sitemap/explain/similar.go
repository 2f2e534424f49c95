package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// likeness says how certainly an address belongs to an object. Higher values are more certain.
type likeness uint8

const (
	unlike     likeness = iota
	named               // the address contains the object's name, but the object has another address
	unopened            // the object would have the address if it were published
	identified          // the query of the address identifies the object
	alike               // the addresses differ only in scheme, host, letter case, final slash or unused query variables
	same                // the addresses are equal but for percent-encoding
)

// like compares s with own, the address of an object. It returns unlike, alike or same. routes reports
// whether WordPress uses a query variable; like ignores the variables that WordPress does not use.
func (s *spelled) like(own *spelled, routes func(name string) bool) likeness {
	if s.scheme == own.scheme && s.host == own.host && s.path == own.path && maps.Equal(s.vars, own.vars) {
		return same
	}
	if !strings.EqualFold(plainPath(s.path), plainPath(own.path)) {
		return unlike
	}
	for name, value := range own.vars {
		if !strings.EqualFold(s.vars[name], value) {
			return unlike
		}
	}
	for name := range s.vars {
		if _, ok := own.vars[name]; !ok && routes(name) {
			return unlike
		}
	}
	return alike
}

func plainPath(path string) string {
	path = strings.Trim(path, "/")
	if path == "index.php" {
		return ""
	}
	return path
}

// wordpressVars are the query variables that WordPress itself uses. Types and taxonomies add more.
var wordpressVars = strings.Fields(`m p posts w cat withcomments withoutcomments s search exact sentence calendar page paged more tb pb
	author order orderby year monthnum day hour minute second name category_name tag feed author_name pagename page_id error attachment
	attachment_id subpost subpost_id robots favicon taxonomy term cpage post_type embed rest_route sitemap lang`)

// routes reports whether WordPress uses a query variable.
func (e *explainer) routes(name string) bool {
	return slices.Contains(wordpressVars, name) ||
		slices.ContainsFunc(e.Rules.Blog.Registry().Types(), func(t *registry.Type) bool { return t.QueryVar == name })
}

// likeOf compares the requested address with the link of an object, both as computed and as a sitemap would write it. It returns
// the better result.
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

// mostSimilar is the maximum number of similar addresses in an explanation.
const mostSimilar = 3

// mostDistant is the maximum number of characters by which a similar name may differ.
const mostDistant = 2

// distances returns the names that are similar to slug, each with the number of characters by which it differs.
// In names of few bytes most characters could differ, so these are similar to none.
func distances(slug string, names []string) map[string]int {
	slug, found := php.RawURLDecode(slug), map[string]int{}
	for _, name := range names {
		plain := php.RawURLDecode(name)
		if min(len(slug), len(plain)) <= 2*mostDistant || len(plain) > 3*len(slug) {
			continue
		}
		if d := levenshtein.ComputeDistance(slug, plain); d <= mostDistant {
			found[name] = d
		}
	}
	return found
}

// findSimilar returns published posts and terms whose name is similar to the last path segment, the
// most similar first.
func (e *explainer) findSimilar(segments []string) ([]*thing, error) {
	if len(segments) == 0 || len(segments[len(segments)-1]) <= 2*mostDistant {
		return nil, nil
	}
	asked := formatting.StoredSlug(segments[len(segments)-1])
	names, err := objects.NamesLike(e.ctx, e.Rules.Blog, asked)
	if err != nil {
		return nil, err
	}
	distance := distances(asked, names)
	near := slices.Sorted(maps.Keys(distance))
	posts, err := objects.Find(e.ctx, e.Rules.Blog, objects.PostsNamed, near)
	if err != nil {
		return nil, err
	}
	keys, err := objects.TermsNamed(e.ctx, e.Rules.Blog, near)
	if err != nil {
		return nil, err
	}
	all, err := e.objects(seo.KindPost, nil, posts)
	if err != nil {
		return nil, err
	}
	terms, err := e.termsOf(keys)
	all = slices.DeleteFunc(append(all, terms...), func(t *thing) bool {
		if t.kind == seo.KindTerm {
			return !t.Taxonomy.Public
		}
		pt := e.Rules.Blog.Registry().PostType(t.of)
		return t.Post.Status != "publish" || pt == nil || !pt.Viewable
	})
	slices.SortStableFunc(all, func(x, y *thing) int { return cmp.Compare(distance[x.slug], distance[y.slug]) })
	return all, err
}
