package wp

import (
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// Yoast SEO has a row in yoast_indexable for every object. The rows show which types are public, and the addresses of some objects.

// Values of object_type in yoast_indexable.
const (
	IndexedPost     = "post"
	IndexedTerm     = "term"
	IndexedArchives = "post-type-archive"
)

const (
	// This statement reads no row. It fails if a column is missing that another statement needs. Every version of Yoast
	// SEO with this table has these columns.
	sqlIndexableForm = `SELECT id, object_id, object_type, object_sub_type, permalink, permalink_hash, blog_id, post_status, is_robots_noindex,
breadcrumb_title FROM wp_yoast_indexable WHERE id = 0`
	sqlIndexableTypes = `SELECT object_type, object_sub_type, COUNT(*) FROM wp_yoast_indexable
WHERE object_type IN ('post', 'term', 'post-type-archive') GROUP BY object_type, object_sub_type`
	// A few rows that have a permalink are enough to see the form of the permalinks.
	sqlSampleWhere = ` WHERE i.object_type = ? AND i.object_sub_type = ? AND i.permalink IS NOT NULL AND i.permalink <> '' ORDER BY i.id LIMIT 20`
	sqlSamplePosts = `SELECT i.permalink, p.post_name, p.post_parent > 0, p.post_status FROM wp_yoast_indexable i
LEFT JOIN wp_posts p ON p.ID = i.object_id` + sqlSampleWhere
	sqlSampleTerms = `SELECT i.permalink, t.slug, tt.parent > 0, '' FROM wp_yoast_indexable i LEFT JOIN wp_terms t ON t.term_id = i.object_id
LEFT JOIN wp_term_taxonomy tt ON tt.term_id = i.object_id AND tt.taxonomy = ?` + sqlSampleWhere
	sqlSampleArchives = `SELECT i.permalink, '', 0, '' FROM wp_yoast_indexable i` + sqlSampleWhere
)

func (r *reading) readIndexables(ctx context.Context) error {
	err := r.readIndexed(ctx)
	if db.MissingTable(err) || db.Denied(err) && !r.blog.set.ActivePlugins[PluginYoast] {
		return nil
	}
	if r.evidence.Yoast.HasIndexables, err = r.readable("yoast_indexable",
		"types known only from there are not found", err); !r.evidence.Yoast.HasIndexables {
		r.evidence.Yoast.Indexables = nil
	}
	return err
}

// readIndexed reads which types have rows in yoast_indexable, and some rows of each type.
func (r *reading) readIndexed(ctx context.Context) error {
	if err := r.query(ctx, "looking into the table yoast_indexable", sqlIndexableForm, nil, func(*sql.Rows) error { return nil }); err != nil {
		return err
	}
	err := r.query(ctx, "counting the rows of yoast_indexable", sqlIndexableTypes, nil, db.Rows3(func(objectType, sub string, rows int) {
		r.evidence.Yoast.Indexables = append(r.evidence.Yoast.Indexables, registry.Indexable{ObjectType: objectType, SubType: sub, Rows: rows})
	}))
	if err != nil {
		return err
	}
	for i := range r.evidence.Yoast.Indexables {
		of := &r.evidence.Yoast.Indexables[i]
		if of.ObjectType == IndexedPost && (of.SubType == "post" || of.SubType == "page" || of.SubType == "attachment") {
			continue // WordPress registers these types, and their links are computed
		}
		if err := r.readSamples(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// readSamples reads a few stored permalinks of one type, with the slugs of their objects.
func (r *reading) readSamples(ctx context.Context, of *registry.Indexable) error {
	query, args := sqlSamplePosts, []any{of.ObjectType, of.SubType}
	switch of.ObjectType {
	case IndexedTerm: // joined by an argument, not by object_sub_type: the collations of the tables may differ
		query, args = sqlSampleTerms, slices.Insert(args, 0, any(of.SubType))
	case IndexedArchives:
		query = sqlSampleArchives
	}
	var sample registry.Sample
	return r.query(ctx, "reading permalinks of "+of.SubType, query, args, db.Row(func() { of.Samples = append(of.Samples, sample) },
		&sample.Permalink, &sample.Slug, &sample.Parent, &sample.Status))
}
