package wp

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/weburl"
)

// Language is one language of a multilingual site.
type Language struct {
	Code   string // as it stands in addresses
	Locale string // of WordPress, de_DE_formal
	Tag    string // BCP 47, de-DE
	Active bool   // visitors may see it
	Home   string // address of its start, as its plugin links to it
	Front  int64  // page_on_front in this language; 0: not translated, or the latest posts
	Posts  int64  // page_for_posts in this language

	postTerm, termTerm int64 // Polylang: term_taxonomy_id in language and in term_language
}

// languages is what a site's multilingual plugin says.
type languages struct {
	wpml    bool // else Polylang
	all     []Language
	links   *permalink.Languages
	main    int  // of all: the default language
	current int  // of all: the language that sitemaps are asked in
	content bool // Polylang's mode in which the links of posts and terms show no language; those of archives do
	domains bool // each language has a host, and sitemaps, of its own
	static  bool // show_on_front is page

	postTypes, taxonomies map[string]bool // translated ones
}

// The plugins, as active_plugins names them.
var (
	polylangPlugins = []string{"polylang/polylang.php", "polylang-pro/polylang.php"}
	wpmlPlugins     = []string{"sitepress-multilingual-cms/sitepress.php"}
)

const (
	sqlPolylang = `SELECT t.slug, t.term_group, t.term_id, tt.term_taxonomy_id, tt.taxonomy, tt.description FROM wp_term_taxonomy tt JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.taxonomy IN ('language', 'term_language') ORDER BY t.term_group, t.term_id`
	// A group is the objects that share its term; the map in its description says which of them
	// stands for which language. Objects without a group have their language only.
	sqlPolylangGroups = `SELECT a.object_id, a.term_taxonomy_id, b.object_id, bl.term_taxonomy_id, CASE WHEN b.object_id IS NULL THEN '' ELSE tt.description END
FROM wp_term_relationships a JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = a.term_taxonomy_id AND tt.taxonomy IN (?)
LEFT JOIN wp_term_relationships b ON tt.taxonomy = ? AND b.term_taxonomy_id = a.term_taxonomy_id
LEFT JOIN wp_term_relationships bl ON bl.object_id = b.object_id AND bl.term_taxonomy_id IN (?)
WHERE a.object_id IN (?)`
	sqlPolylangLanguages = `SELECT object_id, term_taxonomy_id FROM wp_term_relationships WHERE object_id IN (?) AND term_taxonomy_id IN (?)`
	sqlPolylangPosts     = `SELECT object_id FROM wp_term_relationships WHERE term_taxonomy_id = ? AND object_id > ? ORDER BY object_id LIMIT ?`

	sqlWPML          = `SELECT l.code, l.default_locale, l.tag, l.active FROM wp_icl_languages l WHERE l.active = 1 ORDER BY l.id`
	sqlWPMLGroups    = `SELECT a.element_id, a.language_code, a.trid, b.element_id, b.language_code FROM wp_icl_translations a JOIN wp_icl_translations b ON b.trid = a.trid AND b.element_type = a.element_type WHERE a.element_type IN (?) AND a.element_id IN (?)`
	sqlWPMLLanguages = `SELECT element_id, language_code FROM wp_icl_translations WHERE element_type IN (?) AND element_id IN (?)`
	sqlWPMLPosts     = `SELECT element_id, language_code FROM wp_icl_translations FORCE INDEX (el_type_id) WHERE element_type = ? AND element_id > ? ORDER BY element_id LIMIT ?`

	sqlTermsByTaxonomyID = `SELECT t.term_id, tt.term_taxonomy_id, t.slug, tt.parent, tt.description FROM wp_term_taxonomy tt JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.taxonomy = ? AND tt.term_taxonomy_id IN (?)`

	sqlPageNames = `SELECT ID, post_name, post_parent FROM wp_posts WHERE post_name IN (?) AND post_type IN ('page', 'attachment')`
)

// Languages are the languages of a multilingual site in the order of its plugin, nil for any other site.
func (s *Site) Languages() []Language {
	if s.languages == nil {
		return nil
	}
	return s.languages.all
}

// Language is the code of the language whose domain this site is, "" where one site holds
// all languages.
func (s *Site) Language() string {
	if s.languages == nil || !s.languages.domains {
		return ""
	}
	return s.languages.all[s.languages.current].Code
}

