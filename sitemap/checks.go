package sitemap

// A check is one reason to leave an object out.
type check struct {
	rule    Rule
	applies func(c *Catalog, o *Object) bool
}

// judge is the one place that decides whether an object is listed: by the first check that applies.
func (c *Catalog) judge(o Object) Rule {
	for i := range c.policy.checks {
		if check := &c.policy.checks[i]; check.applies(c, &o) {
			return check.rule
		}
	}
	return Listed
}

// Checks that all policies have.
var (
	withoutDate  = check{ZeroDate, func(_ *Catalog, o *Object) bool { return o.ZeroDate && o.Kind == KindPost }}
	parentHidden = check{ParentHidden, func(_ *Catalog, o *Object) bool { return o.ParentHidden }}
	notAMember   = check{NotAMember, func(_ *Catalog, o *Object) bool { return o.NotAMember }}
	excluded     = check{OperatorExcluded, func(c *Catalog, o *Object) bool { return c.excluded(*o) }}
	jobFilled    = check{JobFilled, func(_ *Catalog, o *Object) bool { return o.Filled }}
)

// Checks of Yoast SEO.
var (
	frontPageItself = check{FrontPageItself, func(_ *Catalog, o *Object) bool { return o.FirstLink }}
	archiveNoindex  = check{ArchiveNoindex, func(_ *Catalog, o *Object) bool { return o.ArchiveNoindex }}
	videoDisabled   = check{VideoDisabled, func(_ *Catalog, o *Object) bool { return o.VideoDisabled }}
	noVideo         = check{NoVideo, func(_ *Catalog, o *Object) bool { return o.NoVideo }}
	postPublished   = check{NotPublished, func(_ *Catalog, o *Object) bool { return o.Kind == KindPost && !o.Published }}
	postProtected   = check{PasswordProtected, func(_ *Catalog, o *Object) bool { return o.Kind == KindPost && o.Protected }}
	noStamp         = check{NoStamp, func(_ *Catalog, o *Object) bool { return o.NoStamp }}
)

// specChecks judge front page and posts page as every page.
var specChecks = []check{
	{PrivateSite, func(c *Catalog, _ *Object) bool { return c.hidden() }},
	{NotPublished, func(_ *Catalog, o *Object) bool {
		return !o.Published && (o.Kind == KindPost || o.Kind == KindFrontPage || o.Kind == KindPostsPage)
	}},
	withoutDate,
	{PasswordProtected, func(_ *Catalog, o *Object) bool { return o.Protected }},
	parentHidden,
	{NoAddress, func(_ *Catalog, o *Object) bool { return o.NoAddress }},
	notAMember,
	excluded,
	jobFilled,
	frontPageItself,
	{ServicePage, func(c *Catalog, o *Object) bool {
		_, ok := c.site.Settings().Exclusions.ServicePage(o.ID)
		return ok && (o.Kind == KindPost || o.Kind == KindFrontPage)
	}},
	{LinksElsewhere, func(_ *Catalog, o *Object) bool { return o.LinksTo != "" }},
	archiveNoindex,
	{MetaNoindex, func(_ *Catalog, o *Object) bool { return o.Noindex }},
	{ExternalLink, func(c *Catalog, o *Object) bool { return o.Link != "" && !c.internal(o.Link, o.Language) }},
	{CanonicalElsewhere, func(_ *Catalog, o *Object) bool { return o.elsewhere() }},
	videoDisabled,
	noVideo,
}

// yoastChecks are the plugin's: it lists a front page whatever that says, and asks of a posts page little.
var yoastChecks = []check{
	postPublished,
	withoutDate,
	postProtected,
	parentHidden,
	notAMember,
	noStamp,
	excluded,
	jobFilled,
	frontPageItself,
	{ServicePage, func(c *Catalog, o *Object) bool {
		p, ok := c.site.Settings().Exclusions.ServicePage(o.ID)
		return ok && p.Unlisted && o.Kind == KindPost
	}},
	{LinksElsewhere, func(c *Catalog, o *Object) bool { return o.LinksTo != "" && c.external(o.LinksTo) }},
	archiveNoindex,
	{MetaNoindex, func(_ *Catalog, o *Object) bool { return o.Noindex && o.Kind != KindFrontPage }},
	{ExternalLink, func(c *Catalog, o *Object) bool {
		return o.Link != "" && (o.Kind == KindPost || o.Kind == KindFrontPage) && !c.internal(o.Link, o.Language)
	}},
	{CanonicalElsewhere, func(_ *Catalog, o *Object) bool { return o.Kind != KindPostsPage && o.elsewhere() }},
	videoDisabled,
	noVideo,
}

// coreChecks are WordPress' own: no setting of a plugin means anything to it.
var coreChecks = []check{postPublished, withoutDate, postProtected, parentHidden, notAMember, excluded, jobFilled}

// elsewhere reports whether the canonical address is another one.
func (o *Object) elsewhere() bool { return o.Canonical != "" && o.Link != "" && o.Canonical != o.Link }
