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
	Must(t, err)
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "FLUSH STATUS"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(t.Context(), query, args...)
	Must(t, err)
	for rows.Next() {
	}
	Must(t, errors.Join(rows.Err(), rows.Close()))
	counts := map[string]int{}
	rows, err = conn.QueryContext(t.Context(), "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', "+
		"'Handler_icp_attempts', 'Sort_scan', 'Sort_range', 'Handler_read_rnd_next')")
	Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var count int
		Must(t, rows.Scan(&name, &count))
		counts[name] = count
	}
	if counts["Sort_scan"]+counts["Sort_range"] > 0 {
		t.Errorf("sorts: %s", query)
	}
	return max(counts["Handler_read_next"], counts["Handler_icp_attempts"]) + counts["Handler_read_rnd_next"]
}