// CurrentLanguage is the language sitemaps are asked in: that of the domain, else the default one, which also
// stands in where Polylang takes the language from a content, as a sitemap has none. known is false without a
// multilingual plugin.
func (s *Site) CurrentLanguage() (l Language, known bool) {
	if s.languages == nil {
		return Language{}, false
	}
	return s.languages.all[s.languages.current], true
}

// DefaultLanguage is the code of the default language, "" without a multilingual plugin.
func (s *Site) DefaultLanguage() string {
	if s.languages == nil {
		return ""
	}
	return s.languages.all[s.languages.main].Code
}

// HidesDefaultLanguage tells whether home itself is the start of the default language.
func (s *Site) HidesDefaultLanguage() bool {
	l := s.languages
	return l == nil || strings.TrimRight(l.all[l.main].Home, "/") == strings.TrimRight(s.home, "/")
}

// LanguageByCode returns a language of the site.
func (s *Site) LanguageByCode(code string) (Language, bool) {
	if s.languages != nil {
		if i := s.languages.index(code); i >= 0 {
			return s.languages.all[i], true
		}
	}
	return Language{}, false
}

// TranslatesPostType tells whether the posts of a type have a language each.
func (s *Site) TranslatesPostType(name string) bool {
	return s.languages != nil && s.languages.postTypes[name]
}

// TranslatesTaxonomy tells whether the terms of a taxonomy have a language each.
func (s *Site) TranslatesTaxonomy(name string) bool {
	return s.languages != nil && s.languages.taxonomies[name]
}

func (l *languages) index(code string) int {
	return slices.IndexFunc(l.all, func(x Language) bool { return x.Code == code })
}

// readLanguages reads the settings of the active multilingual plugin, if there is one.
func (s *Site) readLanguages(ctx context.Context, o options) error {
	s.home = s.set.Home
	active := func(plugin string) bool { return s.set.ActivePlugins[plugin] }
	var err error
	switch {
	case slices.ContainsFunc(polylangPlugins, active):
		err = s.readPolylang(ctx, o.serialized("polylang", s.warn))
	case slices.ContainsFunc(wpmlPlugins, active):
		err = s.readWPML(ctx, o.serialized("icl_sitepress_settings", s.warn))
	}
	if err != nil || s.languages == nil {
		return err
	}
	s.stored.front, s.stored.posts, s.stored.uploads = s.set.PageOnFront, s.set.PageForPosts, s.set.Uploads.URL
	s.useLanguage(s.languages.main)
	return nil
}

// settingNames returns a set of names with more from a list of options.
func settingNames(list []string, more ...string) map[string]bool {
	names := map[string]bool{}
	for _, n := range append(more, list...) {
		names[n] = true
	}
	return names
}

// readPolylang follows Polylang 3.8: the option polylang, and the terms of its taxonomies.
func (s *Site) readPolylang(ctx context.Context, o php.Value) error {
	l := &languages{static: s.set.ShowOnFront == "page"}
	terms := map[string]int64{}
	err := s.query(ctx, sqlPolylang, nil, func(rows *sql.Rows) error {
		var slug, taxonomy, description string
		var group, termID, taxonomyID int64
		if err := rows.Scan(db.Text(&slug), db.Number(&group), db.Number(&termID), db.Number(&taxonomyID), &taxonomy, db.Text(&description)); err != nil {
			return err
		}
		if taxonomy == "term_language" {
			terms[strings.TrimPrefix(slug, "pll_")] = taxonomyID
			return nil
		}
		lang := Language{Code: slug, Tag: slug, Active: true, postTerm: taxonomyID}
		if v, err := php.MaybeUnserialize(description); err == nil {
			lang.Locale = v.Get("locale").Str()
			if active, ok := v.Lookup("active"); ok {
				lang.Active = active.Truthy()
			}
		}
		if lang.Locale != "" {
			lang.Tag = languageTag(lang.Locale)
		}
		l.all = append(l.all, lang)
		return nil
	})
	if err != nil {
		return s.wrap("reading Polylang's languages", err)
	}
	if len(l.all) == 0 { // installed, not set up: it does nothing then
		return nil
	}
	links := permalink.LanguageSettings{Home: s.home, Structure: s.set.Permalinks.Structure, Domains: map[string]string{}}
	for i := range l.all {
		l.all[i].termTerm = terms[l.all[i].Code]
		links.Codes = append(links.Codes, l.all[i].Code)
	}
	l.main = max(0, l.index(o.Get("default_lang").Str()))
	if o.Get("hide_default").Truthy() {
		links.Hidden = l.all[l.main].Code
	}
	if !o.Get("rewrite").Truthy() {
		links.Prefix = "language/"
	}
	for _, p := range o.Get("domains").Pairs() {
		links.Domains[p.Key.String()] = p.Value.Str()
	}
	mode := o.Get("force_lang").Int()
	l.content = mode == 0
	pretty := links.Structure != ""
	switch {
	case !pretty:
		links.Form = permalink.LanguageParameter
	case mode == 2:
		links.Form, l.domains = permalink.LanguageSubdomain, true
	case mode == 3:
		links.Form, l.domains = permalink.LanguageDomain, true
	}
	l.links = permalink.NewLanguages(links)
	l.postTypes = settingNames(o.Get("post_types").Strings(), "post", "page", "wp_block")
	l.postTypes["attachment"] = o.Get("media_support").Truthy()
	l.taxonomies = settingNames(o.Get("taxonomies").Strings(), "category", "post_tag")
	s.languages = l
	return s.polylangHomes(ctx, o.Get("redirect_lang").Truthy())
}

