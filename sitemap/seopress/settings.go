package seopress

import (
	"context"
	"fmt"
	"strconv"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// settings are those of SEOPress.
type settings struct {
	site *wp.Site
	*options
	level seo.Level
	terms map[string]map[int64]string

	// Of level plugin alone:
	noted   map[string]string // options in which the plugin notes dates for an hour
	orders  map[int64]int64   // numbers of terms, by which WooCommerce orders those of the taxonomies byOrder
	byOrder map[string]bool
}

// NewSettings returns those of a blog. Level plugin answers for every type in the lists: only the index asks for the boxes.
func NewSettings(site *wp.Site, level seo.Level) *settings {
	return &settings{site: site, options: of(site), level: level}
}

// Load implements Settings.
func (s *settings) Load(ctx context.Context) (err error) {
	if s.level == seo.PluginLevel {
		if err := s.loadDates(ctx); err != nil {
			return err
		}
		if err := s.loadOrders(ctx); err != nil {
			return err
		}
	}
	s.terms, err = s.site.TermMeta(ctx, metaNoindex, metaCanonical)
	return err
}

// PostType implements Settings: the lists are all that counts, and not the types' own noindex.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	return s.unlisted(s.types, keyTypes, t.Name)
}

// Taxonomy implements Settings.
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

// Authors implements Settings.
func (s *settings) Authors() *seo.Reason {
	if s.authors || s.level == seo.PluginLevel { // where it still answers
		return nil
	}
	return &seo.Reason{
		Rule: seo.RuleAuthorsOff, Sentence: "The sitemap of authors is not ticked in SEOPress.",
		Do:       "In SEO, XML - HTML Sitemap, General, tick “Enable Author Sitemap”.",
		Evidence: []seo.Evidence{s.sitemaps(keyAuthors, "off")},
	}
}

// AuthorTypes implements Settings.
func (*settings) AuthorTypes() []string { return []string{"post"} }

// Archive implements Settings.
func (s *settings) Archive(postType string) *seo.Reason {
	if !s.archiveNoindex(postType) {
		return nil
	}
	return &seo.Reason{
		Rule: seo.ArchiveNoindex.String(), Sentence: archiveSentence, Do: doArchive,
		Evidence: []seo.Evidence{s.option(optionTitles+"[seopress_titles_archive_titles]["+postType+"][noindex]", `"1"`)},
	}
}

// catalogHidden is the term by which WooCommerce hides a product from its catalog.
const catalogHidden = "exclude-from-catalog"

// Posts implements Settings.
func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	var values map[string]map[int64]string
	var err error
	if ids == nil {
		values, err = s.site.MetaByKeys(ctx, metaNoindex, metaCanonical)
	} else {
		values, err = s.site.MetaOf(ctx, ids, metaNoindex, metaCanonical)
	}
	if err != nil {
		return nil, err
	}
	hidden, err := s.site.MarkedProducts(ctx, catalogHidden, ids)
	flags := map[int64]seo.Flags{}
	for id, v := range values[metaNoindex] {
		if v == noindexed {
			flags[id] = seo.Flags{Noindex: true}
		}
	}
	for id, v := range values[metaCanonical] {
		if truthy(v) {
			flags[id] = seo.Flags{Noindex: flags[id].Noindex, Canonical: v}
		}
	}
	for _, id := range hidden {
		f := flags[id]
		f.Against = HiddenProduct
		flags[id] = f
	}
	return flags, err
}

// noindexed is the value of metaNoindex that says so of a post. Of a term any truth does.
const noindexed = "yes"

func truthy(value string) bool { return php.NewString(value).Truthy() }

// Post implements Settings.
func (*settings) Post(p *wp.Post) seo.Flags {
	f := seo.Flags{Noindex: p.Meta(metaNoindex) == noindexed}
	if canonical := p.Meta(metaCanonical); truthy(canonical) {
		f.Canonical = canonical
	}
	return f
}

// PostEvidence implements Settings.
func (s *settings) PostEvidence(p *wp.Post) []seo.Evidence {
	subject := &seo.Subject{Rules: &seo.Rules{Blog: s.site}, Of: fmt.Sprintf("%s %d", p.Type, p.ID), Post: p}
	var all []seo.Evidence
	for _, key := range []string{metaNoindex, metaCanonical} {
		if p.Meta(key) != "" {
			all = append(all, subject.Meta(key, strconv.Quote(p.Meta(key))))
		}
	}
	return all
}

