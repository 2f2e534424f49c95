package explain

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
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
			e.note("%s has the same URL.", other.Of)
		}
	}
	if v.rule == ruleNoView {
		return nil
	}
	return e.view(t, v)
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
			e.note("Its URL is listed, although the page itself is left out: %s.", why.Rule)
			why.Rule = seo.Listed.String()
			why.Sentence, why.Do = (&seo.Subject{Rules: e.Rules}).Words(seo.Listed)
		}
	case len(places) > 0:
		why = &seo.Reason{Rule: ruleEmpty, Evidence: append(why.Evidence, noEntry(places[0].Sitemap))}
		e.note("%s lists it, but the index does not name that sitemap.", places[0].File)
	case why.Rule == seo.Listed.String():
		why.Rule, why.Sentence = RuleChanged, ""
	}
	e.decideFor(why)
	e.sayNoindexed()
	if len(named) > 0 && named[0].withheld != nil {
		e.x.SayUnknown("The account may not read a table that decides whether it is listed, so its sitemap is answered with 503.",
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
		e.x.Because = e.Plugin() + " lists it, but search engines are told not to index it: " + why.Sentence
		e.x.Evidence, e.x.Do = append(e.x.Evidence, why.Evidence...), why.Do
	}
}
