package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/wp/weburl"
)

// Cause is why something differs.
type Cause struct {
	ID    string
	Text  string
	Known bool // meant to be so, or passing by itself: nothing to look into
}

// switches are the rows of the documentation's table of compat levels: known differences of the level spec from what
// Yoast emits.
var switches = map[string]Cause{
	"ByID":             {"order", "spec orders by id, so that an edit changes one page; Yoast by date, name or profile", true},
	"FullPages":        {"full-pages", "spec leaves excluded entries out before paging; Yoast's pages run short", true},
	"PageDates":        {"true-dates", "spec dates an index entry, a home or an archive by what is listed there; Yoast by any change of the type", true},
	"ImageTitles":      {"image-titles", "spec titles images from the media library; Yoast has no titles", true},
	"AttachmentImages": {"attachment-images", "spec lists an attachment's own file as its image", true},
	"DistinctImages":   {"distinct-images", "spec lists an image once, and at most 1,000 a URL", true},
	"AuthorDates":      {"author-dates", "spec dates authors by their newest post, and lists those without a profile date", true},
	"HonourPrivate":    {"private", "blog_public is 0: spec lists nothing, Yoast ignores it", true},
	"HideEmpty":        {"hide-empty", "spec has no sitemap without a listable member; Yoast has a mixture", true},
	"JudgeFrontPages":  {"front-pages", "spec judges the front page and the posts page as any other page", true},
	"HomeOnce":         {"home-once", "spec lists home once; Yoast as front page and as archive of posts", true},
	"OwnAddresses":     {"own-addresses", "spec lists an address that two entries share once", true},
	"ServicePages":     {"service-pages", "spec leaves cart, checkout and account pages out, which the shop's plugin marks noindex", true},
	"OwnStatus":        {"own-status", "spec leaves attachments in the trash out", true},
	"StrictAddresses":  {"strict-addresses", "spec writes addresses as RFC 3986 has them, hosts in punycode", true},
	"CountsFirstLinks": {"first-links-count", "front page and archives count towards page_size", true},
	"Parts":            {"parts", "spec lists the later pages of posts cut by <!--nextpage-->, each with its own images", true},
	"PlainValues":      {"plain-values", "spec takes values that Yoast never writes for what they say, a NULL password for none", true},
	"Alternates":       {"hreflang", "spec names translations; Yoast names none", true},
	"EveryVideo":       {"every-video", "spec lists every video of a post, in the specification's terms; Yoast the first it has stored", true},
	"NewsFromPosts":    {"news-from-posts", "spec takes news from the posts, published or modified within 48 hours; Yoast from its index table", true},
}

// The other causes.
var (
	levels        = Cause{"level", "spec and plugin differ here, and the site has what plugin has", true}
	meanwhile     = Cause{"changed-meanwhile", "it changed after our data was read", true}
	configured    = Cause{"configuration", "the configuration says so", true}
	pageSize      = Cause{"page-size", "page_size is not Yoast's 1,000", true}
	otherRules    = Cause{"other-plugin", "the site's sitemaps are not Yoast's, and their writer goes by other rules than ours", true}
	follows       = Cause{"follows", "it follows from the other differences of this sitemap", true}
	followsOpen   = Cause{"follows-unexplained", "it follows from the unexplained differences of this sitemap", false}
	olderCopy     = Cause{"older-copy", "it changed after everything in their copy, which a cache within the site may hold back: clear it and compare again", false}
	unexplained   = Cause{"unexplained", "no cause found", false}
	contradicted  = Cause{"left-out-here", "we have a rule that leaves it out, and yet Yoast lists it", false}
	leftOutThere  = Cause{"left-out-there", "the site leaves it out and nothing in the database says so, as a filter in its code may; exclude it in the configuration to do the same", false}
	nothingThere  = Cause{"not-in-database", "nothing in the database has this address", false}
	otherScheme   = Cause{"other-scheme", "the same address with another scheme", false}
	otherHost     = Cause{"other-host", "the same address on another host", false}
	otherSpelling = Cause{"other-spelling", "the same address in another spelling", false}
)

// level reports whether a cause is a difference between the levels.
func (c Cause) level() bool {
	if c == levels {
		return true
	}
	for _, s := range switches {
		if c == s {
			return true
		}
	}
	return false
}

