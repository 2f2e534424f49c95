package objects

import (
	"context"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// The newest texts show whether the character set is wrong. Both queries read along the primary key, without a sort.
const (
	sqlNewestTitles = `SELECT post_title FROM wp_posts ORDER BY ID DESC LIMIT 500`
	sqlNewestNames  = `SELECT name FROM wp_terms ORDER BY term_id DESC LIMIT 500`
)

// Mojibake returns a title or a term name whose UTF-8 bytes were read as latin1, such as "CafÃ©". It returns "" unless
// most of the newest texts with characters beyond ASCII look like that. The cause is a connection with another
// character set than DB_CHARSET.
func Mojibake(ctx context.Context, blog *wp.Blog) (string, error) {
	var example string
	broken, sound := 0, 0
	for _, query := range []string{sqlNewestTitles, sqlNewestNames} {
		err := blog.Query(ctx, query, nil, db.Rows1(func(text string) {
			switch {
			case encodedTwice(text):
				broken++
				example = text
			case len(text) > utf8.RuneCountInString(text):
				sound++
			}
		}))
		if err != nil {
			return "", blog.Wrap("reading the newest titles", err)
		}
	}
	if broken <= sound {
		return "", nil
	}
	return example, nil
}

// encodedTwice reports whether a text is UTF-8 whose bytes were read as windows-1252 (MySQL's latin1) and encoded
// again.
func encodedTwice(s string) bool {
	once, err := charmap.Windows1252.NewEncoder().String(s)
	return err == nil && len(once) < len(s) && utf8.ValidString(once) && len(once) > utf8.RuneCountInString(once)
}
