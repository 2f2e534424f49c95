package sitemap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// sentences say each rule in plain words.
var sentences = map[string]string{
	Listed.String():             "It is public, and nothing keeps it out.",
	PrivateSite.String():        "The site asks search engines to stay away, so nothing is listed.",
	NotPublished.String():       "It is not published.",
	ZeroDate.String():           "It has no date, as drafts of old imports.",
	PasswordProtected.String():  "It is protected by a password.",
	ParentHidden.String():       "An attachment is listed where the post it is attached to is published and without password, and this one is not attached to such a post.",
	NoAddress.String():          "It has no slug, so its address leads to something else.",
	NoLanguage.String():         "It has no language, or one that visitors may not see.",
	OtherLanguage.String():      "It is listed at the domain of its language.",
	NotAMember.String():         "The user has no role on this site.",
	NoStamp.String():            "The user's profile was never saved, and Yoast lists only those with a date.",
	OperatorExcluded.String():   "The configuration of wpsitemapd excludes it.",
	FrontPageItself.String():    "It is set as front page or posts page, and listed only as such.",
	JobFilled.String():          "WP Job Manager takes filled positions out of the sitemaps.",
	ServicePage.String():        "It is the cart, checkout or account page of a shop, which is kept from search engines.",
	LinksElsewhere.String():     "It has the address of something else, by the plugin Page Links To.",
	ArchiveNoindex.String():     "The archive is set to noindex in Yoast SEO.",
	MetaNoindex.String():        "It is set to noindex in Yoast SEO.",
	ExternalLink.String():       "Its address does not begin with that of the site.",
	CanonicalElsewhere.String(): "Its canonical address is another one.",

	ruleNothing:     "No published or unpublished object has this address.",
	ruleOtherHost:   "The address is not on this site's host.",
	ruleOutside:     "The address does not lie below the site's home.",
	ruleDates:       "Date archives are never listed.",
	ruleSearch:      "Search results are never listed.",
	ruleFile:        "This is a file or script, no page of WordPress'.",
	ruleAPI:         "This is WordPress' REST API, no page.",
	ruleNoImage:     "Images are listed with the posts that show them, and none of them shows this one.",
	ruleUnknownType: "Nothing in the database or the configuration says that this type is public.",
	ruleNotPublic:   "This type is not public.",
	ruleNotViewable: "Visitors cannot see posts of this type.",
	ruleTypeOff:     "The configuration of wpsitemapd excludes this type.",
	ruleTypeHidden:  "This type is switched off in Yoast SEO.",
	ruleTypeNoindex: "This type is set to noindex in Yoast SEO.",
	ruleNever:       "This type never has a sitemap.",
	ruleEmptyTerm:   "By WordPress' count nothing is filed under it, or under what is below it.",
	ruleNoPosts:     "The user has no published post, and authors are listed only with one.",
	ruleAuthorsOff:  "Author archives are off or set to noindex in Yoast SEO.",
	ruleNoArchive:   "WordPress' own sitemaps hold no archives.",
	ruleBehind:      "The sitemap has fewer pages.",
	ruleEmpty:       "The sitemap it belongs to has nothing else to list, so that the index does not name it.",
	ruleRefused:     "The address is none that may stand in a sitemap.",
	ruleChanged:     "Nothing keeps it out, and yet it is not among what was read: it has changed meanwhile, or another object has its place.",
	rulePart:        "The later parts of a post are listed at compat level spec only.",
	rulePagination:  "Only the first page of an archive is listed.",
	ruleFeed:        "Feeds are never listed.",
	ruleComments:    "Pages of comments are never listed.",
	ruleEmbed:       "Embeds and trackbacks are never listed.",
}

// statuses say what keeps a post from being published.
var statuses = map[string]string{
	"draft": "It is a draft.", "pending": "It waits for review.", "future": "It is scheduled for later.", "private": "It is private.", "trash": "It is in the trash.",
}

func quoted(s string) string { return strconv.Quote(s) }

// column is evidence from a row.
func (e *explainer) column(table, column, value, of string) Evidence {
	return Evidence{e.site.Table(table) + "." + column, value, of}
}

// option is evidence from an option of the site.
func (e *explainer) option(name, value string) Evidence {
	return Evidence{Source: e.site.Table("options") + "." + name, Value: value}
}

