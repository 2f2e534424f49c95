package address

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

// managedPaths holds what Permalink Manager stores.
type managedPaths struct {
	posts, terms map[int64]string
	postTypes    []string  // post types whose addresses the plugin does not change
	taxonomies   []string  // taxonomies whose addresses the plugin does not change
	postRanges   []idRange // ids of posts whose addresses the plugin does not change
	termRanges   []idRange // ids of terms whose addresses the plugin does not change
	slashes      int64     // slash at the end: 1 always, 2 never, otherwise as WordPress does
	decoded      bool      // paths are printed without percent-encoding
}

type idRange struct{ from, to int64 }

// These are the types whose addresses Permalink Manager never changes.
var (
	managerLeavesTypes = []string{
		"revision", "nav_menu_item", "algolia_task", "fl_builder", "fl-builder", "fl-builder-template", "fl-theme-layout",
		"fusion_tb_layout", "fusion_tb_section", "fusion_template", "fusion_element", "wc_product_tab", "wc_voucher",
		"wc_voucher_template", "sliders", "thirstylink", "elementor_library", "elementor_menu_item", "cms_block", "nooz_coverage",
		"bricks_template",
	}
	managerLeavesTaxonomies = []string{
		"product_shipping_class", "post_status", "fl-builder-template-category", "post_format", "nav_menu", "language", "template_bundle",
	}
)

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

// decodeManager returns what Permalink Manager stores.
func decodeManager(o *wp.Stored) wp.Decoded {
	if !o.Active() {
		return wp.Decoded{}
	}
	ofTerms := o.Folder == managerPro
	uris, _ := o.Text(optionManagedURIs)
	options, _ := o.Text(optionManager)
	front, _ := o.Text("page_on_front")
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%t %q %q", ofTerms, uris, options)
	m := &managedPaths{posts: map[int64]string{}, terms: map[int64]string{}}
	for _, p := range o.Array(optionManagedURIs).Pairs() {
		path := pathByHand(p.Value.Str(), o.Warn)
		if id, ofTerm := strings.CutPrefix(p.Key.String(), "tax-"); !ofTerm {
			m.posts[p.Key.Int] = path
		} else if n, err := strconv.ParseInt(id, 10, 64); err == nil && ofTerms {
			m.terms[n] = path
		}
	}
	delete(m.posts, php.NewString(front).Int())
	settings := o.Array(optionManager)
	general := settings.Get("general")
	m.postTypes = append(general.Get("partial_disable").Get("post_types").Strings(), managerLeavesTypes...)
	if settings.Len() == 0 { // the defaults of the plugin
		m.postTypes = append(m.postTypes, "attachment", "tribe_events", "e-landing-page")
	}
	m.taxonomies = append(general.Get("partial_disable").Get("taxonomies").Strings(), managerLeavesTaxonomies...)
	m.postRanges = idRanges(general.Get("exclude_post_ids").Str())
	m.termRanges = idRanges(general.Get("exclude_term_ids").Str())
	m.slashes = general.Get("trailing_slashes").Int()
	if m.slashes >= 10 { // older versions store 10 and 20
		m.slashes /= 10
	}
	m.decoded = general.Get("decode_uris").Truthy()
	return wp.Decoded{Value: m, Settings: hash.Sum64()}
}

// pathByHand returns a stored path. It warns and returns "" if the path cannot be part of an address.
func pathByHand(path string, warn func(string)) string {
	if len(path) > mostOfPath || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		warn("an address set by hand is too long or has control characters, and does not count")
		return ""
	}
	return path
}

var (
	idRangeForm = regexp.MustCompile(`\d+(?:-?\d+)?`)
	notIDs      = regexp.MustCompile(`[^\d,-]`)
)

// idRanges parses ids and ranges of ids, such as "3, 7-9".
func idRanges(text string) (all []idRange) {
	for _, group := range idRangeForm.FindAllString(notIDs.ReplaceAllString(text, ""), -1) {
		from, to, _ := strings.Cut(group, "-")
		first, _ := strconv.ParseInt(from, 10, 64)
		last, _ := strconv.ParseInt(cmp.Or(to, from), 10, 64)
		all = append(all, idRange{first, last})
	}
	return all
}

func within(ranges []idRange, id int64) bool {
	return slices.ContainsFunc(ranges, func(r idRange) bool { return r.from <= id && id <= r.to })
}

// postByHand returns the path below home that was set for a post, or "". Custom Permalinks sets no addresses of
// attachments.
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
			if p.own == "" && !p.LinkStored {
				in = append(in, p.ID)
			}
		}
		return err
	})
	return in, err
}

// setsPosts reports whether a plugin lets editors set the addresses of posts by hand.
func (b *Book) setsPosts() bool { return b.hand.custom || b.hand.manager != nil }

// managed returns the permalink of a post with the ending that Permalink Manager gives it, even if no address was set
// for the post.
func (b *Book) managed(links *permalink.Builder, p *Post, link string) string {
	path, below := strings.CutPrefix(link, b.Blog.LinksHome()+"/")
	if m := b.hand.manager; m != nil && below && path != "" && m.takes(p, b.Blog.Registry().PostType(p.Type)) {
		return b.Blog.LinksHome() + "/" + m.slashed(links, path)
	}
	return link
}

// takes reports whether Permalink Manager handles the address of a post.
func (m *managedPaths) takes(p *Post, t *registry.PostType) bool {
	if p.Type == "attachment" {
		return true
	}
	return p.Status == "publish" && t != nil && t.Viewable && !slices.Contains(m.postTypes, p.Type) && !within(m.postRanges, p.ID)
}

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

// plusForms converts a result of url.QueryEscape to the plugin's encoding of a path. The plugin does not escape slash,
// comma, bar and plus, and it escapes the tilde.
var plusForms = strings.NewReplacer("%2F", "/", "%2C", ",", "%7C", "|", "%2B", "+", "~", "%7E")

func (m *managedPaths) address(links *permalink.Builder, path string) string {
	if m.decoded {
		path = php.RawURLDecode(path)
	} else {
		path = plusForms.Replace(url.QueryEscape(path))
	}
	return m.slashed(links, path)
}

var (
	fileForm  = regexp.MustCompile(`\.[a-zA-Z]{3,4}/*(\?[^/]+|$)`)
	endForm   = regexp.MustCompile(`(.+?)/*([?#][^/]+|$)`)
	slashForm = regexp.MustCompile(`/{2,}`)
	queryEnd  = regexp.MustCompile(`([?#][^/]+)/+$`)
)

// slashed follows control_trailing_slashes() for a path below home. A path that ends like a file name gets no slash.
func (m *managedPaths) slashed(links *permalink.Builder, path string) string {
	mode := m.slashes
	if fileForm.MatchString(path) {
		mode = 2
	}
	switch {
	case mode == 1:
		path = endForm.ReplaceAllString(path, "$1/$2")
	case mode == 2:
		path = endForm.ReplaceAllString(path, "$1$2")
	default:
		path = links.Trailing(path)
	}
	path = strings.TrimLeft(slashForm.ReplaceAllString(path, "/"), "/")
	return queryEnd.ReplaceAllString(path, "$1")
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
