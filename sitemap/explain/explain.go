package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
)

// Explanation says why a URL is in the sitemaps or not.
// Its JSON is what wpsitemapd explain --json prints; the first nine names are a contract.
type Explanation struct {
	URL      string         `json:"url"`      // as it was asked
	In       bool           `json:"in"`       // what it leads to is in a sitemap that the index names; JSON null where that is Unknown
	Unknown  bool           `json:"-"`        // nobody knows whether it does; the rule is RuleUnknown
	Object   string         `json:"object"`   // "post 17", "category 3", "author 2", "home" …; "" for none
	Sitemap  string         `json:"sitemap"`  // name of the sitemap, such as post; "" for none
	Page     int            `json:"page"`     // from 1; 0 for none
	LastMod  string         `json:"lastmod"`  // as the sitemap has it; "" for none
	Rule     string         `json:"rule"`     // that decided; "listed", a Rule's name, or one of those in this package
	Evidence []seo.Evidence `json:"evidence"` // what the rule rests on

	Because string   `json:"because"`           // the rule as a sentence
	Do      string   `json:"do,omitempty"`      // what an editor does to have it listed; "" for nothing
	Title   string   `json:"title,omitempty"`   // of the object, plain text
	Edit    string   `json:"edit,omitempty"`    // where the object is edited, in wp-admin
	Address string   `json:"address,omitempty"` // the object's own, as a sitemap has it or would
	File    string   `json:"file,omitempty"`    // address of Sitemap's page
	Places  []Place  `json:"places,omitempty"`  // all sitemaps that list it; the first is Sitemap
	Similar []string `json:"similar,omitempty"` // addresses that may be meant
	Notes   []string `json:"notes,omitempty"`   // sentences on what else there is to know
}

// Place is where an object is.
type Place struct {
	Sitemap string `json:"sitemap"`
	Page    int    `json:"page"`
	File    string `json:"file"`
	LastMod string `json:"lastmod"`

	withheld error // see catalog.List
	indexed  bool
}

// listedAt says where an object is; the first place is the one that is named.
func (x *Explanation) listedAt(places ...Place) {
	first := places[0]
	x.In, x.Unknown, x.Places = true, false, places
	x.Sitemap, x.Page, x.File, x.LastMod = first.Sitemap, first.Page, first.File, first.LastMod
}

// unlisted takes back where an object is.
func (x *Explanation) unlisted() {
	x.In, x.Places = false, nil
	x.Sitemap, x.Page, x.File, x.LastMod = "", 0, "", ""
}

// Rules beside those of judge: on addresses that are no object's, and on whole types.
const (
	ruleNothing     = "nothing at this URL"
	ruleOtherHost   = "another host"
	ruleOutside     = "outside home"
	ruleDates       = "date archive"
	ruleSearch      = "search"
	ruleFile        = "file"
	ruleAPI         = "REST API"
	ruleNoImage     = "not shown by a listed post"
	ruleUnknownType = "type not known to be public"
	ruleEmptyTerm   = "empty term"
	ruleNoPosts     = "no published posts"
	ruleEmpty       = "empty sitemap"
	ruleBehind      = "behind the last page"
	ruleRefused     = "URL not allowed in a sitemap"

	// RuleChanged is used when nothing keeps it out, and yet it is not among what was read: only what is served can tell.
	RuleChanged = "not settled"
	// RuleUnknown is used when neither the database nor the pages could answer.
	RuleUnknown = "unknown"
)

// Address says what an address leads to and why that is in the sitemaps or not. It
// finds objects by the names and numbers in the address and compares with their own addresses, so
// that it never guesses; the addresses of sitemaps themselves are for Sitemap. An address
// that cannot be one is ErrAddress, and any other error means that the database could not be read.
// Images and videos are searched in the pages. absence is why sitemaps are not answered here.
func Address(ctx context.Context, c *catalog.Catalog, absence seo.Reason, address string, pages Pages) (*Explanation, error) {
	asked, err := spell(address)
	if err != nil {
		return nil, fmt.Errorf("%q is %w: %w", address, ErrAddress, err)
	}
	e := &explainer{Catalog: c, absence: absence, ctx: ctx, pages: pages, x: &Explanation{URL: address, Evidence: []seo.Evidence{}}}
	if home, err := spell(c.Blog.Home() + "/"); err == nil {
		e.home = home
	}
	if err := e.explain(asked); err != nil {
		return nil, fmt.Errorf("explaining %s: %w", address, err)
	}
	return e.x, nil
}

