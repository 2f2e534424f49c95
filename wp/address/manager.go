package address

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Permalink Manager gives every post a path of its own, which editors may change. It stores all paths in one option. The free version
// sets paths of posts, the Pro version also those of terms.

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

// takes reports whether Permalink Manager handles the address of a post.
func (m *managedPaths) takes(p *Post, t *registry.PostType) bool {
	if p.Type == "attachment" {
		return true
	}
	return p.Status == "publish" && t != nil && t.Viewable && !slices.Contains(m.postTypes, p.Type) && !within(m.postRanges, p.ID)
}

// managed returns the permalink of a post with the ending that Permalink Manager gives it, even if no address was set
// for the post.
func (b *Book) managed(links *permalink.Builder, p *Post, link string) string {
	path, below := strings.CutPrefix(link, b.Blog.LinksHome()+"/")
	if m := b.hand.manager; m != nil && below && path != "" && m.takes(p, b.Blog.Registry().PostType(p.Type)) {
		return b.Blog.LinksHome() + "/" + m.slashed(links, path)
	}
	return link
}

func (m *managedPaths) address(links *permalink.Builder, path string) string {
	if m.decoded {
		path = php.RawURLDecode(path)
	} else {
		path = plusForms.Replace(url.QueryEscape(path))
	}
	return m.slashed(links, path)
}

// plusForms converts a result of url.QueryEscape to the plugin's encoding of a path. The plugin does not escape slash,
// comma, bar and plus, and it escapes the tilde.
var plusForms = strings.NewReplacer("%2F", "/", "%2C", ",", "%7C", "|", "%2B", "+", "~", "%7E")

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

var (
	fileForm  = regexp.MustCompile(`\.[a-zA-Z]{3,4}/*(\?[^/]+|$)`)
	endForm   = regexp.MustCompile(`(.+?)/*([?#][^/]+|$)`)
	slashForm = regexp.MustCompile(`/{2,}`)
	queryEnd  = regexp.MustCompile(`([?#][^/]+)/+$`)
)
