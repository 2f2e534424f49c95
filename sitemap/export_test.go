package sitemap

import "wpsitemapd/sitemap/rows"

// On reports whether sitemaps are served.
func (w *Whose) On() bool { return w.on }

// Kept returns the rows that deltas start from.
func (c *Catalog) Kept() *rows.Kept { return c.kept }

// Rule is that of why these sitemaps are served, or none.
func (w *Whose) Rule() string { return w.why.Rule }
