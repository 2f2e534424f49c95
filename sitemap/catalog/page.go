package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A sheet is a page that is being written.
type sheet struct {
	w             *urlset.Writer
	newest        int64
	refused, bare int  // addresses that were left out; addresses written without their images
	parts         int  // addresses that are later parts of posts
	behind        bool // becomes Document.Behind

	written map[string]bool // addresses that were written, because each is written once; nil if a plugin writes an address again
}

// sheet begins a page. If encoding is nil, the page uses the plugin's encoding.
func (c *Catalog) sheet(extensions urlset.Extensions, encoding *urlset.Encoding) *sheet {
	s := &sheet{w: c.writer(urlset.URLSet, extensions), newest: wp.NoTime}
	if encoding != nil {
		s.w.Encoding = *encoding
	}
	if c.Rules.Options.Compat == seo.SpecLevel {
		s.written = map[string]bool{}
	}
	return s
}

// add writes addresses. In a list with parts, all addresses of one post must be adjacent.
func (s *sheet) add(l *List, urls []urlset.URL) error {
	s.w.Grow(urls)
	last := int64(0) // object of the last written address
	for _, u := range urls {
		if s.written[u.Loc] {
			continue
		}
		s.newest = max(s.newest, u.LastMod)
		if u.News != nil {
			s.newest = max(s.newest, u.News.Date)
		}
		err := s.w.AppendURL(u)
		if errors.Is(err, urlset.ErrFull) && len(u.Images) > 0 { // the page is full: keep the address and drop its images
			s.bare++
			u.Images = nil
			err = s.w.AppendURL(u)
		}
		switch {
		case errors.Is(err, urlset.ErrRefused):
			s.refused++
			continue
		case err != nil:
			return fmt.Errorf("%w: lower page_size", err)
		case l.Parts && u.Object != 0 && u.Object == last:
			s.parts++
		}
		if last = u.Object; s.written != nil {
			s.written[u.Loc] = true
		}
	}
	return nil
}

// render writes the links and objects of page, one page of the list l. It reads the objects from the
// database.
func (s *sheet) render(ctx context.Context, l, page *List) error {
	s.w.Hints = l.Hints
	if err := s.renderLinks(ctx, l, page.First); err != nil {
		return err
	}
	objects := append(slices.Collect(page.Places.Listed()), page.Tail...)
	if err := s.renderObjects(ctx, l, objects); err != nil {
		return err
	}
	return s.renderLinks(ctx, l, page.After)
}

func (s *sheet) renderObjects(ctx context.Context, l *List, objects Places) error {
	r, err := l.render(ctx, objects)
	if err != nil {
		return err
	}
	s.behind = s.behind || r.Behind
	return s.add(l, r.URLs)
}

func (s *sheet) renderLinks(ctx context.Context, l *List, links []FirstLink) error {
	for i := range links {
		r, err := l.linkURLs(ctx, &links[i])
		if err != nil {
			return err
		}
		s.behind = s.behind || r.Behind
		if err := s.add(l, r.URLs); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalog) renderPage(ctx context.Context, l *List, page int) (*Document, error) {
	on, ok := l.page(page)
	switch {
	case l.Withheld != nil && !ok: // the page may exist
		return nil, l.Withheld
	case !ok:
		return nil, ErrNotFound
	}
	s := c.sheet(l.Extensions, l.Encoding)
	if err := s.render(ctx, l, on); err != nil {
		return nil, err
	}
	return c.document(s, c.Filename(l.Name, page)), nil
}

// linkURLs returns the URL of a first link. A front page with its own content also has images.
func (l *List) linkURLs(ctx context.Context, f *FirstLink) (Rendered, error) {
	if f.PostID == 0 {
		return Rendered{URLs: []urlset.URL{{Loc: f.Loc, LastMod: f.LastMod, Hints: f.Hints, Alternates: f.Alternates}}}, nil
	}
	front, err := l.render(ctx, Places{NewPlace(f.PostID, f.LastMod, seo.Listed)})
	for i := range front.URLs {
		front.URLs[i].Hints, front.URLs[i].Alternates = f.Hints, f.Alternates
	}
	return front, err
}

// document finishes a page and returns it. It logs a warning if anything was left out.
func (c *Catalog) document(s *sheet, filename string) *Document {
	s.w.End()
	left := s.refused + s.bare + s.w.RefusedImages()
	if left > 0 {
		hint := "correct the addresses of its posts and images in WordPress; wpsitemapd explain shows why a URL is missing"
		if s.bare > 0 {
			hint = "the file is full, and entries lack their images: lower page_size"
		}
		c.Rules.Options.Log.Warn("sitemap page is not complete", "home", c.Rules.Blog.Home(), "sitemap", filename,
			"invalid_urls", s.refused, "invalid_images", s.w.RefusedImages(), "urls_without_images_for_size", s.bare,
			"hint", hint)
	}
	return &Document{Body: s.w.Bytes(), LastMod: toTime(known(s.newest)), Entries: s.w.Entries(), Parts: s.parts,
		LeftOut: left, Behind: s.behind}
}
