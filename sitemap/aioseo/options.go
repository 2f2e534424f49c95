package aioseo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// inputs are what All in One SEO has in the database.
var inputs = wp.Inputs{
	Name: "All in One SEO",
	Plugins: []string{
		"all-in-one-seo-pack/all_in_one_seo_pack.php", "all-in-one-seo-pack-pro/all_in_one_seo_pack.php",
	},
	Options:  []string{optionMain, optionDynamic, optionInternal},
	Tables:   []wp.Table{{Name: table, Deltas: true, Pages: true}, wp.TermMetaTable},
	TermMeta: []string{termImage},
	Version: func(o *wp.Stored) (version, option string) {
		return at(o.JSON(optionInternal), "internal.lastActiveVersion").Str(), optionInternal + "[internal][lastActiveVersion]"
	},
	Decode: decode,
	Read:   read,
}

// Inputs are those of All in One SEO.
var Inputs = []wp.Inputs{inputs}

const (
	optionMain     = "aioseo_options"
	optionDynamic  = "aioseo_options_dynamic"
	optionInternal = "aioseo_options_internal"
	termImage      = "thumbnail_id" // of WooCommerce's product categories
)

// options are what the options of All in One SEO say. What is not stored has the plugin's defaults, key by key.
type options struct {
	folder        string // where it is active, "" where not
	main, dynamic php.Value
	static        bool  // its sitemaps are files in the web root
	older         bool  // its table is that of another version
	denied        error // why its table may not be read
}

func decode(o *wp.Stored) wp.Decoded {
	d := &options{folder: o.Folder, main: o.JSON(optionMain), dynamic: o.JSON(optionDynamic)}
	deprecated := at(o.JSON(optionInternal), "internal.deprecatedOptions")
	d.static = slices.Contains(deprecated.Strings(), "staticSitemap") && d.says("sitemap.general.advancedSettings.enable", false) &&
		!d.says("deprecated.sitemap.general.advancedSettings.dynamic", true)
	d.checkFilename(o)
	decoded := wp.Decoded{
		Value: d, Settings: []any{d.folder, d.main, d.dynamic, d.static},
		ReplacesCore: o.Active() && d.enabled(),
		Types: registry.Noted{
			Source: "option " + optionDynamic, PostTypes: d.named("postTypes"), Taxonomies: d.named("taxonomies"), Archives: d.named("archives"),
			Whole: true,
		},
	}
	if o.Active() {
		strip := d.says("searchAppearance.advanced.removeCategoryBase", false)
		decoded.Links = wp.LinkRules{StripCategoryBase: strip, StripCategoryFront: strip}
	}
	return decoded
}

// named are the types of which anything is said in the settings: all that visitors could see when these were saved.
func (o *options) named(kind string) []string {
	var names []string
	for _, p := range at(o.dynamic, "searchAppearance."+kind).Pairs() {
		names = append(names, strings.TrimPrefix(p.Key.String(), "_aioseo_"))
	}
	return names
}

// optionsOf returns the options of a blog.
func optionsOf(site *wp.Site) *options {
	if o, read := site.Decoded(inputs.Name).(*options); read {
		return o
	}
	return new(options)
}

// at follows a path of keys with dots between them; null where it ends.
func at(v php.Value, path string) php.Value {
	for key := range strings.SplitSeq(path, ".") {
		v = v.Get(key)
	}
	return v
}

// flag is a switch, or its default where it is not stored.
func flag(v php.Value, path string, unsaved bool) bool {
	if stored := at(v, path); !stored.IsNull() {
		return stored.Truthy()
	}
	return unsaved
}

// says is a switch of the main option.
func (o *options) says(path string, unsaved bool) bool { return flag(o.main, path, unsaved) }

// enabled reports whether the sitemaps are switched on.
func (o *options) enabled() bool { return o.says("sitemap.general.enable", true) }

// checkFilename warns of a name of files that is none.
func (o *options) checkFilename(stored *wp.Stored) {
	if name := o.filename(); !stemForm.MatchString(name) {
		stored.Warn(fmt.Sprintf("option %s: sitemap.general.filename %q cannot be a file name; %q counts in its place", optionMain, name, stem))
	}
}