// title is evidence from wpseo_titles.
func (e *explainer) title(key string) Evidence {
	value, saved := e.site.Settings().Yoast.Title(key)
	if !saved {
		value = "never saved"
	}
	return e.option("wpseo_titles["+key+"]", value)
}

// fact is evidence from the discovery of types.
func fact(sources registry.Sources, key, value, of string) Evidence {
	return Evidence{Source: string(sources[key]), Value: key + " = " + value, Of: of}
}

func (e *explainer) whyInactive() []Evidence {
	set := e.site.Settings()
	var all []Evidence
	switch {
	case !set.Yoast.Active:
		all = append(all, e.option("active_plugins", "without wordpress-seo"))
	case set.Yoast.Wanted:
		all = append(all, e.option("wpseo[enable_xml_sitemap]", set.Yoast.SitemapsSetting()))
	default:
		option, value := e.site.YoastSwitch()
		all = append(all, e.option(option, value))
	}
	if !set.BlogPublic && !e.core {
		all = append(all, e.option("blog_public", `"0"`))
	}
	return all
}

// private reports whether the site's own wish keeps everything out.
func (e *explainer) private() bool {
	return e.hidden()
}

// whyPostType tells why a post type has no sitemap; "" where it has one.
func (e *explainer) whyPostType(t *registry.PostType) (string, []Evidence) {
	y := &e.site.Settings().Yoast
	of := "post type " + t.Name
	switch {
	case !t.Public:
		return ruleNotPublic, []Evidence{fact(t.Sources, "public", "false", of)}
	case !t.Viewable:
		return ruleNotViewable, []Evidence{fact(t.Sources, "viewable", "false", of)}
	case e.site.TypeExcluded(t.Name):
		return ruleTypeOff, []Evidence{{"[site.post_type." + t.Name + "] exclude", "true", of}}
	case e.core && t.Name == "attachment":
		return ruleNever, []Evidence{{"WordPress", "no sitemap of attachments", of}}
	case e.core:
		return "", nil
	case y.PostTypeDisabled(t.Name):
		return ruleTypeHidden, []Evidence{e.title("disable-" + t.Name)}
	case y.PostTypeNoindex(t.Name):
		return ruleTypeNoindex, []Evidence{e.title("noindex-" + t.Name)}
	}
	return "", nil
}

// whyTaxonomy tells why a taxonomy has no sitemap; "" where it has one.
func (e *explainer) whyTaxonomy(t *registry.Taxonomy) (string, []Evidence) {
	y := &e.site.Settings().Yoast
	of := "taxonomy " + t.Name
	switch {
	case !t.Public:
		return ruleNotPublic, []Evidence{fact(t.Sources, "public", "false", of)}
	case e.site.TaxonomyExcluded(t.Name):
		return ruleTypeOff, []Evidence{{"[site.taxonomy." + t.Name + "] exclude", "true", of}}
	case e.core && t.Unqueryable:
		return ruleNotViewable, []Evidence{fact(t.Sources, "public", "true, but publicly_queryable is false", of)}
	case e.core:
		return "", nil
	case t.Name == "post_format" && y.FormatsDisabled():
		return ruleTypeHidden, []Evidence{e.title("disable-post_format")}
	case e.policy.taxonomyNoindex(y, t.Name):
		return ruleTypeNoindex, []Evidence{e.title("noindex-tax-" + t.Name)}
	case slices.Contains(neverTaxonomies, t.Name):
		return ruleNever, []Evidence{{"Yoast SEO", "no sitemap of this taxonomy", of}}
	}
	return "", nil
}

// whyUnknown explains a type that is not registered.
func (e *explainer) whyUnknown(kind, name, table, column string) (string, []Evidence) {
	e.noteUnknown(kind, name)
	return ruleUnknownType, []Evidence{e.column(table, column, quoted(name), "")}
}

// noteUnknown says what to do about a type that nothing is known of.
func (e *explainer) noteUnknown(kind, name string) {
	for _, u := range e.site.Registry().Unknown {
		if u.Kind == kind && u.Name == name {
			e.note("%s.", strings.TrimSuffix(u.Why, "."))
		}
	}
}

