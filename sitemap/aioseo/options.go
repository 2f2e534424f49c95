package aioseo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Inputs lists the stored data of All in One SEO.
var Inputs = []wp.Inputs{{
	Name: pluginName,
	Plugins: []string{
		"all-in-one-seo-pack/all_in_one_seo_pack.php", "all-in-one-seo-pack-pro/all_in_one_seo_pack.php",
	},
	Options: []string{optionMain, optionDynamic, optionInternal},
	Tables: []wp.Table{
		{Name: table, Deltas: true, Pages: true}, wp.TermMetaTable,
		{Name: cacheTable, Settings: true}, // the plugin also writes unrelated values there
	},
	TermMeta: []string{termImage},
	Version: func(o *wp.Stored) (version, option string) {
		return at(o.JSON(optionInternal), "internal.lastActiveVersion").Str(), optionInternal + "[internal][lastActiveVersion]"
	},
	Decode: decode,
	Types:  laterTypes,
	Read:   read,
}}

const (
	pluginName     = "All in One SEO"
	optionMain     = "aioseo_options"
	optionDynamic  = "aioseo_options_dynamic"
	optionInternal = "aioseo_options_internal"
	termImage      = "thumbnail_id" // an attachment id; WooCommerce sets it for product categories and brands, other plugins for other terms
)

// options are the stored settings of All in One SEO. A missing key has the plugin's default.
type options struct {
	folder        string // the plugin's folder; "" if the plugin is not active
	main, dynamic php.Value
	firstPage     bool  // later pages and parts have the first page as their canonical address
	denied        error // why the plugin's table may not be read; nil if it may
}

func decode(o *wp.Stored) wp.Decoded {
	d := &options{folder: o.Folder, main: o.JSON(optionMain), dynamic: o.JSON(optionDynamic)}
	deprecated := at(o.JSON(optionInternal), "internal.deprecatedOptions")
	d.firstPage = slices.Contains(deprecated.Strings(), "noPaginationForCanonical") &&
		d.says("deprecated.searchAppearance.advanced.noPaginationForCanonical", true)
	if name := d.filename(); !stemForm.MatchString(name) {
		o.Warn(fmt.Sprintf("option %s: sitemap.general.filename %q cannot be a file name, so wpsitemapd uses %q", optionMain, name, stem))
	}
	decoded := wp.Decoded{
		Value: d, Settings: *d, ReplacesCore: o.Active() && d.enabled(),
		Types: registry.Noted{
			Source: "option " + optionDynamic, PostTypes: d.named("postTypes"), Taxonomies: d.named("taxonomies"), Archives: d.named("archives"),
		},
	}
	if o.Active() {
		strip := d.says("searchAppearance.advanced.removeCategoryBase", false)
		decoded.Links = wp.LinkRules{StripCategoryBase: strip, StripCategoryFront: strip}
	}
	return decoded
}

// named returns the names in the settings of kind, which is postTypes, taxonomies or archives. The settings
// have a name for every type that was public when they were saved.
func (o *options) named(kind string) []string {
	var names []string
	for _, p := range at(o.dynamic, "searchAppearance."+kind).Pairs() {
		names = append(names, strings.TrimPrefix(p.Key.String(), "_aioseo_"))
	}
	return names
}

func optionsOf(blog *wp.Blog) *options { return seo.Decoded[options](blog, pluginName) }

// at returns the value at a path of keys that are separated by dots. It returns null if there is no
// such value.
func at(v php.Value, path string) php.Value {
	for key := range strings.SplitSeq(path, ".") {
		v = v.Get(key)
	}
	return v
}

// flag returns the value of a switch, or unsaved if the switch is not stored.
func flag(v php.Value, path string, unsaved bool) bool {
	if stored := at(v, path); !stored.IsNull() {
		return stored.Truthy()
	}
	return unsaved
}

// says returns a switch of the main option, or unsaved if the switch is not stored.
func (o *options) says(path string, unsaved bool) bool { return flag(o.main, path, unsaved) }

