package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// translated is what a catalog keeps of a multilingual site, so that a page names only those
// alternates that are listed somewhere.
type translated struct {
	alternates bool               // hreflang is written
	posts      []int64            // listed by the sites of other languages' domains, ascending
	terms      map[string][]int64 // the same by taxonomy
}

// language is what a build knows of a post type in one language.
type language struct {
	listed bool  // a post of it is listed, here or at the language's domain
	newest int64 // lastmod of those
}

// hasDomains reports whether the site is one of several, each with the content of its own language.
func (c *Catalog) hasDomains() bool { return c.site.Language() != "" }

// foreign reports whether what has no language has no place here: it stands below home itself, which the default
// language's site takes care of. The plugin looks at the host alone, and so lists it nowhere where the default
// language, too, has a sub-domain.
func (c *Catalog) foreign() bool { return c.policy.foreign(c) }

// homeOf is the address under which an object of a language is listed; "" is this site's own.
func (c *Catalog) homeOf(code string) string {
	if code != "" && c.hasDomains() && code != c.site.Language() {
		if l, ok := c.site.LanguageByCode(code); ok {
			return l.Home[:len(l.Home)-1]
		}
	}
	return c.site.Home()
}

// speak finds out the language of every post, and leaves out those that have none or stand in
// the sitemaps of another domain.
func (b *build) speak(ctx context.Context) error {
	languages := b.site.Languages()
	if languages == nil {
		return nil
	}
	b.translated.alternates = b.opt.Hreflang && b.policy.alternates()
	b.translated.terms = map[string][]int64{}
	b.languages = map[string][]language{}
	found := func(postType string) func(id int64, language int) {
		return func(id int64, language int) {
			if i, ok := findPost(b.posts[postType], id); ok && language < 255 {
				if r := &b.posts[postType][i]; r.language == 0 || int(r.language) > language+1 {
					r.language = uint8(language + 1)
				}
			}
		}
	}
	if b.site.LanguagesOfAllPosts() {
		err := b.site.EachPostLanguage(ctx, "", func(id int64, language int) {
			for name := range b.posts {
				found(name)(id, language)
			}
		})
		if err != nil {
			return err
		}
	}
	for name, rows := range b.posts {
		if !b.site.TranslatesPostType(name) {
			b.judgeUntranslated(name, rows)
			continue
		}
		if !b.site.LanguagesOfAllPosts() {
			if err := b.site.EachPostLanguage(ctx, name, found(name)); err != nil {
				return err
			}
		}
		b.languages[name] = b.sortLanguages(rows, languages)
	}
	slices.Sort(b.translated.posts)
	return nil
}

// judgeUntranslated judges the rows of a type without languages.
func (b *build) judgeUntranslated(postType string, rows []postRow) {
	if b.foreign() && postType != "attachment" { // those were judged by their links
		for i := range rows {
			rows[i].leave(ExternalLink)
		}
	}
}

// sortLanguages judges the rows of a translated type by their language.
func (b *build) sortLanguages(rows []postRow, languages []wp.Language) []language {
	of := make([]language, len(languages))
	for i := range of {
		of[i].newest = wp.NoTime
	}
	for i := range rows {
		r := &rows[i]
		n := int(r.language) - 1
		switch {
		case n < 0 && !b.site.ListsWithoutLanguage(), n >= 0 && !languages[n].Active:
			r.leave(NoLanguage)
			continue
		case r.rule == Listed && n >= 0:
			of[n].listed = true
			of[n].newest = max(of[n].newest, r.lastmod.unix())
		}
		if b.hasDomains() && (n < 0 && b.foreign() || n >= 0 && languages[n].Code != b.site.Language()) {
			if r.rule == Listed && b.translated.alternates {
				b.translated.posts = append(b.translated.posts, r.id)
			}
			r.leave(OtherLanguage)
		}
	}
	return of
}

// leave takes a row out of the pages for a reason that the plugin's SQL knows.
func (r *postRow) leave(rule Rule) {
	if r.rule.counted() {
		r.rule = rule
	}
}

