package objects

import (
	"context"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A term has two ids: term_id in wp_terms, and term_taxonomy_id in wp_term_taxonomy. Some plugins take one for the other, or
// forget that two terms may share a term_id. Their sitemaps then differ from ours. diff asks here if that may be the reason
// (server/diff/run.go).

const sqlMistakenTerms = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy a JOIN wp_term_taxonomy b ON b.term_taxonomy_id = a.term_id
WHERE a.taxonomy = ? AND b.taxonomy <> ? LIMIT 1) found`

// MeetsTaxonomyIDs reports whether a term of a taxonomy has a term_id that another taxonomy uses as term_taxonomy_id.
func MeetsTaxonomyIDs(ctx context.Context, blog *wp.Blog, taxonomy string) (meets bool, err error) {
	err = blog.Query(ctx, sqlMistakenTerms, []any{taxonomy, taxonomy}, db.Rows1(func(n int) { meets = n > 0 }))
	return meets, blog.Wrap("reading whose term_taxonomy_id are term_id of "+taxonomy, err)
}

const (
	sqlSharedTerms = `SELECT a.taxonomy, a.term_id FROM wp_term_taxonomy a
JOIN wp_term_taxonomy b ON b.term_id = a.term_id AND b.taxonomy <> a.taxonomy LIMIT ?`
	mostShared = 10_000
)

// SharedTerms returns terms that share their term_id with a term of another taxonomy. WordPress before 4.2 created such
// terms.
func SharedTerms(ctx context.Context, blog *wp.Blog) (all []TermKey, err error) {
	err = blog.Query(ctx, sqlSharedTerms, []any{mostShared}, db.Rows2(func(taxonomy string, id int64) { all = append(all, TermKey{taxonomy, id}) }))
	return all, blog.Wrap("looking for terms that taxonomies share", err)
}
