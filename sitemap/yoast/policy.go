package yoast

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// SpecLevel holds the decisions and the policy of level spec on a site with Yoast SEO.
type SpecLevel struct {
	seo.SpecDecisions
	provider.SpecPolicy
}

func (SpecLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog, seo.SpecLevel) }
func (SpecLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog, seo.SpecLevel) }

func (SpecLevel) Checks() []seo.Check { return seo.SpecChecks(own) }

// PluginLevel holds the decisions and the policy of level plugin: exactly what Yoast SEO 28 emits. It lists a front page even
// if that is noindex, and runs few checks on a posts page.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Presence(blog *wp.Blog) seo.Presence { return presence(blog, seo.PluginLevel) }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings {
	return newSettings(blog, seo.PluginLevel)
}

func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{
		seo.NotPublishedCheck, seo.ZeroDateCheck, seo.ProtectedCheck, seo.ParentHiddenCheck, seo.NotAMemberCheck,
		seo.AgainstCheck(seo.NoProfileStamp, "The user's profile was never saved. Yoast SEO lists only users whose profile was saved.",
			"Open the user's profile and save it.",
			func(s *seo.Subject) []seo.Evidence { return []seo.Evidence{s.Meta(metaProfileUpdated, "none")} }),
		levelCheck, seo.ExcludedCheck, seo.JobFilledCheck, seo.FrontPageCheck,
		seo.ServicePageCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			p, ok := c.Blog.Settings().Exclusions.ServicePage(o.ID)
			return ok && o.Kind == seo.KindPost && strings.HasPrefix(p.Option, "woocommerce_") && c.Blog.Settings().ActivePlugins[pluginWooCommerce]
		}),
		seo.LinksElsewhereCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind == seo.KindPost && o.LinksTo != "" && c.External(o.LinksTo)
		}),
		seo.ArchiveCheck,
		own.Noindex.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Flags.Noindex && o.Kind != seo.KindFrontPage }),
		seo.ExternalLinkCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Link != "" && (o.Kind == seo.KindPost || o.Kind == seo.KindFrontPage) && !c.IsInternal(o.Link, o.Language)
		}),
		own.Canonical.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind != seo.KindPostsPage && o.Differs() && !(o.Kind == seo.KindTerm && before(c.Blog, termsElsewhere))
		}),
	}
}

// Internal implements seo.Decisions. An https address below an http home counts as internal, because WooCommerce can move its
// checkout to https.
func (PluginLevel) Internal(c *seo.Rules, link, language string) bool {
	if rest, ok := strings.CutPrefix(link, "https:"); ok && strings.HasPrefix(c.HomeOf(language), "http:") {
		link = "http:" + rest
	}
	return c.BelowHome(link, language)
}

func (PluginLevel) Protected(set, null bool) bool { return set || null }

// AttachmentOpen implements seo.Decisions: only the status of the attachment's parent counts, not its own.
func (PluginLevel) AttachmentOpen(*seo.Rules, string) bool { return true }

// FreeAuthors implements seo.Decisions: it returns the users who may edit posts. Before 17.9, it returns the users whose
// level is not 0. It also does so before 27.8 if WordPress is older than 5.9.
func (PluginLevel) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	if before(blog, "17.9") || before(blog, "27.8") && blog.WordPress().Before("5.9") {
		return objects.Leveled(ctx, blog)
	}
	return objects.Editors(ctx, blog)
}

func (PluginLevel) InRobots(c *seo.Rules) bool {
	return !before(c.Blog, "19.0") && (!before(c.Blog, "19.7") || c.Blog.Settings().BlogPublic)
}

// FirstLink implements seo.Decisions. Yoast ignores show_on_front. So pages that were once set as front page or posts page
// still count as these if the front page now shows posts.
func (PluginLevel) FirstLink(set *wp.Settings, id int64) bool { return seo.NamesPage(set, id) }

