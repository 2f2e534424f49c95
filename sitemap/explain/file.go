package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// mostShown bounds how many posts are looked at for an image.
const mostShown = 50

// sizeForm is what WordPress puts behind the name of a resized image, sizes left out.
var sizeForm = regexp.MustCompile(`-(?:\d+x\d+|scaled|rotated)(\.[^./]+)$`)

// file explains a file in the uploads, by its name in _wp_attached_file.
func (e *explainer) file(asked spelled, file string) error {
	e.x.Object = "file " + file
	if !e.Active() {
		e.decideElsewhere()
		return nil
	}
	original := sizeForm.ReplaceAllString(file, "$1")
	names := []string{file, original, sizeForm.ReplaceAllString(file, "-scaled$1")}
	if dot := strings.LastIndexByte(original, '.'); dot >= 0 {
		names = append(names, original[:dot]+"-scaled"+original[dot:])
	}
	slices.Sort(names)
	ids, err := e.Blog.AttachmentsOfFiles(e.ctx, slices.Compact(names))
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		e.x.Evidence = append(e.x.Evidence, e.column("postmeta", "_wp_attached_file", "no such value", ""))
		return e.search()
	}
	attachments, _, err := e.Blog.Attachments(e.ctx, ids, nil)
	if err != nil {
		return err
	}
	var posts []int64
	for _, id := range ids {
		a := attachments[id]
		if a == nil {
			continue
		}
		of := fmt.Sprintf("attachment %d", id)
		if err := e.name(&thing{kind: seo.KindPost, id: id}); err != nil {
			return err
		}
		e.x.Object = fmt.Sprintf("file %s (%s)", file, of)
		e.x.Evidence = append(e.x.Evidence, e.column("postmeta", "_wp_attached_file", strconv.Quote(a.File), of))
		if a.File != file {
			e.note("This is another size of %s; sitemaps have the full one where the post says which attachment it shows.", a.File)
		}
		posts = append(posts, id, a.Parent)
		shown, err := e.Blog.IllustratedBy(e.ctx, id, mostShown)
		if err != nil {
			return err
		}
		posts = append(posts, shown...)
	}
	slices.Sort(posts)
	posts = slices.Compact(slices.DeleteFunc(posts, func(id int64) bool { return id <= 0 }))
	if err := e.shownBy(asked, posts[:min(len(posts), mostShown)]); err != nil {
		return err
	}
	if !e.x.In {
		return e.search()
	}
	return nil
}

// shownBy looks for the file among the images of listed posts, as the sitemaps have them.
func (e *explainer) shownBy(asked spelled, ids []int64) error {
	posts, err := e.Blog.Posts(e.ctx, ids, nil)
	if err != nil {
		return err
	}
	var others []string
	for _, p := range posts {
		t := postThing(p)
		one := e.about(&Explanation{Evidence: []seo.Evidence{}})
		if err := one.object(t); err != nil {
			return err
		}
		if !one.x.In {
			e.note("%s, which it belongs to, is not listed: %s.", t, one.x.Rule)
			continue
		}
		shows, err := e.shows(asked, p)
		if err != nil {
			return err
		}
		if !shows {
			continue
		}
		x := one.x
		if e.x.In {
			others = append(others, t.String())
			if !slices.ContainsFunc(e.x.Places, func(o Place) bool { return o.File == x.File }) {
				e.x.Places = append(e.x.Places, x.Places[0])
			}
			continue
		}
		e.x.listedAt(x.Places[0])
		e.decide(seo.Listed.String(), seo.Evidence{Source: "images of " + t.String(), Value: strconv.Quote(e.x.URL)})
		e.x.Because = fmt.Sprintf("It is an image of %s, %s.", t, x.Address)
	}
	if e.x.In {
		e.x.Notes = nil // on posts that do not list it
	}
	const most = 5
	switch n := len(others); {
	case n > most:
		e.note("It is also an image of %s and %d more.", strings.Join(others[:most], ", "), n-most)
	case n > 0:
		e.note("It is also an image of %s.", strings.Join(others, ", "))
	}
	return nil
}

// shows reports whether a sitemap names the file among the images of a listed post.
func (e *explainer) shows(asked spelled, p *wp.Post) (bool, error) {
	at := slices.IndexFunc(e.Lists, func(l *catalog.List) bool { return e.isPostList(l, p.Type) })
	if at < 0 {
		return false, nil
	}
	shown, err := e.Lists[at].Render(e.ctx, []catalog.Entry{{ID: p.ID}})
	if err != nil {
		return false, err
	}
	for _, u := range shown.URLs {
		for _, image := range u.Images {
			own, err := spell(image.Loc)
			if err == nil && asked.like(&own, func(string) bool { return true }) >= alike {
				return true, nil
			}
		}
	}
	return false, nil
}

