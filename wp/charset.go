package wp

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"wpsitemapd/wp/db"
)

// connectionCharset follows WordPress: utf8 is raised to utf8mb4; latin1 stays, because
// such databases mostly hold UTF-8 bytes in latin1 columns.
func connectionCharset(dbCharset string) string {
	switch c := strings.ToLower(dbCharset); c {
	case "", "utf8", "utf8mb3", "utf8mb4":
		return "utf8mb4"
	default:
		if !prefixForm.MatchString(c) {
			return "utf8mb4"
		}
		return c
	}
}

// namesCharset reports whether a DSN of the driver's form says which character set the connection has.
func namesCharset(dsn string) bool {
	_, query, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	params, err := url.ParseQuery(query)
	return err == nil && (params.Has("charset") || params.Has("collation"))
}

// The newest texts are enough to notice a wrong character set, and are read along the primary keys.
const (
	sqlNewestTitles = `SELECT post_title FROM wp_posts ORDER BY ID DESC LIMIT 500`
	sqlNewestNames  = `SELECT name FROM wp_terms ORDER BY term_id DESC LIMIT 500`
)

// Mojibake returns a title or a term's name that is UTF-8 taken for latin1 ("CafÃ©") where most of the newest
// texts with letters beyond ASCII are like that, and "" where they are not. The cause is a connection
// in another character set than that of WordPress (DB_CHARSET).
func (s *Blog) Mojibake(ctx context.Context) (string, error) {
	var example string
	broken, sound := 0, 0
	for _, query := range []string{sqlNewestTitles, sqlNewestNames} {
		err := s.Query(ctx, query, nil, db.Rows1(func(text string) {
			switch {
			case encodedTwice(text):
				broken++
				example = text
			case len(text) > utf8.RuneCountInString(text):
				sound++
			}
		}))
		if err != nil {
			return "", s.Wrap("reading the newest titles", err)
		}
	}
	if broken <= sound {
		return "", nil
	}
	return example, nil
}

// encodedTwice reports whether a text is UTF-8 whose bytes were taken for windows-1252 (MySQL's latin1) and encoded again.
func encodedTwice(s string) bool {
	once, err := charmap.Windows1252.NewEncoder().String(s)
	return err == nil && len(once) < len(s) && utf8.ValidString(once) && len(once) > utf8.RuneCountInString(once)
}