func (PluginLevel) Foreign(c *seo.Rules) bool { return c.Blog.AtHome() != c.Blog }
func (PluginLevel) ZeroChanges() bool         { return true }

func (PluginLevel) DatesTerms(r *seo.Rules, t *registry.PostType) bool { return r.HasTaxonomy(t) }

func (PluginLevel) TakesPlace(_ *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool {
	if k == seo.KindUser {
		return v == seo.Listed || v.ByOperator()
	}
	return v.Late()
}

func (PluginLevel) PostsPast() catalog.PastEnd { return catalog.PastPostTypes }

// OrderPosts implements provider.Policy: it sorts by the date of change.
func (PluginLevel) OrderPosts(all []rows.Post, indexes []int32) {
	slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(all[x].Modified.Unix(), all[y].Modified.Unix()) })
}

// OrderAuthors implements provider.Policy: the profile that was saved last is first. Users with the same date keep the order of
// their ids. In the plugin, the order of these users is not defined, because its SQL sorts by the date alone.
func (PluginLevel) OrderAuthors(_ context.Context, b *provider.Build, ids []int64) error {
	slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.Rows.Authors[y].Stamp, b.Rows.Authors[x].Stamp) })
	return nil
}

func (PluginLevel) IndexesPosts(b *provider.Build, _ *registry.PostType, l *catalog.List) bool {
	return len(l.Places) > 0 || before(b.Rules.Blog, "19.7")
}

// AuthorDates implements provider.Policy: a page has the date of its first author.
func (PluginLevel) AuthorDates(_ context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	return firstOfPage(b, l), nil
}

func (PluginLevel) Newest(b *provider.Build, l *catalog.List) int64 { return b.Rows.NewestRow(l.Of) }

// DatesOfAuthors implements provider.Policy: it returns when each profile was last saved.
func (PluginLevel) DatesOfAuthors(_ context.Context, b *provider.Build, ids []int64, _ map[int64]int64) (map[int64]int64, error) {
	dates := make(map[int64]int64, len(ids))
	for _, id := range ids {
		dates[id] = wp.Stamp(b.Rows.Authors[id].Stamp)
	}
	return dates, nil
}

// FirstLinks implements provider.Policy by the plugin's rules.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	switch {
	case t.Name == "page":
		return frontPage(ctx, b)
	case t.Name == "post" && b.Rules.Blog.Settings().ShowOnFront == "posts":
		return b.HomeOfPosts(l), nil
	case t.Name == "post":
		return b.PostsPage(ctx, t, b.NewestOf(l))
	case !t.HasArchive:
		return nil, nil
	case t.Name == "product" && b.Rules.Blog.Settings().ActivePlugins[pluginWooCommerce]:
		if listed, err := shopListed(ctx, b, t.ArchivePage); err != nil || !listed {
			return nil, err
		}
	}
	return b.Archive(ctx, t, l)
}

// shopListed reports whether Yoast WooCommerce SEO lists the archive of products. The shop page must be set, and must be
// neither the front page nor noindex.
func shopListed(ctx context.Context, b *provider.Build, page int64) (bool, error) {
	if page <= 0 || page == b.Rules.Blog.Settings().PageOnFront {
		return false, nil
	}
	p, err := b.Page(ctx, page)
	return err == nil && (p == nil || !b.Rules.Settings.Post(p).Noindex), err
}

