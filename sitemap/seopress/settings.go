package seopress

import (
	"context"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// settings holds the settings of SEOPress.
type settings struct {
	seo.Meta
	*options
	blog  *wp.Blog
	level seo.Level

	// Of level plugin alone:
	noted   map[string]string // options in which the plugin notes dates for an hour
	orders  map[int64]int64   // numbers of terms, by which WooCommerce orders those of the taxonomies byOrder
	byOrder map[string]bool
}

// NewSettings returns those of a blog. Level plugin answers for every type in the lists: only the index asks for the boxes.
func NewSettings(blog *wp.Blog, level seo.Level) seo.PluginSettings {
	return &settings{
		Meta: seo.Meta{Blog: blog, Keys: []string{metaNoindex, metaCanonical}, Means: means}, options: of(blog), blog: blog, level: level,
	}
}

// before reports whether the plugin is known to be older than a version: a rule that ended with that holds.
func (s *settings) before(v release.Version) bool { return s.blog.Version(Plugin.Name).Before(v) }

func (s *settings) Load(ctx context.Context) error {
	if s.level == seo.PluginLevel {
		if err := s.loadDates(ctx); err != nil {
			return err
		}
		if err := s.loadOrders(ctx); err != nil {
			return err
		}
	}
	return s.Meta.Load(ctx)
}

// PostType implements Settings: the lists are what counts, and at level spec whether attachments have pages.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	if t.Name == "attachment" && s.redirects != "" && s.level != seo.PluginLevel {
		return &seo.Reason{
			Rule: seo.RuleTypeHidden, Sentence: "SEOPress redirects the pages of attachments.",
			Do:       "In SEO, Advanced, untick both redirections of attachment pages.",
			Evidence: []seo.Evidence{s.option(optionAdvanced+"["+s.redirects+"]", `"1"`)},
		}
	}
	return s.unlisted(s.types, keyTypes, t.Name)
}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	return s.unlisted(s.taxonomies, keyTaxonomies, t.Name)
}

// unlisted is why a type has no sitemap.
func (s *settings) unlisted(l list, key, name string) *seo.Reason {
	value := "not among them"
	switch {
	case l.on[name], s.level == seo.PluginLevel && l.has(name):
		return nil
	case l.has(name):
		value = "without include"
	}
	return &seo.Reason{
		Rule: seo.RuleTypeHidden, Sentence: "This type is not ticked in the sitemaps of SEOPress.",
		Do:       "In SEO, XML - HTML Sitemap, Post Types or Taxonomies, tick “Include” for this type.",
		Evidence: []seo.Evidence{s.sitemaps(key+"]["+name, value)},
	}
}

func (s *settings) Authors() *seo.Reason {
	disabled := s.speaks && ticked(s.titles.Get(keyAuthorsDisabled))
	switch {
	case s.level == seo.PluginLevel: // where it still answers
		return nil
	case s.authors && disabled:
		return &seo.Reason{
			Rule: seo.RuleAuthorsOff, Sentence: "SEOPress redirects the archives of authors to home.",
			Do:       "In SEO, Titles & Metas, Archives, untick “Disable author archives”.",
			Evidence: []seo.Evidence{s.option(optionTitles+"["+keyAuthorsDisabled+"]", `"1"`)},
		}
	case s.authors:
		return nil
	}
	return &seo.Reason{
		Rule: seo.RuleAuthorsOff, Sentence: "The sitemap of authors is not ticked in SEOPress.",
		Do:       "In SEO, XML - HTML Sitemap, General, tick “Enable Author Sitemap”.",
		Evidence: []seo.Evidence{s.sitemaps(keyAuthors, "off")},
	}
}

func (*settings) AuthorTypes() []string { return []string{"post"} }

func (s *settings) Archive(postType string) *seo.Reason {
	if !s.archiveNoindex(postType) {
		return nil
	}
	return &seo.Reason{
		Rule: seo.ArchiveNoindex.String(), Sentence: archiveSentence, Do: doArchive,
		Evidence: []seo.Evidence{s.option(optionTitles+"[seopress_titles_archive_titles]["+postType+"][noindex]", `"1"`)},
	}
}