// filename is what takes the place of "sitemap" in the names of files.
func (o *options) filename() string {
	return cmp.Or(at(o.main, "sitemap.general.filename").Str(), stem)
}

// indexes reports whether there is an index, and not one sitemap of everything.
func (o *options) indexes() bool { return o.says("sitemap.general.indexes", true) }

// pageSize is how many objects a file has.
func (o *options) pageSize() int {
	n := at(o.main, "sitemap.general.linksPerIndex")
	if n.IsNull() {
		return 1000
	}
	return int(min(max(n.Int(), 1), urlset.MaxEntries))
}

// list has the names of types of the sitemaps in the order of the index, nil for all; kind is postTypes or taxonomies.
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

// includes reports whether a type is among them.
func (o *options) includes(kind, name string) bool {
	list := o.list(kind)
	return list == nil || slices.Contains(list, name)
}

var defaultTypes = map[string][]string{
	"postTypes":  {"post", "page", "attachment", "product"},
	"taxonomies": {"category", "post_tag", "product_cat", "product_tag"},
}

const globalRobots = "searchAppearance.advanced.globalRobotsMeta"

// noindex reports whether what is said of a type, a taxonomy or an archive (branch) keeps it from search engines, and which
// option says so.
func (o *options) noindex(option string, in php.Value, branch string) (string, bool) {
	robots := branch + ".advanced.robotsMeta"
	switch {
	case !flag(in, branch+".show", true):
		return option + "." + branch + ".show", true
	case !flag(in, robots+".default", true):
		return option + "." + robots + ".noindex", flag(in, robots+".noindex", false)
	case !o.says(globalRobots+".default", true) && o.says(globalRobots+".noindex", false):
		return optionMain + "." + globalRobots + ".noindex", true
	}
	return "", false
}

// typeNoindex is noindex of a post type.
func (o *options) typeNoindex(name string) (string, bool) {
	return o.noindex(optionDynamic, o.dynamic, "searchAppearance.postTypes."+storedName(name))
}

// taxonomyNoindex is noindex of a taxonomy.
func (o *options) taxonomyNoindex(name string) (string, bool) {
	return o.noindex(optionDynamic, o.dynamic, "searchAppearance.taxonomies."+storedName(name))
}

// archiveNoindex is noindex of the archive of a post type.
func (o *options) archiveNoindex(name string) (string, bool) {
	return o.noindex(optionDynamic, o.dynamic, "searchAppearance.archives."+storedName(name))
}

// storedName is the name under which what is said of a type is stored.
func storedName(name string) string {
	if name == "type" {
		return "_aioseo_type"
	}
	return name
}

// attachments reports whether attachments have addresses of their own.
func (o *options) attachments() bool {
	return at(o.dynamic, "searchAppearance.postTypes.attachment.redirectAttachmentUrls").Str() == "disabled"
}

// authorsOff says which option switches the sitemap of authors off, "" for none.
func (o *options) authorsOff() string {
	if !o.says("sitemap.general.author", false) {
		return optionMain + ".sitemap.general.author"
	}
	if option, off := o.noindex(optionMain, o.main, "searchAppearance.archives.author"); off {
		return option
	}
	return ""
}

// datesOff is authorsOff for the archives by date.
func (o *options) datesOff() string {
	if !o.says("sitemap.general.date", false) {
		return optionMain + ".sitemap.general.date"
	}
	if option, off := o.noindex(optionMain, o.main, "searchAppearance.archives.date"); off {
		return option
	}
	return ""
}

