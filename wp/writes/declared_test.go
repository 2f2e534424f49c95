package writes

import (
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
)

// declared is a part of what WordPress and a plugin declare.
var declared = NewDeclared(Declared{
	Tables: append(anyWordPress, Table{Name: "site", Network: true}),
	Core:   anyWordPress,
})

var anyWordPress = []Table{
	{Name: "posts", Edits: true},
	{Name: "postmeta"},
	{Name: "terms", Edits: true},
	{Name: "term_taxonomy", Edits: true},
	{Name: "term_relationships"},
	{Name: "options"},
	{Name: "users", Network: true},
	{Name: "usermeta", Network: true},
	{Name: "blogs", Network: true, Edits: true},
	{Name: "sitemeta", Network: true},
}

// open opens a database with the tables of a network.
func open(t *testing.T, dsn string) *Database {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	d, err := db.OpenMySQL(t.Context(), cfg, db.Options{})
	wptest.Must(t, err)
	t.Cleanup(func() { d.Close() })
	return New(d, declared, "wp_", nil, func(blog int64) string {
		if blog == 1 {
			return "wp_"
		}
		return fmt.Sprintf("wp_%d_", blog)
	})
}