// Reason is what is known of an address on one of our sides.
type Reason struct {
	Object   string // what it is: "post 12"; "" when nothing has this address
	Listed   bool
	Operator bool   // the configuration leaves it out
	Rule     string // that leaves it out
	Evidence string // the row, option or meta key that decided
	LastMod  string // where its lastmod comes from
}

// Why is what the finding of causes rests on. Everything may be left out.
type Why struct {
	Read      time.Time // when our data was; later changes are nobody's fault
	Generator string    // of their sitemaps; "" counts as Yoast's
	Home      string    // address of the start page, with the slash
	Private   bool      // blog_public is 0
	PageSize  int

	// Excluded reports whether the configuration leaves a sitemap out.
	Excluded func(name string) bool
	// Explain looks an address up; ok is false when it could not.
	Explain func(side Side, loc string) (r Reason, ok bool)
}

// maxExplained bounds how many addresses are looked up for one level.
const maxExplained = 500

func (w *Why) explain(f *finder, loc string) (Reason, bool) {
	if w.Explain == nil || f.explained == maxExplained {
		return Reason{}, false
	}
	f.explained++
	return w.Explain(f.side, loc)
}

// later reports whether a date of theirs is younger than our data.
func (w *Why) later(d Date) bool { return !w.Read.IsZero() && !d.IsZero() && d.sec >= w.Read.Unix() }

// older reports whether the site's copy of a sitemap may be from before a change: nothing in it,
// and no date of it in the index, is as young.
func (w *Why) older(g *group, ours Date) (string, bool) {
	if g.newest.IsZero() || !ours.after(g.newest) {
		return "", false
	}
	return fmt.Sprintf("their newest date is %v, this changed at %v", g.newest, ours), true
}

func (w *Why) yoast() bool { return w.Generator == "" || w.Generator == Yoast }

// named is the switch of a sitemap in which the levels differ altogether.
func (w *Why) named(g *group) (Cause, bool) {
	switch {
	case w.Private:
		return switches["HonourPrivate"], true
	case g.news:
		return switches["NewsFromPosts"], true
	case g.video:
		return switches["EveryVideo"], true
	}
	return Cause{}, false
}

func (w *Why) onlyTheirs(f *finder, g *group, r *row) (Cause, string) {
	if f.side == Spec && len(r.places[Plugin]) > 0 {
		return w.onlyPlugin(f, g, r)
	}
	for _, p := range r.places[Theirs] {
		if w.later(p.date) {
			return meanwhile, "lastmod " + p.date.String()
		}
	}
	if w.Excluded != nil && w.Excluded(g.name) {
		return configured, "exclude = true"
	}
	if len(r.places[Whole]) > 0 && len(r.places[Plugin]) == 0 {
		return configured, "[site.exclude]"
	}
	reason, ok := w.explain(f, r.loc)
	switch {
	case !ok:
		return unexplained, ""
	case reason.Operator:
		return configured, reason.say()
	case reason.Object == "":
		return nothingThere, reason.say()
	case reason.Listed && !w.yoast():
		return otherRules, reason.Object + " is listed here in another sitemap"
	case reason.Listed:
		return unexplained, reason.say()
	case !w.yoast():
		return otherRules, reason.say()
	}
	return contradicted, reason.say()
}

