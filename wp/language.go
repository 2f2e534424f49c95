package wp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/weburl"
)

const (
	sqlTermsByTaxonomyID = `SELECT t.term_id, tt.term_taxonomy_id, t.slug, tt.parent, tt.description FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.term_taxonomy_id IN (?) AND tt.taxonomy = ?`

	sqlPageNames = `SELECT ID, post_name, post_parent FROM wp_posts WHERE post_name IN (?) AND post_type IN ('page', 'attachment')`
)

// Language is one language of a multilingual site.
type Language = multilingual.Language

// languages is what a site's multilingual plugin says, and the language that sitemaps are asked in. It is zero without such a plugin.
type languages struct {
	multilingual.Languages
	current int  // of All
	static  bool // show_on_front is page
}

func (l *languages) none() bool { return len(l.All) == 0 }

// Languages are the languages of a multilingual site in the order of its plugin, nil for any other site.
func (s *Blog) Languages() []Language { return s.languages.All }

// Language is the code of the language whose domain this site is, "" where one site holds
// all languages.
func (s *Blog) Language() string {
	if !s.languages.Domains {
		return ""
	}
	return s.languages.All[s.languages.current].Code
}

// CurrentLanguage is the language sitemaps are asked in: that of the domain, else the default one, which also
// replaces the language of a content where Polylang goes by that, as a sitemap has none. known is false without a
// multilingual plugin.
func (s *Blog) CurrentLanguage() (l Language, known bool) {
	if s.languages.none() {
		return Language{}, false
	}
	return s.languages.All[s.languages.current], true
}

// DefaultLanguage is the code of the default language, "" without a multilingual plugin.
func (s *Blog) DefaultLanguage() string {
	if s.languages.none() {
		return ""
	}
	return s.languages.All[s.languages.Main].Code
}

// LanguageOfContent reports whether a request has the language of what it shows, by Polylang's setting: a sitemap has none.
func (s *Blog) LanguageOfContent() bool { return s.languages.Content }

// LanguageRoot is home in a language as Polylang and WPML link to it by the code alone, whatever page is the start there.
func (s *Blog) LanguageRoot(code string) string { return s.languages.Links.Home(code) }

// HidesDefaultLanguage reports whether home itself is the start of the default language.
func (s *Blog) HidesDefaultLanguage() bool {
	l := &s.languages
	return l.none() || strings.TrimRight(l.All[l.Main].Home, "/") == strings.TrimRight(s.home, "/")
}

// LanguageByCode returns a language of the site.
func (s *Blog) LanguageByCode(code string) (Language, bool) {
	if i := s.languages.Index(code); i >= 0 {
		return s.languages.All[i], true
	}
	return Language{}, false
}

// TranslatesPostType reports whether the posts of a type have a language each.
func (s *Blog) TranslatesPostType(name string) bool { return s.languages.PostTypes[name] }

// TranslatesTaxonomy reports whether the terms of a taxonomy have a language each.
func (s *Blog) TranslatesTaxonomy(name string) bool { return s.languages.Taxonomies[name] }

// readLanguages reads the settings of the active multilingual plugin, if there is one.
func (s *Blog) readLanguages(ctx context.Context, o options) error {
	s.home = s.set.Home
	l, err := multilingual.Read(ctx, &multilingual.Access{
		Home: s.home, Structure: s.set.Permalinks.Structure, Prefix: s.prefix,
		Query: s.Query, Warn: s.warn, Wrap: s.wrap,
		Option: func(name string) php.Value { return o.serialized(name, s.warn) },
		Active: func(plugin string) bool { return s.set.ActivePlugins[plugin] },
	})
	if err != nil || l == nil {
		return err
	}
	s.languages = languages{Languages: *l, static: s.set.ShowOnFront == "page"}
	if err := s.translateFrontPages(ctx); err != nil {
		return err
	}
	if err := s.languageHomes(ctx); err != nil {
		return err
	}
	s.stored.front, s.stored.posts, s.stored.uploads = s.set.PageOnFront, s.set.PageForPosts, s.set.Uploads.URL
	s.useLanguage(l.Main)
	return nil
}