// whyEmpty tells why the index does not name a sitemap.
func (e *explainer) whyEmpty(name string) []Evidence {
	if e.site.Registry().PostType(name) != nil {
		return []Evidence{{e.site.Table("posts"), "no listable row of type " + name, ""}}
	}
	return []Evidence{{"sitemap " + name, "no entry", ""}}
}

// blogPublic is the evidence of a private site.
func (e *explainer) blogPublic() []Evidence { return []Evidence{e.option("blog_public", `"0"`)} }

// rulePost tells what decides about a post.
func (e *explainer) rulePost(t *thing, listed bool) (string, []Evidence, error) {
	p := t.post
	of := t.String()
	status := e.column("posts", "post_status", quoted(p.Status), of)
	if e.private() {
		return PrivateSite.String(), e.blogPublic(), nil
	}
	var pt *registry.PostType
	for _, t := range e.site.Registry().PostTypes {
		if strings.EqualFold(t.Name, p.Type) { // as the collation compares
			pt = t
		}
	}
	if pt == nil {
		rule, evidence := e.whyUnknown("post type", p.Type, "posts", "post_type")
		return rule, evidence, nil
	}
	if rule, evidence := e.whyPostType(pt); rule != "" && !listed {
		return rule, append(evidence, status), nil
	}
	rule, row, err := e.decidePost(pt, p)
	if err != nil {
		return "", nil, err
	}
	front := rule == FrontPageItself
	if front {
		option := "page_on_front"
		if p.ID == e.site.Settings().PageForPosts {
			option = "page_for_posts"
		}
		status = e.option(option, quoted(strconv.FormatInt(p.ID, 10)))
		switch {
		case e.site.Settings().ShowOnFront != "page":
			e.note("%s still names it, though the front page shows the latest posts (show_on_front).", e.site.Table("options")+"."+option)
		case option == "page_for_posts":
			rule = e.judgePostsPage(p)
		default:
			rule = e.judgeFrontPage(p)
		}
	}
	evidence := append([]Evidence{status}, e.whyPost(rule, p, row, of)...)
	if rule == Listed && p.Noindex() != "" {
		evidence = append(evidence, e.column("postmeta", wp.MetaNoindex, quoted(p.Noindex()), of))
	}
	if rule == Listed && p.Canonical() != "" {
		evidence = append(evidence, e.column("postmeta", wp.MetaCanonical, quoted(p.Canonical()), of))
	}
	return rule.String(), evidence, nil
}

// decidePost decides about one post as a build does about all of them.
func (e *explainer) decidePost(t *registry.PostType, p *wp.Post) (Rule, *wp.TouchedPost, error) {
	var row *wp.TouchedPost
	err := e.site.PostRows(e.ctx, []int64{p.ID}, func(r wp.TouchedPost) { row = &r })
	if err != nil || row == nil {
		return NotPublished, nil, err
	}
	if e.core {
		o := Object{Kind: KindPost, ID: p.ID, Published: row.Status == "publish", Link: p.Link}
		o.Filled = e.site.Settings().Exclusions.HideFilled && wp.FilledForCore(t.Name, p.Filled())
		return e.judge(o), row, nil
	}
	values, err := e.site.MetaOf(e.ctx, []int64{p.ID}, e.site.DecisiveMeta()...)
	if err != nil {
		return NotPublished, nil, err
	}
	b := e.again()
	b.decideBy(values)
	r, decided := b.row(t, strings.ToLower(row.Status), &row.PostRow)
	rows := []postRow{r}
	b.posts[t.Name] = rows
	if !decided {
		if err := b.decide(e.ctx, t, []int64{p.ID}); err != nil {
			return NotPublished, nil, err
		}
	}
	switch languages := b.site.Languages(); {
	case languages == nil:
	case !b.site.TranslatesPostType(t.Name):
		b.judgeUntranslated(t.Name, rows)
	default:
		rows[0].language = uint8(1 + slices.IndexFunc(languages, func(l wp.Language) bool { return l.Code == p.Language }))
		b.sortLanguages(rows, languages)
	}
	return rows[0].rule, row, nil
}