// excluded are the ids of posts (excludePosts) or terms (excludeTerms) that are left out.
func (o *options) excluded(list string) []int64 {
	var ids []int64
	for _, p := range at(o.main, "sitemap.general.advancedSettings."+list).Pairs() {
		id := p.Value.Int()
		if v, err := php.DecodeJSON(p.Value.Str()); p.Value.Kind == php.String && err == nil && v.Kind == php.Array {
			id = v.Get("value").Int()
		}
		if id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// advanced reports whether the advanced settings hold.
func (o *options) advanced() bool { return o.says("sitemap.general.advancedSettings.enable", false) }

// images reports whether images are listed.
func (o *options) images() bool {
	return !o.advanced() || !o.says("sitemap.general.advancedSettings.excludeImages", false)
}

// extraPage is an address that the administrator has added.
type extraPage struct {
	loc      string
	modified int64 // wp.NoTime for none
	hints    urlset.Hints
}

// extraPages are the addresses that were added; what cannot be read is left out.
func (o *options) extraPages() []extraPage {
	if !o.says("sitemap.general.additionalPages.enable", false) {
		return nil
	}
	var pages []extraPage
	for _, p := range at(o.main, "sitemap.general.additionalPages.pages").Pairs() {
		page := p.Value
		if page.Kind == php.String {
			page, _ = php.DecodeJSON(page.Str())
		}
		loc := page.Get("url")
		if loc.Kind != php.String || loc.Str() == "" {
			continue
		}
		pages = append(pages, extraPage{loc.Str(), isoDate(page.Get("lastModified").Str()), urlset.Hints{
			Priority: cmp.Or(value(page.Get("priority")), "0.5"), ChangeFreq: cmp.Or(value(page.Get("frequency")), "weekly"),
		}})
	}
	return pages
}

// homeHints are those of home, kindHints those of a kind of page, and dateHints those of archives by date.
func (o *options) homeHints() urlset.Hints {
	return o.hints("homePage", "", "", urlset.Hints{Priority: "1", ChangeFreq: "always"})
}

func (o *options) kindHints(k seo.Kind, of string) urlset.Hints {
	switch k {
	case seo.KindTerm:
		types := "taxonomies"
		if of == "" {
			types = ""
		}
		return o.hints("taxonomies", types, of, urlset.Hints{Priority: "0.3", ChangeFreq: "monthly"})
	case seo.KindUser:
		return o.hints("author", "", "", urlset.Hints{Priority: "0.3", ChangeFreq: "weekly"})
	case seo.KindArchive:
		return o.hints("archive", "", "", urlset.Hints{Priority: "0.5", ChangeFreq: "monthly"})
	}
	return o.hints("postTypes", "postTypes", of, urlset.Hints{Priority: "0.7", ChangeFreq: "weekly"})
}

func (o *options) dateHints() urlset.Hints {
	return o.hints("archive", "", "", urlset.Hints{Priority: "0.5", ChangeFreq: "weekly"})
}

// hints are priority and changefreq of a kind of page, by what is set and else by the plugin. types is the branch of single
// types, "" without.
func (o *options) hints(kind, types, name string, usual urlset.Hints) urlset.Hints {
	if !o.advanced() {
		return usual
	}
	set := at(o.main, "sitemap.general.advancedSettings.priority."+kind)
	if types != "" && !flag(set, "grouped", true) {
		if own := at(o.dynamic, "sitemap.priority."+types+"."+storedName(name)); !own.IsNull() {
			set = own
		}
	}
	if v := value(set.Get("priority")); v != "" && v != "default" {
		usual.Priority = v
	}
	if v := value(set.Get("frequency")); v != "" && v != "default" && slices.Contains(urlset.ChangeFreqs, v) {
		usual.ChangeFreq = v
	}
	return usual
}

// value is the value of an object with a label and a value, which may be stored as JSON.
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

// optionValue is the evidence of an option by its name and path.
func (o *options) optionValue(name string) string {
	option, path, _ := strings.Cut(name, ".")
	if option == optionDynamic {
		return seo.ValueText(at(o.dynamic, path))
	}
	return seo.ValueText(at(o.main, path))
}

// isoDate reads a date as the settings page stores it, taken for UTC; wp.NoTime for none.
func isoDate(text string) int64 {
	if len(text) < len("2006-01-02") {
		return wp.NoTime
	}
	day, clock := text[:10], "00:00:00"
	if len(text) >= 19 {
		clock = text[11:19]
	}
	return wp.ParseDate(day + " " + clock)
}
