package rankmath

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Options of Rank Math.
const (
	optionSitemap = "rank-math-options-sitemap"
	optionTitles  = "rank-math-options-titles"
	optionGeneral = "rank-math-options-general"
	optionModules = "rank_math_modules"
	optionSkipped = "rank_math_registration_skip"
	optionConnect = "rank_math_connect_data"
	optionVersion = "rank_math_version"
)

// These are meta keys of Rank Math. Keys of users have no blog prefix, so all blogs of a network share
// them.
const (
	metaRobots     = "rank_math_robots" // of posts, terms and users
	metaCanonical  = "rank_math_canonical_url"
	metaPrimary    = "rank_math_primary_category"
	metaPrimaryCat = "rank_math_primary_product_cat"
	metaAuthorSlug = "rank_math_permalink" // of users
	metaLastUpdate = "last_update"         // of users; other plugins write it, too
	metaExclude    = "rank_math_exclude_sitemap"
	metaGallery    = "_product_image_gallery" // of WooCommerce
)

// Inputs lists the stored data of Rank Math and of its paid add-on.
var Inputs = []wp.Inputs{{
	Name:        Plugin.Name,
	Plugins:     []string{"seo-by-rank-math/rank-math.php"},
	Options:     []string{optionSitemap, optionTitles, optionGeneral, optionModules, optionSkipped, optionConnect, optionVersion},
	MainOptions: []string{optionSkipped, optionConnect},
	PostMeta:    []string{metaRobots, metaCanonical, metaPrimary, metaPrimaryCat, metaExclude, metaGallery},
	Decisive:    []string{metaRobots, metaCanonical},
	Always:      true,
	UserMeta:    []string{metaRobots, metaCanonical, metaAuthorSlug, metaLastUpdate},
	TermMeta:    []string{metaRobots, metaCanonical},
	Tables:      []wp.Table{wp.TermMetaTable},
	Version: func(o *wp.Stored) (version, option string) {
		version, _ = o.Text(optionVersion)
		return version, optionVersion
	},
	Decode: decode,
}, {Name: "Rank Math PRO", Plugins: []string{paid}}}

// paid is the file of the paid add-on.
const paid = "seo-by-rank-math-pro/rank-math-pro.php"

