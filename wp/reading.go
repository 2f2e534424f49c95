package wp

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// A reading reads one blog, and stores in the blog what it finds. No other code uses the blog until read has
// returned.
type reading struct {
	walk     *Walk
	blog     *Blog
	options  options
	evidence registry.Evidence
}

func newReading(w *Walk, row BlogRow) *reading {
	n := w.network
	prefix := n.blogPrefix(row.ID)
	return &reading{walk: w, blog: &Blog{
		network: n, row: row, prefix: prefix, tables: n.tables(prefix), long: &longMeta{}, warnings: slices.Concat(n.configNotices, n.shared.notices),
	}}
}

// read reads the blog. Each step needs what the steps before it have found.
func (r *reading) read(ctx context.Context) error {
	return r.each(ctx, r.readOptions, r.readVersions, r.readFormMeta, r.readOffload, r.readImageFields, r.readEvidence, r.decideTypes,
		r.readTermMeta, r.readDeclared, r.readLanguages)
}

// each runs steps until one fails.
func (r *reading) each(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readOptions reads the options of the blog, and decodes the settings.
func (r *reading) readOptions(ctx context.Context) (err error) {
	b, n := r.blog, r.blog.network
	names := append([]string{b.prefix + "user_roles"}, n.declared.Options.Plain...)
	if r.options, err = readOptions(ctx, n.db, b.tables, names, b.Notice); err != nil {
		return b.Wrap("reading "+b.prefix+"options", err)
	}
	r.settings()
	if u, err := url.Parse(b.set.Home); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("site %s, blog %d: option home is %q, which is no http address: set home in the configuration",
			n.source.Name, b.row.ID, b.set.Home)
	}
	return nil
}

// decideTypes decides which types are registered.
func (r *reading) decideTypes(context.Context) error {
	r.blog.registry = registry.Decide(r.evidence)
	r.blog.set.Permalinks.AuthorBase = r.blog.registry.AuthorBase
	return r.placeURLs()
}

// query runs one statement on the tables of the blog. what is used in the error.
func (r *reading) query(ctx context.Context, what, query string, args []any, scan func(*sql.Rows) error) error {
	return r.blog.Wrap(what, r.blog.Query(ctx, query, args, scan))
}

// array decodes an option that holds a PHP array, see options.serialized.
func (r *reading) array(option string) php.Value { return r.options.serialized(option, r.blog.Notice) }

func (r *reading) mainOfMainNetwork() bool {
	return r.blog.row.Network == r.blog.network.shared.mainNetwork && r.blog.row.ID == r.blog.network.shared.mainBlog
}

// placeURLs cuts home from the URLs that the operator has configured for types. It returns an error if such a URL is
// not below home.
func (r *reading) placeURLs() error {
	for i, t := range slices.Concat(r.blog.registry.PostTypes, r.blog.registry.Taxonomies) {
		path, ok := strings.CutPrefix(strings.TrimPrefix(t.URL, r.blog.set.Home), "/")
		if t.URL != "" && !ok {
			table := "post_type"
			if i >= len(r.blog.registry.PostTypes) {
				table = "taxonomy"
			}
			return fmt.Errorf("site %s: [site.%s.%s] url is not below home, %s: write the path alone, or set home in the configuration",
				r.blog.network.source.Name, table, t.Name, r.blog.set.Home)
		}
		t.URL = path
	}
	return nil
}