// termLanguage returns what decides about the terms of a translated taxonomy: for each its
// language, and the rule that leaves it out, Listed for none.
func (b *build) termLanguages(ctx context.Context, t *registry.Taxonomy, terms []wp.TermRow) (func(id int64) (string, Rule), error) {
	languages := b.site.Languages()
	if languages == nil {
		return func(int64) (string, Rule) { return "", Listed }, nil
	}
	if !b.site.TranslatesTaxonomy(t.Name) {
		rule := Listed
		if b.foreign() {
			rule = b.policy.untranslatedTerm
		}
		return func(int64) (string, Rule) { return "", rule }, nil
	}
	byTerm, err := b.site.TermLanguages(ctx, t.Name, terms)
	inactive := slices.ContainsFunc(languages, func(l wp.Language) bool { return !l.Active })
	return func(id int64) (string, Rule) {
		n, ok := byTerm[id]
		switch {
		case !ok && b.site.ListsWithoutLanguage() && !b.foreign():
			return "", Listed
		case !ok && (b.hasDomains() || inactive), ok && !languages[n].Active:
			return "", NoLanguage
		case !ok:
			return "", Listed
		case b.hasDomains() && languages[n].Code != b.site.Language():
			return languages[n].Code, OtherLanguage
		}
		return languages[n].Code, Listed
	}, err
}

// queried reports whether the plugin sees a post when it looks for the newest one of a taxonomy's terms: where
// the taxonomy has no languages and a type of it has, only posts of the current language.
func (b *build) queried(t *registry.Taxonomy, r postRow) bool {
	if r.language == 0 && b.site.Languages() == nil || b.site.TranslatesTaxonomy(t.Name) || !slices.ContainsFunc(t.ObjectTypes, b.site.TranslatesPostType) {
		return true
	}
	current, known := b.site.CurrentLanguage()
	return !known || r.language > 0 && b.site.Languages()[r.language-1].Code == current.Code
}

// homeOfDefaultLanguage is the address of home in the language that has no domain or code but home itself.
func (b *build) homeOfDefaultLanguage() string {
	if !b.hasDomains() && !b.site.HidesDefaultLanguage() {
		if l, ok := b.site.LanguageByCode(b.site.DefaultLanguage()); ok { // home only leads on to it
			return l.Home
		}
	}
	return b.links.HomeURL()
}

// yoastLanguageLinks adds the homes and archives of the other languages to a translated post type, by the
// plugin's rule behind the posts of the first page and whether or not they have any.
func (b *build) yoastLanguageLinks(ctx context.Context, t *registry.PostType, l *list) error {
	if b.hasDomains() {
		return nil
	}
	newest := b.newestOf(l)
	current, known := b.site.CurrentLanguage()
	if t.Name == "post" {
		if b.site.Settings().PageOnFront > 0 {
			return nil
		}
		for _, lang := range b.site.Languages() {
			if lang.Active && (lang.Code != b.site.DefaultLanguage() || !b.site.HidesDefaultLanguage()) {
				l.after = append(l.after, firstLink{loc: lang.Home, lastmod: newest})
			}
		}
		return nil
	}
	if own, err := b.archiveIsPage(ctx, t); err != nil || own || !t.HasArchive {
		return err
	}
	for _, lang := range b.site.Languages() {
		if !lang.Active || known && lang.Code == current.Code {
			continue
		}
		link, err := b.site.ArchiveLinkIn(ctx, t, lang.Code)
		if err != nil {
			return err
		}
		if link != "" {
			l.after = append(l.after, firstLink{loc: link, lastmod: newest})
		}
	}
	return nil
}

// archiveIsPage reports whether a page stands where the archive of a post type would.
func (b *build) archiveIsPage(ctx context.Context, t *registry.PostType) (bool, error) {
	if t.ArchivePage > 0 {
		return true, nil
	}
	return b.site.PageAt(ctx, cmp.Or(t.ArchiveSlug, t.Slug, t.Name))
}

// ownLanguageLinks replaces the archive or home of a translated post type by those of every language in which
// it has one, each naming the others.
func (b *build) ownLanguageLinks(ctx context.Context, t *registry.PostType, l *list) error {
	home := t.Name == "post" && b.site.Settings().ShowOnFront == "posts"
	if len(l.first) != 1 || l.first[0].object != 0 || t.Name == "page" || t.Name == "post" && !home {
		return nil
	}
	if !home {
		if own, err := b.archiveIsPage(ctx, t); err != nil || own {
			return err
		}
	}
	var links []firstLink
	var alternates []wp.Alternate
	for i, lang := range b.site.Languages() {
		of := b.languages[t.Name][i]
		if !lang.Active || !home && !of.listed {
			continue
		}
		loc := lang.Home
		switch {
		case !home:
			var err error
			if loc, err = b.site.ArchiveLinkIn(ctx, t, lang.Code); err != nil {
				return err
			}
		case lang.Code == b.site.Language(), !b.hasDomains() && lang.Code == b.site.DefaultLanguage():
			loc = l.first[0].loc
		}
		if slices.ContainsFunc(alternates, func(a wp.Alternate) bool { return a.Link == loc }) { // the form of the links tells no language
			continue
		}
		alternates = append(alternates, wp.Alternate{Language: lang.Code, Link: loc})
		if !b.hasDomains() || lang.Code == b.site.Language() {
			links = append(links, firstLink{loc: loc, lastmod: of.newest})
		}
	}
	named := b.alternateLinks(alternates)
	for i := range links {
		links[i].alternates = named
	}
	l.first = links
	return nil
}