// options are Rank Math's stored settings. The plugin's installer writes all defaults, so a missing
// setting is off. If Rank Math was never installed, the installer's defaults apply.
type options struct {
	folder string // folder of the plugin; "" if it is not active on the blog or its network
	setUp  bool   // the set-up of the plugin is finished; until then the plugin makes no sitemaps
	module bool   // the sitemap module is on

	shop  bool // the WooCommerce module is on
	saved bool // at least one of sitemap, titles and general is stored; if not, the installer's defaults apply

	sitemap, titles, general php.Value
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

func decode(s *wp.Stored) wp.Decoded {
	modules := s.Array(optionModules).Strings()
	o := &options{
		folder: s.Folder, setUp: setUp(s), module: slices.Contains(modules, "sitemap"), shop: slices.Contains(modules, "woocommerce"),
		sitemap: s.Array(optionSitemap), titles: s.Array(optionTitles), general: s.Array(optionGeneral),
	}
	for _, name := range []string{optionSitemap, optionTitles, optionGeneral} {
		_, saved := s.Text(name)
		o.saved = o.saved || saved
	}
	d := wp.Decoded{Value: o, Settings: *o, ReplacesCore: o.answers(), Types: o.types()}
	if o.folder != "" && o.setUp {
		d.Links = o.links()
	}
	return d
}

// setUp reports whether the set-up of the plugin is done. If the plugin is active for a network, the main blog's set-up counts.
func setUp(s *wp.Stored) bool {
	text := func(name string) string { value, _ := s.Text(name); return value }
	if s.OfNetwork() {
		text = s.Main
	}
	if s.Truth("RANK_MATH_REGISTRATION_SKIP") || php.NewString(text(optionSkipped)).Truthy() {
		return true
	}
	connected, err := php.MaybeUnserialize(text(optionConnect))
	return err == nil && connected.Get("connected").Truthy() && connected.Get("api_key").Truthy()
}

// answers reports whether the plugin makes sitemaps: it is active and set up, and its sitemap module is on.
func (o *options) answers() bool { return o.folder != "" && o.setUp && o.module }

// links returns the plugin's changes to WordPress' permalinks.
func (o *options) links() wp.LinkRules {
	strip := on(o.general.Get("strip_category_base"))
	rules := wp.LinkRules{
		StripCategoryBase: strip, StripCategoryFront: strip, PrimaryCategory: metaPrimary, PrimaryProductCategory: metaPrimaryCat,
	}
	if !on(o.titles.Get("disable_author_archives")) {
		rules.AuthorBase, rules.AuthorSlug = slugOf(o.titles.Get("url_author_base").Str()), metaAuthorSlug
	}
	if o.shop {
		rules.StripProductBase = on(o.general.Get("wc_remove_product_base"))
		rules.StripProductCategoryBase = on(o.general.Get("wc_remove_category_base"))
		rules.FlatProductCategories = on(o.general.Get("wc_remove_category_parent_slugs"))
	}
	return rules
}

// slugOf converts a base that a person typed, like WordPress' sanitize_title_with_dashes().
func slugOf(text string) string {
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(text)) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '%':
			b.WriteByte(c)
		case strings.IndexByte("-. /\t\n\r", c) >= 0 && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// builtForNobody are types for which the installer writes settings even if no plugin has registered them.
var builtForNobody = []string{"product", "web-story"}

// types returns the public types that the settings name. They were registered when the settings were
// saved.
func (o *options) types() registry.Noted {
	types := registry.Noted{Source: "option " + optionSitemap}
	for _, p := range o.sitemap.Pairs() {
		if name, ok := named(p.Key.String(), "pt_"); ok && !slices.Contains(builtForNobody, name) {
			types.PostTypes = append(types.PostTypes, name)
			if _, archive := o.titles.Lookup("pt_" + name + "_archive_title"); archive {
				types.Archives = append(types.Archives, name)
			}
		} else if name, ok := named(p.Key.String(), "tax_"); ok {
			types.Taxonomies = append(types.Taxonomies, name)
		}
	}
	return types
}

// named returns the type to which a switch key belongs. It returns false for other keys, such as those
// of the HTML sitemap.
func named(key, prefix string) (string, bool) {
	name, ok := strings.CutPrefix(key, prefix)
	if !ok || strings.HasSuffix(name, "_html_sitemap") {
		return "", false
	}
	return strings.CutSuffix(name, "_sitemap")
}

// on reports whether the plugin takes a setting for on: PHP takes the value for true, and it is not "off"
// or "false".
func on(v php.Value) bool { return v.Truthy() && !isOff(v) }

// isOff reports whether a setting is missing, false, "off" or "false". An empty text and 0 are neither off
// nor on.
func isOff(v php.Value) bool {
	return v.IsNull() || v.IsFalse() || v.Kind == php.String && (v.Str() == "off" || v.Str() == "false")
}

// noindexed reports whether a list of robots values contains noindex.
func noindexed(robots php.Value) bool { return slices.Contains(listOf(robots), "noindex") }

// listOf returns a setting as a list. A text becomes a list with one item.
func listOf(v php.Value) []string {
	if v.Kind == php.String && on(v) {
		return []string{v.Str()}
	}
	return v.Strings()
}

// pageSize returns the number of entries on a page: the operator's number if it is positive, or else that of the settings.
func (o *options) pageSize(wanted int) int {
	switch {
	case wanted > 0:
		return wanted
	case !o.saved:
		return 200
	}
	if n := o.sitemap.Get("items_per_page").Int(); n != 0 {
		return int(max(n, -n))
	}
	return 100
}

// lists reports whether the switch of a post type (prefix pt_) or taxonomy (prefix tax_) gives it a
// sitemap. It also returns the key of the switch.
func (o *options) lists(prefix, name string) (key string, listed bool) {
	key = prefix + name + "_sitemap"
	switch v, _ := o.sitemap.Lookup(key); {
	case !o.saved && prefix == "tax_":
		return key, name == "category"
	case !o.saved:
		return key, name != "attachment" && name != "web-story"
	case prefix == "tax_":
		return key, !isOff(v)
	default:
		return key, on(v)
	}
}

// typeNoindex reports whether a type is noindex, and returns the key that decides. prefix is pt_ or
// tax_. A type without robots of its own uses the global robots.
func (o *options) typeNoindex(prefix, name string) (key string, noindex bool) {
	if !o.saved {
		return prefix + name + "_robots", slices.Contains([]string{"attachment", "post_tag", "post_format", "product_tag"}, name)
	}
	if !isOff(o.titles.Get(prefix + name + "_custom_robots")) {
		return prefix + name + "_robots", noindexed(o.titles.Get(prefix + name + "_robots"))
	}
	return globalRobots, noindexed(o.titles.Get(globalRobots))
}

// globalRobots is the key of the robots for every type without robots of its own.
const globalRobots = "robots_global"

// ids returns the object ids in a setting. The setting is a list, or a text with ids between commas or
// white space.
func (o *options) ids(key string) []int64 {
	v := o.sitemap.Get(key)
	if v.Kind != php.Array {
		return idsOf(v.Str())
	}
	var ids []int64
	for _, p := range v.Pairs() {
		n := p.Value.Int()
		ids = append(ids, max(n, -n))
	}
	return ids
}

func idsOf(list string) []int64 {
	var ids []int64
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", \t\n\r\f\v", r) }) {
		n := php.NewString(field).Int()
		ids = append(ids, max(n, -n))
	}
	return ids
}

func (o *options) images() bool { return !o.saved || on(o.sitemap.Get("include_images")) }