// frontPage returns the front page by the plugin's rules. If a check leaves the page out, the plugin lists the bare home
// address.
func frontPage(ctx context.Context, b *provider.Build) ([]catalog.FirstLink, error) {
	if b.Rules.Blog.Settings().PageOnFront <= 0 {
		return []catalog.FirstLink{b.Home()}, nil
	}
	p, err := b.Page(ctx, b.Rules.Blog.Settings().PageOnFront)
	if err != nil || p == nil { // the page was deleted: the plugin lists an entry without an address
		return nil, err
	}
	switch rule, err := b.Rules.JudgePage(ctx, seo.KindFrontPage, p); {
	case err != nil:
		return nil, err
	case rule == seo.Listed:
		if before(b.Rules.Blog, "22.0") && !before(b.Rules.Blog, "21.9") { // these versions list it without its images
			return []catalog.FirstLink{{Object: p.ID, Loc: b.Rules.Links.HomeURL(), LastMod: max(p.Dates.ChangedGMT, p.Dates.PublishedGMT)}}, nil
		}
		return []catalog.FirstLink{{PostID: p.ID, LastMod: max(p.Dates.ChangedGMT, p.Dates.PublishedGMT)}}, nil
	case rule == seo.Excluded, rule == seo.OfExcludedTerm:
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
	return []catalog.FirstLink{b.Home()}, nil
}

// PostDates implements provider.Policy by the plugin's rule. The first and the last page have the newest change of any
// published post. Page k between them has the change of post k*size in the order of changes; posts that are left out count, too.
// Yoast SEO before 18.5 dates the first page like the pages between. Before 21.4, and on database servers below version 8.0,
// posts are counted in the order of ids, and the dates that are found are sorted afterwards.
func (PluginLevel) PostDates(b *provider.Build, l *catalog.List) []int64 {
	dates := make([]int64, l.Pages())
	if len(dates) == 0 && l.Indexed {
		dates = make([]int64, 1)
	}
	newest := b.Rows.NewestRow(l.Of)
	first := 1
	if before(b.Rules.Blog, "18.5") {
		first = 0
	}
	var between []int64
	if len(dates) > first+1 {
		between = everyRow(b, l)
	}
	for i := range dates {
		dates[i] = newest
		if i >= first && i < len(dates)-1 {
			dates[i] = wp.NoTime
			if i < len(between) {
				dates[i] = between[i]
			}
		}
	}
	return dates
}

// everyRow returns the dates of change of the last posts of full pages, sorted. It counts posts that are left out, too.
func everyRow(b *provider.Build, l *catalog.List) []int64 {
	var changes, every []int64
	for _, r := range b.Rows.Posts[l.Of] {
		if r.Status == rows.Published || r.Status == rows.Inherited && l.Of == "attachment" {
			changes = append(changes, r.ModifiedGMT.Unix())
		}
	}
	if !before(b.Rules.Blog, "21.4") && !b.Rules.Blog.Server().Before("8.0") {
		slices.Sort(changes)
	}
	for i := b.Rules.Options.PageSize - 1; i < len(changes); i += b.Rules.Options.PageSize {
		every = append(every, changes[i])
	}
	slices.Sort(every)
	return every
}

// TermLoc implements provider.Policy: it returns the address of a term. Before 20.10, it returns the canonical URL if the term
// has one, wherever that leads.
func (PluginLevel) TermLoc(r *provider.Renderer, t *registry.Taxonomy, term *address.Term) string {
	if !before(r.Rules.Blog, termsElsewhere) {
		return term.Link
	}
	return cmp.Or(r.Rules.Settings.Term(t.Name, term.ID).Canonical, term.Link)
}

// ImageRules implements provider.Policy by rules of old versions. Before 15.4, attachments list their own file. Before 19.2,
// the address of an image in a content is dropped if it contains & or '. Before 19.8, an image with a known id loses the query
// of its URL.
func (PluginLevel) ImageRules(_ context.Context, r *provider.Renderer, posts []*address.Post) (*provider.ImageRules, error) {
	rules := &provider.ImageRules{NoQuery: before(r.Rules.Blog, "19.8")}
	if before(r.Rules.Blog, "19.2") {
		rules.Takes = func(src string) bool { return !strings.ContainsAny(src, "&'") }
	}
	if before(r.Rules.Blog, "15.4") {
		rules.Files = map[int64][]int64{}
		for _, p := range posts {
			if p.Type == "attachment" {
				rules.Files[p.ID] = []int64{p.ID}
			}
		}
	}
	return rules, nil
}

// TermDates implements provider.Policy, see provider.DatesBelow. If no post has a term of a page, the newest change of any
// post of the taxonomy's types counts.
func (PluginLevel) TermDates(b *provider.Build, t *registry.Taxonomy, l *catalog.List, terms *rows.Terms) []int64 {
	pages := make([][]int64, l.Pages())
	for i := range pages {
		_, places, _ := l.Slice(i + 1)
		for _, p := range places {
			pages[i] = append(pages[i], p.ID)
		}
	}
	return provider.DatesBelow(t, terms, pages, b.Rows.NewestRow)
}

// firstOfPage returns the date of the first place of each page.
func firstOfPage(b *provider.Build, l *catalog.List) []int64 {
	dates := make([]int64, l.Pages())
	for i := range dates {
		_, places, _ := l.Slice(i + 1)
		if dates[i] = places[0].Date.Unix(); dates[i] == 0 {
			dates[i] = wp.NoTime
		}
	}
	return dates
}

// LanguageLinks implements provider.Policy. It adds the home or the archive of each other language to l.After, so that they
// follow the posts of the first page. The plugin lists them even if a language has no posts.
func (PluginLevel) LanguageLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) error {
	if b.Rules.HasDomains() {
		return nil
	}
	newest := b.NewestOf(l)
	current, known := b.Rules.Blog.Languages().Asked()
	if t.Name == "post" {
		if b.Rules.Blog.Settings().PageOnFront > 0 {
			return nil
		}
		for _, lang := range b.Rules.Blog.Languages().All {
			if lang.Active && (lang.Code != b.Rules.Blog.Languages().Default() || !b.Rules.Blog.Languages().HidesDefault()) {
				l.After = append(l.After, catalog.FirstLink{Loc: lang.Home, LastMod: newest})
			}
		}
		return nil
	}
	if own, err := b.ArchiveIsPage(ctx, t); err != nil || own || !t.HasArchive {
		return err
	}
	for _, lang := range b.Rules.Blog.Languages().All {
		if !lang.Active || known && lang.Code == current.Code {
			continue
		}
		link, err := b.Rules.Book.ArchiveLinkIn(ctx, t, lang.Code)
		if err != nil {
			return err
		}
		if link != "" {
			l.After = append(l.After, catalog.FirstLink{Loc: link, LastMod: newest})
		}
	}
	return nil
}

