package catalog

import (
	"errors"
	"iter"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// RenderNetwork writes the indexes of a network, each as long as the protocol allows: they name the sitemaps of all its public
// blogs, and not their indexes, which no index may. refused counts those whose URL cannot be in one.
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