// explainer is one question and what is known of its answer.
type explainer struct {
	*catalog.Catalog
	absence seo.Reason // for sitemaps that are not answered here
	ctx     context.Context
	pages   Pages
	x       *Explanation
	home    spelled
}

func (e *explainer) explain(asked spelled) error {
	segments, inside := asked.below(&e.home)
	own := e.ownHost(asked.host)
	if mediaFile.MatchString(asked.path) {
		if err := e.media(asked); err != nil || e.x.In || e.x.Unknown || own && inside {
			return err
		}
	}
	if !own || !inside {
		rule := ruleOutside
		if !own {
			rule = ruleOtherHost
		}
		e.decide(rule, e.Option("home", strconv.Quote(e.Blog.Home())))
		return nil
	}
	found, hints, err := e.find(asked)
	if err != nil {
		return err
	}
	base, v := asked.cutView()
	if above, _ := base.below(&e.home); v.rule == rulePart && len(above) == 0 && len(segments) > 0 {
		v = view{} // the parts of a front page are at /page/2/
	}
	if v.rule != ruleNoView && (len(found) == 0 || found[0].like < alike) {
		things, _, err := e.find(base)
		if err != nil {
			return err
		}
		if len(things) > 0 {
			return e.best(things, v)
		}
	}
	if len(found) > 0 {
		return e.best(found, view{})
	}
	if found, err := e.linked(); err != nil || found {
		return err
	}
	return e.nothing(asked, v, segments, hints)
}

// ownHost reports whether a host is one of the site's.
func (e *explainer) ownHost(host string) bool {
	return host == e.home.host || slices.ContainsFunc(e.Blog.Hosts(), func(h string) bool {
		return asciiHost(h, "") == host || asciiHost(h, "https") == host || asciiHost(h, "http") == host
	})
}

// decide ends the question.
func (e *explainer) decide(rule string, evidence ...seo.Evidence) {
	e.x.Rule, e.x.Evidence = rule, append(e.x.Evidence, evidence...)
	e.x.Because, e.x.Do = said[rule].sentence, said[rule].do
}

func (e *explainer) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(e.x.Notes, text) {
		e.x.Notes = append(e.x.Notes, text)
	}
}

// nothing explains an address that no object has.
func (e *explainer) nothing(asked spelled, v view, segments []string, hints []*thing) error {
	first := ""
	if len(segments) > 0 {
		first = strings.ToLower(segments[0])
	}
	date := segments
	if v.rule == rulePagination && len(date) >= 2 {
		date = date[:len(date)-2]
	}
	_, searches := asked.vars["s"]
	rule := ruleNothing
	switch {
	case e.asksSitemap(asked, segments):
		e.x.Object = "sitemap"
		e.decideElsewhere()
		return nil
	case first == "wp-json", asked.vars["rest_route"] != "":
		e.x.Object, rule = "REST API", ruleAPI
	case first == "search" && len(segments) > 1, searches:
		e.x.Object, rule = "search results", ruleSearch
	case isDate(date), asked.vars["m"] != "", asked.vars["year"] != "":
		e.x.Object, rule = "date archive", ruleDates
	case slices.Contains([]string{"wp-content", "wp-includes", "wp-admin"}, first),
		strings.Contains(first, ".") && len(segments) == 1 && len(hints) == 0:
		e.x.Object, rule = "file", ruleFile
	case v.rule == ruleFeed && len(segments) <= 2:
		e.x.Object, rule = "feed", ruleFeed
	}
	e.decide(rule)
	if !e.Active() {
		e.note("%s.", e.absence.Sentence)
	}
	note := "%s has this name; its URL is %s."
	if len(hints) == 0 && rule == ruleNothing {
		note = "%s has a similar name; its URL is %s."
		var err error
		if hints, err = e.findSimilar(segments); err != nil {
			return err
		}
	}
	for _, t := range hints[:min(mostSimilar, len(hints))] {
		e.note(note, t.Of, t.Link)
		e.x.Similar = append(e.x.Similar, t.Link)
	}
	return nil
}

