package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// said holds for each rule of this package a sentence, and what an editor or the operator can do to get
// the object listed. do is "" if nobody can.
var said = map[string]struct{ sentence, do string }{
	ruleNothing:   {"No published or unpublished object has this URL.", ""},
	ruleOtherHost: {"The URL is not on this site's host.", ""},
	ruleOutside:   {"The URL does not lie below the site's home.", ""},
	ruleDates:     {"Date archives are never listed.", ""},
	ruleSearch:    {"Search results are never listed.", ""},
	ruleFile:      {"This is a file or script, not a WordPress page.", ""},
	ruleAPI:       {"This is WordPress' REST API, not a page or post.", ""},
	ruleNotShown:  {"An image is listed with the posts that show it. No listed post shows this image.", "Show it in a published post."},
	ruleNoMedia:   {"The sitemaps of this site list pages only, without their images and videos.", ""},
	ruleUnknownType: {"Nothing in the database or the configuration says that this type is public.",
		"Set public of this type in the configuration: [site.post_type.NAME] or [site.taxonomy.NAME]."},
	ruleLeftToSite:       {"The URLs of this type differ from those that wpsitemapd computes, so the site itself serves its sitemap.", ""},
	seo.RuleNotPublic:    {"This type is not public.", ""},
	seo.RuleNotViewable:  {"Visitors cannot see posts of this type.", ""},
	seo.RuleTypeExcluded: {"The configuration of wpsitemapd excludes this type.", "Take exclude of this type out of the configuration of wpsitemapd."},
	ruleEmptyTerm:        {"By WordPress' count, no published post has this term or a term below it.", "Give this term to a published post."},
	ruleNoPosts:          {"The user has no published post. Only authors with a published post are listed.", "Publish a post of this author."},
	ruleEmpty:            {"Its sitemap has nothing else to list, so the index does not name that sitemap.", ""},
	ruleRefused:          {"This URL is not allowed in a sitemap.", ""},
	RuleChanged: {"No rule leaves it out, but the sitemap that was read does not list it. Either it has changed since, or another " +
		"object has its place.", "Ask again in a minute. If the answer stays the same, look for another post or page with this URL, and give " +
		"one of them another slug."},
	rulePart:        {"The later parts of a post are listed at compat level spec only.", `Set compat = "spec" in the configuration of wpsitemapd.`},
	rulePartNoindex: {"The SEO plugin keeps search engines from the later parts of posts.", ""},
	rulePagination:  {"Only the first page of an archive is listed.", ""},
	ruleFeed:        {"Feeds are never listed.", ""},
	ruleComments:    {"Pages of comments are never listed.", ""},
	ruleEmbed:       {"Embeds and trackbacks are never listed.", ""},
}

// fact returns the evidence "key = value" about a type, with the source that shows it. of names the type.
func fact(sources registry.Sources, key, value, of string) seo.Evidence {
	return seo.Evidence{Source: string(sources[key]), Value: key + " = " + value, Of: of}
}

// whyType returns why the daemon has no sitemap of a type, or nil if it has one.
func (e *explainer) whyType(t *registry.Type) *seo.Reason {
	if e.Undecided(e.Scheme.Name(seo.KindOf(t), t.Name)) {
		return e.leftToSite(t.Kind(), t.Name, seo.Evidence{Source: "registered types", Value: "nothing tells whether it is public", Of: t.Name})
	}
	return e.Rules.WhyType(t)
}

// leftToSite returns the reason why the sitemap of a type is left to the site. It adds a note that says what is open about the type.
func (e *explainer) leftToSite(kind, name string, evidence seo.Evidence) *seo.Reason {
	why := &seo.Reason{Rule: ruleUnknownType, Evidence: []seo.Evidence{evidence}}
	for _, u := range e.Rules.Blog.Registry().Unknown {
		if u.Kind == kind && u.Name == name {
			e.note("%s.", strings.TrimSuffix(u.Why, "."))
			if u.Elsewhere || u.ByPHP {
				fact := seo.Evidence{Source: "registered types", Value: "its URLs differ from those computed", Of: name}
				why = &seo.Reason{Rule: ruleLeftToSite, Evidence: []seo.Evidence{fact}}
			}
		}
	}
	return why
}

// noEntry returns the evidence that a sitemap lists nothing and is therefore not in the index.
func noEntry(sitemap string) seo.Evidence {
	return seo.Evidence{Source: "sitemap " + sitemap, Value: "no entry"}
}

// verdict returns a verdict on a subject as a reason. The evidence in before precedes the evidence of the
// verdict.
func (e *explainer) verdict(v seo.Verdict, s *seo.Subject, before ...seo.Evidence) *seo.Reason {
	sentence, do := s.Words(v)
	return &seo.Reason{Rule: v.String(), Sentence: sentence, Do: do, Evidence: append(before, s.EvidenceOf(v)...)}
}