func (r *Reason) say() string {
	parts := []string{r.Object, r.Rule, r.Evidence}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// onlyPlugin names the switch by which spec leaves out what plugin lists.
func (w *Why) onlyPlugin(f *finder, g *group, r *row) (Cause, string) {
	if c, ok := w.named(g); ok {
		return c, ""
	}
	elsewhere := slices.ContainsFunc(f.listed[r.loc], func(o *group) bool { return o != g && !o.news && !o.video })
	if elsewhere {
		return either(r.loc == w.Home, switches["HomeOnce"], switches["OwnAddresses"]), "listed in " + f.listed[r.loc][0].name
	}
	reason, ok := w.explain(f, r.loc)
	detail := ""
	if ok {
		detail = reason.say()
		switch reason.Rule {
		case sitemap.PrivateSite.String():
			return switches["HonourPrivate"], detail
		case sitemap.NoAddress.String():
			return switches["OwnAddresses"], detail
		case sitemap.LinksElsewhere.String():
			return switches["OwnAddresses"], detail
		case sitemap.ServicePage.String():
			return switches["ServicePages"], detail
		}
	}
	switch {
	case g.name == "attachment":
		return switches["OwnStatus"], detail
	case g.sizes[Spec] == 0:
		return switches["HideEmpty"], detail
	case r.loc == w.Home, g.name == "post", g.name == "page":
		return switches["JudgeFrontPages"], detail
	}
	return levels, detail
}

func (w *Why) onlyOurs(f *finder, g *group, r *row) (Cause, string) {
	ours := r.places[f.side][0]
	if f.side == Spec && len(r.places[Plugin]) == 0 {
		if c, ok := w.named(g); ok {
			return c, ""
		}
		switch {
		case g.name == "author":
			return switches["AuthorDates"], ""
		case g.isPart(r.loc):
			return switches["Parts"], ""
		}
	}
	if detail, ok := w.older(g, ours.date); ok {
		return olderCopy, detail
	}
	if f.side == Spec && len(r.places[Plugin]) == 0 {
		return either(g.sizes[Plugin] == 0, switches["HideEmpty"], levels), ""
	}
	reason, _ := w.explain(f, r.loc)
	return leftOutThere, reason.say()
}

// isPart reports whether an address is that of a later page of a listed post.
func (g *group) isPart(loc string) bool {
	for _, of := range parents(loc) {
		if g.byLoc[of] != nil {
			return true
		}
	}
	return false
}

// hasParts reports whether the later pages of a post are listed beside it.
func (g *group) hasParts(loc string) bool {
	query := "?"
	if strings.Contains(loc, "?") {
		query = "&"
	}
	slash := strings.TrimSuffix(loc, "/")
	for _, part := range []string{slash + "/2/", slash + "/2", slash + "/page/2/", slash + "/page/2", loc + query + "page=2", loc + query + "paged=2"} {
		if r := g.byLoc[part]; r != nil && len(r.places[Spec]) > 0 && len(r.places[Plugin]) == 0 {
			return true
		}
	}
	return false
}

// parents are the addresses of which loc may be a later page.
func parents(loc string) []string {
	if i := max(strings.LastIndex(loc, "?page="), strings.LastIndex(loc, "&page="), strings.LastIndex(loc, "?paged="), strings.LastIndex(loc, "&paged=")); i >= 0 {
		return []string{loc[:i]}
	}
	s := strings.TrimSuffix(loc, "/")
	i := strings.LastIndexByte(s, '/')
	if i < 0 || i == len(s)-1 || strings.Trim(s[i+1:], "0123456789") != "" {
		return nil
	}
	all := []string{s[:i], s[:i+1]}
	if page, ok := strings.CutSuffix(s[:i], "/page"); ok {
		all = append(all, page, page+"/")
	}
	return all
}

func (w *Why) repeated(f *finder, g *group, r *row) (Cause, string) {
	if f.side == Spec && len(r.places[Plugin]) == len(r.places[Theirs]) {
		c, ok := w.named(g)
		return cmp.Or(either(ok, c, Cause{}), either(r.loc == w.Home, switches["HomeOnce"], switches["OwnAddresses"])), ""
	}
	return unexplained, ""
}

func (w *Why) elsewhere(f *finder, theirs, ours missing) (Cause, string) {
	switch {
	case f.side == Spec && len(theirs.r.places[Plugin]) > 0:
		return either(theirs.r.loc == w.Home, switches["HomeOnce"], switches["OwnAddresses"]), ""
	case !w.yoast():
		return otherRules, ""
	}
	return unexplained, ""
}

func (w *Why) address(f *finder, theirs, ours missing) (Cause, string) {
	if f.side == Spec && len(theirs.r.places[Plugin]) > 0 {
		return switches["StrictAddresses"], ""
	}
	a, restA, _ := strings.Cut(theirs.r.loc, "://")
	b, restB, _ := strings.Cut(ours.r.loc, "://")
	hostA, _, _ := strings.Cut(restA, "/")
	hostB, _, _ := strings.Cut(restB, "/")
	switch {
	case weburl.HostPort(hostA) != weburl.HostPort(hostB):
		return otherHost, hostA + " for " + hostB
	case !strings.EqualFold(a, b):
		return otherScheme, a + " for " + b
	}
	return otherSpelling, ""
}

func (w *Why) lastmod(f *finder, g *group, r *row, theirs, ours place, known bool) (Cause, string) {
	if w.later(theirs.date) {
		return meanwhile, ""
	}
	if known {
		if c, ok := w.named(g); ok {
			return c, ""
		}
		return either(g.name == "author", switches["AuthorDates"], switches["PageDates"]), ""
	}
	if detail, ok := w.older(g, ours.date); ok {
		return olderCopy, detail
	}
	reason, ok := w.explain(f, r.loc)
	if !ok || reason.LastMod == "" {
		return unexplained, ""
	}
	return unexplained, "ours is " + reason.LastMod
}

func (w *Why) extra(f *finder, g *group, r *row, facet Facet, theirs, ours []string, known bool, at, plugin place) (Cause, string) {
	if !known {
		if detail, ok := w.older(g, at.date); ok {
			return olderCopy, detail
		}
		return unexplained, ""
	}
	if c, ok := w.named(g); ok {
		return c, ""
	}
	switch facet {
	case ImageTitles:
		return switches["ImageTitles"], ""
	case Alternates:
		return switches["Alternates"], ""
	case News:
		return switches["NewsFromPosts"], ""
	case Videos:
		return switches["EveryVideo"], ""
	}
	distinct := slices.Compact(slices.Clone(theirs))
	switch {
	case slices.Equal(distinct, ours):
		return switches["DistinctImages"], ""
	case slices.Equal(spellings(distinct), spellings(ours)):
		return switches["StrictAddresses"], ""
	case g.name == "attachment":
		return switches["AttachmentImages"], ""
	case g.hasParts(r.loc):
		return switches["Parts"], ""
	case len(without(spellings(ours), spellings(distinct))) > 0:
		return levels, ""
	case len(distinct) > maxImages:
		return switches["DistinctImages"], ""
	}
	return switches["StrictAddresses"], "" // it refuses what no crawler could fetch
}

const maxImages = 1000 // of an address, at level spec

func spellings(locs []string) []string {
	all := make([]string, len(locs))
	for i, l := range locs {
		all[i] = spelling(l)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (w *Why) sitemap(f *finder, g *group, x *file) (Cause, string) {
	if f.side == Spec && x.has[Plugin] == x.has[Theirs] {
		c, ok := w.named(g)
		switch {
		case ok:
			return c, ""
		case x.page == 1 && g.name == "author":
			return switches["AuthorDates"], ""
		case x.page == 1:
			return switches["HideEmpty"], ""
		}
		return switches["FullPages"], ""
	}
	if w.Excluded != nil && w.Excluded(g.name) {
		return configured, "exclude = true"
	}
	if x.has[Whole] && !x.has[Plugin] {
		return configured, "[site.exclude]"
	}
	if x.page > 1 && w.resized() {
		return pageSize, ""
	}
	return w.follow(f, g)
}

func (w *Why) resized() bool { return w.PageSize != 0 && w.PageSize != sitemap.DefaultPageSize }

// follow is the cause of what other differences of a sitemap bring with them.
func (w *Why) follow(f *finder, g *group) (Cause, string) {
	switch roots := f.roots[g]; {
	case roots.unexplained:
		return followsOpen, ""
	case roots.known:
		return follows, ""
	}
	return unexplained, ""
}

func (w *Why) indexDate(f *finder, g *group, x *file) (Cause, string) {
	switch {
	case w.later(x.date[Theirs]):
		return meanwhile, ""
	case f.side == Spec && x.has[Plugin] && x.date[Plugin].Same(x.date[Theirs]):
		c, ok := w.named(g)
		return cmp.Or(either(ok, c, Cause{}), either(g.name == "author", switches["AuthorDates"], switches["PageDates"])), ""
	case w.resized():
		return pageSize, ""
	}
	if detail, ok := w.older(g, x.date[f.side]); ok {
		return olderCopy, detail
	}
	return w.follow(f, g)
}

func (w *Why) page(f *finder, m moved) (Cause, string) {
	switch {
	case m.known:
		if c, ok := w.named(m.g); ok {
			return c, ""
		}
		return switches["ByID"], ""
	case w.resized():
		return pageSize, ""
	}
	return w.follow(f, m.g)
}

func either[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
