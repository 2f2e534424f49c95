package wp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/multilingual"
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

// Languages returns the languages of a multilingual site.
func (s *Blog) Languages() *multilingual.Languages { return &s.languages }

// readLanguages reads the settings of the active multilingual plugin, if there is one.
func (s *Blog) readLanguages(ctx context.Context, o options) error {
	s.home = s.set.Home
	option := multilingual.OptionOf(s.set.ActivePlugins)
	if option == "" {
		return nil
	}
	l, err := multilingual.Read(ctx, &multilingual.Site{
		Blog: s, Home: s.home, Structure: s.set.Permalinks.Structure, Prefix: s.prefix,
		ActivePlugins: s.set.ActivePlugins, Settings: o.serialized(option, s.Notice),
	})
	if err != nil || l == nil {
		return err
	}
	s.languages = *l
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

// languageHomes sets the home of each language: the address of its static front page, or the address with the code or
// domain alone.
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

// translateFrontPages finds the translations of page_on_front and page_for_posts in every language.
func (s *Blog) translateFrontPages(ctx context.Context) error {
	l := &s.languages
	front, posts := s.set.PageOnFront, s.set.PageForPosts
	if !s.staticFront() || front <= 0 && posts <= 0 {
		return nil
	}
	groups, err := l.Plugin.Translations(ctx, "page", Distinct([]int64{front, posts}))
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

// staticFront reports whether the front page is a static page.
func (s *Blog) staticFront() bool { return s.set.ShowOnFront == "page" }

// useLanguage switches the settings to those of one language. current is the index of the language in Languages.All.
func (s *Blog) useLanguage(current int) {
	l := &s.languages
	l.Current = current
	lang := l.All[current]
	if s.staticFront() { // the plugins translate both options
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

// perLanguage returns one blog for each active language if each language has its own domain. Otherwise it returns the
// blog alone.
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
			own.warnings = nil // the blog of the default language has the warnings
		}
		blogs = append(blogs, &own)
	}
	return blogs
}

// languageHosts returns the hosts of the blog's language. The default language also answers at home, unless another
// language has that host.
func (s *Blog) languageHosts() []string {
	l := &s.languages
	addresses := []string{s.set.Home}
	if l.Domains && l.Current == l.Main {
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

// localize returns the link of a post in the post's language, as the filters of the multilingual plugin do. parent is
// the post that an attachment belongs to, or nil.
func (s *Blog) localize(p *Post, link string, parent *Post) string {
	l := &s.languages
	if l.None() {
		return link
	}
	if !l.Content {
		switch {
		case p.Type == "attachment" && p.Parent != 0: // the link of an attachment contains the link of its parent
			if parent != nil && !strings.Contains(link, "attachment_id=") && (parent.Type == "page" || l.PostTypes[parent.Type]) {
				link = l.Links.Switch(link, parent.Language)
			}
		case p.Type == "attachment" && l.Filters, p.Type == "page", l.PostTypes[p.Type]:
			link = l.Links.Switch(link, p.Language)
		}
	}
	if i := l.Index(p.Language); i >= 0 && s.staticFront() && p.Type == "page" && p.ID == l.All[i].Front {
		return l.All[i].Home
	}
	return link
}

// ArchiveLinkIn returns the address of a post type's archive in a language, or "" if the type has no archive.
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
	if link == "" || !s.languages.PostTypes[t.Name] || t.Name == "post" {
		return link, nil
	}
	return s.languages.Archive(link, language), nil
}

// PageAt reports whether a page or an attachment of any status is at a path.
func (s *Blog) PageAt(ctx context.Context, path string) (bool, error) {
	names := strings.Split(strings.Trim(path, "/"), "/")
	if len(names) == 0 || len(names) > MaxGenerations || names[0] == "" {
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
	return false, s.Wrap("looking for a page at "+path, err)
}

// Alternate is the same content in one language.
type Alternate = multilingual.Alternate

// postTranslations holds what TranslatedPosts adds to its posts.
type postTranslations struct {
	blog   *Blog
	found  map[int64]multilingual.Translation
	keep   func(id int64) bool
	others []*Post // translations of the posts that are not among the posts
}

// translations returns the language and the translations of each object in ids. others maps the id of each further
// translation that keep accepts to its language. If keep is nil, others is nil. ids are the ids of the multilingual
// plugin.
func (s *Blog) translations(ctx context.Context, kind string, ids []int64, keep func(id int64) bool) (
	found map[int64]multilingual.Translation, others map[int64]string, err error) {
	if found, err = s.languages.Plugin.Translations(ctx, kind, ids); err != nil || keep == nil {
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

// translatePosts sets the language of posts. If keep is not nil, it also reads the posts' translations.
func (s *Blog) translatePosts(ctx context.Context, posts []*Post, keep func(id int64) bool) (t postTranslations, err error) {
	t = postTranslations{blog: s, keep: keep}
	if s.languages.None() || len(posts) == 0 {
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

// fill sets the alternates of posts. The links must be known before.
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
		if t.blog.languages.PostTypes[p.Type] {
			p.Alternates = t.blog.languages.Alternates(t.found[p.ID].Members, p.ID, links)
		}
	}
}

// translateTerms sets the languages of the terms in byID. If keep is not nil, it also reads the translations that byID
// lacks. It returns the translations by the ids that the multilingual plugin uses.
func (s *Blog) translateTerms(ctx context.Context, t *registry.Taxonomy, byID map[int64]*Term,
	keep func(id int64) bool, read func(query string, ids []int64) error) (map[int64]multilingual.Translation, error) {
	if !s.languages.Taxonomies[t.Name] || len(byID) == 0 {
		return nil, nil
	}
	l, query := &s.languages, sqlTermDetails
	if l.ByTaxonomyID {
		query = sqlTermsByTaxonomyID
		if keep != nil {
			keep = func(int64) bool { return true } // keep takes term_ids, and the plugin has term_taxonomy_ids
		}
	}
	ids := make([]int64, 0, len(byID))
	for _, term := range byID {
		ids = append(ids, l.ObjectID(term.ID, term.taxonomyID))
	}
	found, others, err := s.translations(ctx, multilingual.TaxonomyKind+t.Name, ids, keep)
	if err != nil {
		return nil, err
	}
	if err := read(query, slices.Collect(maps.Keys(others))); err != nil {
		return nil, err
	}
	for _, term := range byID {
		id := l.ObjectID(term.ID, term.taxonomyID)
		term.Language = cmp.Or(found[id].Language, others[id])
	}
	return found, nil
}

// AtHome returns the blog as if its language had no domain of its own. It returns the blog itself if that changes
// nothing.
func (s *Blog) AtHome() *Blog {
	if s.set.Home == s.home {
		return s
	}
	at := *s
	at.set.Home, at.set.Permalinks.Home = s.home, s.home
	return &at
}
