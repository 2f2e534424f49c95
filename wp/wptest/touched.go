package wptest

import (
	"database/sql"
	"errors"
	"testing"
)

// RowsTouched runs a query in its own session, and returns how many entries of an index the engine read. This
// includes entries that the engine read but then filtered out. The test fails if the query sorts.
func RowsTouched(t testing.TB, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "FLUSH STATUS"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	rows, err = conn.QueryContext(t.Context(), "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', "+
		"'Handler_icp_attempts', 'Sort_scan', 'Sort_range', 'Handler_read_rnd_next')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var count int
		if err := rows.Scan(&name, &count); err != nil {
			t.Fatal(err)
		}
		counts[name] = count
	}
	if counts["Sort_scan"]+counts["Sort_range"] > 0 {
		t.Errorf("sorts: %s", query)
	}
	return max(counts["Handler_read_next"], counts["Handler_icp_attempts"]) + counts["Handler_read_rnd_next"]
}