// languageHomes finds where each language starts: at the bare code or domain, or at its static front page's own address.
func (s *Blog) languageHomes(ctx context.Context) error {
	l := &s.languages
	var fronts []int64
	for i := range l.All {
		l.All[i].Home = l.Links.Home(l.All[i].Code)
		if l.All[i].Front > 0 {
			fronts = append(fronts, l.All[i].Front)
		}
	}
	if !l.Fronts || len(fronts) == 0 {
		return nil
	}
	tree := nodes{}
	if err := s.ancestors(ctx, tree, fronts); err != nil {
		return err
	}
	raw := s.links()
	for i := range l.All {
		lang := &l.All[i]
		if lang.Front == 0 || lang.Home == s.home+"/" && i == l.Main {
			continue
		}
		lang.Home = raw.PageAddress(lang.Front, tree.path(lang.Front))
		if !l.Content {
			lang.Home = l.Links.Switch(lang.Home, lang.Code)
		}
	}
	return nil
}

// translateFrontPages finds page_on_front and page_for_posts in every language.
func (s *Blog) translateFrontPages(ctx context.Context) error {
	l := &s.languages
	front, posts := s.set.PageOnFront, s.set.PageForPosts
	if !l.static || front <= 0 && posts <= 0 {
		return nil
	}
	groups, err := l.Translations(ctx, "page", distinct([]int64{front, posts}))
	if err != nil {
		return err
	}
	for i := range l.All {
		lang := &l.All[i]
		in := func(id int64) int64 {
			g := groups[id]
			if len(g.Members) == 0 && g.Language == lang.Code {
				return id
			}
			return g.Members[lang.Code]
		}
		lang.Front, lang.Posts = in(front), in(posts)
	}
	return nil
}

// useLanguage makes the settings those of a request in one language.
func (s *Blog) useLanguage(current int) {
	l := &s.languages
	l.current = current
	lang := l.All[current]
	if l.static { // the plugins translate both options
		if lang.Front > 0 {
			s.set.PageOnFront = lang.Front
		}
		if lang.Posts > 0 {
			s.set.PageForPosts = lang.Posts
		}
		s.set.Permalinks.PageOnFront, s.set.Permalinks.PageForPosts = s.set.PageOnFront, s.set.PageForPosts
	}
	if l.Domains {
		s.set.Home = strings.TrimRight(l.Links.Switch(s.home, lang.Code), "/")
		s.set.Permalinks.Home = s.set.Home
		s.set.Uploads.URL = l.Links.Switch(s.set.Uploads.URL, lang.Code)
	}
}

// perLanguage returns one site for every language that visitors may see where each has a host of
// its own, else the site itself.
func (s *Blog) perLanguage() []*Blog {
	l := &s.languages
	if !l.Domains {
		return []*Blog{s}
	}
	var blogs []*Blog
	for i, lang := range l.All {
		if !lang.Active {
			continue
		}
		own := *s
		own.set.PageOnFront, own.set.PageForPosts = s.stored.front, s.stored.posts
		own.set.Uploads.URL = s.stored.uploads
		own.useLanguage(i)
		if i != l.Main {
			own.warnings = nil // the site of the default language has them
		}
		blogs = append(blogs, &own)
	}
	return blogs
}

