package rankmath

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// SpecLevel holds the decisions and the policy of level spec on a site with Rank Math.
type SpecLevel struct {
	seo.SpecDecisions
	provider.SpecPolicy
}

func (SpecLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog, seo.SpecLevel) }
func (SpecLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog) }

func (SpecLevel) Checks() []seo.Check {
	return seo.SpecChecks(seo.Own{Noindex: noindexCheck, Canonical: canonicalCheck, More: []seo.Check{excludedCheck, roleCheck, typeCheck}})
}

func (SpecLevel) JudgeHome(c *seo.Rules, link string) seo.Verdict {
	return c.JudgeArchive("post", link)
}

// FreeAuthors implements seo.Decisions: it returns all members of the site.
func (SpecLevel) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return objects.Members(ctx, blog)
}

// TermInUse implements seo.Decisions. If the option noindex_empty_taxonomies is on, an empty term is not in
// use, even if its own robots say index.
func (SpecLevel) TermInUse(c *seo.Rules, taxonomy string, listed bool, count int64) bool {
	noindex := on(c.Settings.(*settings).titles.Get("noindex_empty_taxonomies"))
	return termInUse(c, taxonomy, count) && (listed || !noindex)
}

// PageSize implements provider.Policy: it returns the operator's number, or else the number in the settings.
func (SpecLevel) PageSize(blog *wp.Blog, wanted int) int { return pageSize(blog, wanted) }

// PluginLevel holds the decisions and the policy of level plugin: exactly what Rank Math 1.0.273 emits.
type PluginLevel struct {
	seo.PluginDecisions
	provider.PluginPolicy
}

func (PluginLevel) Presence(blog *wp.Blog) seo.Presence       { return presence(blog, seo.PluginLevel) }
func (PluginLevel) Settings(blog *wp.Blog) seo.PluginSettings { return newSettings(blog) }

func (PluginLevel) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return objects.Members(ctx, blog)
}

// TermInUse implements seo.Decisions. A term with posts of its own is in use. If a setting includes
// empty terms, every term is in use.
func (PluginLevel) TermInUse(c *seo.Rules, taxonomy string, _ bool, count int64) bool {
	return termInUse(c, taxonomy, count)
}

func termInUse(c *seo.Rules, taxonomy string, count int64) bool {
	return count > 0 || on(c.Settings.(*settings).sitemap.Get("tax_"+taxonomy+"_include_empty"))
}

// Checks implements seo.Decisions. The first checks repeat the plugin's query: noindex of the object,
// status, password. The other checks run after an object has taken a place on a page. For these, a stored
// "index" overrides noindex.
func (PluginLevel) Checks() []seo.Check {
	return []seo.Check{
		noindexCheck.When(func(r *seo.Rules, o *seo.Object) bool { return o.Flags.Noindex && asksNoindex(r, o.Kind) }),
		seo.NotPublishedCheck, seo.ProtectedCheck, seo.NotAMemberCheck,
		seo.ParentHiddenCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.ParentHidden && c.Settings.(*settings).before("1.0.203")
		}),
		seo.FrontPageCheck.When(func(c *seo.Rules, o *seo.Object) bool { // older versions also listed the posts page among the pages
			return o.FirstLink && !c.Settings.(*settings).before("1.0.211")
		}), otherLanguageCheck,
		seo.ExcludedCheck, excludedCheck, roleCheck,
		noindexCheck.When(func(_ *seo.Rules, o *seo.Object) bool {
			// PHP reads the value of these two pages. An unreadable value says nothing.
			ignored := o.Flags.Broken && (o.Kind == seo.KindFrontPage || o.Kind == seo.KindPostsPage)
			return o.Flags.Noindex && !o.Flags.Index && !ignored
		}),
		typeCheck.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && typeCheck.Applies(c, o) }),
		seo.LinksElsewhereCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind == seo.KindPost && o.LinksTo != "" && c.External(o.LinksTo)
		}),
		seo.ExternalLinkCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Link != "" && (o.Kind == seo.KindPost || o.Kind == seo.KindPostsPage) && !c.IsInternal(o.Link, o.Language)
		}),
		canonicalCheck.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && o.Differs() }),
	}
}

func (PluginLevel) Protected(set, null bool) bool { return set || null }
func (PluginLevel) LockedParents() bool           { return true }
func (PluginLevel) EveryLanguage() bool           { return true }