// again returns a build that can decide about single objects; the catalog stays as it is.
func (e *explainer) again() *build {
	c := *e.Catalog
	c.skipped, c.translated, c.kept, c.lists = map[Rule]int{}, translated{}, nil, nil
	b := &build{Catalog: &c, facts: newFacts()}
	b.prepareNews()
	return b
}

// whyPost is what a rule on a post rests on.
func (e *explainer) whyPost(rule Rule, p *wp.Post, row *wp.TouchedPost, of string) []Evidence {
	switch rule {
	case PrivateSite:
		return e.blogPublic()
	case NotPublished:
		if p.Status == "future" {
			e.note("It is scheduled for %s, by the site's clock.", p.Date)
		}
	case ZeroDate:
		return []Evidence{e.column("posts", "post_date", quoted(p.Date), of)}
	case PasswordProtected:
		return []Evidence{e.column("posts", "post_password", "set", of)}
	case ParentHidden:
		evidence := []Evidence{e.column("posts", "post_parent", strconv.FormatInt(p.Parent, 10), of)}
		if row != nil && row.ParentStatus != "" {
			parent := fmt.Sprintf("post %d", p.Parent)
			evidence = append(evidence, e.column("posts", "post_status", quoted(row.ParentStatus), parent))
			if row.ParentStatus == "publish" {
				evidence = append(evidence, e.column("posts", "post_password", "set", parent))
			}
		}
		return evidence
	case NoAddress:
		return []Evidence{e.column("posts", "post_name", `""`, of)}
	case NoLanguage, OtherLanguage:
		value := "none"
		if p.Language != "" {
			value = quoted(p.Language)
		}
		evidence := []Evidence{{"language", value, of}}
		if l, ok := e.site.LanguageByCode(p.Language); ok && rule == OtherLanguage {
			evidence = append(evidence, Evidence{"language " + p.Language, quoted(l.Home), ""})
		}
		return evidence
	case OperatorExcluded:
		return e.whyExcluded("post_ids", e.opt.Exclude.PostIDs, p.ID, p.Link, of)
	case JobFilled:
		return []Evidence{e.column("postmeta", wp.MetaFilled, quoted(p.Filled()), of), {"plugin", "WP Job Manager", ""}}
	case LinksElsewhere:
		return []Evidence{e.column("postmeta", wp.MetaLinksTo, quoted(p.LinksTo()), of), {"plugin", "Page Links To", ""}}
	case ServicePage:
		page, _ := e.site.Settings().Exclusions.ServicePage(p.ID)
		return []Evidence{e.option(page.Option, quoted(strconv.FormatInt(p.ID, 10)))}
	case MetaNoindex:
		return []Evidence{e.column("postmeta", wp.MetaNoindex, quoted(p.Noindex()), of)}
	case ArchiveNoindex:
		return []Evidence{e.title("noindex-ptarchive-post")}
	case ExternalLink:
		return []Evidence{{"permalink", quoted(p.Link), of}, e.option("home", quoted(e.site.Home()))}
	case CanonicalElsewhere:
		return []Evidence{e.column("postmeta", wp.MetaCanonical, quoted(p.Canonical()), of), {"permalink", quoted(p.Link), of}}
	}
	return nil
}

// whyExcluded finds the key of [site.exclude].
func (e *explainer) whyExcluded(key string, ids []int64, id int64, link, of string) []Evidence {
	if slices.Contains(ids, id) {
		return []Evidence{{"[site.exclude] " + key, strconv.FormatInt(id, 10), of}}
	}
	for _, p := range e.opt.Exclude.URLs {
		if p.MatchString(link) {
			return []Evidence{{"[site.exclude] urls", quoted(p.String()), of}}
		}
	}
	return nil
}