// isPrivate returns the reason that leaves out everything on the site, or nil if there is none.
func (e *explainer) isPrivate() *seo.Reason {
	if !e.Rules.Hidden() {
		return nil
	}
	if e.Rules.Blog.Settings().Environment != "" {
		return e.verdict(seo.NotProduction, &seo.Subject{Rules: e.Rules})
	}
	return e.verdict(seo.PrivateSite, &seo.Subject{Rules: e.Rules})
}

// whyPost returns the reason why a post is listed or left out.
func (e *explainer) whyPost(t *thing, listed bool) (*seo.Reason, error) {
	p, s := t.Post, &t.Subject
	status := s.Column("posts", "post_status", strconv.Quote(p.StoredStatus))
	var pt *registry.PostType
	for _, t := range e.Rules.PostTypes() {
		if strings.EqualFold(t.Name, p.Type) { // as the database collation compares
			pt = t
		}
	}
	if pt == nil {
		return e.leftToSite("post type", p.Type, seo.Evidence{Source: e.Rules.Blog.Table("posts") + ".post_type", Value: strconv.Quote(p.Type)}), nil
	}
	if why := e.whyType(pt); why != nil && !listed {
		why.Evidence = append(why.Evidence, status)
		return why, nil
	}
	v, row, err := e.decidePost(pt, p)
	if err != nil {
		return nil, err
	}
	s.Row = row
	if v == seo.FrontPageItself {
		option, kind := "page_on_front", seo.KindFrontPage
		if p.ID == e.Rules.Blog.Settings().PageForPosts {
			option, kind = "page_for_posts", seo.KindPostsPage
		}
		status = e.Rules.Option(option, strconv.Quote(strconv.FormatInt(p.ID, 10)))
		if e.Rules.Blog.Settings().ShowOnFront == "page" {
			if v, err = e.Rules.JudgePage(e.ctx, kind, p); err != nil {
				return nil, err
			}
		}
	}
	if v == seo.CanonicalElsewhere {
		flags, err := e.Rules.Settings.Posts(e.ctx, []int64{p.ID})
		if err != nil {
			return nil, err
		}
		s.Canonical = flags[p.ID].Canonical
	}
	why := e.verdict(v, s, status)
	if v == seo.Listed {
		why.Evidence = append(why.Evidence, e.Rules.Settings.PostEvidence(p)...)
	}
	if p.LinkStored {
		why.Evidence = append(why.Evidence, s.Column("yoast_indexable", "permalink", strconv.Quote(p.Link)))
		e.note("The sitemap lists the URL that Yoast SEO has stored: %s.", cmp.Or(e.Rules.Book.Addressing(pt).Why, "the site answers only this one"))
		return why, nil
	}
	return why, e.noteDoubt(e.Rules.Book.DoubtOfPost(e.ctx, p))
}

// noteDoubt adds a note about a URL that Yoast SEO has stored but that is not used. A nil d adds
// nothing.
func (e *explainer) noteDoubt(d *address.Doubt, err error) error {
	if d != nil {
		e.note("Yoast SEO has stored %s. The sitemap lists the computed URL instead, because %s.", d.Stored, d.Why)
	}
	return err
}

// decidePost returns the verdict on one post, by the same steps as a full scan.
func (e *explainer) decidePost(t *registry.PostType, p *address.Post) (seo.Verdict, *objects.PostRow, error) {
	var row *objects.PostRow
	err := objects.PostRows(e.ctx, e.Rules.Blog, []int64{p.ID}, func(r objects.PostRow) { row = &r })
	if err != nil || row == nil {
		return seo.NotPublished, nil, err
	}
	v, err := rows.NewReader(e.Rules, nil).DecideOne(e.ctx, t, row, p.Language)
	return v, row, err
}

// whyTerm returns the reason why a term is listed or left out.
func (e *explainer) whyTerm(t *thing, listed bool) (*seo.Reason, error) {
	if why := e.whyType(t.Taxonomy); why != nil && !listed {
		return why, nil
	}
	s := &t.Subject
	if err := e.noteDoubt(e.Rules.Book.DoubtOfTerm(e.ctx, t.Taxonomy, t.Term)); err != nil {
		return nil, err
	}
	if listed {
		return e.verdict(seo.Listed, s, e.Rules.Settings.TermEvidence(t.Taxonomy.Name, t.Term.ID)...), nil
	}
	term, err := rows.NewReader(e.Rules, nil).DecideTerm(e.ctx, t.Taxonomy, t.Term.ID)
	if err != nil || term == nil {
		return &seo.Reason{Rule: RuleChanged}, err
	}
	count := s.Column("term_taxonomy", "count", strconv.FormatInt(term.Row.Count, 10))
	switch {
	case !term.Used:
		return &seo.Reason{Rule: ruleEmptyTerm, Evidence: []seo.Evidence{count}}, nil
	case term.Verdict != seo.Listed:
		return e.verdict(term.Verdict, s), nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return e.holds(l, t) != nil && len(l.Places) > 0 }):
		types := fact(t.Taxonomy.Sources, "object_types", fmt.Sprint(t.Taxonomy.ObjectTypes), "taxonomy "+t.Taxonomy.Name)
		return &seo.Reason{Rule: ruleEmpty, Evidence: []seo.Evidence{types}}, nil
	}
	return e.verdict(seo.Listed, s, count), nil
}