// Term implements Settings.
func (s *settings) Term(_ string, id int64) seo.Flags {
	f := seo.Flags{Noindex: truthy(s.terms[metaNoindex][id])}
	if canonical := s.terms[metaCanonical][id]; truthy(canonical) {
		f.Canonical = canonical
	}
	return f
}

// TermEvidence implements Settings.
func (s *settings) TermEvidence(taxonomy string, id int64) []seo.Evidence {
	var all []seo.Evidence
	for _, key := range []string{metaNoindex, metaCanonical} {
		if s.terms[key][id] != "" {
			all = append(all, s.term(taxonomy, id, key))
		}
	}
	return all
}

func (s *settings) term(taxonomy string, id int64, key string) seo.Evidence {
	return seo.Evidence{
		Source: s.site.Table("termmeta") + "." + key, Value: strconv.Quote(s.terms[key][id]), Of: fmt.Sprintf("%s %d", taxonomy, id),
	}
}

// Author implements Settings: nothing is stored of users.
func (*settings) Author(*wp.Author) seo.Flags { return seo.Flags{} }

func (s *settings) option(name, value string) seo.Evidence {
	return (&seo.Rules{Blog: s.site}).Option(name, value)
}

// sitemaps is evidence from the option of the sitemaps.
func (s *settings) sitemaps(key, value string) seo.Evidence {
	return s.option(optionSitemaps+"["+key+"]", value)
}

const (
	archiveSentence = "The archive is set to noindex in SEOPress."
	doArchive       = "In SEO, Titles & Metas, Archives, untick noindex of the archive."
)

// HiddenProduct is the verdict on a product that WooCommerce hides from its catalog.
var HiddenProduct = seo.NewVerdict("hidden product")

var hiddenProductCheck = seo.Check{
	Verdict:  HiddenProduct,
	Sentence: "WooCommerce hides the product from its catalog, and SEOPress leaves such out.",
	Do:       "In the product's box Publish, set the catalog visibility to “Shop and search results”.",
	Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Against == HiddenProduct },
	Evidence: func(s *seo.Subject) []seo.Evidence {
		return []seo.Evidence{{Source: s.Blog.Table("term_relationships") + ".product_visibility", Value: strconv.Quote(catalogHidden), Of: s.Of}}
	},
}

// own are the checks on what SEOPress stores, for level spec.
var own = seo.Own{
	Noindex: seo.Check{
		Verdict:  seo.MetaNoindex,
		Sentence: "It is set to noindex in SEOPress.",
		Do:       "In SEOPress' Advanced tab, untick “Do not display this page in search engine results (noindex)”.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Noindex },
		Evidence: func(s *seo.Subject) []seo.Evidence { return stored(s, metaNoindex) },
	},
	ArchiveNoindex: seo.Check{
		Verdict:  seo.ArchiveNoindex,
		Sentence: archiveSentence,
		Do:       doArchive,
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.ArchiveNoindex },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			name := "post"
			if s.PostType != nil {
				name = s.PostType.Name
			}
			return s.Settings.Archive(name).Evidence
		},
	},
	Canonical: seo.Check{
		Verdict:  seo.CanonicalElsewhere,
		Sentence: "Its canonical address is another one.",
		Do:       "In SEOPress' Advanced tab, empty the canonical URL, if this page is the one to be found.",
		Applies: func(_ *seo.Rules, o *seo.Object) bool {
			return o.Elsewhere() && o.Canonical != php.URLDecode(o.Link)
		},
		Evidence: func(s *seo.Subject) []seo.Evidence { return append(stored(s, metaCanonical), s.Permalink()) },
	},
}

// stored is what is stored of a post or a term under a key.
func stored(s *seo.Subject, key string) []seo.Evidence {
	if s.Term != nil {
		return []seo.Evidence{s.Settings.(*settings).term(s.Taxonomy.Name, s.Term.ID, key)}
	}
	return []seo.Evidence{s.Meta(key, strconv.Quote(s.Post.Meta(key)))}
}

// Spec are the decisions of level spec on a site with SEOPress.
var Spec = func() *seo.Decisions {
	d := seo.SpecDecisions(own)
	d.Checks = append(d.Checks, hiddenProductCheck)
	return d
}()

// printed is the address of an object as SEOPress prints it, with which it compares the canonical one: decoded of a post, as
// WordPress displays it of a term.
func printed(o *seo.Object) string {
	if o.Kind == seo.KindTerm {
		return formatting.DisplayURL(o.Link)
	}
	return escaped(php.URLDecode(o.Link))
}
