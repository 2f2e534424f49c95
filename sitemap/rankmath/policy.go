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
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Policy is level plugin: exactly what Rank Math 1.0.273 emits.
var Policy = provider.Policy{
	Posts: provider.PostPolicy{
		Past: catalog.PastUnlisted, TakesPlace: takesPlace(seo.KindPost), Dates: postDates,
		Newest: func(b *provider.Build, l *catalog.List) int64 { return newestOf(b, l.Of) },
		Order: func(rows []rows.PostRow, indexes []int32) { // latest change first
			slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(rows[y].Modified.Unix(), rows[x].Modified.Unix()) })
		},
		Indexed: func(_ *provider.Build, _ *registry.PostType, l *catalog.List) bool { return len(l.Entries) > 0 },
	},
	Terms: provider.TermPolicy{
		TakesPlace: func(r *seo.Rules, v seo.Verdict) bool {
			return takesPlace(seo.KindTerm)(r, v) && v != seo.ExcludedInPlugin
		},
		Order: provider.ByID,
		Dates: termDates,
	},
	Authors: provider.AuthorPolicy{
		TakesPlace: func(_ *seo.Rules, v seo.Verdict) bool { return v == seo.Listed || v == seo.OperatorExcluded },
		Order: func(_ context.Context, b *provider.Build, ids []int64) error { // latest update first, then those without one
			slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.Rows.Authors[y].Stamp, b.Rows.Authors[x].Stamp) })
			return nil
		},
		Read: registered, Lastmod: lastUpdate, IndexDates: authorDates,
	},
	First: provider.FirstLinkPolicy{
		Links: firstLinks,
		Home:  home,
	},
	Images: provider.ImagePolicy{
		Own: true, Read: imageRules,
	},
	Past: catalog.PastUnlisted, Encoding: urlset.Plugin,
}

// Decisions are the plugin's. What its query leaves out comes first, whatever else there is to say: own noindex, status,
// password. The rest it finds out later, when that has taken its place on a page; then an index of its own beats a noindex.
var Decisions = func() *seo.Decisions {
	d := *Spec
	d.Checks = []seo.Check{
		noindexCheck.When(func(r *seo.Rules, o *seo.Object) bool { return o.Noindex && asksNoindex(r, o.Kind) }),
		seo.NotPublishedCheck, seo.ProtectedCheck, seo.NotAMemberCheck,
		seo.ParentHiddenCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.ParentHidden && c.Settings.(*settings).before("1.0.203")
		}),
		seo.FrontPageCheck.When(func(c *seo.Rules, o *seo.Object) bool { // before, the posts page was one of the pages, too
			return o.FirstLink && !c.Settings.(*settings).before("1.0.211")
		}), otherLanguageCheck,
		seo.ExcludedCheck, excludedCheck, roleCheck,
		noindexCheck.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Noindex && !o.Index && !o.Broken }),
		typeCheck.When(func(c *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && typeCheck.Applies(c, o) }),
		seo.LinksElsewhereCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind == seo.KindPost && o.LinksTo != "" && c.External(o.LinksTo)
		}),
		seo.ExternalLinkCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Link != "" && (o.Kind == seo.KindPost || o.Kind == seo.KindPostsPage) && !c.IsInternal(o.Link, o.Language)
		}),
		canonicalCheck.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Kind != seo.KindUser && o.Differs() }),
	}
	d.Foreign, d.TermInUse = nil, inUse
	d.Internal = internal
	d.Protected = func(set, null bool) bool { return set || null }
	d.LockedParents = true
	d.AttachmentOpen = func(r *seo.Rules, status string) bool { // by the status of its parent alone, then like a post, which none is
		set := r.Settings.(*settings)
		return set.before("1.0.203") || status == "publish" || status == "inherit" && !set.before("1.0.211")
	}
	d.FirstLink = func(set *wp.Settings, id int64) bool {
		return set.ShowOnFront == "page" && id > 0 && id == set.PageForPosts
	}
	d.UntranslatedTerm = seo.Listed
	d.DatesTerms = (*seo.Rules).HasTaxonomy
	d.Home, d.Alternates, d.EmptyIndex, d.EveryLanguage = nil, false, false, true
	return &d
}()

