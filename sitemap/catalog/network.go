package catalog

import (
	"errors"
	"iter"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// RenderNetwork renders the sitemap indexes of a network. They name the sitemaps of all public blogs
// directly, because an index may not name another index.
//
// RenderNetwork begins another index if one is full. refused counts sitemaps whose URL is not valid in
// an index.
func RenderNetwork(blogs iter.Seq[*Outline]) (indexes [][]byte, refused int) {
	w := &urlset.Writer{}
	w.Begin(urlset.Index)
	end := func() {
		w.End()
		indexes = append(indexes, w.Bytes())
		w = &urlset.Writer{}
		w.Begin(urlset.Index)
	}
	for o := range blogs {
		if o.Private {
			continue
		}
		for _, f := range o.Files {
			if f.Name == seo.IndexName {
				continue
			}
			named := urlset.Sitemap{Loc: f.URL, LastMod: FromTime(f.LastMod)}
			err := w.AppendSitemap(named)
			if errors.Is(err, urlset.ErrFull) {
				end()
				err = w.AppendSitemap(named)
			}
			if err != nil {
				refused++
			}
		}
	}
	end()
	return indexes, refused
}