// polylangHomes finds where each language starts: at its static front page's own address, unless
// the bare code (or domain) leads there.
func (s *Site) polylangHomes(ctx context.Context, redirect bool) error {
	l := s.languages
	if err := s.translateFrontPages(ctx); err != nil {
		return err
	}
	var fronts []int64
	for i := range l.all {
		l.all[i].Home = l.links.Home(l.all[i].Code)
		if l.all[i].Front > 0 {
			fronts = append(fronts, l.all[i].Front)
		}
	}
	if redirect || l.domains || len(fronts) == 0 {
		return nil
	}
	tree := nodes{}
	if err := s.ancestors(ctx, tree, fronts); err != nil {
		return err
	}
	raw := s.links()
	for i := range l.all {
		lang := &l.all[i]
		if lang.Front == 0 || lang.Home == s.home+"/" && i == l.main {
			continue
		}
		lang.Home = raw.PageAddress(lang.Front, tree.path(lang.Front))
		if !l.content {
			lang.Home = l.links.Switch(lang.Home, lang.Code)
		}
	}
	return nil
}

// readWPML follows WPML's tables and its option icl_sitepress_settings.
func (s *Site) readWPML(ctx context.Context, o php.Value) error {
	l := &languages{wpml: true, static: s.set.ShowOnFront == "page"}
	err := s.query(ctx, sqlWPML, nil, func(rows *sql.Rows) error {
		var lang Language
		var locale, tag sql.NullString
		if err := rows.Scan(db.Text(&lang.Code), &locale, &tag, &lang.Active); err != nil {
			return err
		}
		lang.Locale, lang.Tag = locale.String, strings.ReplaceAll(cmp.Or(tag.String, lang.Code), "_", "-")
		l.all = append(l.all, lang)
		return nil
	})
	switch {
	case db.MissingTable(err) || db.Denied(err):
		s.warn("WPML is active, but the table " + s.prefix + "icl_languages cannot be read: languages are not known; grant the account SELECT on the icl_ tables")
		return nil
	case err != nil:
		return s.wrap("reading WPML's languages", err)
	case len(l.all) == 0:
		return nil
	}
	hidden := o.Get("hidden_languages").Strings()
	links := permalink.LanguageSettings{Home: s.home, Structure: s.set.Permalinks.Structure, Domains: map[string]string{}}
	for i := range l.all {
		l.all[i].Active = !slices.Contains(hidden, l.all[i].Code)
		links.Codes = append(links.Codes, l.all[i].Code)
	}
	l.main = max(0, l.index(o.Get("default_language").Str()))
	main := l.all[l.main].Code
	links.Hidden = main
	switch o.Get("language_negotiation_type").Int() {
	case 1:
		links.Form = permalink.LanguageDirectory
		if o.Get("urls").Get("directory_for_default_language").Truthy() {
			links.Hidden = ""
		}
	case 2:
		links.Form, l.domains = permalink.LanguageDomain, true
		for _, p := range o.Get("language_domains").Pairs() {
			links.Domains[p.Key.String()] = p.Value.Str()
		}
		links.Domains[main] = s.home
	default:
		links.Form = permalink.LanguageParameter
	}
	l.links = permalink.NewLanguages(links)
	translated := func(setting string, always ...string) map[string]bool {
		names := settingNames(nil, always...)
		for _, p := range o.Get(setting).Pairs() { // 0: not translated, 1: translated, 2: shown in the default language where it is not
			names[p.Key.String()] = p.Value.Int() > 0
		}
		return names
	}
	l.postTypes = translated("custom_posts_sync_option", "post", "page")
	l.taxonomies = translated("taxonomies_sync_option", "category", "post_tag")
	s.languages = l
	if err := s.translateFrontPages(ctx); err != nil {
		return err
	}
	for i := range l.all {
		l.all[i].Home = l.links.Home(l.all[i].Code)
	}
	return nil
}