// enabled reports whether the plugin's sitemaps are switched on.
func (o *options) enabled() bool { return o.says("sitemap.general.enable", true) }

// filename returns the word that replaces "sitemap" in file names.
func (o *options) filename() string {
	return cmp.Or(at(o.main, "sitemap.general.filename").Str(), stem)
}

// count returns the setting at path, which is the most entries that a file has. It returns usual if the
// stored value is not positive; the plugin fails with such a value. The result is at most urlset.MaxEntries.
func (o *options) count(path string, usual int64) int {
	if n := at(o.main, path).Int(); n > 0 {
		usual = n
	}
	return int(min(usual, urlset.MaxEntries))
}

// list returns the types that the administrator has chosen for the sitemaps, in index order. nil means all
// types. kind is postTypes or taxonomies.
func (o *options) list(kind string) []string {
	chosen := at(o.main, "sitemap.general."+kind)
	if flag(chosen, "all", true) {
		return nil
	}
	if included := chosen.Get("included"); !included.IsNull() {
		return append([]string{}, included.Strings()...)
	}
	return defaultTypes[kind]
}

// inOrder returns the registered types in index order.
func inOrder(o *options, kind string, registered []*registry.Type) []*registry.Type {
	list := o.list(kind)
	if list == nil {
		return registered
	}
	all := slices.Clone(registered)
	slices.SortStableFunc(all, func(x, y *registry.Type) int {
		return cmp.Compare(slices.Index(list, x.Name), slices.Index(list, y.Name))
	})
	return all
}

// includes reports whether the stored list of a kind contains the type name, or whether the options include all types.
func (o *options) includes(kind, name string) bool {
	list := o.list(kind)
	return list == nil || slices.Contains(list, name)
}

var defaultTypes = map[string][]string{
	"postTypes":  {"post", "page", "attachment", "product"},
	"taxonomies": {"category", "post_tag", "product_cat", "product_tag"},
}

const globalRobots = "searchAppearance.advanced.globalRobotsMeta."

// noindex reports whether a type, a taxonomy or an archive is noindex, and returns the name of the
// setting that decides. in is the value of option. branch is the path in it to the settings of the type,
// taxonomy or archive.
func (o *options) noindex(option string, in php.Value, branch string) (string, bool) {
	switch {
	case !flag(in, branch+".show", true):
		return option + "." + branch + ".show", true
	case !flag(in, branch+ownRobots+"default", true):
		return ownNoindex(option, in, branch)
	case o.globally("noindex", false):
		return globalNoindex, true
	}
	return "", false
}

const (
	ownRobots     = ".advanced.robotsMeta."
	globalNoindex = optionMain + "." + globalRobots + "noindex"
)

// ownNoindex reports whether the branch's own robots settings say noindex, and returns the option. in and branch are as
// in noindex.
func ownNoindex(option string, in php.Value, branch string) (string, bool) {
	robots := branch + ownRobots
	return option + "." + robots + "noindex", !flag(in, robots+"default", true) && flag(in, robots+"noindex", false)
}

// globally returns a switch of the global robots settings. They apply only if their default is
// switched off.
func (o *options) globally(name string, unsaved bool) bool {
	return !o.says(globalRobots+"default", true) && o.says(globalRobots+name, unsaved)
}

// noindexOf reports whether a post type, a taxonomy or an archive is noindex, and returns the name of the setting that decides. kind
// is postTypes, taxonomies or archives.
func (o *options) noindexOf(kind, name string) (string, bool) {
	return o.noindex(optionDynamic, o.dynamic, "searchAppearance."+kind+"."+storedName(name))
}

// storedName returns the name under which the settings of a type are stored.
func storedName(name string) string {
	if name == "type" {
		return "_aioseo_type"
	}
	return name
}

// attachments reports whether attachments have pages of their own.
func (o *options) attachments() bool {
	return at(o.dynamic, "searchAppearance.postTypes.attachment.redirectAttachmentUrls").Str() == "disabled"
}

