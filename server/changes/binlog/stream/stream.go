// Package stream follows the binary log of a MariaDB or MySQL server, as a replica would, and reports what was
// written. It writes nothing. Built with the tag nobinlog it is empty, and the many modules behind it are left out:
// see Built.
package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// Server is a server and the account that reads its binlog.
type Server struct {
	MariaDB        bool
	Addr           string // of the server, a path for a Unix socket; only for the kind of login
	User, Password string
	TLS            *tls.Config // nil: none
	PlainToo       bool        // without TLS where the server has none
	ID             uint32      // that server's own server_id
	End            Position    // where its binlog ends now, or later
	Dial           func(context.Context) (net.Conn, error)
}

// Position is a place in a binlog between two transactions.
type Position struct {
	File   string
	Offset uint32
	// GTID is the last transaction of every domain (MariaDB) or the set of all (MySQL). It is a place in the
	// binlog of any server of a cluster; "" where the server has none.
	GTID string
}

// Table is a table as the binlog describes it.
type Table struct {
	Schema, Name string
	Columns      int
}

// Handler receives the events of a binlog, one call after the other. When it returns an error, Follow ends with it.
type Handler interface {
	// Started is called when the server sends its binlog.
	Started()
	// Wants reports whether the values of a table's rows are of interest. It is asked for every
	// event with rows, after which come Rows.
	Wants(Table) bool
	// Rows receives rows that were written. before is nil for one that was inserted, after for one that was deleted.
	// Values are integers (int8 to int64, which hold the bits of unsigned ones, too), texts (string or []byte) and
	// others; a column that the binlog does not have is nil. They are valid during the call. Each row is one call.
	Row(t Table, before, after []any)
	// Statement receives what the binlog has as text: definitions of tables, and writes that were not made row by row.
	// schema is where it ran.
	Statement(schema, text string)
	// Much is called for a transaction that is too large to unpack: anything may have been written.
	Much()
}

// The reasons why Follow ends that ask for something else than another attempt.
var (
	ErrPurged  = errors.New("the place is not in the binlog any more")
	ErrDenied  = errors.New("the account may not read the binlog")
	ErrForm    = errors.New("the binlog has something that is not understood")
	ErrUnbuilt = errors.New("this program was built without it (tag nobinlog)")
)

const (
	heartbeat = 3 * time.Second  // of an idle server, which notices by it that nobody reads any longer
	silence   = 30 * time.Second // after which a connection is given up
	// mostUnpacked is how many bytes of a compressed transaction are unpacked.
	mostUnpacked = 64 << 20
)