// decideFor ends the question by a reason.
func (e *explainer) decideFor(why *seo.Reason) {
	e.decide(why.Rule, why.Evidence...)
	if why.Sentence != "" {
		e.x.Because = why.Sentence
	}
	if why.Do != "" {
		e.x.Do = why.Do
	}
}

// decideElsewhere ends a question about a site, or a sitemap, that is not answered here.
func (e *explainer) decideElsewhere() {
	e.decideFor(seo.Because(e.absence.Rule, e.absence.Sentence+".", "", e.absence.Evidence...))
}

// linked explains an address that no object has, but a sitemap: an archive by date, a URL that was added by hand, a row of a plugin's
// table.
func (e *explainer) linked() (bool, error) {
	files := slices.DeleteFunc(e.Files(), func(f catalog.File) bool {
		l := e.List(f.Name)
		return l == nil || l.Kind != seo.KindOther || len(l.First) == 0 && !ofRows(l)
	})
	s, err := SearchPages(e.ctx, files, e.pages, e.x.URL)
	if err != nil || s.File.Name == "" {
		return false, err
	}
	e.x.IsIn(s.File, s.Found)
	e.x.Object, e.x.Address = "URL of the sitemap "+s.File.Name, s.Found.Loc
	e.decideFor(e.verdict(seo.Listed, &seo.Subject{Rules: e.Rules}, seo.Evidence{Source: "sitemap " + s.File.Name, Value: strconv.Quote(s.Found.Loc)}))
	return true, nil
}

// isDate reports whether the segments of a path name a date archive: a year, month, day.
func isDate(segments []string) bool {
	layouts := [...]string{"2006", "2006/1", "2006/1/2"}
	if len(segments) == 0 || len(segments) > len(layouts) {
		return false
	}
	date, err := time.Parse(layouts[len(segments)-1], strings.Join(segments, "/"))
	return err == nil && date.Year() > 0
}

// best explains the best of the things that have the address. Of several it takes the first that is listed and names the places of all.
// v says which view of the thing is asked for.
func (e *explainer) best(found []*thing, v view) error {
	if worse := slices.IndexFunc(found, func(t *thing) bool { return t.like < found[0].like }); worse > 0 {
		found = found[:worse]
	}
	chosen, t := e.x, found[0]
	var places []Place
	for i, candidate := range found {
		e.x = &Explanation{URL: chosen.URL, Evidence: []seo.Evidence{}}
		if err := e.object(candidate); err != nil {
			return err
		}
		for _, p := range e.x.Places {
			if !slices.ContainsFunc(places, func(o Place) bool { return o.File == p.File }) {
				places = append(places, p)
			}
		}
		if i == 0 || e.x.In && !chosen.In {
			chosen, t = e.x, candidate
		}
	}
	e.x = chosen
	e.x.Places = places
	if err := e.name(t); err != nil {
		return err
	}
	for _, other := range found {
		if other != t {
			e.note("The same URL leads to %s.", other.Of)
		}
	}
	if v.rule == ruleNoView {
		return nil
	}
	return e.view(t, v)
}

