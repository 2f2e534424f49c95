package db

import (
	"database/sql"
	"fmt"
	"regexp"
	"strings"
)

// Anybody who may write rows may store values of hundreds of megabytes. So the memory for one statement is bounded: Query puts a
// condition on the length around columns that may hold long values. Instead of a longer value the server sends TooLong.
const (
	MaxOption  = 8 << 20  // bytes of an option, or of a cache that a plugin keeps
	MaxContent = 8 << 20  // of the content of a post
	MaxMeta    = 1 << 20  // of the value of a meta key, or of a JSON column of a plugin
	maxTitle   = 64 << 10 // bytes of a title, an excerpt or a description
	maxAddress = 64 << 10 // bytes of an address that a plugin has stored
	maxKept    = 64 << 20 // bytes of all values that a statement keeps; values of less than keptFrom bytes do not count
	keptFrom   = 1 << 10
)

// TooLong is what the server sends instead of a value that is too long.
const TooLong = "\x1fwpsitemapd: longer than its bound\x1f"

// longColumns maps the columns that may hold long values to the longest value that is read, in bytes.
var longColumns = map[string]int{
	"option_value": MaxOption, "value": MaxOption,
	"meta_value": MaxMeta, "images": MaxMeta, "args": MaxMeta, "match_data": MaxMeta,
	"post_content": MaxContent,
	"post_title":   maxTitle, "post_excerpt": maxTitle, "description": maxTitle, "breadcrumb_title": maxTitle,
	"permalink": maxAddress, "canonical_url": maxAddress, "match_url": maxAddress,
}

var columnName = regexp.MustCompile(`\b(?:[a-z]+\.)?([a-z_]+)\b`)

// bounded returns a statement with a limit on every long column that it returns.
func bounded(stmt string) string {
	list, rest, found := strings.Cut(stmt, " FROM ")
	if !found || !strings.HasPrefix(stmt, "SELECT ") {
		return stmt
	}
	list = columnName.ReplaceAllStringFunc(list, func(column string) string {
		most, ok := longColumns[column[strings.IndexByte(column, '.')+1:]]
		if !ok {
			return column
		}
		return fmt.Sprintf("CASE WHEN OCTET_LENGTH(%s) > %d THEN '%s' ELSE %s END", column, most, TooLong, column)
	})
	return list + " FROM " + rest
}

// Value is a text from a column that may hold long values.
type Value struct {
	Text    string
	TooLong bool // the value is longer than its bound and was not read
}

func (v *Value) Scan(value any) error {
	var s sql.NullString
	err := s.Scan(value)
	v.Text, v.TooLong = s.String, s.String == TooLong
	if v.TooLong {
		v.Text = ""
	}
	return err
}

// Kept bounds the memory for the rows of one statement: it adds up the bytes of the long values in them, up to maxKept.
type Kept struct{ bytes int }

// Add counts values. It returns an error if all values together exceed maxKept bytes.
func (k *Kept) Add(values ...string) error {
	for _, v := range values {
		if len(v) >= keptFrom {
			k.bytes += len(v)
		}
	}
	if k.bytes > maxKept {
		return fmt.Errorf("the rows of one statement have more than %d MiB of long values", maxKept>>20)
	}
	return nil
}
