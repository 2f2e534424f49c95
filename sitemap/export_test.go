package sitemap

import "wpsitemapd/sitemap/rows"

// Kept returns the rows from which deltas start.
func (c *Catalog) Kept() *rows.Kept { return c.kept }

// Rule returns the rule by which these sitemaps are served, or none.
func (w *Whose) Rule() string { return w.why.Rule }