// view explains a part of a post, a page of an archive, a feed.
func (e *explainer) view(t *thing, v view) error {
	front := t.kind == seo.KindPost && e.Links.IsFrontPage(t.Post.ID)
	of := e.x.Object
	if v.rule != rulePart && !(front && v.rule == rulePagination) { // /page/2/ of a front page is its part
		e.x.Object = v.rule + " of " + of
		e.outOf(v.rule, of)
		return nil
	}
	set, parts := e.Blog.Settings(), 1
	if t.kind == seo.KindPost && (set.ShowOnFront != "page" || t.Post.ID != set.PageForPosts) { // the posts page shows no content of its own
		_, err := e.Blog.Posts(e.ctx, []int64{t.Post.ID}, func(_ *wp.Post, text string) { parts = max(1, len(content.Parts(text))) })
		if err != nil {
			return err
		}
	}
	if v.n < 2 || v.n > parts {
		e.outOf(ruleNothing, of)
		e.x.Object = ""
		e.note("%s has %s; its URL is %s.", of, plural(parts, "part"), t.Link)
		return nil
	}
	link := e.Links.Part(t.Link, v.n, front, t.Post.Status)
	e.x.Object, e.x.Address = fmt.Sprintf("%s, part %d of %d", of, v.n, parts), e.spelling(link)
	switch {
	case !e.x.In:
		return nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Parts }):
		rule := rulePart
		if e.Decisions.WithoutParts(e.Rules) {
			rule = rulePartNoindex
		}
		e.outOf(rule, of)
		return nil
	}
	flags, err := e.Settings.Posts(e.ctx, []int64{t.Post.ID})
	if err != nil {
		return err
	}
	if v := e.JudgePart(t.Post, flags[t.Post.ID], link); v != seo.Listed {
		e.outOf(v.String(), of)
		s := t.Subject
		s.Link, s.Canonical = e.x.Address, flags[t.Post.ID].Canonical
		e.decideFor(e.verdict(v, &s))
		return nil
	}
	e.x.Places = slices.DeleteFunc(e.x.Places, func(p Place) bool {
		return !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Name == p.Sitemap && l.Kind == seo.KindPost })
	})
	e.note("Parts follow their post and do not count towards page_size.")
	return nil
}

// outOf says that this is not listed, whatever is said of the object it belongs to.
func (e *explainer) outOf(rule, of string) {
	if e.x.In {
		e.note("%s itself is listed, in %s.", of, e.x.File)
	} else {
		e.note("%s itself is not listed: %s.", of, e.x.Rule)
	}
	e.x.unlisted()
	e.x.Evidence = []seo.Evidence{}
	e.decide(rule)
}

// object explains an object.
func (e *explainer) object(t *thing) error {
	e.x.Object, e.x.Address = t.Of, e.spelling(t.Link)
	if !e.Active() {
		e.decideElsewhere()
		return nil
	}
	places, err := e.places(t)
	if err != nil {
		return err
	}
	why, listed := e.isPrivate(), len(places) > 0
	switch {
	case why != nil:
	case t.kind == seo.KindPost:
		why, err = e.whyPost(t, listed)
	case t.kind == seo.KindTerm:
		why, err = e.whyTerm(t, listed)
	case t.kind == seo.KindUser:
		why, err = e.whyAuthor(t, listed)
	default:
		why = e.whyArchive(t)
	}
	if err != nil {
		return err
	}
	named := slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return !p.indexed })
	switch {
	case len(named) > 0 && e.x.Address == "":
		why = &seo.Reason{Rule: ruleRefused, Evidence: []seo.Evidence{{Source: "permalink", Value: strconv.Quote(t.Link), Of: e.x.Object}}}
	case len(named) > 0:
		e.x.listedAt(named...)
		if why.Rule != seo.Listed.String() {
			e.note("Only its bare URL is listed; the page itself is left out: %s.", why.Rule)
			why.Rule = seo.Listed.String()
			why.Sentence, why.Do = (&seo.Subject{Rules: e.Rules}).Words(seo.Listed)
		}
	case len(places) > 0:
		why = &seo.Reason{Rule: ruleEmpty, Evidence: append(why.Evidence, noEntry(places[0].Sitemap))}
		e.note("%s holds it, but the index does not name that sitemap.", places[0].File)
	case why.Rule == seo.Listed.String():
		why.Rule, why.Sentence = RuleChanged, ""
	}
	e.decideFor(why)
	e.sayNoindexed()
	if len(named) > 0 && named[0].withheld != nil {
		e.x.SayUnknown("What may keep it out may not be read; its sitemap is answered with 503.",
			seo.Evidence{Source: "database", Value: named[0].withheld.Error()})
		return nil
	}
	if t.kind == seo.KindPost {
		return e.noteAbsence(t)
	}
	return nil
}

// sayNoindexed says of a listed thing that search engines are told not to index anything of the site.
func (e *explainer) sayNoindexed() {
	if why := e.WhyNoindexed(); why != nil && e.x.In {
		e.x.Because = e.Plugin() + " lists it, and yet search engines are told not to index it: " + why.Sentence
		e.x.Evidence, e.x.Do = append(e.x.Evidence, why.Evidence...), why.Do
	}
}