// Posts implements provider.Policy. At the domains of Polylang's other languages, the list answers the query variable
// differently: the plugin uses the home of the default domain. Addresses below that home are listed, and addresses below the
// domain itself are not.
func (PluginLevel) Posts(c *provider.Renderer, t *registry.PostType) catalog.Own {
	at := c.Rules.Blog.AtHome()
	if at == c.Rules.Blog {
		return c.Posts()
	}
	home := *c
	home.Rules = c.Rules.At(at)
	translated, own, other := c.Rules.Blog.Languages().PostTypes[t.Name], c.Rules.Links.HomeURL(), home.Rules.Links.HomeURL()
	return catalog.ByQuery{Own: c.Posts(), Asked: func(l *catalog.List) *catalog.List {
		seen := *l
		seen.Content = home.Posts()
		seen.Places = slices.Clone(l.Places)
		for i := range seen.Places {
			switch p := &seen.Places[i]; {
			case translated && p.Verdict == seo.Listed:
				p.Verdict = seo.ExternalLink
			case !translated && p.Verdict == seo.ExternalLink:
				p.Verdict = seo.Listed
			}
		}
		seen.First = slices.Clone(l.First)
		for i := range seen.First {
			switch f := &seen.First[i]; {
			case f.PostID != 0:
				*f = catalog.FirstLink{Loc: other, LastMod: wp.NoTime}
			case f.Loc == own:
				f.Loc = other
			}
		}
		return &seen
	}}
}
