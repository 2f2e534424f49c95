package sitemap

import "wpsitemapd/sitemap/rows"

// Kept returns the rows that deltas start from.
func (c *Catalog) Kept() *rows.Kept { return c.kept }

// Rule is that of why these sitemaps are served, or none.
func (w *Whose) Rule() string { return w.why.Rule }
