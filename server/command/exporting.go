package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"wpsitemapd/server/config"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/weburl"
)

const (
	// atOnce is how many sitemaps are rendered at a time. A site has two connections to its database, and some sitemaps
	// need none.
	atOnce = 4
	// onDisk is how many rendered sitemaps wait for the disk at a time, while others are rendered.
	onDisk = 16
)

// exporter writes the sitemaps of one site.
type exporter struct {
	*exporting
	*program
	site     *config.Site
	dir      string // the folder for the files
	progress report.Progress
	start    time.Time

	mu          sync.Mutex
	paths       map[string]string // maps the path of every file to its URL
	files, urls int
	same        int // files that already existed with the same bytes
	bytes       int64
	blogs       int
	total       int // how many files are expected, as far as is known
	failed      bool
	none        []string // messages about blogs without sitemaps
}

func (e *exporter) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.progress.Clear()
	e.failed = true
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(e.stderr, "site %s: %s\n", e.site.Name, report.Printable(report.Nameless(e.site.Name, line)))
	}
}

func (e *exporter) export(ctx context.Context) {
	n, blogs, err := site.Blogs(ctx, e.site, e.progress.Settings(e.start))
	if err != nil {
		e.fail(err)
	}
	if n == nil {
		return
	}
	defer n.Close()
	hosts := map[string]bool{}
	for _, b := range blogs {
		hosts[weburl.HostPort(weburl.Authority(b.Blog.Home()))] = true
	}
	if blogs, err = blogsAt(blogs, e.home); err != nil {
		e.fail(err)
		return
	}
	e.blogs = len(blogs)
	for i, b := range blogs {
		if e.blogs > 1 {
			e.progress.Of(i, len(blogs), "blog", e.start)
		}
		e.blog(ctx, b, len(hosts) > 1)
		if ctx.Err() != nil {
			break
		}
	}
	e.progress.Clear()
	for _, line := range e.none {
		fmt.Fprintln(e.stdout, report.Printable(line))
	}
	if e.files == 0 && len(e.none) > 0 && len(e.none) == len(blogs) {
		return // "0 sitemaps" would look like a failure
	}
	before := ""
	if e.same > 0 {
		before = fmt.Sprintf(" (%s as before)", report.Number(e.same))
	}
	fmt.Fprintf(e.stdout, "%s: %s%s with %s, %s, in %v, below %s\n", e.site.Name, report.Count(e.files, "sitemap"), before, report.Count(e.urls, "URL"),
		report.Size(e.bytes), time.Since(e.start).Round(time.Millisecond), e.dir)
}

// blogsAt returns the blogs at a home. If home is only a path, the host does not matter. If home is "", blogsAt
// returns all blogs.
func blogsAt(blogs []*address.Book, home string) ([]*address.Book, error) {
	if home == "" {
		return blogs, nil
	}
	host, path := weburl.Split(home)
	if host == "" && !strings.HasPrefix(home, "/") {
		return nil, fmt.Errorf("--blog %s is not an address: write the home of a blog, such as https://www.example.com/blog, "+
			"or its path, such as /blog", home)
	}
	at := slices.DeleteFunc(slices.Clone(blogs), func(b *address.Book) bool {
		blogHost, blogPath := weburl.Split(b.Blog.Home())
		return host != "" && blogHost != host || blogPath != path
	})
	if len(at) == 0 {
		return nil, fmt.Errorf("there is no blog at %s", home)
	}
	return at, nil
}

func (e *exporter) blog(ctx context.Context, book *address.Book, hostFolder bool) {
	c, err := site.Build(ctx, e.site, book, site.Clock(e.asOf), quiet(e.stderr), true)
	if err != nil {
		e.fail(err)
		return
	}
	files := c.Files()
	if len(files) == 0 {
		why := "nothing is public"
		if !c.Active() {
			why = c.Whose.Why()
		}
		e.none = append(e.none, fmt.Sprintf("%s: %s has no sitemaps to write: %s.", e.site.Name, book.Blog.Home(), why))
		return
	}
	others := slices.DeleteFunc(append(files[1:], c.OtherFiles()...), func(f catalog.File) bool { return f.Elsewhere || older(f, e.since) })
	e.total += 1 + len(others)
	e.write(ctx, c, others, hostFolder)
	e.write(ctx, c, files[:1], hostFolder) // the index comes last, because it names the other files
}

// isListOfOthers reports whether a file only repeats or names what other files contain.
func isListOfOthers(f catalog.File) bool {
	return slices.Contains([]string{seo.IndexName, catalog.TextName, catalog.AtomName, catalog.RSSName}, f.Name)
}