// places returns where an object is.
func (e *explainer) places(t *thing) ([]Place, error) {
	var all []Place
	address := e.x.Address
	for _, l := range e.Current() {
		add := func(page int, lastmod int64) {
			p := Place{
				Sitemap: l.Name, Page: page, File: e.URL(l.Name, page), LastMod: e.lastmod(lastmod),
				withheld: l.Withheld, indexed: l.Indexed && page <= max(1, len(l.Dates)),
			}
			if !slices.ContainsFunc(all, func(o Place) bool { return o.File == p.File }) {
				all = append(all, p)
			}
		}
		for i, f := range append(slices.Clip(l.First), l.After...) {
			page := 1
			if i < l.FirstPlaces() {
				page = i/l.Size + 1
			}
			if t.kind == seo.KindPost && f.PostID == t.Post.ID || f.PostID == 0 && address != "" && e.spelling(f.Loc) == address {
				add(page, f.LastMod)
			}
		}
		if err := e.languageTerms(l, address, add); err != nil {
			return nil, err
		}
		holds := e.holds(l, t)
		if holds == nil {
			continue
		}
		if ofRows(l) {
			rows, err := l.Content.(catalog.OfRows).RowsOf(e.ctx, t.Post.ID)
			if err != nil {
				return nil, err
			}
			holds = func(id int64) bool { return slices.Contains(rows, id) }
		}
		for i, p := range l.Places {
			if p.Verdict == seo.Listed && holds(p.ID) {
				lastmod := p.Date.Unix()
				if l.Explained.Dateless {
					lastmod = wp.NoTime
				}
				add((i+l.FirstPlaces())/l.Size+1, lastmod)
			}
		}
		for i := range l.Tail {
			if holds(l.Tail[i].ID) {
				add(1, wp.NoTime)
				e.note("It is on every page of the sitemap %s.", l.Name)
			}
		}
	}
	return all, nil
}

// ofRows reports whether the objects of a list are rows of a plugin's table.
func ofRows(l *catalog.List) bool {
	_, ok := l.Content.(catalog.OfRows)
	return ok
}

// languageTerms adds the places that an address has in a list of terms of a taxonomy that is not registered: those of Polylang's
// languages, which are at the home of each.
func (e *explainer) languageTerms(l *catalog.List, address string, add func(page int, lastmod int64)) error {
	if l.Kind != seo.KindTerm || l.Of == "" || address == "" || e.Blog.Registry().Taxonomy(l.Of) != nil {
		return nil
	}
	found, err := l.Locate(e.ctx, slices.Collect(l.Places.Listed()))
	for _, u := range found.URLs {
		i := slices.IndexFunc(l.Places, func(p catalog.Place) bool { return p.ID == u.Object })
		if i < 0 || e.spelling(u.Loc) != address {
			continue
		}
		add(i/l.Size+1, l.Places[i].Date.Unix())
	}
	return err
}

// holds returns what reports whether an entry of a list is the object; nil for a list of other things.
func (e *explainer) holds(l *catalog.List, t *thing) func(id int64) bool {
	is := func(want int64) func(int64) bool { return func(id int64) bool { return id == want } }
	switch {
	case t.kind == seo.KindPost && (l.Kind == seo.KindOther || e.isPostList(l, t.of)),
		t.kind == seo.KindTerm && l.Kind == seo.KindTerm && (l.Of == t.of || slices.Contains(l.TermsOf, t.of)),
		t.kind == seo.KindUser && l.Kind == seo.KindUser:
		return is(t.id)
	case t.kind == seo.KindTerm && slices.Contains(l.TermsOf, t.of):
		return is(-t.id)
	}
	return nil
}

// isPostList reports whether a list belongs to a post type.
func (e *explainer) isPostList(l *catalog.List, postType string) bool {
	return l.Kind == seo.KindPost && strings.EqualFold(l.Of, postType) // the collation may know no case
}

// lastmod writes a date as a sitemap has it.
func (e *explainer) lastmod(seconds int64) string {
	if seconds == wp.NoTime {
		return ""
	}
	return time.Unix(seconds, 0).In(cmp.Or(e.Dress.Zone, time.UTC)).Format("2006-01-02T15:04:05-07:00")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