// otherLanguageCheck is on terms: Polylang shows Rank Math those of the language of the request alone. A request
// that has the language of a content, of which a sitemap has none, finds all. Of WPML it asks for all, but where languages have hosts.
var otherLanguageCheck = seo.Check{
	Verdict:  seo.OtherLanguage,
	Sentence: "Rank Math lists the terms of the default language, or of the language of its host, alone.",
	Applies: func(c *seo.Rules, o *seo.Object) bool {
		if o.Kind != seo.KindTerm || !c.Blog.TranslatesTaxonomy(o.Type) || c.Blog.LanguageOfContent() {
			return false
		}
		asked, _ := c.Blog.CurrentLanguage()
		wpml := c.Blog.ListsWithoutLanguage()
		return o.Language != asked.Code && (!wpml || c.HasDomains() && o.Language != "")
	},
}

// internal reports whether a link stays on the site: its host equals home's, and its path contains home's path.
func internal(c *seo.Rules, link, language string) bool {
	_, own, _ := strings.Cut(c.HomeOf(language), "://")
	_, rest, absolute := strings.Cut(link, "://")
	host, path, _ := strings.Cut(own, "/")
	asked, below, _ := strings.Cut(rest, "/")
	asked, _, _ = strings.Cut(asked, "?")
	return !absolute || strings.EqualFold(asked, host) && strings.Contains("/"+below, "/"+path)
}

// asksNoindex reports whether the plugin's query for objects of a kind leaves out those with noindex.
func asksNoindex(r *seo.Rules, k seo.ObjectKind) bool {
	switch set := r.Settings.(*settings); k {
	case seo.KindPost:
		return !set.before("1.0.203")
	case seo.KindTerm:
		return !set.before("1.0.218")
	}
	return k != seo.KindPostsPage // for which it has no query
}

// takesPlace returns what reports whether an object of a kind takes a place on the pages: what the plugin's query leaves out
// does not.
func takesPlace(k seo.ObjectKind) func(*seo.Rules, seo.Verdict) bool {
	return func(r *seo.Rules, v seo.Verdict) bool {
		return v.Late() && v != seo.FrontPageItself && (v != seo.MetaNoindex || !asksNoindex(r, k))
	}
}

// home is the address of the home page, with a slash at its end where permalinks have one.
func home(b *provider.Build) string { return b.Links.Trailing(b.Blog.Home()) }

// newestOf is the newest date of a post type, of what has no noindex of its own.
func newestOf(b *provider.Build, postType string) int64 {
	newest, all := wp.NoTime, b.Settings.(*settings).before("1.0.208")
	for _, r := range b.Rows.Posts[postType] {
		if (r.Status == rows.Published || r.Status == rows.Inherited) && (all || r.Verdict != seo.MetaNoindex) {
			newest = max(newest, r.LastMod.Unix())
		}
	}
	return newest
}

// firstLinks are the addresses before the posts of a type. The front page is one of the pages, and the first on its page. The archive
// of products is listed with a page that is published, is not the front page, and has no noindex of its own.
func firstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	set := b.Blog.Settings()
	raise(b, l, set.PageOnFront, set.PageForPosts)
	switch {
	case set.PageOnFront <= 0 && (t.Name == "post" || t.Name == "page"):
		return b.HomeOfPosts(l), nil
	case t.Name == "post" && set.PageForPosts > 0:
		return postsPage(ctx, b, set.PageForPosts)
	case t.Name == "post" && set.ShowOnFront == "posts":
		return []catalog.FirstLink{{Loc: b.Blog.Home(), LastMod: b.NewestOf(l)}}, nil
	case t.Name == "post", !t.HasArchive:
		return nil, nil
	case t.Name == "product" && t.ArchivePage <= 0, t.Name == "product" && t.ArchivePage == set.PageOnFront:
		return nil, nil
	case t.Name == "product":
		if p, err := b.Page(ctx, t.ArchivePage); err != nil || p == nil || p.Status != "publish" || b.Settings.Post(p).Noindex {
			return nil, err
		}
	}
	return b.Archive(ctx, t, l)
}

