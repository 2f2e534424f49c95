package sitemap

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
)

// Maker is a plugin that makes sitemaps of its own, which are left to it.
type Maker struct {
	Name   string // "Rank Math"
	Plugin string // its folder, as active_plugins has it
	Index  string // public address of its index
	Off    string // the option that switches its sitemaps off; "" where they are on
}

// makerRule is what tells of such a plugin.
type makerRule struct {
	name    string
	file    string // of active_plugins; its folder may have another name, see wp.IsPlugin
	index   string // file name of its index below home
	plain   string // query of the index where there are no permalinks; "" is the file
	options []string
	off     func(site *wp.Site, o wp.Options) string // the option that switches it off; "" where it is on
}

// makerRules are the plugins in the order in which they answer where several are active.
var makerRules = []makerRule{
	{
		name: "All in One SEO", file: "all-in-one-seo-pack/all_in_one_seo_pack.php", index: "sitemap.xml",
		options: []string{"aioseo_options"}, off: aioseoOff,
	},
	{
		name: "Rank Math", file: "seo-by-rank-math/rank-math.php", index: "sitemap_index.xml", plain: "sitemap=1",
		options: []string{"rank_math_modules"}, off: rankMathOff,
	},
	{
		name: "SEOPress", file: "wp-seopress/seopress.php", index: "sitemaps.xml", plain: "seopress_sitemap=1",
		options: []string{"seopress_toggle", "seopress_xml_sitemap_option_name"}, off: seopressOff,
	},
	{
		name: "The SEO Framework", file: "autodescription/autodescription.php", index: "sitemap.xml", plain: "tsf-sitemap=base",
		options: []string{"autodescription-site-settings"}, off: frameworkOff,
	},
	{name: "SmartCrawl", file: "smartcrawl-seo/wpmu-dev-seo.php", index: "sitemap.xml"},
	{name: "Slim SEO", file: "slim-seo/slim-seo.php", index: "sitemap.xml", options: []string{"slim_seo"}, off: slimOff},
	{name: "XML Sitemap & Google News", file: "xml-sitemap-feed/xml-sitemap.php", index: "sitemap.xml", plain: "feed=sitemap"},
	{name: "Google XML Sitemaps", file: "google-sitemap-generator/sitemap.php", index: "sitemap.xml"},
	{name: "Jetpack", file: "jetpack/jetpack.php", index: "sitemap.xml", options: []string{"jetpack_active_modules"}, off: jetpackOff},
	{name: "Squirrly SEO", file: "squirrly-seo/squirrly.php", index: "sitemap.xml", options: []string{"sq_options"}, off: squirrlyOff},
}

// folder returns the folder in which the plugin is active, "" where it is not. In a folder of another name it is among
// the active ones under its own name, too.
func (r *makerRule) folder(active map[string]bool) string {
	found := ""
	for entry, on := range active {
		if folder, _, _ := strings.Cut(entry, "/"); on && wp.IsPlugin(entry, r.file) && (found == "" || entry != r.file) {
			found = folder
		}
	}
	return found
}