// older reports whether the date of a file is known, and is before the time since. The date 0000-00-00 in a database counts as
// unknown.
func older(f catalog.File, since time.Time) bool {
	return f.LastMod.After(time.Time{}) && f.LastMod.Before(since)
}

// write renders and writes files, several at a time. It returns after all files are written or have failed.
func (e *exporter) write(ctx context.Context, c *sitemap.Catalog, files []catalog.File, hostFolder bool) {
	var rendering, storing errgroup.Group
	rendering.SetLimit(atOnce)
	storing.SetLimit(onDisk)
	start := func(group *errgroup.Group, work func() error) {
		group.Go(func() error {
			if err := site.Guard(slog.Default(), work); err != nil && ctx.Err() == nil {
				e.fail(err)
			}
			return nil
		})
	}
	for _, f := range files {
		if ctx.Err() != nil {
			break
		}
		start(&rendering, func() error {
			d, err := e.render(ctx, c, f, hostFolder)
			if err == nil {
				start(&storing, func() error { return e.store(d) })
			}
			return err
		})
	}
	_ = rendering.Wait() // errors were already printed
	_ = storing.Wait()
}

// draft is a rendered sitemap that is not in its place yet.
type draft struct {
	plain, zipped *os.File // temporary files; nil if both files already exist with the same bytes
	path          string   // for the plain file
	bytes, urls   int
}

// render renders a sitemap, and writes it and its compressed form to temporary files. If both files exist with the same
// bytes, it leaves them and their dates alone, so that tools copy only what changed.
func (e *exporter) render(ctx context.Context, c *sitemap.Catalog, f catalog.File, hostFolder bool) (d draft, err error) {
	path, err := e.place(f, hostFolder)
	if err != nil {
		return d, err
	}
	doc, err := c.Render(ctx, f.Name, f.Page)
	if err != nil {
		return d, err
	}
	d.path, d.bytes = filepath.Join(e.dir, path), len(doc.Body)
	if !isListOfOthers(f) {
		d.urls = doc.Entries
	}
	zipped := pages.Gzip(doc.Body)
	if holds(d.path, doc.Body) && holds(d.path+".gz", zipped) {
		return d, nil
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o755); err != nil {
		return d, err
	}
	if d.plain, err = writeTemp(d.path, doc.Body); err != nil {
		return d, err
	}
	if d.zipped, err = writeTemp(d.path+".gz", zipped); err != nil {
		return d, errors.Join(err, discard(d.plain))
	}
	return d, nil
}

// store moves the files of a draft to their places, and counts the sitemap.
func (e *exporter) store(d draft) error {
	if d.plain != nil {
		if err := replace(d.path, d.plain); err != nil {
			return errors.Join(err, discard(d.zipped)) // the old pair of files stays
		}
		if err := replace(d.path+".gz", d.zipped); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.files++
	if d.plain == nil {
		e.same++
	}
	e.bytes += int64(d.bytes)
	e.urls += d.urls
	if e.blogs == 1 {
		e.progress.Of(e.files, e.total, "sitemap", e.start)
	}
	return nil
}

// place returns the path for the file of a sitemap. It returns an error if another file of this export has the same
// path.
func (e *exporter) place(f catalog.File, hostFolder bool) (string, error) {
	path, err := pathOf(f.URL, hostFolder)
	if err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if other, taken := e.paths[path]; taken {
		return "", fmt.Errorf("%s and %s would both be written to %s", other, f.URL, path)
	}
	e.paths[path] = f.URL
	return path, nil
}

// pathOf returns the path for the file of an address, below the folder of its site. If hostFolder is set, the path
// begins with a folder for the host.
func pathOf(address string, hostFolder bool) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	path := filepath.FromSlash(strings.TrimLeft(u.Path, "/"))
	if hostFolder {
		path = filepath.Join(strings.ReplaceAll(strings.ToLower(u.Host), ":", "_"), path)
	}
	if u.RawQuery != "" || strings.HasSuffix(u.Path, "/") || !filepath.IsLocal(path) {
		return "", fmt.Errorf("%s cannot be written as a file", address)
	}
	return path, nil
}

// holds reports whether a file exists and has these bytes.
func holds(path string, data []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	there, err := os.ReadFile(path)
	return err == nil && bytes.Equal(there, data)
}

// writeTemp writes the bytes for a file to a temporary file beside it.
func writeTemp(path string, data []byte) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644)); err != nil { // a web server may read it under another account
		return nil, errors.Join(err, discard(f))
	}
	return f, nil
}

func discard(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// replace replaces a file by a temporary one in one step. A reader, or a crash, finds either the whole old file or the
// whole new one.
func replace(path string, f *os.File) error {
	err := errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
