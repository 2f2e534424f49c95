package explain

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// Sitemap explains a sitemap page and says whether the index names it. name and page have the same meaning
// as in catalog.Catalog.Render. absence is the reason to give if the daemon serves no sitemaps.
func Sitemap(c *catalog.Catalog, absence seo.Reason, name string, page int) *Explanation {
	e := &explainer{Catalog: c, absence: absence, x: &Explanation{Evidence: []seo.Evidence{}}}
	name = strings.TrimPrefix(name, catalog.QueryPrefix)
	e.x.URL = c.URL(name, page)
	e.x.Address = e.x.URL
	e.x.Object = fmt.Sprintf("sitemap %s, page %d", name, page)
	if e.Active() {
		e.sitemap(name, page)
	} else {
		e.decideElsewhere()
	}
	return e.x
}

func (e *explainer) sitemap(name string, page int) {
	switch name {
	case seo.IndexName:
		e.index()
	case catalog.TextName, catalog.AtomName, catalog.RSSName:
		e.x.Object = name
		files := e.OtherFiles()
		if i := slices.IndexFunc(files, func(f catalog.File) bool { return f.Name == name && f.Page == page }); i >= 0 {
			e.isFile(files[i], "This file repeats the URLs of the sitemaps in another format. The index does not name it.",
				plural(files[i].Entries, "object"))
		} else {
			e.decide(ruleEmpty, seo.Evidence{Source: name, Value: "off, or nothing to list"})
		}
	default:
		lists := e.Current()
		if i := slices.IndexFunc(lists, func(l *catalog.List) bool { return l.Name == name }); i >= 0 {
			e.pageOf(lists[i], page)
		} else {
			e.absent(name)
		}
	}
}

// index explains the sitemap index.
func (e *explainer) index() {
	e.x.Object = "sitemap index"
	files, left := e.Files(), catalog.LeftOut(e.LeftOut)
	if len(files) == 0 {
		e.decideFor(seo.Because(ruleEmpty, "No sitemap has anything to list, so there is no index.", "",
			seo.Evidence{Source: "sitemap index", Value: "no sitemap to name"}))
	} else {
		e.isFile(files[0], "It is the index that search engines start from.", fmt.Sprintf("names %s; %s", plural(len(files)-1, "sitemap"), left))
	}
}

// isFile records that the catalog has the requested file.
func (e *explainer) isFile(f catalog.File, because, value string) {
	name := f.Name
	if name == seo.IndexName {
		name = "sitemap_index"
	}
	e.isPage(Place{Sitemap: name, Page: f.Page, File: f.URL, LastMod: e.lastmod(catalog.FromTime(f.LastMod))}, because,
		seo.Evidence{Source: f.Filename, Value: value})
}

// isPage records that the index names the requested sitemap page.
func (e *explainer) isPage(p Place, because string, evidence ...seo.Evidence) {
	e.x.listedAt(p)
	e.x.Places = nil // a sitemap itself is in no sitemap
	e.decideFor(seo.Because(seo.Listed.String(), because, "", evidence...))
}

// pageOf explains a page of a list.
func (e *explainer) pageOf(l *catalog.List, page int) {
	if l.Elsewhere != "" {
		e.note("The site itself answers for it (%s).", l.Elsewhere)
	}
	_, _, exists := l.Slice(page)
	named := l.Indexed && page <= len(l.Dates)
	answer := map[bool]string{true: "200", false: "404"}[exists]
	evidence := append([]seo.Evidence{{
		Source: "sitemap " + l.Name,
		Value:  fmt.Sprintf("%s on %s; %s", plural(l.Listed(), "object"), plural(len(l.Dates), "page"), catalog.LeftOut(l.Explained.LeftOut)),
	}}, l.Explained.Why...)
	rule, because := ruleEmpty, "It has nothing to list. The index does not name it, and the answer is "+answer+"."
	switch {
	case named && (exists || l.Elsewhere != ""):
		e.isPage(Place{Sitemap: l.Name, Page: page, File: e.x.URL, LastMod: e.lastmod(l.Dates[page-1])}, "The index names it.", evidence...)
		return
	case named:
		because = "The index names it, as the index of " + e.Plugin() + " does. But it has nothing to list, and the answer is 404."
	case l.Indexed:
		rule, because = ruleBehind, "This page number is beyond the last page of the sitemap. The index does not name it, and the answer is "+answer+"."
	}
	e.decideFor(seo.Because(rule, because, "", evidence...))
}

// absent explains a sitemap for which the catalog has no list.
func (e *explainer) absent(name string) {
	why := e.whyNoList(name)
	if why == nil && !e.Owns(name) {
		why = e.Rules.Absent[name]
	}
	switch {
	case e.Rules.Hidden() && e.Owns(name):
		e.decideFor(e.isPrivate())
	case why != nil:
		e.decideFor(why)
	case !e.Owns(name):
		e.decide(ruleUnknownType, seo.Evidence{Source: "registered types", Value: "none of this name", Of: name})
	default:
		e.decide(ruleEmpty, seo.Evidence{Source: "sitemap " + name, Value: "nothing to list"})
	}
	if !e.Owns(name) {
		e.note("The site itself answers this URL.")
	}
}

// whyNoList returns why the catalog has no list with this name, or nil if no rule leaves the list out.
func (e *explainer) whyNoList(name string) *seo.Reason {
	for _, t := range slices.Concat(e.Rules.Blog.Registry().Types(), e.Rules.PostTypes(), e.Rules.Taxonomies()) {
		if e.Scheme.Name(seo.KindOf(t), t.Name) == name {
			if why := e.whyType(t); why != nil {
				return why
			}
		}
	}
	if e.Scheme.Name(seo.KindUser, "") == name {
		return e.Rules.Settings.Authors()
	}
	return nil
}

// sitemapFile matches the file names that any plugin uses for sitemaps.
var sitemapFile = regexp.MustCompile(`(?i)^(?:[^/]*sitemap[^/]*\.(?:xml|xml\.gz|xsl|html|txt)|(?:author|authors|news|video)\.xml)$`)

// asksSitemap reports whether an address looks like the address of a sitemap. It is called only for addresses that are
// no sitemap of the daemon.
func (e *explainer) asksSitemap(asked spelled, segments []string) bool {
	if len(segments) == 2 && segments[0] == "index.php" {
		segments = segments[1:]
	}
	if len(segments) == 0 {
		return strings.HasPrefix(asked.vars["feed"], "sitemap") ||
			slices.ContainsFunc(slices.Collect(maps.Keys(asked.vars)), func(name string) bool { return strings.Contains(name, "sitemap") })
	}
	return len(segments) == 1 && sitemapFile.MatchString(segments[0])
}
