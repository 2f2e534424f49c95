package wp

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	pluginCustomPermalinks = "custom-permalinks/custom-permalinks.php"
	metaCustomPermalink    = "custom_permalink"       // of Custom Permalinks: the path of a post below home, as printed
	optionCustomTerms      = "custom_permalink_table" // maps paths to ids of terms

	pluginPermalinkManager = "permalink-manager/permalink-manager.php"
	managerPro             = "permalink-manager-pro"  // folder of the Pro version, which also sets addresses of terms
	optionManagedURIs      = "permalink-manager-uris" // maps the id of a post, or tax- and the id of a term, to a path
	optionManager          = "permalink-manager"

	mostOfPath = 2000 // a longer path, in bytes, does not count
)

// handSet are the inputs of plugins that let editors set addresses by hand.
var handSet = []Inputs{
	{
		Name: "Custom Permalinks", Plugins: []string{pluginCustomPermalinks},
		Options: []string{optionCustomTerms}, PostMeta: []string{metaCustomPermalink},
	},
	givewp,
	{Name: "Tutor LMS", Plugins: []string{pluginTutor}, PostMeta: []string{metaCourse}},
	{Name: "Permalink Manager", Plugins: []string{pluginPermalinkManager}, Options: []string{optionManagedURIs, optionManager}},
}

// HandSet holds addresses that were set by hand and replace those made of slugs.
type HandSet struct {
	Custom      bool             // Custom Permalinks is active
	CustomTerms map[int64]string // paths of terms by Custom Permalinks
	Manager     *ManagedPaths    // paths of Permalink Manager; nil if it is not active
	Tutor       TutorBases       // words of Tutor LMS; zero if it is not active
}

// ManagedPaths holds what Permalink Manager stores.
type ManagedPaths struct {
	Posts, Terms map[int64]string
	stored       uint64    // a hash of all options of the plugin
	PostTypes    []string  // post types whose addresses the plugin does not change
	Taxonomies   []string  // taxonomies whose addresses the plugin does not change
	PostRanges   []idRange // ids of posts whose addresses the plugin does not change
	TermRanges   []idRange // ids of terms whose addresses the plugin does not change
	Slashes      int64     // slash at the end: 1 always, 2 never, otherwise as WordPress does
	Decoded      bool      // paths are printed without percent-encoding
}

// String returns the hash that stands for all paths in Blog.Fingerprint.
func (m *ManagedPaths) String() string { return strconv.FormatUint(m.stored, 10) }

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

// handSet decodes the options of the active plugins that set addresses.
func (s *Blog) handSet(o options, active map[string]bool) HandSet {
	h := HandSet{Custom: active[pluginCustomPermalinks]}
	if h.Custom {
		h.CustomTerms = map[int64]string{}
		for _, p := range o.serialized(optionCustomTerms, s.Notice).Pairs() {
			if id := p.Value.Get("id"); id.Kind == php.Int && h.CustomTerms[id.Int()] == "" {
				h.CustomTerms[id.Int()] = s.pathByHand(p.Key.String())
			}
		}
	}
	if active[pluginTutor] {
		h.Tutor = s.tutorBases(o)
	}
	if active[pluginPermalinkManager] {
		h.Manager = s.managedPaths(o, s.network.declared.folderOf([]string{pluginPermalinkManager}, active) == managerPro)
	}
	return h
}

func (s *Blog) managedPaths(o options, terms bool) *ManagedPaths {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%t %q %q", terms, o[optionManagedURIs], o[optionManager])
	m := &ManagedPaths{Posts: map[int64]string{}, Terms: map[int64]string{}, stored: hash.Sum64()}
	for _, p := range o.serialized(optionManagedURIs, s.Notice).Pairs() {
		path := s.pathByHand(p.Value.Str())
		if id, ofTerm := strings.CutPrefix(p.Key.String(), "tax-"); !ofTerm {
			m.Posts[p.Key.Int] = path
		} else if n, err := strconv.ParseInt(id, 10, 64); err == nil && terms {
			m.Terms[n] = path
		}
	}
	delete(m.Posts, o.integer("page_on_front"))
	settings := o.serialized(optionManager, s.Notice)
	general := settings.Get("general")
	m.PostTypes = append(general.Get("partial_disable").Get("post_types").Strings(), managerLeavesTypes...)
	if settings.Len() == 0 { // the defaults of the plugin
		m.PostTypes = append(m.PostTypes, "attachment", "tribe_events", "e-landing-page")
	}
	m.Taxonomies = append(general.Get("partial_disable").Get("taxonomies").Strings(), managerLeavesTaxonomies...)
	m.PostRanges = idRanges(general.Get("exclude_post_ids").Str())
	m.TermRanges = idRanges(general.Get("exclude_term_ids").Str())
	m.Slashes = general.Get("trailing_slashes").Int()
	if m.Slashes >= 10 { // older versions store 10 and 20
		m.Slashes /= 10
	}
	m.Decoded = general.Get("decode_uris").Truthy()
	return m
}

