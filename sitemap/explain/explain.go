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
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
)

// An Explanation says why a URL is or is not in the sitemaps. wpsitemapd explain --json prints it as
// JSON. The first nine names are a contract.
type Explanation struct {
	URL      string         `json:"url"`      // the URL as the user gave it
	In       bool           `json:"in"`       // the object at the URL is in a sitemap that the index names; JSON null if Unknown
	Unknown  bool           `json:"-"`        // it could not be determined whether the object is in a sitemap; Rule is RuleUnknown
	Object   string         `json:"object"`   // for example "post 17", "category 3", "author 2", "home"; "" if there is none
	Sitemap  string         `json:"sitemap"`  // name of the sitemap, such as post; "" if there is none
	Page     int            `json:"page"`     // the first page is 1; 0 if there is none
	LastMod  string         `json:"lastmod"`  // the date that the sitemap shows; "" if it shows none
	Rule     string         `json:"rule"`     // the rule that decided: "listed", the name of a verdict, or a rule in this package
	Evidence []seo.Evidence `json:"evidence"` // the data that the rule rests on

	Because string   `json:"because"`           // the rule as a sentence
	Do      string   `json:"do,omitempty"`      // how an editor gets the object listed; "" if an editor cannot
	Title   string   `json:"title,omitempty"`   // title of the object in plain text
	Edit    string   `json:"edit,omitempty"`    // URL in wp-admin where the object is edited
	Address string   `json:"address,omitempty"` // the object's own URL in the form of a sitemap, even if not listed
	File    string   `json:"file,omitempty"`    // URL of the sitemap page
	Places  []Place  `json:"places,omitempty"`  // all sitemap pages that list the object; Sitemap names the first
	Similar []string `json:"similar,omitempty"` // URLs that the user may have meant
	Notes   []string `json:"notes,omitempty"`   // further sentences for the user
}

// A Place is a sitemap page that lists an object.
type Place struct {
	Sitemap string `json:"sitemap"`
	Page    int    `json:"page"`
	File    string `json:"file"`
	LastMod string `json:"lastmod"`

	withheld error // as catalog.List.Withheld
	indexed  bool
}

// listedAt records that the object is listed in places. Sitemap, Page, File and LastMod describe the first place.
func (x *Explanation) listedAt(places ...Place) {
	first := places[0]
	x.In, x.Unknown, x.Places = true, false, places
	x.Sitemap, x.Page, x.File, x.LastMod = first.Sitemap, first.Page, first.File, first.LastMod
}

// unlisted removes every statement that the object is listed.
func (x *Explanation) unlisted() {
	x.In, x.Places = false, nil
	x.Sitemap, x.Page, x.File, x.LastMod = "", 0, "", ""
}

// IsIn records that the requested address is in the file f.
func (x *Explanation) IsIn(f catalog.File, found Found) {
	x.listedAt(Place{Sitemap: f.Name, Page: f.Page, File: f.URL, LastMod: found.LastMod})
}

// SayUnknown records that it is unknown whether the address is listed, and why.
func (x *Explanation) SayUnknown(because string, evidence ...seo.Evidence) {
	x.unlisted()
	x.Unknown = true
	x.Rule, x.Because, x.Evidence = RuleUnknown, because, append(x.Evidence, evidence...)
}

// These rules explain addresses without an object, and whole types. They add to the verdicts of seo.
const (
	ruleNothing     = "nothing at this URL"
	ruleOtherHost   = "another host"
	ruleOutside     = "outside home"
	ruleDates       = "date archive"
	ruleSearch      = "search"
	ruleFile        = "file"
	ruleAPI         = "REST API"
	ruleNotShown    = "not shown by a listed post"
	ruleNoMedia     = "no images in its sitemaps"
	ruleUnknownType = "type not known to be public"
	ruleEmptyTerm   = "empty term"
	ruleNoPosts     = "no published posts"
	ruleEmpty       = "empty sitemap"
	ruleBehind      = "behind the last page"
	ruleRefused     = "URL not allowed in a sitemap"

	// RuleChanged means that no rule leaves the object out, but the catalog does not contain the object. Only
	// the served pages can show whether it is listed.
	RuleChanged = "not settled"
	// RuleUnknown means that neither the database nor the pages could answer.
	RuleUnknown = "unknown"
)

// Address explains why the object at an address is in the sitemaps or not. It finds objects by the
// names and numbers in the address and compares their own addresses, so it never guesses.
//
// Use Sitemap for the address of a sitemap. Address looks for images and videos in pages. absence is the
// reason to give if the daemon serves no sitemaps for the blog.
//
// If address is not a web address, the error wraps ErrAddress. Any other error means that the database
// could not be read.
func Address(ctx context.Context, c *catalog.Catalog, absence seo.Reason, address string, pages Pages) (*Explanation, error) {
	asked, err := spell(address)
	if err != nil {
		return nil, fmt.Errorf("%q is %w: %w", address, ErrAddress, err)
	}
	e := &explainer{Catalog: c, absence: absence, ctx: ctx, pages: pages, x: &Explanation{URL: address, Evidence: []seo.Evidence{}}}
	if home, err := spell(c.Rules.Blog.Home() + "/"); err == nil {
		e.home = home
	}
	if err := e.explain(asked); err != nil {
		return nil, fmt.Errorf("explaining %s: %w", address, err)
	}
	return e.x, nil
}

