package site

import (
	"sync"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// partCounts are how many later parts of posts the sitemaps of a site list. Content alone tells, so that they are known once a page was
// rendered. They are safe for concurrent use.
type partCounts struct {
	mu sync.Mutex
	of map[partedPage]int // without zeros
}

type partedPage struct {
	blog, name string
	page       int
}

// NoteParts notes how many later parts of posts a page of a sitemap has. The blog is named by its key.
func (s *Site) NoteParts(blog, name string, page, parts int) {
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	switch {
	case parts == 0:
		delete(s.parts.of, partedPage{blog, name, page})
	case s.parts.of == nil:
		s.parts.of = map[partedPage]int{{blog, name, page}: parts}
	default:
		s.parts.of[partedPage{blog, name, page}] = parts
	}
}

// Parts is what NoteParts has noted last.
func (s *Site) Parts(blog, name string, page int) int {
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	return s.parts.of[partedPage{blog, name, page}]
}

// URLs is how many URLs a file of a blog has, as far as they are known.
func (s *Site) URLs(b *Blog, f *catalog.File) int {
	return f.Entries + s.Parts(b.Key(), f.Name, f.Page)
}

// ListedURLs counts the URLs that the sitemaps of a blog list.
func (s *Site) ListedURLs(b *Blog) (n int) {
	for i := range b.Outline.Files {
		if f := &b.Outline.Files[i]; f.Name != seo.IndexName {
			n += s.URLs(b, f)
		}
	}
	return n
}

// Size counts the URLs and the sitemaps that the catalogs list.
func (s *Site) Size() (urls, files int) {
	for _, b := range s.Snapshot().Blogs {
		files += len(b.Outline.Files)
		urls += s.ListedURLs(b)
	}
	return urls, files
}