// translateFrontPages finds page_on_front and page_for_posts in every language.
func (s *Site) translateFrontPages(ctx context.Context) error {
	l := s.languages
	front, posts := s.set.PageOnFront, s.set.PageForPosts
	if !l.static || front <= 0 && posts <= 0 {
		return nil
	}
	groups, err := s.translations(ctx, "page", distinct([]int64{front, posts}), true)
	if err != nil {
		return err
	}
	for i := range l.all {
		lang := &l.all[i]
		in := func(id int64) int64 {
			g := groups[id]
			if len(g.members) == 0 && g.language == lang.Code {
				return id
			}
			return g.members[lang.Code]
		}
		lang.Front, lang.Posts = in(front), in(posts)
	}
	return nil
}

// useLanguage makes the settings those of a request in one language.
func (s *Site) useLanguage(current int) {
	l := s.languages
	l.current = current
	lang := l.all[current]
	if l.static { // the plugins translate both options
		if lang.Front > 0 {
			s.set.PageOnFront = lang.Front
		}
		if lang.Posts > 0 {
			s.set.PageForPosts = lang.Posts
		}
		s.set.Permalinks.PageOnFront, s.set.Permalinks.PageForPosts = s.set.PageOnFront, s.set.PageForPosts
	}
	if l.domains {
		s.set.Home = strings.TrimRight(l.links.Switch(s.home, lang.Code), "/")
		s.set.Permalinks.Home = s.set.Home
		s.set.Uploads.URL = l.links.Switch(s.set.Uploads.URL, lang.Code)
	}
}

// perLanguage returns one site for every language that visitors may see where each has a host of
// its own, else the site itself.
func (s *Site) perLanguage() []*Site {
	l := s.languages
	if l == nil || !l.domains {
		return []*Site{s}
	}
	var sites []*Site
	for i, lang := range l.all {
		if !lang.Active {
			continue
		}
		own, mine := *s, *l
		own.set.PageOnFront, own.set.PageForPosts = s.stored.front, s.stored.posts
		own.set.Uploads.URL = s.stored.uploads
		own.languages = &mine
		own.useLanguage(i)
		if i != l.main {
			own.warnings = nil // told once, by the site of the default language
		}
		sites = append(sites, &own)
	}
	return sites
}

