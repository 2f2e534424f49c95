package address

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Origin says where the addresses of a type come from.
type Origin uint8

const (
	asComputed Origin = iota // from options and rows of WordPress
	AsStored                 // from yoast_indexable, because a plugin changes them; an object without a row has no known address
	ByPHP                    // not known, so that the site itself serves the sitemap of the type
)

// Addressing says where the addresses of a type come from, and why.
type Addressing struct {
	From             Origin
	Why              string // the proof, or what is wrong; "" if nothing contradicts the computed addresses
	Compared, Differ int    // rows of yoast_indexable that were compared, and how many of them have another address
	Asked            int    // pages that the site was asked for
}

// clues are facts that show whether the computed addresses of a type are right.
type clues struct {
	agree    int    // rows of yoast_indexable with the computed address
	detail   int    // rows with an address of the same form, in which a slug or something above it differs
	form     int    // rows with an address of another form
	example  string // a stored address of another form
	answered bool   // each address counted in form leads to its object by a rewrite rule, but not by the rule of the computed address

	operator bool   // the configuration gives the form of the addresses
	filtered bool   // a known plugin changes addresses of the type
	rules    bool   // the site has rewrite rules
	before   Origin // the decision of the last reading of the blog
	answer   answer // the answer of the site
}

// disagrees reports whether there are compared rows and all of them have addresses of another form than the computed
// ones.
func (c *clues) disagrees() bool { return c.form > 0 && c.agree+c.detail == 0 }

// decide returns where the addresses of a type come from, and why. Computed addresses stay unless something proves
// them wrong.
func (c *clues) decide() (from Origin, why string) {
	none := c.agree+c.detail+c.form == 0
	switch {
	case c.operator:
		return asComputed, "by the configuration"
	case c.answer.Right == rightElsewhere:
		return ByPHP, c.answer.Shown
	case none && c.before != asComputed && c.answer.Right != rightComputed:
		return ByPHP, "they differed before, and Yoast SEO has stored no URLs of this type now"
	case !c.disagrees():
		return asComputed, ""
	case c.answer.Right == rightStored:
		return AsStored, "the site answers these"
	case c.answer.Right == rightComputed:
		return asComputed, "the site answers these"
	case c.filtered:
		return AsStored, "a known plugin filters them"
	case c.answered:
		return AsStored, "today's rewrite rules answer these"
	case !c.rules && c.before == AsStored:
		return AsStored, "as before, because there are no rewrite rules now"
	}
	return ByPHP, "Yoast SEO has stored other URLs, such as " + c.example + ", and nothing tells which are right"
}

// typeKey names a type as yoast_indexable does: object_type and object_sub_type, separated by a space.
type typeKey string

func keyOf(objectType, name string) typeKey { return typeKey(objectType + " " + name) }

func keyOfType(t *registry.Type) typeKey {
	if t.Taxonomy {
		return keyOf(wp.IndexedTerm, t.Name)
	}
	return keyOf(wp.IndexedPost, t.Name)
}

// Addressing returns where the addresses of a type come from.
func (b *Book) Addressing(t *registry.Type) Addressing { return b.addressing[keyOfType(t)] }

// StoredArchive returns the stored address of a post type's archive if that address is right and the computed one is
// wrong. Otherwise it returns "".
func (b *Book) StoredArchive(postType string) string { return b.archives[postType] }

// decideAddresses decides for each listed type where its addresses come from. If that is not known, it leaves the type
// to the site.
func (b *Book) decideAddresses(e *registry.Evidence, compared map[typeKey]*tally) {
	b.addressing = map[typeKey]Addressing{}
	for _, t := range b.Blog.Registry().Types() {
		seen := t.Viewable && t.Name != "attachment"
		if t.Taxonomy {
			seen = !t.Unqueryable
		}
		if !seen || !t.Public || t.URL != "" || b.Blog.Excludes(t) {
			continue
		}
		key, rows := keyOfType(t), rowsOf(t, e)
		c := clues{operator: b.operatorSays(t), filtered: t.Filtered, rules: len(e.RewriteRules) > 0, answer: b.before.Answers[string(key)]}
		if b.Blog.Settings().ActivePlugins[wp.PluginYoast] {
			c.before = b.before.Origins[key]
		}
		var pairs []pair
		if row := compared[key]; row != nil {
			c.agree, c.detail, c.form, c.answered = row.agree, row.detail, row.form, row.answered == row.form
			if c.disagrees() {
				pairs, c.example = row.pairs, row.pairs[0].Stored
			}
		}
		a := Addressing{Compared: c.agree + c.detail + c.form, Differ: c.detail + c.form, Asked: c.answer.Asked}
		a.From, a.Why = c.decide()
		b.addressing[key] = a
		if c.rules && rows > 0 && !c.operator {
			b.inquiry.add(string(key), question{about: t, pairs: pairs})
		}
		if a.From == ByPHP {
			b.leave(t, rows, a.Why)
		}
	}
}

// operatorSays reports whether the configuration gives the form of a type's addresses.
func (b *Book) operatorSays(t *registry.Type) bool {
	if t.Taxonomy {
		o := b.Blog.Overrides().Taxonomies[t.Name]
		return o.Slug != nil || o.WithFront != nil
	}
	o := b.Blog.Overrides().PostTypes[t.Name]
	return o.Slug != nil || o.WithFront != nil
}

// rowsOf returns the number of a type's posts, or of its terms in use. For the types post and page, whose rows it does
// not count, it returns 1.
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

// leave leaves the sitemap of a type to the site and records why.
func (b *Book) leave(t *registry.Type, rows int, why string) {
	t.Public, t.Undecided = false, true
	b.Blog.Registry().Unknown = append(b.Blog.Registry().Unknown, registry.Unknown{
		Kind: t.Kind(), Name: t.Name, Rows: rows, Elsewhere: true, ByPHP: t.Filtered,
		Why: fmt.Sprintf("the URLs of %s `%s` differ from those computed, so wpsitemapd leaves its sitemap to the site: %s", t.Kind(), t.Name, why),
	})
}

// origins returns the types whose addresses are not computed, with their origins. The next reading of the blog gets
// them.
func (b *Book) origins() map[typeKey]Origin {
	kept := map[typeKey]Origin{}
	for key, a := range b.addressing {
		if a.From != asComputed {
			kept[key] = a.From
		}
	}
	return kept
}

// hashAddressing adds to a hash everything that the addresses of the blog depend on.
func (b *Book) hashAddressing(w io.Writer) {
	fmt.Fprintln(w, b.origins(), b.archives)
	for _, key := range slices.Sorted(maps.Keys(b.before.Answers)) {
		if a := b.before.Answers[key]; a.Of != nil && a.Right == rightStored {
			fmt.Fprintln(w, key, *a.Of)
		}
	}
}