// whyAuthor returns the reason why a user is listed or left out.
func (e *explainer) whyAuthor(t *thing, listed bool) (*seo.Reason, error) {
	if why := e.Rules.Settings.Authors(); why != nil {
		return why, nil
	}
	s := &t.Subject
	if listed {
		return e.verdict(seo.Listed, s), nil
	}
	switch eligible, err := rows.NewReader(e.Rules, nil).IsEligible(e.ctx, t.Author.ID); {
	case err != nil:
		return nil, err
	case eligible:
		return e.verdict(e.Rules.JudgeAuthor(t.Author), s), nil
	}
	why := s.Column("usermeta", "capabilities", "without the role or capability of an author")
	if types := e.Rules.Settings.AuthorTypes(); types != nil {
		why = s.Column("posts", "post_author", "no published post of type "+strings.Join(types, ", "))
	}
	return &seo.Reason{Rule: ruleNoPosts, Evidence: []seo.Evidence{why}}, nil
}

// whyArchive returns the reason why home or the archive of a type is listed or left out.
func (e *explainer) whyArchive(t *thing) *seo.Reason {
	s := &t.Subject
	if t.PostType == nil {
		return e.whyHome(s)
	}
	if why := e.whyType(t.PostType); why != nil {
		return why
	}
	v := e.Rules.JudgeArchive(t.PostType.Name, t.Link)
	if v != seo.Listed {
		return e.verdict(v, s)
	}
	if why := e.Rules.Settings.Archive(t.PostType.Name); why != nil {
		return why
	}
	of := func(l *catalog.List) bool { return e.isPostList(l, t.PostType.Name) }
	if l := slices.IndexFunc(e.Lists, of); l >= 0 && e.Lists[l].Past == catalog.PastHidden && len(e.Lists[l].Places) == 0 {
		return &seo.Reason{Rule: ruleEmpty, Evidence: []seo.Evidence{noEntry(e.Lists[l].Name)}}
	}
	return e.verdict(seo.Listed, s, fact(t.PostType.Sources, "archive", "true", s.Of))
}

// whyHome returns the reason why home, as the archive of posts, is listed or left out.
func (e *explainer) whyHome(s *seo.Subject) *seo.Reason {
	if v := e.Rules.Decisions.JudgeHome(e.Rules, s.Link); v != seo.Listed {
		return e.verdict(v, s)
	}
	why := e.verdict(seo.Listed, s, e.Rules.Option("show_on_front", strconv.Quote(e.Rules.Blog.Settings().ShowOnFront)))
	for _, name := range []string{"post", "page"} {
		if pt := e.Rules.Blog.Registry().PostType(name); pt != nil {
			if more := e.Rules.WhyType(pt); more != nil {
				more.Evidence = append(why.Evidence, more.Evidence...)
				why = more
			}
		}
	}
	return why
}

// noteLeaving adds a note that says when a post leaves the news.
func (e *explainer) noteLeaving(l *catalog.List, post int64) error {
	ids, err := []int64{post}, error(nil)
	if of, ok := l.Content.(catalog.OfRows); ok {
		ids, err = of.RowsOf(e.ctx, post)
	}
	for _, id := range ids {
		if at := l.Leaves(id, e.Rules.Options.Now().Unix()); at != 0 {
			e.note("It leaves the sitemap %s at %s, unless it changes.", l.Name, time.Unix(at, 0).UTC().Format(time.RFC3339))
		}
	}
	return err
}

// noteAbsence adds a note that says why a post, or something in the post, is missing from the news or
// videos.
func (e *explainer) noteAbsence(t *thing) error {
	if e.Rules.Hidden() || t.Post.Status != "publish" {
		return nil
	}
	for _, l := range e.Lists {
		standing := catalog.Unlisted
		switch {
		case slices.ContainsFunc(e.x.Places, func(p Place) bool { return p.Sitemap == l.Name }):
			standing = catalog.ListedHere
			if err := e.noteLeaving(l, t.Post.ID); err != nil {
				return err
			}
		case e.x.In:
			standing = catalog.ListedByType
		}
		repeated, ok := l.Content.(catalog.Repeated)
		if !ok {
			continue
		}
		why, err := repeated.Absent(e.ctx, t.Post, standing)
		if err != nil {
			return err
		}
		if why != "" {
			e.note("Not in %s: %s.", l.Name, why)
		}
	}
	return nil
}