// ruleTerm tells what decides about a term.
func (e *explainer) ruleTerm(t *thing, listed bool) (string, []Evidence, error) {
	if e.private() {
		return PrivateSite.String(), e.blogPublic(), nil
	}
	of := t.String()
	if rule, evidence := e.whyTaxonomy(t.taxonomy); rule != "" && !listed {
		return rule, evidence, nil
	}
	y := &e.site.Settings().Yoast
	setting := func(key string) Evidence {
		return e.option(fmt.Sprintf("wpseo_taxonomy_meta[%s][%d][%s]", t.taxonomy.Name, t.term.ID, key), y.TermSetting(t.taxonomy.Name, t.term.ID, key))
	}
	if listed {
		var evidence []Evidence
		for _, key := range []string{"wpseo_noindex", "wpseo_canonical"} {
			if y.TermSetting(t.taxonomy.Name, t.term.ID, key) != "" && !e.core {
				evidence = append(evidence, setting(key))
			}
		}
		return Listed.String(), evidence, nil
	}
	terms, err := e.site.Terms(e.ctx, t.taxonomy)
	if err != nil {
		return "", nil, err
	}
	rows := termRows{rows: make([]termRow, len(terms.All)), children: terms.Children}
	for i, r := range terms.All {
		rows.rows[i].TermRow = r
	}
	rows.list()
	at := slices.IndexFunc(rows.rows, func(r termRow) bool { return r.ID == t.term.ID })
	if at < 0 {
		return ruleChanged, nil, nil
	}
	row := rows.rows[at]
	if !row.listed || e.core && row.Count <= 0 {
		return ruleEmptyTerm, []Evidence{e.column("term_taxonomy", "count", strconv.FormatInt(row.Count, 10), of)}, nil
	}
	rule := Listed
	if e.core {
		rule = e.judge(Object{Kind: KindTerm, ID: row.ID, Link: t.link})
	} else {
		one := &termRows{rows: []termRow{row}}
		if err := e.again().judgeTerms(e.ctx, t.taxonomy, one); err != nil {
			return "", nil, err
		}
		rule = one.rows[0].rule
	}
	switch rule {
	case OperatorExcluded:
		return rule.String(), e.whyExcluded("term_ids", e.opt.Exclude.TermIDs, row.ID, t.link, of), nil
	case MetaNoindex:
		return rule.String(), []Evidence{setting("wpseo_noindex")}, nil
	case CanonicalElsewhere:
		return rule.String(), []Evidence{setting("wpseo_canonical"), {"permalink", quoted(t.link), of}}, nil
	case ExternalLink:
		return rule.String(), []Evidence{{"permalink", quoted(t.link), of}, e.option("home", quoted(e.site.Home()))}, nil
	case NoLanguage, OtherLanguage:
		value := "none"
		if t.term.Language != "" {
			value = quoted(t.term.Language)
		}
		return rule.String(), []Evidence{{"language", value, of}}, nil
	case Listed:
		if !slices.ContainsFunc(e.lists, func(l *list) bool { return e.holds(l, t) != nil && len(l.entries) > 0 }) {
			return ruleEmpty, []Evidence{fact(t.taxonomy.Sources, "object_types", fmt.Sprint(t.taxonomy.ObjectTypes), "taxonomy "+t.taxonomy.Name)}, nil
		}
	}
	return rule.String(), []Evidence{e.column("term_taxonomy", "count", strconv.FormatInt(row.Count, 10), of)}, nil
}

// ruleAuthor tells what decides about a user.
func (e *explainer) ruleAuthor(t *thing, listed bool) (string, []Evidence, error) {
	if e.private() {
		return PrivateSite.String(), e.blogPublic(), nil
	}
	a, of := t.author, t.String()
	if key, off := e.site.Settings().Yoast.AuthorsDisabled(); off && !e.core {
		return ruleAuthorsOff, []Evidence{e.title(key)}, nil
	}
	stamp := func(key, value string) Evidence { return Evidence{e.site.Table("usermeta") + "." + key, value, of} }
	if listed {
		return Listed.String(), nil, nil
	}
	eligible, why, err := e.eligible(a.ID)
	if err != nil {
		return "", nil, err
	}
	if !eligible {
		return ruleNoPosts, []Evidence{why}, nil
	}
	rule := e.judge(Object{Kind: KindUser, ID: a.ID, NotAMember: !a.Member, NoStamp: !a.Stamped && !e.core, Noindex: a.Noindex, Link: a.Link})
	switch rule {
	case NotAMember:
		return rule.String(), []Evidence{stamp("capabilities of this site", "none")}, nil
	case NoStamp:
		return rule.String(), []Evidence{stamp("_yoast_wpseo_profile_updated", "none")}, nil
	case MetaNoindex:
		return rule.String(), []Evidence{stamp("wpseo_noindex_author", `"on"`)}, nil
	case OperatorExcluded:
		return rule.String(), e.whyExcluded("user_ids", e.opt.Exclude.UserIDs, a.ID, a.Link, of), nil
	case ExternalLink:
		return rule.String(), []Evidence{{"permalink", quoted(a.Link), of}, e.option("home", quoted(e.site.Home()))}, nil
	}
	return rule.String(), nil, nil
}

