package objects

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// More rows of one date than fit into a batch: keyset paging must neither skip nor repeat.
func TestEachPostMeetsEveryRowOnce(t *testing.T) {
	insert := func(first, rows int, date string) string {
		return fmt.Sprintf("INSERT INTO wp_posts (ID, post_status, post_type, post_date, post_title, post_content, post_excerpt, to_ping, pinged, "+
			"post_content_filtered) SELECT %d + seq, 'publish', 'bulk', '%s', '', '', '', '', '', '' FROM %s", first, date, wptest.Sequence(rows))
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, insert(100_000, db.ScanBatch, "2024-01-01 00:00:00"),
			insert(200_000, 100, "0000-00-00 00:00:00"), insert(1000, 100, "2024-02-01 00:00:00"))
		s := openSite(t, wp.Source{DSN: dsn})
		seen := map[int64]bool{}
		zero := 0
		err := EachPost(t.Context(), s, "bulk", "publish", func(r PostRow) error {
			if seen[r.ID] {
				t.Fatalf("row %d twice", r.ID)
			}
			seen[r.ID] = true
			if r.ZeroDate {
				zero++
			}
			return nil
		})
		if err != nil || len(seen) != db.ScanBatch+200 || zero != 100 {
			t.Errorf("%d rows, %d of them without a date (%v); want %d and 100", len(seen), zero, err, db.ScanBatch+200)
		}
		batches := []int{50, 99, 100, 101, 5000} // far fewer than there are of one date
		if e == wptest.MariaDB {                 // thousands of statements, the same on both
			batches = append(batches, 1)
		}
		for _, batch := range batches {
			var c counter
			s := openSite(t, wp.Source{DSN: dsn, Observe: c.observe})
			before, read, met := c.statements.Load(), c.rows.Load(), map[int64]bool{}
			var id int64
			var date sql.RawBytes
			err := byDate(t.Context(), s, sqlPostStamps, "bulk", "publish", batch, func(rows *sql.Rows) (int64, []byte, error) {
				err := rows.Scan(&id, &date)
				return id, date, err
			}, func() error {
				if met[id] {
					return fmt.Errorf("row %d twice", id)
				}
				met[id] = true
				return nil
			})
			expect.Equal(t, err, nil, "batches of", batch)
			expect.Equal(t, len(met), len(seen), "batches of", batch)
			// every batch at least doubles what is known of one date, so that little is read twice
			if n, rows := c.statements.Load()-before, c.rows.Load()-read; n > 200 || rows > int64(4*len(seen)) {
				t.Errorf("batches of %d: %d statements with %d rows", batch, n, rows)
			}
		}
	})
}

// counter counts statements and rows.
type counter struct{ statements, rows atomic.Int64 }

func (c *counter) observe(_ string, rows int, _ time.Duration, _ error) {
	c.statements.Add(1)
	c.rows.Add(int64(rows))
}

// A batch costs what it returns, wherever it begins, with WordPress' own index and with the one that the plugin
// Index WP MySQL For Speed puts in its place. Where there is none it is slow and right.
func TestEachPostByOtherIndexes(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	const rows, perDate = 3*db.ScanBatch + 500, 7
	wptest.Exec(t, dsn, fmt.Sprintf(`INSERT INTO wp_posts (ID, post_author, post_status, post_type, post_date, post_title,
post_content, post_excerpt, to_ping, pinged, post_content_filtered)
SELECT 100000 + seq, seq %% 13, 'publish', 'bulk', '2001-01-01' + INTERVAL ((seq * 7919 %% %d) DIV %d) HOUR, '', '', '', '', '', ''
FROM %s`, rows, perDate, wptest.Sequence(rows)))
	db, _ := wptest.DB(t, dsn)
	var want []int64
	for _, index := range []string{
		"ADD KEY type_status_date (post_type, post_status, post_date, ID)",
		"ADD KEY type_status_date (post_type, post_status, post_date, post_author)",
		"ADD KEY another (post_type, post_status)",
	} {
		wptest.Exec(t, dsn, "ALTER TABLE wp_posts DROP KEY type_status_date, "+index)
		wptest.Exec(t, dsn, "ANALYZE TABLE wp_posts")
		s := openSite(t, wp.Source{DSN: dsn})
		var ids []int64
		wptest.Must(t, EachPost(t.Context(), s, "bulk", "publish", func(r PostRow) error { ids = append(ids, r.ID); return nil }))
		slices.Sort(ids)
		if want == nil {
			want = ids
		}
		if len(ids) != rows || len(slices.Compact(ids)) != rows || !slices.Equal(ids, want) {
			t.Errorf("%s: %d posts, want %d, each once", index, len(ids), rows)
		}
		stamps := 0
		if err := EachStamp(t.Context(), s, "bulk", "publish", func(int64, uint32) error { stamps++; return nil }); err != nil || stamps != rows {
			t.Errorf("%s: %d stamps (%v)", index, stamps, err)
		}
		if !strings.Contains(index, "post_date") {
			wptest.Exec(t, dsn, "ALTER TABLE wp_posts ADD KEY type_status_date (post_type, post_status, post_date, ID)")
			continue
		}
		for name, query := range map[string]string{"rows": sqlPostRows, "attachments": sqlAttachmentRows, "stamps": sqlPostStamps} {
			for _, date := range []string{zeroDate, "2001-02-01 00:00:00", "2001-04-01 00:00:00", "2001-06-01 00:00:00"} {
				if read := wptest.RowsTouched(t, db, query, "bulk", "publish", date, 500); read > 500+10 {
					t.Errorf("%s, %s from %s: %d entries of the index for 500 rows", index, name, date, read)
				}
			}
		}
	}
}