// Sitemap says what is known of a sitemap, by the name and page under which Render
// knows it, and whether the index names it. parts counts the later parts of posts on a page of a sitemap.
func Sitemap(c *catalog.Catalog, absence Absence, name string, page int, parts func(name string, page int) int) *Explanation {
	e := &explainer{Catalog: c, absence: absence, countParts: parts, x: &Explanation{Evidence: []seo.Evidence{}}}
	e.x.URL = c.URL(name, page)
	e.x.Address = e.x.URL
	e.sitemap(name, page)
	return e.x
}

func (e *explainer) sitemap(name string, page int) {
	switch name {
	case seo.IndexName:
		e.x.Object = "sitemap index"
	case catalog.TextName, catalog.AtomName, catalog.RSSName:
		e.x.Object = name
	default:
		e.x.Object = fmt.Sprintf("sitemap %s, page %d", name, page)
	}
	if !e.Active() {
		e.decideElsewhere()
		return
	}
	switch name {
	case seo.IndexName, catalog.JoinedName:
		files := e.Files()
		if len(files) > 0 && files[0].Name == catalog.JoinedName {
			e.x.Object = "sitemap of everything"
			e.isFile(files[0], fmt.Sprintf("%s; %s", plural(e.urls(&files[0]), "URL"), catalog.LeftOut(e.LeftOut)))
			e.x.Because = "It has all URLs, in the place of an index, by the settings of " + e.Plugin() + "."
			return
		}
		if len(files) == 0 {
			e.decide(ruleEmpty, seo.Evidence{Source: "sitemap index", Value: "no sitemap to name"})
			return
		}
		e.isFile(files[0], fmt.Sprintf("names %s; %s", plural(len(files)-1, "sitemap"), catalog.LeftOut(e.LeftOut)))
		e.x.Because = "It is the index that search engines start from."
		return
	case catalog.TextName, catalog.AtomName, catalog.RSSName:
		for _, f := range e.OtherFiles() {
			if f.Name == name && f.Page == page {
				e.isFile(f, plural(e.urls(&f), "URL"))
				e.x.Because = "It is another form of the sitemaps, for those who ask for it; the index does not name it."
				return
			}
		}
		e.decide(ruleEmpty, seo.Evidence{Source: name, Value: "off, or nothing to list"})
		return
	}
	for _, l := range e.Current() {
		if l.Name != strings.TrimPrefix(name, catalog.QueryPrefix) {
			continue
		}
		e.pageOf(l, page)
		return
	}
	e.absent(name)
}

// urls counts the URLs of a file.
func (e *explainer) urls(f *catalog.File) int { return f.Entries + e.parts(f.Parted, f.Name, f.Page) }

// parts counts the later parts of posts on a page of a sitemap that may have some.
func (e *explainer) parts(parted bool, name string, page int) int {
	if !parted {
		return 0
	}
	return e.countParts(name, page)
}

// isFile says that a file is among those there are.
func (e *explainer) isFile(f catalog.File, value string) {
	e.x.In, e.x.Sitemap, e.x.Page, e.x.File = true, f.Name, f.Page, f.URL
	if f.Name == seo.IndexName {
		e.x.Sitemap = "sitemap_index"
	}
	e.x.LastMod = e.lastmod(catalog.FromTime(f.LastMod))
	if e.x.LastMod != "" {
		e.x.LastModFrom = "the newest date in it"
	}
	e.decide(seo.Listed.String(), seo.Evidence{Source: f.Filename, Value: value})
}