// AttachmentOpen implements seo.Decisions. Before 1.0.203, the status of an attachment does not matter. Since 1.0.203,
// an attachment must be published, which is rare. Since 1.0.211, an attachment may also inherit the status of its
// parent.
func (PluginLevel) AttachmentOpen(r *seo.Rules, status string) bool {
	set := r.Settings.(*settings)
	return set.before("1.0.203") || status == "publish" || status == "inherit" && !set.before("1.0.211")
}

func (PluginLevel) FirstLink(set *wp.Settings, id int64) bool {
	return set.ShowOnFront == "page" && id > 0 && id == set.PageForPosts
}

func (PluginLevel) DatesTerms(r *seo.Rules, t *registry.PostType) bool { return r.HasTaxonomy(t) }

func (PluginLevel) PageSize(blog *wp.Blog, wanted int) int { return pageSize(blog, wanted) }

// TakesPlace implements provider.Policy. An object takes a place unless the plugin's query leaves it out.
func (PluginLevel) TakesPlace(r *seo.Rules, k seo.ObjectKind, v seo.Verdict) bool {
	if k == seo.KindUser {
		return v == seo.Listed || v == seo.Excluded
	}
	if k == seo.KindTerm && v == seo.ExcludedInPlugin {
		return false
	}
	return v.Late() && v != seo.FrontPageItself && (v != seo.MetaNoindex || !asksNoindex(r, k))
}

func (PluginLevel) Past() catalog.PastEnd      { return catalog.PastUnlisted }
func (PluginLevel) PostsPast() catalog.PastEnd { return catalog.PastUnlisted }

// OrderPosts implements provider.Policy: the post changed last is first.
func (PluginLevel) OrderPosts(all []rows.Post, indexes []int32) {
	slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(all[y].Modified.Unix(), all[x].Modified.Unix()) })
}

func (PluginLevel) OrderTerms(_ *provider.Build, _ *registry.Taxonomy, terms catalog.Places) {
	terms.ByID()
}

// OrderAuthors implements provider.Policy: the user updated last is first; users without an update come last.
func (PluginLevel) OrderAuthors(_ context.Context, b *provider.Build, ids []int64) error {
	slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.Rows.Authors[y].Stamp, b.Rows.Authors[x].Stamp) })
	return nil
}

func (PluginLevel) IndexesPosts(_ *provider.Build, _ *registry.PostType, l *catalog.List) bool {
	return len(l.Places) > 0
}

func (PluginLevel) Newest(b *provider.Build, l *catalog.List) int64 { return newestOf(b, l.Of) }

// HomeURL implements provider.Policy: home ends in a slash if permalinks do.
func (PluginLevel) HomeURL(b *provider.Build) string {
	return b.Rules.Links.Trailing(b.Rules.Blog.Home())
}

func (PluginLevel) OwnImage() bool { return true }

// otherLanguageCheck leaves out terms that are not in the language of the request. Polylang shows Rank Math only the terms of
// the language of the request. If Polylang takes the language from the content, a request for a sitemap has
// no language, and Rank Math finds all terms.
//
// With WPML, Rank Math finds all terms, unless each language has a host of its own.
var otherLanguageCheck = seo.Check{
	Verdict:  seo.OtherLanguage,
	Sentence: "Rank Math lists the terms of the default language, or of the language of its host, alone.",
	Applies: func(c *seo.Rules, o *seo.Object) bool {
		if o.Kind != seo.KindTerm || !c.Blog.Languages().Taxonomies[o.Type] || c.Blog.Languages().Content {
			return false
		}
		asked, _ := c.Blog.Languages().Asked()
		wpml := c.Blog.Languages().ListsWithoutLanguage()
		return o.Language != asked.Code && (!wpml || c.HasDomains() && o.Language != "")
	},
}

// Internal implements seo.Decisions: a link stays on the site if its host equals home's and its path contains home's path.
func (PluginLevel) Internal(c *seo.Rules, link, language string) bool {
	_, home, _ := strings.Cut(c.HomeOf(language), "://")
	_, target, absolute := strings.Cut(link, "://")
	homeHost, homePath, _ := strings.Cut(home, "/")
	host, path, _ := strings.Cut(target, "/")
	host, _, _ = strings.Cut(host, "?")
	return !absolute || strings.EqualFold(host, homeHost) && strings.Contains("/"+path, "/"+homePath)
}