// makerOf returns the plugin that makes a site's sitemaps, nil for none. Of several the first counts
// whose sitemaps are on.
func makerOf(ctx context.Context, site *wp.Site) (*Maker, error) {
	set := site.Settings()
	var rules []makerRule
	var folders, names []string
	for _, r := range makerRules {
		if folder := r.folder(set.ActivePlugins); folder != "" {
			rules, folders, names = append(rules, r), append(folders, folder), append(names, r.options...)
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	var stored wp.Options
	if len(names) > 0 {
		var err error
		if stored, err = site.Options(ctx, names...); err != nil {
			return nil, err
		}
	}
	var best *Maker
	for i := range rules {
		m := &Maker{Name: rules[i].name, Plugin: folders[i], Index: rules[i].address(site)}
		if rules[i].off != nil {
			m.Off = rules[i].off(site, stored)
		}
		if best == nil || best.Off != "" && m.Off == "" {
			best = m
		}
	}
	return best, nil
}

// address returns where the plugin's index stands.
func (r *makerRule) address(site *wp.Site) string {
	if r.plain != "" && site.Settings().Permalinks.Structure == "" {
		return site.Home() + "/?" + r.plain
	}
	return site.Home() + "/" + r.index
}

func aioseoOff(_ *wp.Site, o wp.Options) string {
	var set struct {
		Sitemap struct {
			General struct {
				Enable *bool `json:"enable"`
			} `json:"general"`
		} `json:"sitemap"`
	}
	if err := json.Unmarshal([]byte(o.Text("aioseo_options")), &set); err != nil || set.Sitemap.General.Enable == nil || *set.Sitemap.General.Enable {
		return "" // as by its defaults
	}
	return "aioseo_options.sitemap.general.enable"
}

// assumed reports whether an option that is not there counts as on: installers write it, but on other blogs of a network
// than the first, where a plugin is off until its settings are saved.
func assumed(site *wp.Site, o wp.Options, name string) bool {
	return o.Text(name) == "" && site.BlogID() <= 1
}

func rankMathOff(site *wp.Site, o wp.Options) string {
	if assumed(site, o, "rank_math_modules") {
		return ""
	}
	if slices.Contains(o.Array("rank_math_modules").Strings(), "sitemap") {
		return ""
	}
	return "rank_math_modules"
}

func seopressOff(site *wp.Site, o wp.Options) string {
	switch {
	case assumed(site, o, "seopress_toggle") && assumed(site, o, "seopress_xml_sitemap_option_name"):
		return ""
	case o.Array("seopress_toggle").Get("toggle-xml-sitemap").Str() != "1":
		return "seopress_toggle.toggle-xml-sitemap"
	case o.Array("seopress_xml_sitemap_option_name").Get("seopress_xml_sitemap_general_enable").Str() != "1":
		return "seopress_xml_sitemap_option_name.seopress_xml_sitemap_general_enable"
	}
	return ""
}

func frameworkOff(_ *wp.Site, o wp.Options) string {
	if v, saved := o.Array("autodescription-site-settings").Lookup("sitemaps_output"); saved && !v.Truthy() {
		return "autodescription-site-settings.sitemaps_output"
	}
	return ""
}

func slimOff(_ *wp.Site, o wp.Options) string {
	features := o.Array("slim_seo").Get("features").Strings()
	if len(features) > 0 && !slices.Contains(features, "sitemaps") {
		return "slim_seo.features"
	}
	return ""
}

func jetpackOff(site *wp.Site, o wp.Options) string {
	switch {
	case !slices.Contains(o.Array("jetpack_active_modules").Strings(), "sitemaps"):
		return "jetpack_active_modules"
	case !site.Settings().BlogPublic:
		return "blog_public"
	}
	return ""
}

func squirrlyOff(_ *wp.Site, o wp.Options) string {
	var set map[string]any
	if err := json.Unmarshal([]byte(o.Text("sq_options")), &set); err == nil && fmt.Sprint(set["sq_auto_sitemap"]) == "1" {
		return ""
	}
	return "sq_options.sq_auto_sitemap"
}

// MadeBy says in a sentence who makes the site's sitemaps where they are not made here; "" where they are.
func (c *Catalog) MadeBy() string {
	if c.Active() {
		return ""
	}
	return c.elsewhere()
}

// elsewhere says who answers for addresses of sitemaps that are not made here.
func (c *Catalog) elsewhere() string {
	m := c.maker
	switch {
	case m == nil:
		return c.noMaker()
	case m.Off == "":
		return fmt.Sprintf("%s makes the sitemaps of this site (%s is active); wpsitemapd leaves them to it: %s", m.Name, m.Plugin, m.Index)
	case c.plugin == &corePlugin:
		return c.noMaker()
	}
	return fmt.Sprintf("%s is active (%s) and its sitemaps are switched off (%s); wpsitemapd leaves to the site whether WordPress' own answer: %s",
		m.Name, m.Plugin, m.Off, c.Blog.Home()+"/"+wpcore.IndexFile)
}

// noMaker says where the index is, and if there is none why, on a site where neither Yoast nor another plugin makes sitemaps.
func (c *Catalog) noMaker() string {
	why := yoast.WhyOff(c.Blog).Sentence
	switch {
	case c.plugin == &corePlugin:
		return why + "; the index is " + c.BaseURL(wpcore.IndexFile)
	case !c.Blog.Settings().BlogPublic:
		return why + ", and WordPress has no sitemaps of its own while the site asks search engines to stay away (blog_public)"
	case c.Blog.Languages() != nil:
		own := c.Blog.Home() + "/" + wpcore.IndexFile
		return why + ", and WordPress' own differ from language to language; wpsitemapd leaves them to the site: " + own
	}
	return why + ", and WordPress has no sitemaps of its own: it is older than 5.5, or its rewrite rules have none"
}

// Notice says what an administrator should know of whose sitemaps are served, "" for nothing.
func (c *Catalog) Notice() string {
	served := "no sitemap is served"
	if c.plugin == &corePlugin {
		served = "WordPress' own are served, at " + c.BaseURL(wpcore.IndexFile)
	}
	if made := c.MadeBy(); made != "" {
		return made + ": " + served
	}
	return yoast.Notice(c.Blog, c.FromPlugin(), served)
}

// FromPlugin reports whether sitemaps of a plugin are served, and not WordPress' own.
func (c *Catalog) FromPlugin() bool { return c.Active() && c.plugin != &corePlugin }

// absence says who answers for the sitemaps, or why nobody does, in the place of explanations of objects.
func (c *Catalog) absence() explain.Absence {
	core := c.plugin == &corePlugin
	a := explain.Absence{Rule: yoast.WhyOff(c.Blog).Rule, Sentence: c.elsewhere(), Evidence: c.makerEvidence()}
	switch {
	case c.maker != nil && c.maker.Off == "":
		a.Rule = ruleMaker
	case !core && (c.maker != nil || a.Rule == seo.RuleNoPlugin):
		a.Rule = ruleInactive
	}
	return a
}

// Rules of an Absence.
const (
	ruleInactive = "no sitemaps"
	ruleMaker    = "another plugin's sitemaps"
)

// makerEvidence is what elsewhere rests on.
func (c *Catalog) makerEvidence() []seo.Evidence {
	core := c.plugin == &corePlugin
	if m := c.maker; m != nil && (m.Off == "" || !core) {
		all := []seo.Evidence{c.Option("active_plugins", strconv.Quote(m.Plugin))}
		if m.Off != "" {
			all = append(all, c.Option(m.Off, "off"))
		}
		return all
	}
	all := yoast.WhyOff(c.Blog).Evidence
	if !c.Blog.Settings().BlogPublic && !core {
		all = append(all, c.Option("blog_public", `"0"`))
	}
	return all
}
