package registry

import "strings"

// links sums up what the stored permalinks of a type show about the type.
type links struct {
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

// links returns what the rows of yoast_indexable show about the addresses of one type. objectType is post, term or
// post-type-archive.
func (d *decider) links(objectType, name string) links {
	var l links
	varies := false
	for _, i := range d.indexed[indexKey{objectType, name}] {
		ix := &d.e.Yoast.Indexables[i]
		l.rows += ix.Rows
		for _, s := range ix.Samples {
			if objectType == "post" && s.Status != "publish" { // other posts have ?p= links, whatever their type
				continue
			}
			if objectType != "post-type-archive" && s.Slug == "" {
				continue
			}
			address, query, isQuery := strings.Cut(s.Permalink, "?")
			l.other = l.other || !strings.HasPrefix(query, "post_type="+name+"&p=")
			if isQuery {
				l.query = true
			} else {
				l.pretty = true
			}
			if !d.trustLinks {
				continue
			}
			path, ok := strings.CutPrefix(address, d.e.Home)
			if !ok || path != "" && path[0] != '/' { // the domain of another language, or a moved site
				continue
			}
			path = strings.Trim(path, "/")
			if isQuery {
				l.readQuery(query, s)
				continue
			}
			rest := path
			if objectType != "post-type-archive" {
				if rest, ok = strings.CutSuffix("/"+path, "/"+s.Slug); !ok {
					continue
				}
				rest = strings.Trim(rest, "/")
			}
			switch {
			case s.Parent:
			case l.known && rest != l.base:
				varies = true
			default:
				l.base, l.known = rest, true
			}
		}
	}
	if varies { // the base contains a token or a language, and the rows do not show which
		l.base, l.known = "", false
	}
	return l
}

// byID reports whether all links name the type and a number. WordPress gives such links to a type without a query
// variable. If visitors could see the type, it would have rewrite rules.
func (l *links) byID() bool { return l.query && !l.other }

// readQuery reads queries such as ?flyer=blue, ?doc=parent/child and ?genre=jazz. ?post_type= and ?taxonomy= show that
// there is no query variable.
func (l *links) readQuery(query string, s Sample) {
	name, value, _ := strings.Cut(query, "=")
	if name == "post_type" || name == "taxonomy" || name == "p" {
		return
	}
	if value == s.Slug {
		l.queryVar = name
		if s.Parent {
			l.flat = true
		}
	} else if strings.HasSuffix(value, "/"+s.Slug) {
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
