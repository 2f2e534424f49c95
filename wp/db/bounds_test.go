package db

import (
	"fmt"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// The server sends values of long columns only within their bounds, wherever the columns stand in a statement's result.
func TestBounded(t *testing.T) {
	short := func(column string, most int) string {
		return fmt.Sprintf("CASE WHEN OCTET_LENGTH(%s) > %d THEN '%s' ELSE %s END", column, most, TooLong, column)
	}
	for stmt, want := range map[string]string{
		"SELECT option_name, option_value FROM wp_options WHERE option_value <> ''": "SELECT option_name, " + short("option_value", MaxOption) +
			" FROM wp_options WHERE option_value <> ''",
		"SELECT SUBSTR(m.meta_value, 1, 9) FROM wp_postmeta m": "SELECT SUBSTR(" + short("m.meta_value", MaxMeta) + ", 1, 9) FROM wp_postmeta m",
		"SELECT ID, post_name FROM wp_posts":                   "SELECT ID, post_name FROM wp_posts",
		"EXPLAIN SELECT post_content FROM wp_posts":            "EXPLAIN SELECT post_content FROM wp_posts",
	} {
		expect.Equal(t, bounded(stmt), want, stmt)
	}
}