// eligible reports whether a user has what it takes for an archive, and what says that there is none.
func (e *explainer) eligible(user int64) (bool, Evidence, error) {
	of := fmt.Sprintf("author %d", user)
	types := []string{"post"}
	if e.core {
		types = nil
		for _, t := range e.site.Registry().PostTypes {
			if t.Public && t.Name != "page" && t.Name != "attachment" {
				types = append(types, t.Name)
			}
		}
	} else if !e.site.Settings().Yoast.AuthorsNeedPosts() {
		editors, err := e.site.Editors(e.ctx)
		return slices.Contains(editors, user), e.column("usermeta", "capabilities", "without edit_posts", of), err
	}
	has, err := e.site.HasPosts(e.ctx, user, types)
	return has, e.column("posts", "post_author", "no published post of type "+strings.Join(types, ", "), of), err
}

// ruleArchive tells what decides about home or the archive of a type.
func (e *explainer) ruleArchive(t *thing) (string, []Evidence) {
	set := e.site.Settings()
	if e.private() {
		return PrivateSite.String(), e.blogPublic()
	}
	if t.postType == nil {
		evidence := []Evidence{e.option("show_on_front", quoted(set.ShowOnFront))}
		if rule := e.judge(Object{Kind: KindArchive, Link: t.link}); e.core && rule != Listed {
			return rule.String(), e.whyExcluded("urls", nil, 0, t.link, "home")
		}
		decided := Listed.String()
		for _, name := range []string{"post", "page"} {
			if pt := e.site.Registry().PostType(name); pt != nil {
				if rule, more := e.whyPostType(pt); rule != "" {
					decided, evidence = rule, append(evidence, more...)
				}
			}
		}
		return decided, evidence
	}
	of := "archive of " + t.postType.Name
	if rule, evidence := e.whyPostType(t.postType); rule != "" {
		return rule, evidence
	}
	if e.core {
		return ruleNoArchive, []Evidence{{"WordPress", "no archives in its sitemaps", of}}
	}
	rule := e.judge(Object{Kind: KindArchive, ArchiveNoindex: set.Yoast.ArchiveNoindex(t.postType.Name), Link: t.link})
	switch rule {
	case ArchiveNoindex:
		return rule.String(), []Evidence{e.title("noindex-ptarchive-" + t.postType.Name)}
	case OperatorExcluded:
		return rule.String(), e.whyExcluded("urls", nil, 0, t.link, of)
	case ExternalLink:
		return rule.String(), []Evidence{{"permalink", quoted(t.link), of}, e.option("home", quoted(e.site.Home()))}
	case Listed:
		if e.policy.past == pastHidden && !slices.ContainsFunc(e.lists, func(l *list) bool { return e.isPostList(l, t.postType.Name) && len(l.entries) > 0 }) {
			return ruleEmpty, e.whyEmpty(t.postType.Name)
		}
		return rule.String(), []Evidence{fact(t.postType.Sources, "archive", "true", of)}
	}
	return rule.String(), nil
}

// postDate says which column the lastmod of a post is from.
func (e *explainer) postDate(p *wp.Post) string {
	column := "post_modified_gmt"
	if p.DateGMT > p.ModifiedGMT && !e.core {
		column = "post_date_gmt"
	}
	return fmt.Sprintf("%s.%s (%s %d)", e.site.Table("posts"), column, p.Type, p.ID)
}

// archiveDate says where the lastmod of a first link is from.
func (e *explainer) archiveDate(l *list, f firstLink) string {
	switch {
	case f.lastmod == wp.NoTime:
		return ""
	case e.core:
		return "the newest change among the posts that the front page shows"
	}
	return e.policy.words.archive(e, l)
}

