package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
)

// Explain says what is at an address, and why it is in the sitemaps or not. For an image or a video it
// renders pages and searches them.
func (c *Catalog) Explain(ctx context.Context, address string) (*explain.Explanation, error) {
	return c.ExplainIn(ctx, address, c.rendered)
}

// rendered renders a page.
func (c *Catalog) rendered(ctx context.Context, f catalog.File) ([]byte, error) {
	doc, err := c.Render(ctx, f.Name, f.Page)
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}

// ExplainIn is like Explain, but calls pages for each page to search, instead of rendering the page.
func (c *Catalog) ExplainIn(ctx context.Context, address string, pages explain.Pages) (*explain.Explanation, error) {
	return explain.Address(ctx, c.Catalog, c.Whose.why, address, pages)
}

// ExplainSitemap explains a sitemap page and says whether the index names it. name and page have the same
// meaning as in Render.
func (c *Catalog) ExplainSitemap(name string, page int) *explain.Explanation {
	return explain.Sitemap(c.Catalog, c.Whose.why, name, page)
}

// EachLeftOut reads a blog and calls fn for everything that the given rule leaves out; rule "" means
// any rule. It takes 48 bytes for each object that is left out, in addition to the catalog.
func EachLeftOut(ctx context.Context, book *address.Book, opt seo.Options, rule string, fn func(explain.LeftOut) error) error {
	var left []seo.Left
	opt.Keep = false
	c, err := build(ctx, book, opt, nil, &left)
	if err != nil || !c.Active() {
		return err
	}
	left = slices.DeleteFunc(left, func(l seo.Left) bool { return rule != "" && l.Verdict.String() != rule })
	return explain.EachLeftOut(ctx, c.Catalog, left, func(l explain.LeftOut) error {
		if rule != "" && l.Rule != rule {
			return nil
		}
		return fn(l)
	})
}