// pageOf explains a page of a list.
func (e *explainer) pageOf(l *catalog.List, page int) {
	if l.Elsewhere != "" {
		e.note("The site itself answers for it (%s).", l.Elsewhere)
	}
	if name, _ := e.Place(l, page); name != l.Name {
		e.decide(ruleJoined, seo.Evidence{Source: "sitemap " + l.Name, Value: plural(l.Listed(), "URL"), Of: e.URL(name, 1)})
		e.x.Because = "It has no file, and is answered with 404: what it would list is in the one sitemap of everything, " + e.URL(name, 1) + "."
		return
	}
	listed := l.Listed()
	for i := range l.Dates {
		listed += e.parts(l.Parts, l.Name, i+1)
	}
	whole := seo.Evidence{
		Source: "sitemap " + l.Name,
		Value:  fmt.Sprintf("%s on %s; %s", plural(listed, "URL"), plural(len(l.Dates), "page"), catalog.LeftOut(l.LeftOut)),
	}
	_, _, exists := l.Slice(page)
	switch {
	case l.Indexed && page <= len(l.Dates) && !exists && l.Elsewhere == "":
		e.decide(ruleEmpty, append([]seo.Evidence{whole}, l.Why...)...)
		e.x.Because = "The index names it, as that of " + e.Plugin() + " does, but it has nothing to list and is answered with 404."
	case l.Indexed && page <= len(l.Dates):
		e.x.In, e.x.Sitemap, e.x.Page, e.x.File = true, l.Name, page, e.x.URL
		e.x.LastMod = e.lastmod(l.Dates[page-1])
		if e.x.LastMod != "" {
			e.x.LastModFrom = e.Words.Index
		}
		e.decide(seo.Listed.String(), append([]seo.Evidence{
			whole, {Source: fmt.Sprintf("page %d", page), Value: plural(l.PageListed(page)+e.parts(l.Parts, l.Name, page), "URL")},
		}, l.Why...)...)
		e.x.Because = "The index names it."
	default:
		rule := ruleEmpty
		if l.Indexed {
			rule = ruleBehind
		}
		e.decide(rule, append([]seo.Evidence{whole}, l.Why...)...)
		switch {
		case l.Indexed && exists:
			e.x.Because = "It lies behind the last page: it answers, but the index does not name it."
		case l.Indexed:
			e.x.Because = "It lies behind the last page, and is answered with 404."
		case exists:
			e.x.Because = "It has nothing to list: it answers, as that of " + e.Plugin() + " does, but the index does not name it."
		default:
			e.x.Because = "It has nothing to list, and is answered with 404."
		}
	}
}

// absent explains a sitemap of which there is no list.
func (e *explainer) absent(name string) {
	if e.Hidden() && e.Owns(name) {
		e.decideFor(e.isPrivate())
		return
	}
	if e.Undecided(name) {
		e.decide(ruleUnknownType, seo.Evidence{Source: "registered types", Value: "nothing tells whether it is public", Of: name})
		e.noteUnknown("post type", name)
		e.noteUnknown("taxonomy", name)
		e.note("The URL is left to the site itself.")
		return
	}
	if why := e.whyNoList(name); why != nil {
		e.decideFor(why)
		return
	}
	if e.Missing != nil && !e.Owns(name) {
		if why := e.Missing(e.Rules, name); why != nil {
			e.decideFor(why)
			e.note("The URL is left to the site itself.")
			return
		}
	}
	if !e.Owns(name) {
		e.decide(ruleUnknownType, seo.Evidence{Source: "registered types", Value: "none of this name", Of: name})
		e.note("The URL is left to the site itself.")
		return
	}
	e.decide(ruleEmpty, seo.Evidence{Source: "sitemap " + name, Value: "nothing to list"})
}

// whyNoList says why there is no list of a name; nil where nothing keeps it away.
func (e *explainer) whyNoList(name string) *seo.Reason {
	for _, t := range e.Blog.Registry().PostTypes {
		if e.Scheme.Name(seo.KindPost, t.Name) == name {
			if why := e.WhyPostType(t); why != nil {
				return why
			}
		}
	}
	for _, t := range e.Blog.Registry().Taxonomies {
		if e.Scheme.Name(seo.KindTerm, t.Name) == name {
			if why := e.WhyTaxonomy(t); why != nil {
				return why
			}
		}
	}
	if e.Scheme.Name(seo.KindUser, "") == name {
		return e.Settings.Authors()
	}
	return nil
}

// sitemapFile matches the names under which sitemaps are asked for, of whatever plugin.
var sitemapFile = regexp.MustCompile(`(?i)^(?:[^/]*sitemap[^/]*\.(?:xml|xml\.gz|xsl|html|txt)|(?:author|authors|news|video)\.xml)$`)

// asksSitemap reports whether an address has the form of a sitemap's, though no sitemap made here has it.
func (e *explainer) asksSitemap(asked spelled, segments []string) bool {
	if len(segments) == 2 && segments[0] == "index.php" {
		segments = segments[1:]
	}
	if len(segments) == 0 {
		for _, name := range []string{"sitemap", "seopress_sitemap", "tsf-sitemap", "xml_sitemap", "ss_sitemap"} {
			if asked.vars[name] != "" {
				return true
			}
		}
		return strings.HasPrefix(asked.vars["feed"], "sitemap")
	}
	return len(segments) == 1 && sitemapFile.MatchString(segments[0])
}
