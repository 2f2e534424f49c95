package registry

import (
	"strings"

	"wpsitemapd/wp/php"
)

// storedLinks sums up what the stored permalinks of a type show about the type.
type storedLinks struct {
	rows         int    // rows of the index, with or without a permalink
	base         string // the text before the slug in every link of an object without parent, without outer slashes
	known        bool   // base is known
	pretty       bool   // some link is a path: the type had a permalink structure when it was stored
	query        bool   // some link is a query string: rewrite is false, or the site has plain permalinks
	other        bool   // some link has another form than ?post_type=flyer&p=1
	queryVar     string // the name in ?flyer=blue; "" if the links name the type (?post_type=flyer&p=1)
	hierarchical bool   // in a query, the slugs of ancestors precede the slug
	flat         bool   // the query of an object with a parent does not contain the parent
}

// linksOf returns what the rows of yoast_indexable show about the addresses of one type. objectType is post, term or
// post-type-archive.
func (d *decider) linksOf(objectType, name string) storedLinks {
	var l storedLinks
	varies := false
	for _, i := range d.indexed[indexKey{objectType, name}] {
		ix := &d.e.Yoast.Indexables[i]
		l.rows += ix.Rows
		for _, s := range ix.Samples {
			if objectType == "post" && s.Status != "publish" { // other posts have ?p= links, whatever their type
				continue
			}
			if objectType != typeArchive && s.Slug == "" {
				continue
			}
			address, query, isQuery := strings.Cut(s.Permalink, "?")
			l.query, l.pretty = l.query || isQuery, l.pretty || !isQuery
			l.other = l.other || !strings.HasPrefix(query, "post_type="+name+"&p=")
			path, ok := d.belowHome(address)
			if !ok || !d.trustLinks {
				continue
			}
			if isQuery {
				l.readQuery(query, s)
				continue
			}
			base, ok := baseOf(objectType, path, s)
			switch {
			case !ok || s.Parent:
			case l.known && base != l.base:
				varies = true
			default:
				l.base, l.known = base, true
			}
		}
	}
	if varies { // the base contains a token or a language, and the rows do not show which
		l.base, l.known = "", false
	}
	return l
}

// typeArchive is the object_type of the row of a post type's archive.
const typeArchive = "post-type-archive"

// belowHome returns the path of a stored address below home, without outer slashes. It returns false for an address at the
// domain of another language, and for an address from before the site has moved.
func (d *decider) belowHome(address string) (path string, ok bool) {
	path, ok = strings.CutPrefix(address, d.e.Home)
	return strings.Trim(path, "/"), ok && (path == "" || path[0] == '/')
}

// baseOf returns the part of a path before the slug of the object. For an archive, it returns the whole path. It returns false if
// the path does not end in the slug.
func baseOf(objectType, path string, s Sample) (base string, ok bool) {
	if objectType == typeArchive {
		return path, true
	}
	base, ok = strings.CutSuffix("/"+path, "/"+s.Slug)
	return strings.Trim(base, "/"), ok
}

// byID reports whether all links name the type and a number. WordPress gives such links to a type without a query
// variable. If visitors could see the type, it would have rewrite rules.
func (l *storedLinks) byID() bool { return l.query && !l.other }

// readQuery reads the first variable of queries such as ?flyer=blue, ?doc=parent/child and ?genre=jazz. ?post_type= and
// ?taxonomy= show that there is no query variable. WordPress writes no second variable. A plugin that adds one by
// add_query_arg() also escapes the first: ?doc=parent%2Fchild&ref=1.
func (l *storedLinks) readQuery(query string, s Sample) {
	first, _, _ := strings.Cut(query, "&")
	name, value, _ := strings.Cut(first, "=")
	if name == "post_type" || name == "taxonomy" || name == "p" {
		return
	}
	value, slug := php.URLDecode(value), php.URLDecode(s.Slug)
	switch {
	case value == slug:
		l.queryVar, l.flat = name, l.flat || s.Parent
	case strings.HasSuffix(value, "/"+slug):
		l.queryVar, l.hierarchical = name, true
	}
}

// indexKey is object_type and object_sub_type of an index row.
type indexKey struct{ objectType, subType string }

// indexRows returns the number of index rows of a type.
func (d *decider) indexRows(k kind, name string) int {
	n := 0
	for _, objectType := range k.objectTypes() {
		for _, i := range d.indexed[indexKey{objectType, name}] {
			n += d.e.Yoast.Indexables[i].Rows
		}
	}
	return n
}

// linkForms reports which forms the stored links of a type have in the index: paths, query strings, or both.
func (d *decider) linkForms(k kind, name string) (pretty, query bool) {
	for _, objectType := range k.objectTypes() {
		l := d.linksOf(objectType, name)
		pretty, query = pretty || l.pretty, query || l.query
	}
	return pretty, query
}

// multilingual reports whether a plugin is active that writes languages into the links of the index. Bases cannot be
// read from such links.
func multilingual(active map[string]bool) bool {
	return active["polylang/polylang.php"] || active["polylang-pro/polylang.php"] ||
		active["sitepress-multilingual-cms/sitepress.php"]
}