func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	flags, err := s.Meta.Posts(ctx, ids)
	if err != nil {
		return nil, err
	}
	return flags, s.MarkProducts(ctx, ids, flags, seo.CatalogHidden)
}

// means says what is stored of a post or a term: noindex by one text of a post, by any truth of a term.
func means(k seo.ObjectKind, value func(key string) string) seo.Flags {
	noindex := value(metaNoindex)
	f := seo.Flags{Noindex: noindex == "yes" || k == seo.KindTerm && truthy(noindex)}
	if canonical := value(metaCanonical); truthy(canonical) {
		f.Canonical = canonical
	}
	return f
}

func truthy(value string) bool { return php.NewString(value).Truthy() }

func (s *settings) option(name, value string) seo.Evidence {
	return (&seo.Rules{Blog: s.blog}).Option(name, value)
}

// sitemaps is evidence from the option of the sitemaps.
func (s *settings) sitemaps(key, value string) seo.Evidence {
	return s.option(optionSitemaps+"["+key+"]", value)
}

const (
	keyAuthorsDisabled = "seopress_titles_archives_author_disable"

	archiveSentence = "The archive is set to noindex in SEOPress."
	doArchive       = "In SEO, Titles & Metas, Archives, untick noindex of the archive."
)

// The checks on what SEOPress says of the site and of types. Its sitemaps do not ask for it.
var (
	siteCheck = seo.Check{
		Verdict:  seo.SiteNoindex,
		Sentence: "SEOPress keeps search engines from the whole site.",
		Do:       "In SEO, Titles & Metas, Advanced, untick noindex.",
		Applies:  func(c *seo.Rules, _ *seo.Object) bool { return c.Settings.(*settings).noindexed() != noindex{} },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			return s.Settings.(*settings).says(s.Settings.(*settings).noindexed())
		},
	}
	typeCheck = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in SEOPress.",
		Do:       "In SEO, Titles & Metas, untick noindex of the post type, the taxonomy or the author archives.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			return c.Settings.(*settings).noindexOf(o.Kind, o.Type) != noindex{}
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			kind, of := seo.KindUser, ""
			switch {
			case s.Term != nil:
				kind, of = seo.KindTerm, s.Taxonomy.Name
			case s.Post != nil:
				kind, of = seo.KindPost, s.Post.Type
			}
			set := s.Settings.(*settings)
			return set.says(set.noindexOf(kind, of))
		},
	}
)

// says is a setting as evidence.
func (s *settings) says(n noindex) []seo.Evidence { return []seo.Evidence{s.option(n.key, n.value)} }

// own are the checks on what SEOPress stores, for level spec.
var own = seo.Own{
	Noindex: seo.NoindexCheck(Plugin.Name,
		"In SEOPress' Advanced tab, untick “Do not display this page in search engine results (noindex)”.", seo.StoredAs(metaNoindex)),
	ArchiveNoindex: seo.ArchiveCheck(archiveSentence, doArchive),
	More:           []seo.Check{siteCheck, typeCheck},
	Canonical:      seo.CanonicalCheck("SEOPress'", seo.StoredAs(metaCanonical)),
}

// Spec are the decisions of level spec on a site with SEOPress.
var Spec = func() *seo.Decisions {
	d := seo.SpecDecisions(own)
	d.Checks = append(d.Checks, seo.HiddenProductCheck)
	d.WithoutParts = func(r *seo.Rules) bool { return r.Settings.(*settings).speaks } // it names the first as canonical
	return d
}()

// printed is the address of an object as SEOPress prints it, with which it compares the canonical one: decoded of a post, as
// WordPress displays it of a term since 9.4.
func (s *settings) printed(o *seo.Object) string {
	if o.Kind == seo.KindTerm && !s.before("9.4") {
		return formatting.DisplayURL(o.Link)
	}
	return escaped(php.URLDecode(o.Link))
}
