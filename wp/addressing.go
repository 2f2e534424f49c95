package wp

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"wpsitemapd/wp/registry"
)

// Origin is where the addresses of a type come from.
type Origin uint8

// The origins.
const (
	AsComputed Origin = iota // from options and rows
	AsStored                 // in yoast_indexable, since a plugin filters them; that of an object without a row is not known
	ByPHP                    // not known: the type's sitemap is left to the site
)

// Addressing says where the addresses of a type come from, and why.
type Addressing struct {
	From             Origin
	Why              string // the proof, or what is wrong; "": nothing speaks against what is computed
	Compared, Differ int    // rows of yoast_indexable that were compared, and those with another address
	Asked            int    // pages that the site was asked for
}

// clues are what is known of the addresses of a type beside what is computed.
type clues struct {
	agree    int    // rows of yoast_indexable with the address that is computed
	detail   int    // rows with one of the same form: a slug, or something above it, is another
	form     int    // rows with one of another form
	example  string // one of these
	answered bool   // today's rewrite rules answer each of these, and by others than what is computed

	operator bool   // the configuration has the form
	filtered bool   // a known plugin filters addresses of the type
	rules    bool   // there are rewrite rules
	before   Origin // what was decided when the blog was read last
	said     answer // of the site
}

// disagrees reports whether all rows have addresses of another form than those computed.
func (c *clues) disagrees() bool { return c.form > 0 && c.agree+c.detail == 0 }

// decide says where the addresses of a type come from: those computed stand until there is proof against them.
func (c *clues) decide() (from Origin, why string) {
	none := c.agree+c.detail+c.form == 0
	switch {
	case c.operator:
		return AsComputed, "by the configuration"
	case c.said.Said == saidElsewhere:
		return ByPHP, c.said.Shown
	case none && c.before != AsComputed && c.said.Said != saidComputed:
		return ByPHP, "they were not as computed, and Yoast SEO has stored none now"
	case !c.disagrees():
		return AsComputed, ""
	case c.said.Said == saidStored:
		return AsStored, "the site answers these"
	case c.said.Said == saidComputed:
		return AsComputed, "the site answers these"
	case c.filtered:
		return AsStored, "a known plugin filters them"
	case c.answered:
		return AsStored, "today's rewrite rules answer these"
	case !c.rules && c.before == AsStored:
		return AsStored, "as before, as there are no rewrite rules now"
	}
	return ByPHP, "Yoast SEO has stored others, such as " + c.example + ", and nothing tells which are right"
}

// typeKey is a type as yoast_indexable names it: object_type and object_sub_type, with a space between them.
type typeKey string

func keyOf(objectType, name string) typeKey { return typeKey(objectType + " " + name) }

func keyOfType(t *registry.Type) typeKey {
	if t.Taxonomy {
		return keyOf(indexedTerm, t.Name)
	}
	return keyOf(indexedPost, t.Name)
}

// Addressing returns where the addresses of a type come from.
func (s *Blog) Addressing(t *registry.Type) Addressing { return s.addressing[keyOfType(t)] }

// StoredArchive returns the address of a post type's archive if it is as stored and not as computed; else "".
func (s *Blog) StoredArchive(postType string) string { return s.archives[postType] }

// decideAddresses decides about all types that are listed, and leaves those to the site whose addresses are not known.
func (s *Blog) decideAddresses(e *registry.Evidence, compared map[typeKey]*tally) {
	s.addressing = map[typeKey]Addressing{}
	for _, t := range s.registry.Types() {
		seen := t.Viewable && t.Name != "attachment"
		if t.Taxonomy {
			seen = !t.Unqueryable
		}
		if !seen || !t.Public || t.URL != "" || s.Excludes(t) {
			continue
		}
		key, rows := keyOfType(t), rowsOf(t, e)
		c := clues{operator: s.operatorSays(t), filtered: t.Filtered, rules: len(e.RewriteRules) > 0, said: s.before.Answers[string(key)]}
		if s.set.ActivePlugins[pluginYoast] {
			c.before = s.before.Origins[key]
		}
		var pairs []pair
		if row := compared[key]; row != nil {
			c.agree, c.detail, c.form, c.answered = row.agree, row.detail, row.form, row.answered == row.form
			if c.disagrees() {
				pairs, c.example = row.pairs, row.pairs[0].Stored
			}
		}
		a := Addressing{Compared: c.agree + c.detail + c.form, Differ: c.detail + c.form, Asked: c.said.Asked}
		a.From, a.Why = c.decide()
		s.addressing[key] = a
		if c.rules && rows > 0 && !c.operator {
			s.inquiry.add(string(key), question{of: t, pairs: pairs})
		}
		if a.From == ByPHP {
			s.leave(t, rows, a.Why)
		}
	}
}

// operatorSays reports whether the configuration has the form of a type's addresses.
func (s *Blog) operatorSays(t *registry.Type) bool {
	if t.Taxonomy {
		o := s.network.source.Overrides.Taxonomies[t.Name]
		return o.Slug != nil || o.WithFront != nil
	}
	o := s.network.source.Overrides.PostTypes[t.Name]
	return o.Slug != nil || o.WithFront != nil
}

// rowsOf is the number of a type's posts, or of its terms in use; posts and pages are not counted.
func rowsOf(t *registry.Type, e *registry.Evidence) int {
	rows := e.PostTypes
	switch {
	case t.Taxonomy:
		rows = e.Taxonomies
	case t.Name == "post" || t.Name == "page":
		return 1
	}
	for _, r := range rows {
		if r.Name == t.Name {
			return r.Used
		}
	}
	return 0
}

// leave leaves the sitemap of a type to the site.
func (s *Blog) leave(t *registry.Type, rows int, why string) {
	t.Public, t.Undecided = false, true
	s.registry.Unknown = append(s.registry.Unknown, registry.Unknown{
		Kind: t.Kind(), Name: t.Name, Rows: rows, Elsewhere: true, ByPHP: t.Filtered,
		Why: fmt.Sprintf("%s `%s` has other URLs than those computed, so that its sitemap is left to the site: %s", t.Kind(), t.Name, why),
	})
}

// origins are those of types whose addresses are not computed, to be remembered.
func (s *Blog) origins() map[typeKey]Origin {
	kept := map[typeKey]Origin{}
	for key, a := range s.addressing {
		if a.From != AsComputed {
			kept[key] = a.From
		}
	}
	return kept
}

// hashAddressing adds to a fingerprint what addresses depend on.
func (s *Blog) hashAddressing(w io.Writer) {
	fmt.Fprintln(w, s.origins(), s.archives)
	for _, key := range slices.Sorted(maps.Keys(s.before.Answers)) {
		if a := s.before.Answers[key]; a.Of != nil && a.Said == saidStored {
			fmt.Fprintln(w, key, *a.Of)
		}
	}
}
