package wptest

import (
	"fmt"
	"strings"
)

// Sequence returns a derived table whose column seq has the numbers from 1 to n, in SQL that every engine understands.
func Sequence(n int) string {
	const digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 " +
		"UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	sum, from := "1", []string{}
	for i, power := 0, 1; power < n || i == 0; i, power = i+1, power*10 {
		sum += fmt.Sprintf(" + %d * d%d.d", power, i)
		from = append(from, fmt.Sprintf("%s d%d", digits, i))
	}
	return fmt.Sprintf("(SELECT seq FROM (SELECT %s AS seq FROM %s) counted WHERE seq <= %d) numbers", sum, strings.Join(from, ", "), n)
}