// entryDate returns the lastmod that a list prints for an entry, and where it is from.
func (e *explainer) entryDate(l *list, t *thing, entry *entry) (int64, string) {
	stored := l.dependent // records of the plugin's, without a date of their own
	switch {
	case stored || entry.lastmod() == wp.NoTime:
		return wp.NoTime, ""
	case t.kind == KindPost:
		return entry.lastmod(), e.postDate(t.post)
	case t.kind == KindTerm:
		return entry.lastmod(), fmt.Sprintf("the newest %s.post_modified_gmt of the published posts filed under it", e.site.Table("posts"))
	}
	return entry.lastmod(), e.policy.words.author(e, t)
}

// noteExtensions tells why a post does not stand in the news or among the videos.
func (e *explainer) noteExtensions(t *thing) error {
	if e.core || e.private() {
		return nil
	}
	stands := func(name string) bool {
		return slices.ContainsFunc(e.x.Places, func(p Place) bool { return p.Sitemap == name })
	}
	if name := e.newsName(); name != "" && !stands(name) && slices.Contains(e.newsTypes(), t.post.Type) && t.post.Status == "publish" {
		if err := e.noteNews(name, t); err != nil {
			return err
		}
	}
	if name := e.videoName(); name != "" && !stands(name) && slices.Contains(e.videoTypes(), t.post.Type) && t.post.Status == "publish" {
		return e.noteVideo(name, t)
	}
	return nil
}

func (e *explainer) noteNews(name string, t *thing) error {
	p := t.post
	excluded, err := e.site.NewsExcluded(e.ctx, map[int64]string{p.ID: p.Type})
	if err != nil {
		return err
	}
	since := e.opt.Now().Unix() - newsWindow
	switch date, column := e.policy.news.date(p); {
	case date < since:
		e.note("Not in %s: it is older than 48 hours (%s.%s = %s; the window begins at %s).", name, e.site.Table("posts"), column, utc(date), utc(since))
	case excluded[p.ID]:
		e.note("Not in %s: excluded by %s._yoast_wpseo_newssitemap-robots-index or %s.wpseo_news[news_sitemap_exclude_terms].", name, e.site.Table("postmeta"), e.site.Table("options"))
	default:
		if why := e.policy.news.absent(e); why != "" {
			e.note("Not in %s: %s.", name, why)
		}
	}
	return nil
}

// everyVideoOf is a post as the rules on the videos in its content see it.
func (e *explainer) everyVideoOf(t *thing) (Object, bool, error) {
	if !e.x.In {
		return Object{}, false, nil
	}
	found, err := e.postVideos(e.ctx, []int64{t.post.ID})
	if err != nil || len(found) == 0 || found[0].incomplete == 0 && !found[0].Disabled {
		return Object{}, false, err // it has none
	}
	return Object{Kind: KindVideo, ID: t.post.ID, Link: t.link, VideoDisabled: found[0].Disabled, NoVideo: len(found[0].videos) == 0}, true, nil
}

// storedVideoOf is a post as the rules on the plugin's record see it.
func (e *explainer) storedVideoOf(t *thing) (Object, bool, error) {
	metas, err := e.site.VideoMeta(e.ctx, []int64{t.post.ID})
	m := metas[t.post.ID]
	if err != nil || m == nil {
		return Object{}, false, err
	}
	rec := newRecord(m.Record)
	rec.override(m)
	if !m.Disabled && !rec.complete() && m.Record.Len() == 0 {
		return Object{}, false, nil
	}
	o := Object{Kind: KindVideo, ID: t.post.ID, Link: t.link, Noindex: t.post.Noindex() == "1", VideoDisabled: m.Disabled, NoVideo: !rec.complete()}
	return o, true, nil
}

func (e *explainer) noteVideo(name string, t *thing) error {
	o, has, err := e.policy.videos.object(e, t)
	if err != nil || !has {
		return err
	}
	switch rule := e.judge(o); rule {
	case Listed:
	case VideoDisabled:
		e.note("Not in %s: %s._yoast_wpseo_videositemap-disable is \"on\".", name, e.site.Table("postmeta"))
	case NoVideo:
		e.note("Not in %s: its video has no thumbnail, or neither a player nor a file.", name)
	default:
		e.note("Not in %s: %s.", name, rule)
	}
	return nil
}

func utc(seconds int64) string {
	if seconds == wp.NoTime {
		return "none"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
