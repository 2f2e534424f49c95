package site

import (
	"sync"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// partCounts counts the later parts of multi-part posts on each page of a site's sitemaps. Only the content of posts
// shows them, so they are known after a page was rendered. partCounts is safe for concurrent use.
type partCounts struct {
	mu sync.Mutex
	of map[partedPage]int // a page without later parts has no entry
}

type partedPage struct {
	blog, name string
	page       int
}

// NoteParts records how many later parts of posts a page of a sitemap lists. blog is the key of the blog.
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

// Parts returns how many later parts of multi-part posts a page of a sitemap lists, as NoteParts last recorded it. It returns 0 if
// nothing is recorded, for example because the page was not rendered yet.
func (s *Site) Parts(blog, name string, page int) int {
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	return s.parts.of[partedPage{blog, name, page}]
}

// URLs returns the number of URLs in a file of a blog, as far as it is known.
func (s *Site) URLs(b *Blog, f *catalog.File) int {
	return f.Entries + s.Parts(b.Key(), f.Name, f.Page)
}

// ListedURLs returns the number of URLs that the sitemaps of a blog list.
func (s *Site) ListedURLs(b *Blog) (n int) {
	for i := range b.Outline.Files {
		if f := &b.Outline.Files[i]; f.Name != seo.IndexName {
			n += s.URLs(b, f)
		}
	}
	return n
}

// Size returns the numbers of URLs and sitemaps of all blogs of the site. parts is how many of the URLs are later parts of posts.
// After a start, urls and parts grow while pages are rendered, although nobody publishes anything.
func (s *Site) Size() (urls, parts, files int) {
	for _, b := range s.Snapshot().Blogs {
		files += len(b.Outline.Files)
		urls += s.ListedURLs(b)
		for _, f := range b.Outline.Files {
			parts += s.Parts(b.Key(), f.Name, f.Page)
		}
	}
	return urls, parts, files
}