// asksNoindex reports whether the plugin's query for objects of this kind leaves out noindexed objects.
func asksNoindex(r *seo.Rules, k seo.ObjectKind) bool {
	switch set := r.Settings.(*settings); k {
	case seo.KindPost:
		return !set.before("1.0.203")
	case seo.KindTerm:
		return !set.before("1.0.218")
	}
	return k != seo.KindPostsPage // the plugin has no query for the posts page
}

// newestOf returns the newest date of the posts of a type. Since 1.0.208, posts that are noindex do not count.
func newestOf(b *provider.Build, postType string) int64 {
	newest, all := wp.NoTime, b.Rules.Settings.(*settings).before("1.0.208")
	for _, r := range b.Rows.Posts[postType] {
		if (r.Status == rows.Published || r.Status == rows.Inherited) && (all || r.Verdict != seo.MetaNoindex) {
			newest = max(newest, r.LastMod.Unix())
		}
	}
	return newest
}

// FirstLinks implements provider.Policy. The front page is not a first link: it is listed among the posts of
// type page, as the first entry of the sitemap that contains it. The archive of products is listed if the shop page is published, is
// not the front page, and is not set to noindex.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	set := b.Rules.Blog.Settings()
	raise(b, l, set.PageOnFront, set.PageForPosts)
	switch {
	case set.PageOnFront <= 0 && (t.Name == "post" || t.Name == "page"):
		return b.HomeOfPosts(l), nil
	case t.Name == "post" && set.PageForPosts > 0:
		return postsPage(ctx, b, set.PageForPosts)
	case t.Name == "post" && set.ShowOnFront == "posts":
		return []catalog.FirstLink{{Loc: b.Rules.Blog.Home(), LastMod: b.NewestOf(l)}}, nil
	case t.Name == "post", !t.HasArchive:
		return nil, nil
	case t.Name == "product":
		if t.ArchivePage <= 0 || t.ArchivePage == set.PageOnFront {
			return nil, nil
		}
		if p, err := b.Page(ctx, t.ArchivePage); err != nil || p == nil || p.Status != "publish" || b.Rules.Settings.Post(p).Noindex {
			return nil, err
		}
	}
	return b.Archive(ctx, t, l)
}

// raise moves the front page and the posts page to the start of their page of the list. If both are on the
// same page, the one with the older change comes first, as in the plugin.
//
// Places that are already in this order are not written, because catalogs may share them.
func raise(b *provider.Build, l *catalog.List, ids ...int64) {
	changed := func(p catalog.Place) int64 {
		if i, ok := rows.FindPost(b.Rows.Posts[l.Of], p.ID); ok {
			return b.Rows.Posts[l.Of][i].Modified.Unix()
		}
		return wp.NoTime
	}
	for first := 0; first < len(l.Places); first += l.Size {
		page := l.Places[first:min(first+l.Size, len(l.Places))]
		var named catalog.Places
		for _, p := range page {
			if p.ID > 0 && slices.Contains(ids, p.ID) {
				named = append(named, p)
			}
		}
		slices.SortFunc(named, func(x, y catalog.Place) int {
			return cmp.Or(cmp.Compare(changed(x), changed(y)), cmp.Compare(y.ID, x.ID))
		})
		if slices.Equal(named, page[:len(named)]) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(page), func(p catalog.Place) bool { return slices.Contains(named, p) })
		copy(page[copy(page, named):], rest)
	}
}

