package wp

import (
	"net/url"
	"strings"
)

// connectionCharset returns the character set of the connection for DB_CHARSET, as WordPress chooses it. utf8 becomes
// utf8mb4. latin1 stays, because such databases mostly hold UTF-8 bytes in latin1 columns.
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

// namesCharset reports whether a DSN in the driver's form names a character set or a collation.
func namesCharset(dsn string) bool {
	_, query, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	params, err := url.ParseQuery(query)
	return err == nil && (params.Has("charset") || params.Has("collation"))
}
