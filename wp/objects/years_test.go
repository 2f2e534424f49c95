package objects

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Four digits are a year. Only published posts of type post are under the archive of a year.
func TestNamedAsYears(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(9001, "post", "publish", "2025", 0), addPost(9002, "post", "publish", "20256", 0),
		addPost(9003, "post", "publish", "1-2-", 0), addPost(9004, "page", "publish", "2025", 0), addPost(9005, "post", "draft", "2025", 0))
	ids, err := NamedAsYears(t.Context(), openSite(t, wp.Source{DSN: dsn}))
	expect.Equal(t, result(ids, err), "[9001]")
}
