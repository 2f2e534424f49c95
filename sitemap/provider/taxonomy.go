package provider

import (
	"context"
	"slices"
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// Taxonomies adds one list for each listed taxonomy.
func Taxonomies(ctx context.Context, b *Build) error {
	for _, t := range b.Rules.Taxonomies() {
		if !b.Rules.ListsType(t) {
			continue
		}
		l, err := b.taxonomyList(ctx, t)
		if err != nil {
			return err
		}
		b.Add(l)
	}
	return nil
}

func (b *Build) taxonomyList(ctx context.Context, t *registry.Taxonomy) (*catalog.List, error) {
	terms, err := b.TermsOf(ctx, t)
	if err != nil {
		return nil, err
	}
	c := b.Renderer // the list outlives the build, so it holds the renderer only
	bare := c.Policy.Bare(seo.KindTerm)
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindTerm, t.Name), Kind: seo.KindTerm, Of: t.Name, Past: c.Policy.Past(),
		Content: c.Terms(t), Hints: c.Rules.Options.Hints.Taxonomies[t.Name],
	})
	for i := range terms.All {
		if term := &terms.All[i]; term.Used {
			date := term.Dates[rows.DateOpen].At
			if bare {
				date = wp.NoTime
			}
			b.place(l, catalog.NewPlace(term.Row.ID, date, term.Verdict))
		}
	}
	c.Policy.OrderTerms(b, t, l.Places)
	if bare {
		l.Extensions = urlset.Bare
	}
	slices.Sort(b.Rows.Translated.Terms[t.Name])
	if b.Rows.Translated.Alternates && b.Rules.Blog.Languages().Taxonomies[t.Name] {
		l.Extensions = urlset.Images | urlset.Alternates
	}
	l.Dates = c.Policy.TermDates(b, t, l, terms)
	l.Indexed = c.Policy.IndexesTerms(b, t, l)
	return l, nil
}

// TermsOf returns the terms of a taxonomy. If the build keeps its rows (Options.Keep), it reads the terms only once.
func (b *Build) TermsOf(ctx context.Context, t *registry.Taxonomy) (*rows.Terms, error) {
	if terms := b.Rows.Terms[t.Name]; terms != nil {
		return terms, nil
	}
	terms, err := b.Rows.ReadTerms(ctx, t)
	if err == nil && b.Rules.Options.Keep {
		b.Rows.Terms[t.Name] = terms
	}
	return terms, err
}

// DatesBelow returns the date of each page of terms in Unix seconds. pages holds the term ids of each
// page. Among the posts of these terms and of all terms below, one has the latest post_modified, in the
// local time. Its post_modified_gmt is the date. Without such a post, the date is the newest result of
// newestOf for the taxonomy's post types.
func DatesBelow(t *registry.Taxonomy, terms *rows.Terms, pages [][]int64, newestOf func(postType string) int64) []int64 {
	of := make(map[int64]rows.Date, len(terms.All))
	for i := range terms.All {
		of[terms.All[i].Row.ID] = terms.All[i].Dates[rows.DateLocal]
	}
	dates := make([]int64, len(pages))
	for i, ids := range pages {
		newest, seen := rows.NoDates[rows.DateLocal], map[int64]bool{}
		later := func(d rows.Date) {
			if d.At > newest.At {
				newest = d
			}
		}
		for _, id := range ids {
			later(of[id])
			for _, below := range terms.Tree.Below(id, seen) {
				later(of[below])
			}
		}
		if dates[i] = newest.GMT; newest.GMT == wp.NoTime {
			for _, name := range t.ObjectTypes {
				dates[i] = max(dates[i], newestOf(name))
			}
		}
	}
	return dates
}

// Terms returns the content of the list of a taxonomy.
func (c *Renderer) Terms(t *registry.Taxonomy) catalog.Own { return termsOf{c, t} }

// termsOf implements catalog.Own: it renders the entries of a taxonomy's sitemap.
type termsOf struct {
	c *Renderer
	t *registry.Taxonomy
}

func (o termsOf) Render(ctx context.Context, terms catalog.Places) (catalog.Rendered, error) {
	return o.c.termURLs(ctx, o.t, terms)
}

func (o termsOf) Locate(ctx context.Context, terms catalog.Places) (catalog.Rendered, error) {
	return o.c.addresses().termURLs(ctx, o.t, terms)
}

func (o termsOf) Titles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return o.c.Rules.Blog.TermNames(ctx, ids)
}

// termPictures returns for each term the id of the image that WooCommerce shows with it, as text. Level
// spec lists this image before all other images. At level plugin, termPictures returns nil.
func (c *Renderer) termPictures(ctx context.Context) (map[int64]string, error) {
	if c.Rules.Options.Compat != seo.SpecLevel || !c.Rules.Blog.Settings().Woo.Active || c.bare {
		return nil, nil
	}
	values, err := c.Rules.Blog.TermMeta(ctx, wp.MetaTermPicture)
	if db.Unreadable(err) { // a warning was logged already
		return nil, nil
	}
	return values[wp.MetaTermPicture], err
}

// termURLs returns the URLs of terms. Their images come from the descriptions.
func (c *Renderer) termURLs(ctx context.Context, t *registry.Taxonomy, places catalog.Places) (catalog.Rendered, error) {
	lastmod := places.Dates()
	terms, err := c.Rules.Book.TranslatedTerms(ctx, t, places.IDs(), c.translations(t.Name))
	if err != nil {
		return catalog.Rendered{}, err
	}
	pictures, err := c.termPictures(ctx)
	if err != nil {
		return catalog.Rendered{}, err
	}
	found := NewImageFinder(c, 0)
	for _, term := range terms {
		if c.bare || c.Policy.Bare(seo.KindTerm) {
			break
		}
		var images []content.Image
		if id, _ := strconv.ParseInt(pictures[term.ID], 10, 64); id > 0 {
			images = []content.Image{{AttachmentID: id}}
		}
		found.add(part{term.ID, 1}, content.AppendImages(images, term.Description), content.Galleries(term.Description))
	}
	if err := found.Resolve(ctx, nil); err != nil {
		return catalog.Rendered{}, err
	}
	urls := make([]urlset.URL, 0, len(terms))
	for _, term := range terms {
		if term.Link == "" { // the address is no longer known
			continue
		}
		urls = append(urls, urlset.URL{
			Object: term.ID, Loc: c.Policy.TermLoc(c, t, term), LastMod: lastmod[term.ID],
			Images: found.compose(part{term.ID, 1}, 0, 0), Alternates: c.alternateLinks(term.Alternates),
		})
	}
	return catalog.Rendered{URLs: urls}, nil
}
