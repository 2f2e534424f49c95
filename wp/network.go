// Package wp reads one WordPress database: its settings, its registered types, and the rows of posts, terms and users
// that sitemaps list. The package only reads. Every statement has limits of time and rows and can be cancelled. The
// package knows neither XML nor HTTP.
//
// A Network is one database with one table prefix: a single site or a multisite network. A Blog is one blog of a
// network, as it was when it was read.
package wp

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wpconfig"
	"wpsitemapd/wp/writes"
)

// Network is an open WordPress database. It is safe for concurrent use.
type Network struct {
	source   Source
	declared *Declared
	db       *db.DB
	writes   *writes.Database
	config   *wpconfig.Config // nil without WPConfig
	root     string           // folder of wp-config.php, used if ABSPATH is not known
	base     string           // table prefix

	multisite     bool
	shared        networkOptions
	configNotices []string                // what could not be understood in wp-config.php
	routedBefore  func(blog int64) string // see RouteAs; nil: nothing is known from earlier readings
}

// prefixForm matches a table prefix, or the name of a table. Other characters must not get into a statement.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// Close releases the connections.
func (n *Network) Close() error { return n.db.Close() }

// Connections counts the open connections: those in use, and the idle ones.
func (n *Network) Connections() (inUse, idle int) {
	return n.db.Connections()
}

// Writes returns what polls of the database need to notice writes.
func (n *Network) Writes() *writes.Database { return n.writes }

// RouteAs sets the function that returns what the last reading found about the types and addresses of a blog. It must be called
// before a blog is read.
func (n *Network) RouteAs(before func(blog int64) string) { n.routedBefore = before }

// Statements name tables with the prefix wp_. The functions that run them replace wp_ by the prefix of the site, see
// newTables.
const (
	sqlHasOptions     = `SELECT option_value FROM wp_options WHERE option_name = 'siteurl'`
	sqlPrefixes       = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%options' LIMIT 10`
	sqlPrefixesOfFile = `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%options' LIMIT 10`
	sqlCountBlogs     = `SELECT COUNT(*) FROM wp_blogs`
	sqlNetworks       = `SELECT id, domain, path FROM wp_site ORDER BY id`
	sqlNetworkMeta    = `SELECT meta_key, meta_value FROM wp_sitemeta WHERE site_id = ? AND meta_key IN (?)`
	sqlBlogs          = `SELECT blog_id, site_id, domain, path, public, archived, spam, deleted FROM wp_blogs
WHERE blog_id > ? ORDER BY blog_id LIMIT 1000`
)

// inspect checks the tables and reads what applies to the whole network.
func (n *Network) inspect(ctx context.Context) error {
	found := false
	err := n.query(ctx, sqlHasOptions, nil, func(*sql.Rows) error { found = true; return nil })
	switch {
	case db.MissingTable(err):
		return fmt.Errorf("site %s: there is no table %soptions in the database%s: check table_prefix and the database name",
			n.source.Name, n.base, n.others(ctx))
	case db.Denied(err):
		return fmt.Errorf("site %s: table %soptions is missing, or the account may not read it: check table_prefix, or give the "+
			"account the rights that wpsitemapd grants prints: %w", n.source.Name, n.base, err)
	case err != nil:
		return fmt.Errorf("site %s: reading %soptions: %w", n.source.Name, n.base, err)
	case !found:
		return fmt.Errorf("site %s: table %soptions has no siteurl, so WordPress is not installed with this prefix: check table_prefix "+
			"and the database name", n.source.Name, n.base)
	}
	known := n.config != nil && n.config.MultisiteKnown()
	if known && !n.config.Multisite() {
		return nil
	}
	blogs := 0
	err = n.query(ctx, sqlCountBlogs, nil, db.Rows1(func(count int) { blogs = count }))
	if !known && (blogs == 0 && err == nil || db.MissingTable(err) || db.Denied(err)) {
		return nil
	}
	n.multisite = true
	n.writes.Watch(blogs, nil, nil) // so that a poll does not list the tables of thousands of blogs
	if err == nil {
		n.shared, err = n.inspectNetwork(ctx)
	}
	if err != nil {
		return fmt.Errorf("site %s: reading the network's tables: %w", n.source.Name, err)
	}
	return nil
}

// others returns the prefixes with which the database has tables of options, as the end of a sentence. It returns "" if
// there are none.
func (n *Network) others(ctx context.Context) string {
	query := sqlPrefixes
	if n.db.SQLite {
		query = sqlPrefixesOfFile
	}
	var prefixes []string
	err := n.query(ctx, query, nil, db.Rows1(func(table string) {
		if prefix := strings.TrimSuffix(table, "options"); prefixForm.MatchString(prefix) {
			prefixes = append(prefixes, prefix)
		}
	}))
	if err != nil || len(prefixes) == 0 { // the error that is being reported does not need the prefixes
		return ""
	}
	slices.Sort(prefixes)
	return ", which has tables of options with the prefix " + strings.Join(prefixes, ", ")
}

// networkOptions are the options of a network that apply to all its blogs. For a single site they are zero.
type networkOptions struct {
	mainNetwork   int64 // id in the table site
	mainBlog      int64
	msFiles       bool            // option ms_files_rewriting
	activePlugins map[string]bool // active on the whole network
	meta          options         // the declared options of the network, from sitemeta
	mainOptions   options         // the declared options of the main blog
	notices       []string        // options that could not be read
}