// archivesOff returns the option that switches off the sitemap of authors (kind author) or date
// archives (kind date). It returns "" if none does.
func (o *options) archivesOff(kind string) string {
	if !o.says("sitemap.general."+kind, false) {
		return optionMain + ".sitemap.general." + kind
	}
	if option, off := o.noindex(optionMain, o.main, "searchAppearance.archives."+kind); off {
		return option
	}
	return ""
}

func (o *options) advanced() bool { return o.says("sitemap.general.advancedSettings.enable", false) }

func (o *options) images() bool {
	return !o.advanced() || !o.says("sitemap.general.advancedSettings.excludeImages", false)
}

// extraPages returns the pages that the administrator has added. It skips pages that cannot be read.
func (o *options) extraPages() []catalog.FirstLink {
	if !o.says("sitemap.general.additionalPages.enable", false) {
		return nil
	}
	var pages []catalog.FirstLink
	for _, p := range at(o.main, "sitemap.general.additionalPages.pages").Pairs() {
		page := p.Value
		if page.Kind == php.String {
			page, _ = php.DecodeJSON(page.Str())
		}
		loc := page.Get("url")
		if loc.Kind != php.String || loc.Str() == "" {
			continue
		}
		pages = append(pages, catalog.FirstLink{Loc: loc.Str(), LastMod: dateOf(page.Get("lastModified").Str()), Hints: urlset.Hints{
			Priority: cmp.Or(value(page.Get("priority")), "0.5"), ChangeFreq: cmp.Or(value(page.Get("frequency")), "weekly"),
		}})
	}
	return pages
}

// usualHints are the plugin's default hints by kind of page.
var usualHints = map[string]urlset.Hints{
	"homePage":   {Priority: "1", ChangeFreq: "always"},
	"postTypes":  {Priority: "0.7", ChangeFreq: "weekly"},
	"taxonomies": {Priority: "0.3", ChangeFreq: "monthly"},
	"author":     {Priority: "0.3", ChangeFreq: "weekly"},
	"archive":    {Priority: "0.5", ChangeFreq: "monthly"},
	"date":       {Priority: "0.5", ChangeFreq: "weekly"},
}

// hints returns the priority and the changefreq of a kind of page. name is a post type or a taxonomy, which may have values of
// its own, or "". A value that is not stored is the plugin's default.
func (o *options) hints(kind, name string) urlset.Hints {
	usual := usualHints[kind]
	if !o.advanced() {
		return usual
	}
	if kind == "date" { // date archives use the settings of other archives
		kind = "archive"
	}
	set := at(o.main, "sitemap.general.advancedSettings.priority."+kind)
	if name != "" && !flag(set, "grouped", true) {
		set = at(o.dynamic, "sitemap.priority."+kind+"."+storedName(name))
	}
	if v := value(set.Get("priority")); v != "" && v != "default" {
		usual.Priority = v
	}
	if v := value(set.Get("frequency")); v != "" && v != "default" && slices.Contains(urlset.ChangeFreqs, v) {
		usual.ChangeFreq = v
	}
	return usual
}

// value returns the field value of an object with a label and a value. The object may be stored as
// JSON.
func value(v php.Value) string {
	if v.Kind == php.String {
		decoded, err := php.DecodeJSON(v.Str())
		if err != nil {
			return ""
		}
		v = decoded
	}
	return v.Get("value").Str()
}

// dateForms are date formats of PHP's strtotime() that occur in settings. The settings page writes the first form;
// people type the other forms.
var dateForms = []string{
	"2006-01-02", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "1/2/2006", "1/2/2006 15:04",
	"2006/1/2", "2-1-2006", "2.1.2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006",
}

// dateOf parses the date of an additional page, in Unix seconds. It returns wp.NoTime if there is no
// date. A date without a zone is UTC.
func dateOf(text string) int64 {
	for _, form := range dateForms {
		if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return t.Unix()
		}
	}
	return wp.NoTime
}