// postsPage returns the posts page as a first link. The settings and the date of the page itself count.
// postsPage returns nil if a rule leaves out the page.
func postsPage(ctx context.Context, b *provider.Build, id int64) ([]catalog.FirstLink, error) {
	p, err := b.Page(ctx, id)
	if p == nil {
		return nil, err
	}
	rule, err := b.Rules.JudgePage(ctx, seo.KindPostsPage, p)
	if err != nil {
		return nil, err
	}
	bare := b.Rules.Settings.(*settings).before("1.0.264") // older versions list the bare link if its robots allow it
	if rule != seo.Listed && (!bare || rule != seo.CanonicalElsewhere && rule != seo.ExternalLink) {
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
	if bare {
		return []catalog.FirstLink{{Object: p.ID, Loc: p.Link, LastMod: wp.NoTime}}, nil
	}
	return []catalog.FirstLink{{PostID: p.ID, LastMod: max(p.Dates.ChangedGMT, p.Dates.PublishedGMT)}}, nil
}

// PostDates implements provider.Policy. If there is one page, it has the newest date. If there are
// several, page k has the k-th newest change of any post.
func (PluginLevel) PostDates(b *provider.Build, l *catalog.List) []int64 {
	dates := slices.Repeat([]int64{newestOf(b, l.Of)}, (len(l.Places)+l.Size-1)/l.Size)
	if len(dates) < 2 {
		return dates
	}
	var changes []int64
	for _, r := range b.Rows.Posts[l.Of] {
		if r.Status == rows.Published || r.Status == rows.Inherited {
			changes = append(changes, r.ModifiedGMT.Unix())
		}
	}
	slices.Sort(changes)
	slices.Reverse(changes)
	copy(dates, changes)
	return dates
}

// TermDates implements provider.Policy. For the dates in the index the plugin divides another list of terms
// into pages: all terms in use that are not noindex, by name. If the taxonomy is noindex, only terms with
// robots of their own count. Before 1.0.203, noindex does not matter.
func (PluginLevel) TermDates(b *provider.Build, t *registry.Taxonomy, _ *catalog.List, terms *rows.Terms) []int64 {
	set := b.Rules.Settings.(*settings)
	key, hidden := set.typeNoindex("tax_", t.Name)
	hidden = hidden && key != globalRobots // its query ignores the global robots
	var ids []int64
	for i := range terms.All {
		term, id := &terms.All[i], terms.All[i].Row.ID
		shown := set.before("1.0.203") || !set.Meta.Term(t.Name, id).Noindex && (!hidden || set.TermValue(metaRobots, id) != "")
		if term.Row.InUse && term.Verdict != seo.OtherLanguage && shown {
			ids = append(ids, id)
		}
	}
	pages := slices.Collect(slices.Chunk(ids, b.Rules.Options.PageSize))
	return provider.DatesBelow(t, terms, pages, func(postType string) int64 { return newestOf(b, postType) })
}

const sqlRegistered = `SELECT ID, user_registered FROM wp_users WHERE ID IN (?)`

// DatesOfAuthors implements provider.Policy. The date is the last update of the profile, or the
// registration of the user if there was no update.
func (PluginLevel) DatesOfAuthors(ctx context.Context, b *provider.Build, ids []int64, _ map[int64]int64) (map[int64]int64, error) {
	dates := map[int64]int64{}
	var without []int64
	for _, id := range ids {
		if stamp := b.Rows.Authors[id].Stamp; stamp == noStamp {
			without = append(without, id)
		} else {
			dates[id] = wp.Stamp(stamp)
		}
	}
	err := b.Rules.Blog.ByID(ctx, "reading when authors registered", sqlRegistered, without,
		db.Rows2(func(id int64, date string) { dates[id] = wp.ParseDate(date) }))
	if db.Unreadable(err) {
		b.Rules.Options.Log.Warn("dates of authors whose profile was never updated cannot be read, so these authors have no lastmod",
			"home", b.Rules.Blog.Home(), "reason", err, "hint", "wpsitemapd grants prints what the account needs")
		err = nil
	}
	return dates, err
}

const (
	sqlWriters = `SELECT DISTINCT post_author FROM wp_posts`
	sqlOpen    = `SELECT DISTINCT post_author FROM wp_posts WHERE post_author IN (?) AND post_status = 'publish' AND post_password = ''`
)

// writers returns the users with a published post of any type without a password. It queries the database
// for users without such a post among the rows that were read.
func writers(ctx context.Context, b *provider.Build) ([]int64, error) {
	wrote := b.Rows.OpenAuthors()
	var others []int64
	err := b.Rules.Blog.Query(ctx, sqlWriters, nil, db.Rows1(func(id int64) {
		if !wrote[id] {
			others = append(others, id)
		}
	}))
	if err != nil {
		return nil, err
	}
	err = db.Batches(others, func(ids []int64) error {
		return b.Rules.Blog.Query(ctx, sqlOpen, []any{ids}, db.Rows1(func(id int64) { wrote[id] = true }))
	})
	return slices.Sorted(maps.Keys(wrote)), err
}

// AuthorDates implements provider.Policy. For the dates in the index the plugin makes another list: the
// stored updates of the profiles of users with a post, or of all users if no post is needed. The list is
// sorted as text in descending order. A page has the first date of its part of the list.
func (PluginLevel) AuthorDates(ctx context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	set := b.Rules.Settings.(*settings)
	if set.before("1.0.210") {
		return firstDates(b, l), nil
	}
	// These versions ask for the key wp_capabilities, whatever the prefix of the tables is.
	otherPrefix := set.before("1.0.241") && len(set.roles()) > 0 && b.Rules.Blog.Table("usermeta") != "wp_usermeta"
	if !set.indexesAuthors() || otherPrefix {
		return nil, nil
	}
	find := writers
	if set.AuthorTypes() == nil {
		find = func(ctx context.Context, b *provider.Build) ([]int64, error) { return b.Rows.EligibleAuthors(ctx, nil) }
	}
	ids, err := find(ctx, b)
	if err != nil {
		return nil, err
	}
	authors, err := b.Rules.Book.Authors(ctx, ids)
	if err != nil {
		return nil, err
	}
	var updates []string
	for _, a := range authors {
		if !set.inIndex(a) {
			continue
		}
		values := a.Meta(metaLastUpdate)
		for _, v := range values {
			updates = append(updates, v.String)
		}
		if len(values) == 0 {
			updates = append(updates, "")
		}
	}
	slices.SortFunc(updates, func(x, y string) int { return strings.Compare(y, x) })
	var dates []int64
	for page := range slices.Chunk(updates, b.Rules.Options.PageSize) {
		date := wp.NoTime
		if n, err := strconv.ParseInt(page[0], 10, 64); err == nil {
			date = wp.Stamp(n)
		}
		dates = append(dates, date)
	}
	return dates, nil
}

// firstDates returns the date of the first author of each page.
func firstDates(b *provider.Build, l *catalog.List) (dates []int64) {
	for page := range slices.Chunk(l.Places, l.Size) {
		date := wp.NoTime
		if stamp := b.Rows.Authors[page[0].ID].Stamp; stamp != noStamp {
			date = wp.Stamp(stamp)
		}
		dates = append(dates, date)
	}
	return dates
}

// ImageRules implements provider.Policy. It applies the plugin's settings for images, and reads the custom
// fields and galleries of all posts of a page at once.
func (PluginLevel) ImageRules(ctx context.Context, r *provider.Renderer, posts []*address.Post) (*provider.ImageRules, error) {
	set := r.Rules.Settings.(*settings)
	if !set.images() {
		return &provider.ImageRules{None: true}, nil
	}
	rules := &provider.ImageRules{
		Featured: func(int64) bool { return false },
		Takes:    func(src string) bool { return !strings.Contains(src, "&") },
		Sources:  map[int64][]string{}, Files: map[int64][]int64{},
	}
	if on(set.sitemap.Get("include_featured_image")) {
		var featured []int64
		for _, p := range posts {
			featured = append(featured, p.Thumbnail)
		}
		values, err := r.Rules.Blog.MetaOf(ctx, featured, metaExclude)
		if err != nil {
			return nil, err
		}
		rules.Featured = func(image int64) bool { return !php.NewString(values[metaExclude][image]).Truthy() }
	}
	return rules, set.addFields(ctx, r, posts, rules)
}

// addFields adds the images of custom fields and of the galleries of products.
func (s *settings) addFields(ctx context.Context, r *provider.Renderer, posts []*address.Post, rules *provider.ImageRules) error {
	fields, keys, ids := map[string][]string{}, []string{}, []int64{} // custom fields by post type, meta keys to read, ids of posts
	for _, p := range posts {
		ids = append(ids, p.ID)
		if _, known := fields[p.Type]; known {
			continue
		}
		fields[p.Type] = nil
		for line := range strings.SplitSeq(s.sitemap.Get("pt_"+p.Type+"_image_customfields").Str(), "\n") {
			if key := strings.TrimSpace(line); key != "" {
				fields[p.Type] = append(fields[p.Type], key)
			}
		}
		keys = append(keys, fields[p.Type]...)
		if p.Type == "product" && s.shop {
			keys = append(keys, metaGallery)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	values, err := r.Rules.Blog.MetaOf(ctx, ids, keys...)
	for _, p := range posts {
		for _, key := range fields[p.Type] {
			if src := values[key][p.ID]; isImage(src) {
				rules.Sources[p.ID] = append(rules.Sources[p.ID], src)
			}
		}
		if p.Type == "product" && s.shop {
			rules.Files[p.ID] = idsOf(values[metaGallery][p.ID])
		}
	}
	return err
}

// isImage reports whether a value is the address of a file with the name of an image.
func isImage(src string) bool {
	at := strings.LastIndexByte(src, '.')
	return at > 0 && strings.Contains(src, "://") &&
		slices.Contains([]string{"jpg", "jpeg", "png", "gif", "webp"}, strings.ToLower(src[at+1:]))
}