// An explainer explains one address. x is the explanation that its methods fill in.
type explainer struct {
	*catalog.Catalog
	absence seo.Reason // why the daemon does not answer for the sitemaps or for one of them
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
		e.decide(rule, e.Rules.Option("home", strconv.Quote(e.Rules.Blog.Home())))
		return nil
	}
	found, hints, err := e.find(asked)
	if err != nil {
		return err
	}
	base, v := asked.cutView()
	if above, _ := base.below(&e.home); v.rule == rulePart && len(above) == 0 && len(segments) > 0 {
		v = view{} // the parts of a front page are at /page/2/, so this is not a part
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

// ownHost reports whether the site uses this host.
func (e *explainer) ownHost(host string) bool {
	return host == e.home.host || slices.ContainsFunc(e.Rules.Blog.Hosts(), func(h string) bool {
		return asciiHost(h, "") == host || asciiHost(h, "https") == host || asciiHost(h, "http") == host
	})
}

// decide records the rule that answers the question, its evidence and its sentences.
func (e *explainer) decide(rule string, evidence ...seo.Evidence) {
	e.x.Rule, e.x.Evidence = rule, append(e.x.Evidence, evidence...)
	e.x.Because, e.x.Do = said[rule].sentence, said[rule].do
}

func (e *explainer) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(e.x.Notes, text) {
		e.x.Notes = append(e.x.Notes, text)
	}
}

// nothing explains an address at which no object was found.
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
	if len(hints) == 0 && rule == ruleNothing {
		e.x.Do = "If a page answers there without WordPress, add it: [[site.extra]] in the configuration."
	}
	return nil
}

// decideFor records a reason as the answer. If the reason has sentences of its own, they replace the
// sentences of its rule.
func (e *explainer) decideFor(why *seo.Reason) {
	e.decide(why.Rule, why.Evidence...)
	if why.Sentence != "" {
		e.x.Because = why.Sentence
	}
	if why.Do != "" {
		e.x.Do = why.Do
	}
}

// decideElsewhere records that the daemon does not answer for this site or sitemap.
func (e *explainer) decideElsewhere() {
	e.decideFor(seo.Because(e.absence.Rule, e.absence.Sentence+".", "", e.absence.Evidence...))
}

// linked explains an address that a sitemap lists although no object has the address: a date archive, a URL
// that was added by hand, or a row of a plugin's table. It reports whether a sitemap lists the address.
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

// isDate reports whether path segments form a date archive: year, month, day.
func isDate(segments []string) bool {
	layouts := [...]string{"2006", "2006/1", "2006/1/2"}
	if len(segments) == 0 || len(segments) > len(layouts) {
		return false
	}
	date, err := time.Parse(layouts[len(segments)-1], strings.Join(segments, "/"))
	return err == nil && date.Year() > 0
}

// best explains the best of the things found at an address. If several fit equally well, it prefers the first one that
// is listed, and reports the places of all of these. v is the requested view.
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

// view explains a part of a post, a page of an archive, a feed or another view of t.
func (e *explainer) view(t *thing, v view) error {
	front := t.kind == seo.KindPost && e.Rules.Links.IsFrontPage(t.Post.ID)
	of := e.x.Object
	if v.rule != rulePart && !(front && v.rule == rulePagination) { // on a front page, /page/2/ is a part of it
		e.x.Object = v.rule + " of " + of
		e.outOf(v.rule, of)
		return nil
	}
	set, parts := e.Rules.Blog.Settings(), 1
	if t.kind == seo.KindPost && (set.ShowOnFront != "page" || t.Post.ID != set.PageForPosts) { // the posts page does not show its own content
		_, err := e.Rules.Book.Posts(e.ctx, []int64{t.Post.ID}, func(_ *address.Post, text string) { parts = max(1, len(content.Parts(text))) })
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
	link := e.Rules.Links.Part(t.Link, v.n, front, t.Post.Status)
	e.x.Object, e.x.Address = fmt.Sprintf("%s, part %d of %d", of, v.n, parts), e.spelling(link)
	switch {
	case !e.x.In:
		return nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Parts }):
		rule := rulePart
		if e.Rules.Decisions.WithoutParts(e.Rules) {
			rule = rulePartNoindex
		}
		e.outOf(rule, of)
		return nil
	}
	flags, err := e.Rules.Settings.Posts(e.ctx, []int64{t.Post.ID})
	if err != nil {
		return err
	}
	if v := e.Rules.JudgePart(t.Post, flags[t.Post.ID], link); v != seo.Listed {
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

// outOf records that a view is not listed. It adds a note that says whether the object of the view is
// listed; of names the object.
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

// object explains one object.
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

// sayNoindexed changes the explanation of a listed object if search engines are told not to index the
// whole site.
func (e *explainer) sayNoindexed() {
	if why := e.Rules.WhyNoindexed(); why != nil && e.x.In {
		e.x.Because = e.Plugin() + " lists it, and yet search engines are told not to index it: " + why.Sentence
		e.x.Evidence, e.x.Do = append(e.x.Evidence, why.Evidence...), why.Do
	}
}

// places returns the sitemap pages that list an object.
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
		if of, ok := l.Content.(catalog.OfRows); ok {
			rows, err := of.RowsOf(e.ctx, t.Post.ID)
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

// languageTerms adds the places of an address in a list of Polylang's languages. These are terms of an
// unregistered taxonomy, and each has the home URL of its language.
func (e *explainer) languageTerms(l *catalog.List, address string, add func(page int, lastmod int64)) error {
	if l.Kind != seo.KindTerm || l.Of == "" || address == "" || e.Rules.Blog.Registry().Taxonomy(l.Of) != nil {
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

// holds returns a function that reports whether an id in the list l is the id of t. It returns nil if the
// list cannot contain t.
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
	return l.Kind == seo.KindPost && strings.EqualFold(l.Of, postType) // the collation may ignore case
}

// lastmod formats a date as a sitemap does. It returns "" for wp.NoTime.
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
