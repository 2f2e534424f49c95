package address

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/wp/registry"
)

// A headless front end has its own addresses. The operator gives their form in registry.PostType.URL, such as
// "blog/{slug}". The form is filled with the values of a post or term and replaces the permalink. It is not compared
// with what Yoast SEO has stored.

var urlToken = regexp.MustCompile(`\{([^{}]+)\}`)

// fillURL replaces the tokens of a form by their values. It returns "" if a token has no value, so that the object has
// no address.
func fillURL(form string, value func(token string) string) string {
	whole := true
	path := urlToken.ReplaceAllStringFunc(form, func(token string) string {
		v := value(token[1 : len(token)-1])
		whole = whole && v != ""
		return v
	})
	if !whole {
		return ""
	}
	return path
}

// postURL returns the path below home of a post whose type has a form.
func (l *linker) postURL(form string, p *Post) string {
	return fillURL(form, func(token string) string {
		switch token {
		case "slug":
			return p.Name
		case "id":
			return strconv.FormatInt(p.ID, 10)
		case "year":
			return p.Date[:min(4, len(p.Date))]
		case "path":
			if _, ok := l.nodes[p.ID]; ok {
				return l.nodes.Path(p.ID)
			}
			return p.Name
		}
		taxonomy := strings.TrimPrefix(token, "term:")
		path := l.paths[termOf(taxonomy)][p.ID]
		return path[strings.LastIndexByte(path, '/')+1:]
	})
}

// ownPath returns the path below home that replaces the permalink of a post, or "" if nothing replaces it.
func (l *linker) ownPath(p, parent *Post) string {
	if t := l.book.Blog.Registry().PostType(p.Type); t != nil && t.URL != "" {
		return l.postURL(t.URL, p)
	}
	return cmp.Or(l.book.postByHand(l.links, p, parent), l.lessons[p.ID])
}

// termURL returns the path below home of a term, by the form that the operator has configured.
func termURL(form string, id int64, slug, path string) string {
	return fillURL(form, func(token string) string {
		switch token {
		case "slug":
			return slug
		case "id":
			return strconv.FormatInt(id, 10)
		}
		return path
	})
}

// namedTerms returns the taxonomies in the tokens of a form, such as category in {term:category}.
func namedTerms(form string) (taxonomies []string) {
	for _, m := range urlToken.FindAllStringSubmatch(form, -1) {
		if taxonomy, ok := strings.CutPrefix(m[1], "term:"); ok {
			taxonomies = append(taxonomies, taxonomy)
		}
	}
	return taxonomies
}

// TermsInURLs reports whether the form of a type shows terms. A post without such a term then has no address.
func (b *Book) TermsInURLs(t *registry.PostType) bool { return len(namedTerms(t.URL)) > 0 }
