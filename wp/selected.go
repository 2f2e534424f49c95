package wp

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/db"
)

// SelectedRow is a row of a statement that the operator has written. Its texts hold until the next row.
type SelectedRow struct {
	ID           int64
	Loc, LastMod sql.RawBytes // LastMod is nil for none
}

// Selected runs a SELECT of the operator, with the values of its :after and :limit, and calls fn for every row. The names of its
// tables are as they stand. Its columns are id, loc and, if there are dates, lastmod; it is an error if ids do not ascend from
// after, or if there are more rows than limit.
func (s *Blog) Selected(ctx context.Context, statement string, after int64, limit int, fn func(*SelectedRow) error) error {
	places := db.NewTables(":after", strconv.FormatInt(after, 10), ":limit", strconv.Itoa(limit))
	var row SelectedRow
	var columns []any
	read := 0
	return s.network.db.Query(ctx, places, statement, nil, func(rows *sql.Rows) error {
		if columns == nil {
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			if columns = row.places(names); columns == nil {
				return fmt.Errorf("the columns must be id, loc and, if there are dates, lastmod, and not %s", strings.Join(names, ", "))
			}
		}
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		switch read++; {
		case row.ID <= after:
			return errors.New("id must ascend from :after, as by WHERE id > :after ORDER BY id")
		case read > limit:
			return errors.New("there are more rows than LIMIT :limit allows")
		}
		after = row.ID
		return fn(&row)
	})
}

// SelectedSorts reports whether each batch of such a SELECT would take a sort of many rows.
func (s *Blog) SelectedSorts(ctx context.Context, statement string) (bool, error) {
	return s.network.db.Sorts(ctx, db.NewTables(":after", "0", ":limit", "1000"), statement)
}

// places are where the values of columns go; nil where the columns are not those of a row.
func (r *SelectedRow) places(names []string) []any {
	known := map[string]any{"id": db.Number(&r.ID), "loc": &r.Loc, "lastmod": &r.LastMod}
	places := make([]any, len(names))
	for i, name := range names {
		name = strings.ToLower(name)
		places[i] = known[name]
		delete(known, name)
	}
	if known["id"] != nil || known["loc"] != nil || slices.Contains(places, nil) {
		return nil
	}
	return places
}