// pathByHand returns a stored path. It returns "" if the path cannot be part of an address.
func (s *Blog) pathByHand(path string) string {
	if len(path) > mostOfPath || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		s.Notice("an address set by hand is too long or has control characters, and does not count")
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
func (s *Blog) postByHand(b *permalink.Builder, p, parent *Post) string {
	if m := s.set.HandSet.Manager; m != nil && m.takes(p, s.registry.PostType(p.Type)) {
		if path := m.Posts[p.ID]; path != "" {
			return m.address(b, path)
		}
		if p.Type == "attachment" && parent != nil && m.Posts[parent.ID] != "" {
			return m.slashed(b, m.Posts[parent.ID]+"/attachment/"+p.Name)
		}
	}
	if p.custom == "" || p.custom == "0" || p.Type == "attachment" {
		return ""
	}
	return singleSlashes(p.custom)
}

// managed returns the permalink of a post with the ending that Permalink Manager gives it, even if no address was set
// for the post.
func (s *Blog) managed(b *permalink.Builder, p *Post, link string) string {
	path, below := strings.CutPrefix(link, s.home+"/")
	if m := s.set.HandSet.Manager; m != nil && below && path != "" && m.takes(p, s.registry.PostType(p.Type)) {
		return s.home + "/" + m.slashed(b, path)
	}
	return link
}

// takes reports whether Permalink Manager handles the address of a post.
func (m *ManagedPaths) takes(p *Post, t *registry.PostType) bool {
	if p.Type == "attachment" {
		return true
	}
	return p.Status == "publish" && t != nil && t.Viewable && !slices.Contains(m.PostTypes, p.Type) && !within(m.PostRanges, p.ID)
}

// termByHand returns the path below home that was set for a term, or "".
func (s *Blog) termByHand(b *permalink.Builder, t *registry.Taxonomy, id int64) string {
	h := &s.set.HandSet
	if m := h.Manager; m != nil && m.Terms[id] != "" && !t.Unqueryable && !slices.Contains(m.Taxonomies, t.Name) && !within(m.TermRanges, id) {
		return m.address(b, m.Terms[id])
	}
	if path := h.CustomTerms[id]; path != "" && path != "0" {
		return singleSlashes(path)
	}
	return ""
}

// plusForms replaces what the plugin leaves unescaped when it encodes a path, and escapes what only PHP escapes.
var plusForms = strings.NewReplacer("%2F", "/", "%2C", ",", "%7C", "|", "%2B", "+", "~", "%7E")

func (m *ManagedPaths) address(b *permalink.Builder, path string) string {
	if m.Decoded {
		path = php.RawURLDecode(path)
	} else {
		path = plusForms.Replace(url.QueryEscape(path))
	}
	return m.slashed(b, path)
}

var (
	fileForm  = regexp.MustCompile(`\.[a-zA-Z]{3,4}/*(\?[^/]+|$)`)
	endForm   = regexp.MustCompile(`(.+?)/*([?#][^/]+|$)`)
	slashForm = regexp.MustCompile(`/{2,}`)
	queryEnd  = regexp.MustCompile(`([?#][^/]+)/+$`)
)

// slashed follows control_trailing_slashes() for a path below home. A path that ends like a file name gets no slash.
func (m *ManagedPaths) slashed(b *permalink.Builder, path string) string {
	mode := m.Slashes
	if fileForm.MatchString(path) {
		mode = 2
	}
	switch {
	case mode == 1:
		path = endForm.ReplaceAllString(path, "$1/$2")
	case mode == 2:
		path = endForm.ReplaceAllString(path, "$1$2")
	default:
		path = b.Trailing(path)
	}
	path = strings.TrimLeft(slashForm.ReplaceAllString(path, "/"), "/")
	return queryEnd.ReplaceAllString(path, "$1")
}

// singleSlashes follows remove_double_slash() of Custom Permalinks for a path below home.
func singleSlashes(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll("/"+path, "//", "/"), "/")
}

// withHandSet adds to keys the meta key of addresses set by hand.
func (s *Blog) withHandSet(keys ...string) []string {
	if s.set.HandSet.Custom && !slices.Contains(keys, metaCustomPermalink) {
		keys = append(keys, metaCustomPermalink)
	}
	return keys
}
