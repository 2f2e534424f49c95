package registry

import "strings"

// links is what the permalinks of a type's indexables show of it (yoast-discovery 5.4).
type links struct {
	rows         int    // rows of the index, whatever their permalink
	base         string // what comes before the slug in every link of an object without parent, without slashes
	known        bool   // base is known
	pretty       bool   // a link is a path: the type had a permastruct when it was stored
	query        bool   // a link is a query string: rewrite => false, or plain permalinks
	other        bool   // a link has another form than ?post_type=flyer&p=1
	queryVar     string // of ?flyer=blue; empty when the links name the type (?post_type=flyer&p=1)
	hierarchical bool   // ancestors' slugs come before a slug in a query
	flat         bool   // an object with a parent has a query without it
}

// links reads the index rows of one type; objectType is post, term or post-type-archive.
func (d *decider) links(objectType, name string) links {
	var l links
	varies := false
	for _, i := range d.indexed[indexKey{objectType, name}] {
		ix := &d.e.Indexables[i]
		l.rows += ix.Rows
		for _, s := range ix.Samples {
			if objectType == "post" && s.Status != "publish" { // others have ?p= links whatever their type
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
			if !ok || path != "" && path[0] != '/' { // another language's domain, or a moved site
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
	if varies { // a token, or a language; the rows do not show which
		l.base, l.known = "", false
	}
	return l
}

// byID reports whether all links name the type and a number. WordPress gives such to a type without a query variable of its own,
// and routes them where visitors may see it.
func (l *links) byID() bool { return l.query && !l.other }

// readQuery reads ?flyer=blue, ?doc=parent/child, ?genre=jazz; ?post_type= and ?taxonomy=
// prove that there is no query variable.
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

// indexKey is object_type and object_sub_type.
type indexKey struct{ objectType, subType string }

// indexRows counts the index rows that only a public type of that name has.
func (d *decider) indexRows(k kind, name string) int {
	n := 0
	for _, objectType := range k.objectTypes() {
		for _, i := range d.indexed[indexKey{objectType, name}] {
			n += d.e.Indexables[i].Rows
		}
	}
	return n
}