// translateFirstLinks names the translations of the front page and of the posts page.
func (b *build) translateFirstLinks(ctx context.Context) error {
	if !b.translated.alternates {
		return nil
	}
	for _, l := range b.lists {
		for i := range l.first {
			f := &l.first[i]
			id := cmp.Or(f.postID, f.object)
			if id == 0 {
				continue
			}
			posts, err := b.site.TranslatedPosts(ctx, []int64{id}, nil, b.listsPost, nil)
			if err != nil {
				return err
			}
			if len(posts) == 1 {
				f.alternates = b.alternateLinks(posts[0].Alternates)
			}
		}
	}
	return nil
}

// translations returns what lets an alternate among the posts, or among the terms of a taxonomy, pass; nil when none are wanted.
func (c *Catalog) translations(taxonomy string) func(id int64) bool {
	if !c.translated.alternates {
		return nil
	}
	if taxonomy == "" {
		return c.listsPost
	}
	return func(id int64) bool {
		if _, ok := slices.BinarySearch(c.translated.terms[taxonomy], id); ok {
			return true
		}
		for _, l := range c.lists {
			if l.name == taxonomy {
				return l.lists(id)
			}
		}
		return false
	}
}

// listsPost reports whether a post stands in a sitemap, here or at another language's domain.
func (c *Catalog) listsPost(id int64) bool {
	if _, ok := slices.BinarySearch(c.translated.posts, id); ok {
		return true
	}
	for _, l := range c.lists {
		if l.ofPosts && l.lists(id) {
			return true
		}
	}
	return false
}

// lists reports whether an object is on a list that is ordered by id.
func (l *list) lists(id int64) bool {
	for _, f := range l.first {
		if f.postID == id || f.object == id {
			return true
		}
	}
	i, ok := slices.BinarySearchFunc(l.entries, id, func(e entry, id int64) int { return cmp.Compare(e.id, id) })
	return ok && l.entries[i].rule == Listed
}

// defaultAlternate is the hreflang of the address for all other languages.
const defaultAlternate = "x-default"

// alternateLinks puts alternates into the terms of hreflang: the default language's, else the first, stands for
// all other languages, too. Fewer than two are none.
func (c *Catalog) alternateLinks(alternates []wp.Alternate) []urlset.Alternate {
	if len(alternates) < 2 || !c.translated.alternates {
		return nil
	}
	links := make([]urlset.Alternate, 0, len(alternates)+1)
	others := alternates[0].Link
	for _, a := range alternates {
		l, _ := c.site.LanguageByCode(a.Language)
		links = append(links, urlset.Alternate{Language: l.Tag, Href: a.Link})
		if a.Language == c.site.DefaultLanguage() {
			others = a.Link
		}
	}
	return append(links, urlset.Alternate{Language: defaultAlternate, Href: others})
}

// asked stands before the name of a sitemap that is asked for by the query variable.
const asked = "?"

// QueryName returns the name under which Render knows a sitemap that is asked for by the query
// variable (/?sitemap=post) and not by its own address. On the domains of Polylang's other languages the
// plugin answers these differently: it takes home for the default domain's then, so that what stands below it is
// listed, and what belongs to the domain itself is not.
func (c *Catalog) QueryName(name string) string {
	return c.policy.queryName(c, name)
}

// atHome is a post type's list as the plugin makes it when home is the default domain's.
func (c *Catalog) atHome(l *list) (*Catalog, *list) {
	home, seen := *c, *l
	home.site = c.site.AtHome()
	home.links = permalink.New(home.site.Settings().Permalinks)
	seen.entries = slices.Clone(l.entries)
	for i := range seen.entries {
		switch e := &seen.entries[i]; {
		case c.site.TranslatesPostType(l.name) && e.rule == Listed:
			e.rule = ExternalLink
		case !c.site.TranslatesPostType(l.name) && e.rule == ExternalLink:
			e.rule = Listed
		}
	}
	seen.first = slices.Clone(l.first)
	for i := range seen.first {
		switch f := &seen.first[i]; {
		case f.postID != 0:
			*f = firstLink{loc: home.links.HomeURL(), lastmod: wp.NoTime}
		case f.loc == c.links.HomeURL():
			f.loc = home.links.HomeURL()
		}
	}
	seen.render = home.postURLs
	return &home, &seen
}