// inspectNetwork reads the options that apply to all blogs of the network.
func (n *Network) inspectNetwork(ctx context.Context) (o networkOptions, err error) {
	if o.mainNetwork, err = n.findMainNetwork(ctx); err != nil {
		return o, err
	}
	warn := func(s string) { o.notices = append(o.notices, "network "+s) }
	o.meta = options{}
	err = n.query(ctx, sqlNetworkMeta, []any{o.mainNetwork, n.declared.NetworkOptions.Plain}, db.Rows2(func(key string, value db.Value) {
		if value.TooLong {
			warn(tooLong(key))
		} else if _, dup := o.meta[key]; !dup {
			o.meta[key] = value.Text
		}
	}))
	if err != nil {
		return o, err
	}
	o.activePlugins = map[string]bool{}
	for _, p := range o.meta.serialized("active_sitewide_plugins", warn).Pairs() {
		o.activePlugins[p.Key.Str] = true
	}
	o.msFiles = true // networks older than WordPress 3.5 do not store the option
	if v, ok := o.meta["ms_files_rewriting"]; ok {
		o.msFiles = php.NewString(v).Truthy()
	}
	o.mainBlog = cmp.Or(n.idConstant("BLOG_ID_CURRENT_SITE"), o.meta.integer("main_site"), 1)
	o.mainOptions, err = readOptions(ctx, n.db, n.tables(n.blogPrefix(o.mainBlog)), n.declared.mainOptions, warn)
	return o, err
}

// findMainNetwork returns the id of the network that wp-config.php names, by its id or its address. If wp-config.php
// names none, it returns the first id of the table site.
func (n *Network) findMainNetwork(ctx context.Context) (id int64, err error) {
	domain, path := n.constant("DOMAIN_CURRENT_SITE"), n.constant("PATH_CURRENT_SITE")
	err = n.query(ctx, sqlNetworks, nil, db.Rows3(func(row int64, d, p string) {
		if id == 0 || domain != "" && d == domain && p == path {
			id = row
		}
	}))
	return cmp.Or(n.idConstant("SITE_ID_CURRENT_SITE"), id), err
}

// OptionsChanged reports whether the options that apply to all blogs of the network have changed since it was opened.
// One of these options lists the plugins that are active on all blogs. If OptionsChanged returns true, the network must
// be opened again.
func (n *Network) OptionsChanged(ctx context.Context) (bool, error) {
	if !n.multisite {
		return false, nil
	}
	now, err := n.inspectNetwork(ctx)
	if err != nil {
		return false, fmt.Errorf("site %s: reading the network's tables: %w", n.source.Name, err)
	}
	return !reflect.DeepEqual(now, n.shared), nil
}

// constant returns a constant of wp-config.php. It returns "" if the constant is not defined or there is no file.
func (n *Network) constant(name string) string {
	if n.config == nil {
		return ""
	}
	v, _ := n.config.String(name)
	return v
}

// idConstant returns a constant of wp-config.php that holds an id. It returns 0 if the constant holds no positive number.
func (n *Network) idConstant(name string) int64 {
	id, err := strconv.ParseInt(n.constant(name), 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

func (n *Network) tables(blogPrefix string) db.Tables {
	users, usermeta, _ := n.sharedUsers()
	return newTables(blogPrefix, n.base, users, usermeta)
}

// sharedUsers returns the names of the tables users and usermeta. own are the names that wp-config.php gives, in lower
// case.
func (n *Network) sharedUsers() (users, usermeta string, own []string) {
	named := func(constant, otherwise string) string {
		name := n.constant(constant)
		if !prefixForm.MatchString(name) {
			return n.base + otherwise
		}
		own = append(own, strings.ToLower(name))
		return name
	}
	users = named("CUSTOM_USER_TABLE", "users")
	usermeta = named("CUSTOM_USER_META_TABLE", "usermeta")
	return users, usermeta, own
}

func (n *Network) blogPrefix(id int64) string {
	if id > 1 {
		return fmt.Sprintf("%s%d_", n.base, id)
	}
	return n.base
}

// BlogRow is a row of the table blogs of a network.
type BlogRow struct {
	ID, Network                     int64
	Domain, Path                    string
	Public, Archived, Spam, Deleted int
}

// live reports whether visitors can see the blog. WordPress answers 410 for any other blog.
func (b BlogRow) live() bool { return b.Archived == 0 && b.Spam == 0 && b.Deleted == 0 }

// blogs returns the blogs of the network in the order of their ids. It returns nil for a single site.
func (n *Network) blogs(ctx context.Context) ([]BlogRow, error) {
	if !n.multisite {
		return nil, nil
	}
	var blogs []BlogRow
	var b BlogRow
	err := n.byThousand(ctx, sqlBlogs, &b.ID, func() { blogs = append(blogs, b) },
		&b.ID, &b.Network, &b.Domain, &b.Path, &b.Public, &b.Archived, &b.Spam, &b.Deleted)
	if err != nil {
		return nil, fmt.Errorf("site %s: reading %sblogs: %w", n.source.Name, n.base, err)
	}
	return blogs, nil
}

// byThousand runs a statement repeatedly, each time for the next thousand rows above the last id. It scans each row
// into places and calls fn. id must be one of places.
func (n *Network) byThousand(ctx context.Context, query string, id *int64, fn func(), places ...any) error {
	for last, rows := int64(0), 1000; rows == 1000; {
		rows = 0
		err := n.query(ctx, query, []any{last}, db.Row(func() {
			rows, last = rows+1, *id
			fn()
		}, places...))
		if err != nil {
			return err
		}
	}
	return nil
}

// subdirectories reports whether the blogs of a network share one host.
func (n *Network) subdirectories() bool {
	if !n.multisite {
		return false
	}
	if n.config != nil {
		if v, ok := n.config.Bool("SUBDOMAIN_INSTALL"); ok {
			return !v
		}
		if v, ok := n.config.String("VHOST"); ok {
			return v != "yes"
		}
	}
	return true
}
