package address

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	pluginCustomPermalinks = "custom-permalinks/custom-permalinks.php"
	metaCustomPermalink    = "custom_permalink"       // of Custom Permalinks: the path of a post below home, as printed
	optionCustomTerms      = "custom_permalink_table" // maps paths to ids of terms

	managerPro        = "permalink-manager-pro"  // folder of the Pro version, which also sets addresses of terms
	optionManagedURIs = "permalink-manager-uris" // maps the id of a post, or tax- and the id of a term, to a path
	optionManager     = "permalink-manager"

	mostOfPath = 2000 // a longer path, in bytes, does not count
)

// Names of the plugins in Inputs.
const (
	nameCustomPermalinks = "Custom Permalinks"
	nameManager          = "Permalink Manager"
	nameTutor            = "Tutor LMS"
)

// Inputs declares the stored data of plugins that let editors set addresses by hand, or that make addresses of courses.
var Inputs = []wp.Inputs{
	{
		Name: nameCustomPermalinks, Plugins: []string{pluginCustomPermalinks},
		Options: []string{optionCustomTerms}, PostMeta: []string{metaCustomPermalink}, Decode: decodeCustomTerms,
	},
	{
		Name: nameTutor, Plugins: []string{wp.PluginTutor}, Options: []string{optionTutor}, PostMeta: []string{metaCourse},
		Decode: decodeTutor,
	},
	{
		Name: nameManager, Plugins: []string{wp.PluginPermalinkManager}, Options: []string{optionManagedURIs, optionManager},
		Decode: decodeManager,
	},
}

// handSet holds addresses that were set by hand. They replace the addresses that are made of slugs.
type handSet struct {
	custom      bool             // Custom Permalinks is active
	customTerms map[int64]string // paths of terms by Custom Permalinks
	manager     *managedPaths    // paths of Permalink Manager; nil if it is not active
	tutor       tutorBases       // words of Tutor LMS; zero if it is not active
}

// handSetOf returns what active plugins store about addresses.
func handSetOf(blog *wp.Blog) (h handSet) {
	h.customTerms, h.custom = blog.Decoded(nameCustomPermalinks).(map[int64]string)
	h.manager, _ = blog.Decoded(nameManager).(*managedPaths)
	h.tutor, _ = blog.Decoded(nameTutor).(tutorBases)
	return h
}

// decodeCustomTerms returns the paths that Custom Permalinks stores for terms, by term.
func decodeCustomTerms(o *wp.Stored) wp.Decoded {
	if !o.Active() {
		return wp.Decoded{}
	}
	terms := map[int64]string{}
	for _, p := range o.Array(optionCustomTerms).Pairs() {
		if id := p.Value.Get("id"); id.Kind == php.Int && terms[id.Int()] == "" {
			terms[id.Int()] = pathByHand(p.Key.String(), o.Warn)
		}
	}
	return wp.Decoded{Value: terms, Settings: terms}
}

// pathByHand returns a stored path. It warns and returns "" if the path cannot be part of an address.
func pathByHand(path string, warn func(string)) string {
	if len(path) > mostOfPath || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		warn("an address set by hand is too long or has control characters, and is ignored")
		return ""
	}
	return path
}

// postByHand returns the path below home that was set for a post, or "". Custom Permalinks sets no addresses of attachments. With Permalink
// Manager, an attachment without a path of its own gets one below the path of its parent.
func (b *Book) postByHand(links *permalink.Builder, p, parent *Post) string {
	if m := b.hand.manager; m != nil && m.takes(p, b.Blog.Registry().PostType(p.Type)) {
		if path := m.posts[p.ID]; path != "" {
			return m.address(links, path)
		}
		if p.Type == "attachment" && parent != nil && m.posts[parent.ID] != "" {
			return m.slashed(links, m.posts[parent.ID]+"/attachment/"+p.Name)
		}
	}
	if p.custom == "" || p.custom == "0" || p.Type == "attachment" {
		return ""
	}
	return singleSlashes(p.custom)
}

// InTree returns those posts of a hierarchical type whose addresses WordPress finds by the slugs above them. It leaves out posts
// with other addresses: addresses set by hand, stored addresses that replace the computed ones, and addresses by a form of the
// operator without {path}.
func (b *Book) InTree(ctx context.Context, t *registry.PostType, ids []int64) (in []int64, err error) {
	if b.Addressing(t).From == AsStored || t.URL != "" && !strings.Contains(t.URL, "{path}") {
		return nil, nil
	}
	if !b.setsPosts() && !b.inquiry.possible {
		return ids, nil
	}
	err = db.Batches(ids, func(ids []int64) error {
		posts, err := b.Posts(ctx, ids, nil)
		for _, p := range posts {
			if (p.own == "" || t.URL != "") && !p.LinkStored { // a form that comes this far has {path}
				in = append(in, p.ID)
			}
		}
		return err
	})
	return in, err
}

// setsPosts reports whether a plugin lets editors set the addresses of posts by hand.
func (b *Book) setsPosts() bool { return b.hand.custom || b.hand.manager != nil }

// termByHand returns the path below home that was set for a term, or "".
func (b *Book) termByHand(links *permalink.Builder, t *registry.Taxonomy, id int64) string {
	h := &b.hand
	if m := h.manager; m != nil && m.terms[id] != "" && !t.Unqueryable && !slices.Contains(m.taxonomies, t.Name) && !within(m.termRanges, id) {
		return m.address(links, m.terms[id])
	}
	if path := h.customTerms[id]; path != "" && path != "0" {
		return singleSlashes(path)
	}
	return ""
}

// singleSlashes follows remove_double_slash() of Custom Permalinks for a path below home.
func singleSlashes(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll("/"+path, "//", "/"), "/")
}

// withHandSet adds to keys the meta key of addresses set by hand.
func (b *Book) withHandSet(keys ...string) []string {
	if b.hand.custom && !slices.Contains(keys, metaCustomPermalink) {
		keys = append(keys, metaCustomPermalink)
	}
	return keys
}