// languageHosts are the hosts of a language's domain: the default language answers at home, too.
func (s *Site) languageHosts() []string {
	l := s.languages
	addresses := []string{s.set.Home}
	if l != nil && l.domains && l.current == l.main {
		taken := slices.ContainsFunc(l.all, func(x Language) bool {
			return x.Code != l.all[l.main].Code && weburl.HostPort(weburl.Authority(l.links.Switch(s.home, x.Code))) == weburl.HostPort(weburl.Authority(s.home))
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

// translation is the language of an object and its group.
type translation struct {
	language string
	members  map[string]int64 // code → object, the object itself included; nil without a group
}

// translations reads the languages of objects of one kind, posts (objectType is "" or a post type) or the terms of a
// taxonomy, and with groups their translations. A group names only objects that say themselves that
// they belong to it, in the language it names them for, so that of two of its members each names the other.
func (s *Site) translations(ctx context.Context, kind string, ids []int64, groups bool) (map[int64]translation, error) {
	if s.languages.wpml {
		return s.wpmlTranslations(ctx, kind, ids, groups)
	}
	return s.polylangTranslations(ctx, strings.HasPrefix(kind, taxonomyKind), ids, groups)
}

// taxonomyKind stands before the name of a taxonomy where a kind of object is asked for.
const taxonomyKind = "tax_"

// languageTerms maps Polylang's language terms of posts, or of terms, to languages.
func (l *languages) languageTerms(terms bool) (map[int64]int, []int64) {
	byTerm := map[int64]int{}
	for i, lang := range l.all {
		id := lang.postTerm
		if terms {
			id = lang.termTerm
		}
		if id != 0 {
			byTerm[id] = i
		}
	}
	return byTerm, slices.Sorted(maps.Keys(byTerm))
}

func (s *Site) polylangTranslations(ctx context.Context, terms bool, ids []int64, groups bool) (map[int64]translation, error) {
	l := s.languages
	byTerm, termIDs := l.languageTerms(terms)
	found := make(map[int64]translation, len(ids))
	if len(termIDs) == 0 {
		return found, nil
	}
	order := map[int64]int{} // of the language, for objects that have several
	speak := func(object int64, lang int) {
		if old, ok := order[object]; ok && old <= lang {
			return
		}
		order[object] = lang
		t := found[object]
		t.language = l.all[lang].Code
		found[object] = t
	}
	if !groups {
		err := db.Batches(distinct(ids), func(ids []int64) error {
			return s.query(ctx, sqlPolylangLanguages, []any{ids, termIDs}, func(rows *sql.Rows) error {
				var object, term int64
				if err := rows.Scan(db.Number(&object), db.Number(&term)); err != nil {
					return err
				}
				if lang, ok := byTerm[term]; ok {
					speak(object, lang)
				}
				return nil
			})
		})
		return found, s.wrap("reading the languages of objects", err)
	}
	language, translations := "language", "post_translations"
	if terms {
		language, translations = "term_language", "term_translations"
	}
	type group struct {
		named   php.Value
		members map[string]int64
	}
	byGroup := map[int64]*group{}
	in := map[int64][]int64{}
	err := db.Batches(distinct(ids), func(ids []int64) error {
		return s.query(ctx, sqlPolylangGroups, []any{[]string{language, translations}, translations, termIDs, ids}, func(rows *sql.Rows) error {
			var object, term int64
			var member, memberTerm sql.NullInt64
			var description string
			if err := rows.Scan(db.Number(&object), db.Number(&term), &member, &memberTerm, db.Text(&description)); err != nil {
				return err
			}
			if lang, ok := byTerm[term]; ok {
				speak(object, lang)
				return nil
			}
			lang, ok := byTerm[memberTerm.Int64]
			if !member.Valid || !ok {
				return nil
			}
			g := byGroup[term]
			if g == nil {
				g = &group{members: map[string]int64{}}
				g.named, _ = php.MaybeUnserialize(description) // a broken one names nobody
				byGroup[term] = g
			}
			if code := l.all[lang].Code; g.named.Get(code).Int() == member.Int64 {
				g.members[code] = member.Int64
			}
			if !slices.Contains(in[object], term) {
				in[object] = append(in[object], term)
			}
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading the translations of objects", err)
	}
	for object, groups := range in {
		t := found[object]
		slices.Sort(groups)
		for _, term := range groups {
			if g := byGroup[term]; t.language != "" && g.members[t.language] == object {
				t.members = g.members
				break
			}
		}
		found[object] = t
	}
	return found, nil
}

func (s *Site) wpmlTranslations(ctx context.Context, kind string, ids []int64, groups bool) (map[int64]translation, error) {
	l := s.languages
	types := []string{kind}
	if !strings.HasPrefix(kind, taxonomyKind) {
		types = types[:0]
		for name, on := range l.postTypes {
			if on {
				types = append(types, "post_"+name)
			}
		}
		slices.Sort(types)
	}
	query := sqlWPMLLanguages
	if groups {
		query = sqlWPMLGroups
	}
	found := make(map[int64]translation, len(ids))
	byGroup := map[int64]map[string]int64{}
	err := db.Batches(distinct(ids), func(ids []int64) error {
		return s.query(ctx, query, []any{types, ids}, func(rows *sql.Rows) error {
			var object, trid, member int64
			var code, memberCode string
			dest := []any{db.Number(&object), db.Text(&code)}
			if groups {
				dest = append(dest, db.Number(&trid), db.Number(&member), db.Text(&memberCode))
			}
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			if l.index(code) < 0 {
				return nil
			}
			t := found[object]
			t.language = code
			if groups && l.index(memberCode) >= 0 {
				if t.members = byGroup[trid]; t.members == nil {
					t.members = map[string]int64{}
					byGroup[trid] = t.members
				}
				t.members[memberCode] = member
			}
			found[object] = t
			return nil
		})
	})
	return found, s.wrap("reading WPML's translations", err)
}

// EachPostLanguage calls fn for the posts of a type that have a language, by language's place in Languages, in
// batches of ascending ids. Ids of other types may come along.
func (s *Site) EachPostLanguage(ctx context.Context, postType string, fn func(id int64, language int)) error {
	l := s.languages
	if l.wpml {
		return s.keyset(ctx, sqlWPMLPosts, "post_"+postType, true, func(id int64, code string) {
			if i := l.index(code); i >= 0 {
				fn(id, i)
			}
		})
	}
	for i, lang := range l.all {
		if err := s.keyset(ctx, sqlPolylangPosts, lang.postTerm, false, func(id int64, _ string) { fn(id, i) }); err != nil {
			return err
		}
	}
	return nil
}

// LanguagesOfAllPosts tells whether one EachPostLanguage serves every post type.
func (s *Site) LanguagesOfAllPosts() bool { return !s.languages.wpml }

// keyset walks a statement of the form key, last id, limit. named: its rows have a text behind the id.
func (s *Site) keyset(ctx context.Context, query string, key any, named bool, fn func(id int64, name string)) error {
	for last := int64(0); ; {
		n := 0
		err := s.queryForced(ctx, &query, []any{key, last, db.ScanBatch}, func(rows *sql.Rows) error {
			var value string
			dest := []any{db.Number(&last)}
			if named {
				dest = append(dest, db.Text(&value))
			}
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			n++
			fn(last, value)
			return nil
		})
		if err != nil {
			return s.wrap("reading the languages of posts", err)
		}
		if n < db.ScanBatch {
			return nil
		}
	}
}

// TermLanguages returns the languages, by their places in Languages, of those terms of a taxonomy that have one.
func (s *Site) TermLanguages(ctx context.Context, taxonomy string, terms []TermRow) (map[int64]int, error) {
	ids := make([]int64, len(terms))
	termOf := make(map[int64]int64, len(terms))
	for i, t := range terms {
		ids[i] = s.languages.objectID(t.ID, t.TaxonomyID)
		termOf[ids[i]] = t.ID
	}
	found, err := s.translations(ctx, taxonomyKind+taxonomy, ids, false)
	langs := make(map[int64]int, len(found))
	for id, t := range found {
		langs[termOf[id]] = s.languages.index(t.language)
	}
	return langs, err
}

// objectID is the id under which the plugin knows a term.
func (l *languages) objectID(termID, taxonomyID int64) int64 {
	if l.wpml {
		return taxonomyID
	}
	return termID
}

// localize puts the link of a post into its language, by the filters of its plugin. parent is what
// an attachment hangs on, nil for anything else.
func (s *Site) localize(p *Post, link string, parent *Post) string {
	l := s.languages
	if l == nil {
		return link
	}
	if !l.content {
		switch {
		case p.Type == "attachment" && p.Parent != 0: // its link is made of its parent's
			if parent != nil && !strings.Contains(link, "attachment_id=") && (parent.Type == "page" || l.postTypes[parent.Type]) {
				link = l.links.Switch(link, parent.Language)
			}
		case p.Type == "attachment" && !l.wpml, p.Type == "page", l.postTypes[p.Type]:
			link = l.links.Switch(link, p.Language)
		}
	}
	if i := l.index(p.Language); i >= 0 && l.static && p.Type == "page" && p.ID == l.all[i].Front {
		return l.all[i].Home
	}
	return link
}

// localizeTerm puts the link of a term into its language.
func (s *Site) localizeTerm(t *registry.Taxonomy, link, language string) string {
	l := s.languages
	switch {
	case l == nil:
	case t.Name == "post_format" && !l.wpml: // not translated, and yet filtered by language
		return l.links.Switch(link, l.all[l.current].Code)
	case l.content:
	case l.taxonomies[t.Name]:
		return l.links.Switch(link, language)
	}
	return link
}

// localizeArchive puts the link of an archive into a language: "" is the current one.
func (s *Site) localizeArchive(link, language string) string {
	l := s.languages
	if l == nil {
		return link
	}
	return l.links.Switch(link, cmp.Or(language, l.all[l.current].Code))
}

// ArchiveLinkIn returns the address of a post type's archive in a language, "" when it has none.
func (s *Site) ArchiveLinkIn(ctx context.Context, t *registry.PostType, language string) (string, error) {
	link, err := s.archiveLink(ctx, t)
	if err != nil || link == "" || !s.TranslatesPostType(t.Name) || t.Name == "post" {
		return link, err
	}
	return s.localizeArchive(link, language), nil
}

// PageAt tells whether a page or an attachment stands at a path, whatever its status.
func (s *Site) PageAt(ctx context.Context, path string) (bool, error) {
	names := strings.Split(strings.Trim(path, "/"), "/")
	if len(names) == 0 || len(names) > maxAncestorQueries || names[0] == "" {
		return false, nil
	}
	tree := nodes{}
	var last []int64
	err := s.query(ctx, sqlPageNames, []any{names}, func(rows *sql.Rows) error {
		var id int64
		var row node
		if err := rows.Scan(db.Number(&id), db.Text(&row.name), db.Number(&row.parent)); err != nil {
			return err
		}
		tree[id] = row
		if row.name == names[len(names)-1] {
			last = append(last, id)
		}
		return nil
	})
	if err != nil {
		return false, s.wrap("looking for a page at "+path, err)
	}
	for _, id := range last {
		at := len(names) - 1
		row := tree[id]
		for at > 0 && row.parent != 0 {
			up, ok := tree[row.parent]
			if !ok || up.name != names[at-1] {
				break
			}
			row, at = up, at-1
		}
		if at == 0 && row.parent == 0 {
			return true, nil
		}
	}
	return false, nil
}

// shortCodes are the ISO 639-1 codes of languages whose WordPress locale is a longer one.
var shortCodes = map[string]string{
	"bel": "be", "bre": "br", "dzo": "dz", "hat": "ht", "hau": "ha", "ibo": "ig", "ido": "io", "kin": "rw", "lin": "ln",
	"lug": "lg", "mri": "mi", "oci": "oc", "roh": "rm", "sna": "sn", "srd": "sc", "tir": "ti", "tuk": "tk", "wol": "wo",
	"xho": "xh", "yor": "yo", "zul": "zu", "lb_LU": "lb",
}

// languageTag returns the BCP 47 tag of a WordPress locale: de-DE for de_DE_formal.
func languageTag(locale string) string {
	if short, ok := shortCodes[locale]; ok {
		return short
	}
	locale = strings.TrimSuffix(strings.TrimSuffix(locale, "_formal"), "_informal")
	return strings.ReplaceAll(locale, "_", "-")
}

// Alternate is the same content in one language.
type Alternate struct{ Language, Link string }

// alternates lists the members of a group in the order of the site's languages, nil unless there are two and one
// of them is the object itself.
func (s *Site) alternates(members map[string]int64, self int64, link func(id int64) string) []Alternate {
	if len(members) < 2 {
		return nil
	}
	list := make([]Alternate, 0, len(members))
	found := false
	for _, lang := range s.languages.all {
		if id, ok := members[lang.Code]; ok {
			found = found || id == self
			list = append(list, Alternate{lang.Code, link(id)})
		}
	}
	if !found {
		return nil
	}
	return list
}

// kept returns the members of a group that keep lets pass and exists knows.
func kept(members map[string]int64, keep, exists func(id int64) bool) map[string]int64 {
	left := make(map[string]int64, len(members))
	for code, id := range members {
		if keep(id) && exists(id) {
			left[code] = id
		}
	}
	return left
}

// postTranslations is what TranslatedPosts adds to its posts.
type postTranslations struct {
	site   *Site
	groups map[int64]map[string]int64 // post → code → post
	others []*Post                    // members that are not among the posts
}

// translatePosts tells posts their language and, with keep, finds the rows of their translations.
func (s *Site) translatePosts(ctx context.Context, posts []*Post, keep func(id int64) bool) (postTranslations, error) {
	t := postTranslations{site: s}
	if s.languages == nil || len(posts) == 0 {
		return t, nil
	}
	here := make(map[int64]*Post, len(posts))
	ids := make([]int64, len(posts))
	for i, p := range posts {
		ids[i], here[p.ID] = p.ID, p
	}
	found, err := s.translations(ctx, "", ids, keep != nil)
	if err != nil {
		return t, err
	}
	language := map[int64]string{}
	var missing []int64
	for _, p := range posts {
		p.Language = found[p.ID].language
		if !s.TranslatesPostType(p.Type) {
			continue
		}
		for code, id := range found[p.ID].members {
			if here[id] == nil && language[id] == "" && keep(id) {
				language[id] = code
				missing = append(missing, id)
			}
		}
	}
	if keep == nil {
		return t, nil
	}
	slices.Sort(missing)
	var scan postScan
	err = db.Batches(missing, func(ids []int64) error {
		return s.query(ctx, sqlPosts, []any{ids}, func(rows *sql.Rows) error {
			p := new(Post)
			if _, err := scan.row(rows, p); err != nil {
				return err
			}
			p.Language = language[p.ID]
			here[p.ID] = p
			t.others = append(t.others, p)
			return nil
		})
	})
	t.groups = make(map[int64]map[string]int64, len(posts))
	for _, p := range posts {
		if members := found[p.ID].members; len(members) > 1 && s.TranslatesPostType(p.Type) {
			t.groups[p.ID] = kept(members, keep, func(id int64) bool { return here[id] != nil })
		}
	}
	return t, s.wrap("reading translations", err)
}

// fill sets the alternates once the links are known.
func (t *postTranslations) fill(posts []*Post) {
	if len(t.groups) == 0 {
		return
	}
	links := make(map[int64]string, len(posts)+len(t.others))
	for _, p := range posts {
		links[p.ID] = p.Link
	}
	for _, p := range t.others {
		links[p.ID] = p.Link
	}
	for _, p := range posts {
		p.Alternates = t.site.alternates(t.groups[p.ID], p.ID, func(id int64) string { return links[id] })
	}
}

// speakPosts tells posts their language.
func (s *Site) speakPosts(ctx context.Context, posts map[int64]*Post) error {
	if s.languages == nil {
		return nil
	}
	found, err := s.translations(ctx, "", slices.Sorted(maps.Keys(posts)), false)
	for id, t := range found {
		if p := posts[id]; p != nil {
			p.Language = t.language
		}
	}
	return err
}

// linkRoot is the post that the link of an attachment is made of: the first one above it that is no attachment.
func (s *Site) linkRoot(p *Post, attachedTo map[int64]*Post) *Post {
	if p.Type != "attachment" {
		return nil
	}
	return attachedTo[p.Parent]
}

// translateTerms tells the terms of byID their language and, with keep, reads those of their translations that
// are missing there. It returns the groups, term by term.
func (s *Site) translateTerms(ctx context.Context, t *registry.Taxonomy, byID map[int64]*Term, keep func(id int64) bool, read func(query string, ids []int64) error) (map[int64]map[string]int64, error) {
	if !s.TranslatesTaxonomy(t.Name) || len(byID) == 0 {
		return nil, nil
	}
	l := s.languages
	ids := make([]int64, 0, len(byID))
	for _, term := range byID {
		ids = append(ids, l.objectID(term.ID, term.taxonomyID))
	}
	found, err := s.translations(ctx, taxonomyKind+t.Name, ids, keep != nil)
	if err != nil {
		return nil, err
	}
	for _, term := range byID {
		term.Language = found[l.objectID(term.ID, term.taxonomyID)].language
	}
	if keep == nil {
		return nil, nil
	}
	termID := map[int64]int64{} // of the plugin's ids
	for _, term := range byID {
		termID[l.objectID(term.ID, term.taxonomyID)] = term.ID
	}
	language := map[int64]string{}
	var missing []int64
	for _, g := range found {
		for code, id := range g.members {
			if _, here := termID[id]; !here && language[id] == "" && (l.wpml || keep(id)) {
				language[id] = code
				missing = append(missing, id)
			}
		}
	}
	slices.Sort(missing)
	query := sqlTermDetails
	if l.wpml {
		query = sqlTermsByTaxonomyID
	}
	if err := db.Batches(missing, func(ids []int64) error { return read(query, ids) }); err != nil {
		return nil, s.wrap("reading translations of "+t.Name, err)
	}
	for _, term := range byID {
		id := l.objectID(term.ID, term.taxonomyID)
		termID[id] = term.ID
		if code := language[id]; code != "" {
			term.Language = code
		}
	}
	groups := map[int64]map[string]int64{}
	for _, g := range found {
		members := map[string]int64{}
		for code, id := range g.members {
			if id, ok := termID[id]; ok && keep(id) {
				members[code] = id
			}
		}
		for _, id := range members {
			groups[id] = members
		}
	}
	return groups, nil
}

// ListsWithoutLanguage tells whether posts of a translated type without a language are listed: WPML takes them for
// the default language's, Polylang leaves them out.
func (s *Site) ListsWithoutLanguage() bool { return s.languages == nil || s.languages.wpml }

// AtHome is the site as it sees itself where its language's domain is not taken for home, the site
// itself where that makes no difference.
func (s *Site) AtHome() *Site {
	if s.set.Home == s.home {
		return s
	}
	at := *s
	at.set.Home, at.set.Permalinks.Home = s.home, s.home
	return &at
}