// languageHosts are the hosts of a language's domain: the default language answers at home, too.
func (s *Blog) languageHosts() []string {
	l := &s.languages
	addresses := []string{s.set.Home}
	if l.Domains && l.current == l.Main {
		taken := slices.ContainsFunc(l.All, func(x Language) bool {
			return x.Code != l.All[l.Main].Code &&
				weburl.HostPort(weburl.Authority(l.Links.Switch(s.home, x.Code))) == weburl.HostPort(weburl.Authority(s.home))
		})
		if !taken {
			addresses = append(addresses, s.home)
		}
	}
	var hosts []string
	for _, a := range addresses {
		if h := weburl.HostPort(weburl.Authority(a)); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// EachPostLanguage calls fn for the posts of a type that have a language, by language's place in Languages, in
// batches of ascending ids. Ids of other types may come along.
func (s *Blog) EachPostLanguage(ctx context.Context, postType string, fn func(id int64, language int)) error {
	return s.languages.EachPost(ctx, postType, fn)
}

// LanguagesOfAllPosts reports whether one EachPostLanguage serves every post type.
func (s *Blog) LanguagesOfAllPosts() bool { return s.languages.AllTypes }

// TermLanguages returns the languages, by their places in Languages, of those terms of a taxonomy that have one.
func (s *Blog) TermLanguages(ctx context.Context, taxonomy string, terms []TermRow) (map[int64]int, error) {
	ids := make([]int64, len(terms))
	termOf := make(map[int64]int64, len(terms))
	for i, t := range terms {
		ids[i] = s.languages.objectID(t.ID, t.TaxonomyID)
		termOf[ids[i]] = t.ID
	}
	found, err := s.languages.Translations(ctx, multilingual.TaxonomyKind+taxonomy, ids)
	langs := make(map[int64]int, len(found))
	for id, t := range found {
		langs[termOf[id]] = s.languages.Index(t.Language)
	}
	return langs, err
}

// objectID is the id under which the plugin knows a term.
func (l *languages) objectID(termID, taxonomyID int64) int64 {
	if l.ByTaxonomyID {
		return taxonomyID
	}
	return termID
}

// localize puts the link of a post into its language, by the filters of its plugin. parent is what
// an attachment hangs on.
func (s *Blog) localize(p *Post, link string, parent *Post) string {
	l := &s.languages
	if l.none() {
		return link
	}
	if !l.Content {
		switch {
		case p.Type == "attachment" && p.Parent != 0: // its link is made of its parent's
			if parent != nil && !strings.Contains(link, "attachment_id=") && (parent.Type == "page" || l.PostTypes[parent.Type]) {
				link = l.Links.Switch(link, parent.Language)
			}
		case p.Type == "attachment" && l.Filters, p.Type == "page", l.PostTypes[p.Type]:
			link = l.Links.Switch(link, p.Language)
		}
	}
	if i := l.Index(p.Language); i >= 0 && l.static && p.Type == "page" && p.ID == l.All[i].Front {
		return l.All[i].Home
	}
	return link
}

// localizeTerm puts the link of a term into its language.
func (s *Blog) localizeTerm(t *registry.Taxonomy, link, language string) string {
	l := &s.languages
	switch {
	case l.none():
	case t.Name == "post_format" && l.Filters: // not translated, and yet filtered by language
		return l.Links.Switch(link, l.All[l.current].Code)
	case l.Content:
	case l.Taxonomies[t.Name]:
		return l.Links.Switch(link, language)
	}
	return link
}

// localizeArchive puts the link of an archive into a language: "" is the current one.
func (s *Blog) localizeArchive(link, language string) string {
	l := &s.languages
	if l.none() {
		return link
	}
	return l.Links.Switch(link, cmp.Or(language, l.All[l.current].Code))
}

// ArchiveLinkIn returns the address of a post type's archive in a language, "" when it has none.
func (s *Blog) ArchiveLinkIn(ctx context.Context, t *registry.PostType, language string) (string, error) {
	if link := s.archives[t.Name]; link != "" && language == "" {
		return link, nil
	}
	path := ""
	if t.ArchivePage > 0 {
		n := nodes{}
		if err := s.ancestors(ctx, n, []int64{t.ArchivePage}); err != nil {
			return "", err
		}
		path = n.path(t.ArchivePage)
	}
	link := s.links().Archive(t, path)
	if link == "" || !s.TranslatesPostType(t.Name) || t.Name == "post" {
		return link, nil
	}
	return s.localizeArchive(link, language), nil
}

// PageAt reports whether there is a page or an attachment at a path, whatever its status.
func (s *Blog) PageAt(ctx context.Context, path string) (bool, error) {
	names := strings.Split(strings.Trim(path, "/"), "/")
	if len(names) == 0 || len(names) > maxAncestorQueries || names[0] == "" {
		return false, nil
	}
	tree := nodes{}
	err := s.Query(ctx, sqlPageNames, []any{names}, db.Rows3(func(id int64, name string, parent int64) { tree[id] = node{name, parent} }))
	var at func(id int64, names []string) bool
	at = func(id int64, names []string) bool {
		last := len(names) - 1
		if last < 0 || id == 0 {
			return last < 0 && id == 0
		}
		row, ok := tree[id]
		return ok && row.name == names[last] && at(row.parent, names[:last])
	}
	for id := range tree {
		if at(id, names) {
			return true, nil
		}
	}
	return false, s.wrap("looking for a page at "+path, err)
}

// Alternate is the same content in one language.
type Alternate = multilingual.Alternate

// Hreflang returns the links between at least two alternates as their pages have them. In the result Language is the attribute
// hreflang.
func (s *Blog) Hreflang(alternates []Alternate) []Alternate { return s.languages.Hreflang(alternates) }

// alternates lists the members of a group that have a link in the order of the site's languages, nil unless there are two and one
// of them is the object itself.
func (s *Blog) alternates(members map[string]int64, self int64, links map[int64]string) []Alternate {
	var list []Alternate
	found := false
	for _, lang := range s.languages.All {
		if link, ok := links[members[lang.Code]]; ok {
			found = found || members[lang.Code] == self
			list = append(list, Alternate{Language: lang.Code, Link: link})
		}
	}
	if !found || len(list) < 2 {
		return nil
	}
	return list
}

// postTranslations is what TranslatedPosts adds to its posts.
type postTranslations struct {
	blog   *Blog
	found  map[int64]multilingual.Translation
	keep   func(id int64) bool
	others []*Post // members of groups that are not among the posts
}

// translations reads the languages and translations of objects of a kind, by the ids of the plugin. others are the translations, with
// their languages, that are not among the objects and that keep lets pass; nil: none.
func (s *Blog) translations(ctx context.Context, kind string, ids []int64, keep func(id int64) bool) (
	found map[int64]multilingual.Translation, others map[int64]string, err error) {
	if found, err = s.languages.Translations(ctx, kind, ids); err != nil || keep == nil {
		return found, nil, err
	}
	here := make(map[int64]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	others = map[int64]string{}
	for _, id := range ids {
		for code, member := range found[id].Members {
			if !here[member] && keep(member) {
				others[member] = code
			}
		}
	}
	return found, others, nil
}

// translatePosts sets the language of posts and, with keep, finds the rows of their translations.
func (s *Blog) translatePosts(ctx context.Context, posts []*Post, keep func(id int64) bool) (t postTranslations, err error) {
	t = postTranslations{blog: s, keep: keep}
	if s.languages.none() || len(posts) == 0 {
		return t, nil
	}
	ids := make([]int64, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	var others map[int64]string
	if t.found, others, err = s.translations(ctx, "", ids, keep); err != nil {
		return t, err
	}
	for _, p := range posts {
		p.Language = t.found[p.ID].Language
	}
	err = s.eachPost(ctx, sqlPosts, slices.Collect(maps.Keys(others)), func(p *Post, _ string) {
		p.Language = others[p.ID]
		t.others = append(t.others, p)
	})
	return t, err
}

// fill sets the alternates once the links are known.
func (t *postTranslations) fill(posts []*Post) {
	if t.keep == nil {
		return
	}
	links := make(map[int64]string, len(posts)+len(t.others))
	for _, p := range slices.Concat(posts, t.others) {
		if t.keep(p.ID) {
			links[p.ID] = p.Link
		}
	}
	for _, p := range posts {
		if t.blog.TranslatesPostType(p.Type) {
			p.Alternates = t.blog.alternates(t.found[p.ID].Members, p.ID, links)
		}
	}
}

// translateTerms sets the language of the terms of byID and, with keep, reads those of their translations that are
// missing there. It returns what is known of terms by the ids of the plugin.
func (s *Blog) translateTerms(ctx context.Context, t *registry.Taxonomy, byID map[int64]*Term,
	keep func(id int64) bool, read func(query string, ids []int64) error) (map[int64]multilingual.Translation, error) {
	if !s.TranslatesTaxonomy(t.Name) || len(byID) == 0 {
		return nil, nil
	}
	l, query := &s.languages, sqlTermDetails
	if l.ByTaxonomyID {
		query = sqlTermsByTaxonomyID
		if keep != nil {
			keep = func(int64) bool { return true } // which knows term_ids
		}
	}
	ids := make([]int64, 0, len(byID))
	for _, term := range byID {
		ids = append(ids, l.objectID(term.ID, term.taxonomyID))
	}
	found, others, err := s.translations(ctx, multilingual.TaxonomyKind+t.Name, ids, keep)
	if err != nil {
		return nil, err
	}
	if err := read(query, slices.Collect(maps.Keys(others))); err != nil {
		return nil, err
	}
	for _, term := range byID {
		id := l.objectID(term.ID, term.taxonomyID)
		term.Language = cmp.Or(found[id].Language, others[id])
	}
	return found, nil
}

// ListsWithoutLanguage reports whether posts of a translated type without a language are listed: WPML takes them for
// the default language's, Polylang leaves them out.
func (s *Blog) ListsWithoutLanguage() bool {
	return s.languages.none() || s.languages.ListsWithoutLanguage
}

// AtHome is the site as it sees itself where its language's domain is not taken for home, the site
// itself where that makes no difference.
func (s *Blog) AtHome() *Blog {
	if s.set.Home == s.home {
		return s
	}
	at := *s
	at.set.Home, at.set.Permalinks.Home = s.home, s.home
	return &at
}