// raise puts the pages of the settings to the front of their page of the list. The plugin does so with each as it comes upon it,
// so that the one changed first stands first. Entries that are in that order stay untouched: a catalog may share them.
func raise(b *provider.Build, l *catalog.List, ids ...int64) {
	changed := func(e catalog.Entry) int64 {
		if i, ok := rows.FindPost(b.Rows.Posts[l.Of], e.ID); ok {
			return b.Rows.Posts[l.Of][i].Modified.Unix()
		}
		return wp.NoTime
	}
	for first := 0; first < len(l.Entries); first += l.Size {
		page := l.Entries[first:min(first+l.Size, len(l.Entries))]
		var named []catalog.Entry
		for _, e := range page {
			if e.ID > 0 && slices.Contains(ids, e.ID) {
				named = append(named, e)
			}
		}
		slices.SortFunc(named, func(x, y catalog.Entry) int {
			return cmp.Or(cmp.Compare(changed(x), changed(y)), cmp.Compare(y.ID, x.ID))
		})
		if slices.Equal(named, page[:len(named)]) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(page), func(e catalog.Entry) bool { return slices.Contains(named, e) })
		copy(page[copy(page, named):], rest)
	}
}

// postsPage is the posts page, by its own rules and with its own date.
func postsPage(ctx context.Context, b *provider.Build, id int64) ([]catalog.FirstLink, error) {
	p, err := b.Page(ctx, id)
	if p == nil {
		return nil, err
	}
	rule, bare := b.JudgePage(seo.KindPostsPage, p), b.Settings.(*settings).before("1.0.264") // a link alone, by its robots
	if rule != seo.Listed && (!bare || rule != seo.CanonicalElsewhere && rule != seo.ExternalLink) {
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
	if bare {
		return []catalog.FirstLink{{Object: p.ID, Loc: p.Link, LastMod: wp.NoTime}}, nil
	}
	return []catalog.FirstLink{{PostID: p.ID, LastMod: max(p.ModifiedGMT, p.DateGMT)}}, nil
}

// postDates are the dates of a post type's pages in the index: of one page the newest, of several that of page k the k-th
// newest change, whatever the post.
func postDates(b *provider.Build, l *catalog.List) []int64 {
	places, set := len(l.Entries), b.Settings.(*settings)
	for _, r := range b.Rows.Posts[l.Of] {
		if r.Verdict == seo.PasswordProtected && set.before("1.0.205") && !set.before("1.0.203") { // which are counted
			places++
		}
	}
	dates := slices.Repeat([]int64{newestOf(b, l.Of)}, (places+l.Size-1)/l.Size)
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

// termDates are the dates of a taxonomy's pages in the index. It has a list of its own: all terms in use, by name, without
// those of noindex; of a taxonomy of noindex only those of which something is stored.
func termDates(b *provider.Build, t *registry.Taxonomy, _ *catalog.List, terms *rows.TermRows) []int64 {
	set := b.Settings.(*settings)
	key, hidden := set.typeNoindex("tax_", t.Name)
	hidden = hidden && key != globalRobots // of which its query knows nothing
	var ids []int64
	for i := range terms.Rows {
		row := &terms.Rows[i]
		shown := set.before("1.0.203") || !set.Meta.Term(t.Name, row.ID).Noindex && (!hidden || set.TermValue(metaRobots, row.ID) != "")
		if row.InUse && row.Verdict != seo.OtherLanguage && shown {
			ids = append(ids, row.ID)
		}
	}
	pages := slices.Collect(slices.Chunk(ids, b.Options.PageSize))
	return provider.DatesBelow(t, terms, pages, func(postType string) int64 { return newestOf(b, postType) })
}

const sqlRegistered = `SELECT ID, user_registered FROM wp_users WHERE ID IN (?)`

// registered reads when users without metaLastUpdate have registered.
func registered(ctx context.Context, b *provider.Build, ids []int64) (map[int64]int64, error) {
	dates := map[int64]int64{}
	var without []int64
	for _, id := range ids {
		if b.Rows.Authors[id].Stamp == noStamp {
			without = append(without, id)
		}
	}
	err := b.Blog.ByID(ctx, sqlRegistered, without, db.Rows2(func(id int64, date string) { dates[id] = wp.ParseDate(date) }))
	if db.Unreadable(err) {
		b.Options.Log.Warn("authors whose profile was never updated have no date", "home", b.Blog.Home(), "reason", err,
			"hint", "wpsitemapd grants prints what the account needs")
		err = nil
	}
	return dates, err
}

// lastUpdate is the date of a user.
func lastUpdate(b *provider.Build, id int64, registered map[int64]int64) int64 {
	if stamp := b.Rows.Authors[id].Stamp; stamp != noStamp {
		return wp.Stamp(stamp)
	}
	if date, ok := registered[id]; ok {
		return date
	}
	return wp.NoTime
}

const (
	sqlWriters = `SELECT DISTINCT post_author FROM wp_posts`
	sqlOpen    = `SELECT DISTINCT post_author FROM wp_posts WHERE post_author IN (?) AND post_status = 'publish' AND post_password = ''`
)

// writers are the users with a published post without password, of whatever type: those of types that are not read are asked for.
func writers(ctx context.Context, b *provider.Build) ([]int64, error) {
	wrote := b.Rows.OpenAuthors()
	var others []int64
	err := b.Blog.Query(ctx, sqlWriters, nil, db.Rows1(func(id int64) {
		if !wrote[id] {
			others = append(others, id)
		}
	}))
	if err != nil {
		return nil, err
	}
	err = db.Batches(others, func(ids []int64) error {
		return b.Blog.Query(ctx, sqlOpen, []any{ids}, db.Rows1(func(id int64) { wrote[id] = true }))
	})
	return slices.Sorted(maps.Keys(wrote)), err
}

// authorDates are the dates of the authors' pages in the index, which has a list of its own: users with a post or, where none is
// needed, all; a user once for each of its updates, the latest as a text first.
func authorDates(ctx context.Context, b *provider.Build, l *catalog.List) ([]int64, error) {
	set := b.Settings.(*settings)
	if set.before("1.0.210") { // those of the pages
		var dates []int64
		for page := range slices.Chunk(l.Entries, l.Size) {
			dates = append(dates, lastUpdate(b, page[0].ID, nil))
		}
		return dates, nil
	}
	otherPrefix := set.before("1.0.241") && len(set.roles()) > 0 && b.Blog.Table("usermeta") != "wp_usermeta" // its query has wp_capabilities
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
	authors, err := b.Blog.Authors(ctx, ids)
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
	for page := range slices.Chunk(updates, b.Options.PageSize) {
		date := wp.NoTime
		if n, err := strconv.ParseInt(page[0], 10, 64); err == nil {
			date = wp.Stamp(n)
		}
		dates = append(dates, date)
	}
	return dates, nil
}

// imageRules are the settings on images. Fields and galleries are read for the posts of a page at once.
func imageRules(ctx context.Context, r *provider.Renderer, posts []*wp.Post) (*provider.ImageRules, error) {
	set := r.Settings.(*settings)
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
		values, err := r.Blog.MetaOf(ctx, featured, metaExclude)
		if err != nil {
			return nil, err
		}
		rules.Featured = func(image int64) bool { return !php.NewString(values[metaExclude][image]).Truthy() }
	}
	return rules, set.addFields(ctx, r, posts, rules)
}

// addFields adds the images of custom fields and of the galleries of products.
func (s *settings) addFields(ctx context.Context, r *provider.Renderer, posts []*wp.Post, rules *provider.ImageRules) error {
	fields, keys, ids := map[string][]string{}, []string{}, []int64{} // the fields by post type
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
	values, err := r.Blog.MetaOf(ctx, ids, keys...)
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

// isImage reports whether a value is the address of an image by its name.
func isImage(src string) bool {
	at := strings.LastIndexByte(src, '.')
	return at > 0 && strings.Contains(src, "://") &&
		slices.Contains([]string{"jpg", "jpeg", "png", "gif", "webp"}, strings.ToLower(src[at+1:]))
}
