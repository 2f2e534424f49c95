// Package guard reads the answers of a database server that is not to be trusted: whoever writes a wp-config.php names it.
// The drivers allocate memory by numbers that the server sends, and memory that cannot be had ends the process, for all
// sites. So every connection is read through a guard, which follows the protocol as the driver does and passes on no answer
// beyond its bounds.
package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// Each bound is far above any answer to a statement of ours.
const (
	maxLoginBytes   = 64 << 10  // sent until an account is let in, without what TLS needs
	maxLoginPackets = 16        // sent until then: a greeting, and two round trips for the slowest of plugins
	maxReplyBytes   = 64 << 10  // of a packet that is no row: an error, the description of a column
	maxColumns      = 4096      // of a result; the servers' own limit of a table
	maxRowBytes     = 64 << 20  // of one row, or one event of a binlog; a text of WordPress has 16 MB where max_allowed_packet is the default
	maxResultRows   = 10 << 20  // rows of one result: several for each post of the largest sites
	maxResultBytes  = 512 << 20 // of one result
	maxTextBytes    = 16 << 30  // of one result with contents of posts, which are read one by one and not kept
)

// ErrRefused is below every error about a server whose answer is out of bounds, or no answer at all.
var ErrRefused = errors.New("the database server's answer is refused")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// phase is what a guard expects the server to send next.
type phase uint8

const (
	inLogin     phase = iota
	unasked           // nothing is expected
	inReply           // the first packet of an answer
	inPrepared        // the same, of a prepared statement
	inColumns         // descriptions of columns
	afterColumn       // the mark behind them
	inRows
	inBinlog // events without end
)

// Commands, and what is negotiated by the client.
const (
	comQuit        = 0x01
	comStmtPrepare = 0x16
	comStmtExecute = 0x17
	comStmtClose   = 0x19
	comBinlogDump  = 0x12
	comBinlogGTID  = 0x1e

	clientMySQL        = 1 << 0 // not set: MariaDB, whose further capabilities follow
	clientCompress     = 1 << 5
	clientTLS          = 1 << 11
	clientDeprecateEOF = 1 << 24
	cachesMetadata     = 1 << 4 // of MariaDB's further capabilities

	moreResults = 1 << 3 // of a server's status
)

// guard is a connection to a database server, as a driver sees it. One goroutine reads and writes at a time;
// Close may come from another.
type guard struct {
	net.Conn // to the server, in the end below TLS
	raw      net.Conn
	secured  atomic.Pointer[relay]            // nil: without TLS
	secure   func(net.Conn) (net.Conn, error) // begins TLS with the server
	held     Held
	given    GivenUp
	failure  atomic.Pointer[error] // why the connection is of no use
	closing  sync.Once
	gone     atomic.Bool // closed: it holds nothing any more

	sent, got packets
	now       atomic.Uint32 // phase
	thread    uint32        // the server's number of the connection
	statement string        // the beginning of the last one

	noEOF, cached bool // negotiated: no mark behind columns; columns of a prepared statement are described once
	binary, long  bool // the answer's rows are binary; contents of posts are read

	logins        int
	bytes, rows   int64
	columns, then int // descriptions still to come, and after these
}

// packets cuts a stream into packets.
type packets struct {
	head   [4]byte
	heads  int    // bytes of it that are there
	open   bool   // in the body of a packet
	left   int    // bytes of the body to come
	joined bool   // the next one belongs to the last
	size   int    // of the packet, with those it is joined of
	start  []byte // its first bytes
}

// startBytes is how much of a packet is examined.
const startBytes = 40

// feed takes bytes. begin is called when it is known how large a packet is as far as it has come, end when it is whole.
func (p *packets) feed(b []byte, begin, end func() error) error {
	for len(b) > 0 {
		if !p.open {
			n := copy(p.head[p.heads:], b)
			p.heads, b = p.heads+n, b[n:]
			if p.heads < len(p.head) {
				return nil
			}
			if !p.joined {
				p.size, p.start = 0, p.start[:0]
			}
			p.left = int(p.head[0]) | int(p.head[1])<<8 | int(p.head[2])<<16
			p.size += p.left
			p.open, p.heads, p.joined = true, 0, p.left == 1<<24-1
			if err := begin(); err != nil {
				return err
			}
		}
		n := min(p.left, len(b))
		if room := startBytes - len(p.start); room > 0 {
			p.start = append(p.start, b[:min(room, n)]...)
		}
		p.left, b = p.left-n, b[n:]
		if p.left > 0 {
			return nil
		}
		if p.open = false; p.joined {
			continue
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether the stream is between two packets.
func (p *packets) whole() bool { return !p.open && p.heads == 0 && !p.joined }

func (g *guard) phase() phase   { return phase(g.now.Load()) }
func (g *guard) expect(p phase) { g.now.Store(uint32(p)) }

func (g *guard) fail(err error) error {
	g.failure.CompareAndSwap(nil, &err)
	return err
}

// reason is why the connection is of no use, nil where that is not known.
func (g *guard) reason() error {
	if err := g.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// Read reads what the server sends, or the TLS that stands for it.
func (g *guard) Read(b []byte) (int, error) {
	if r := g.secured.Load(); r != nil {
		return g.readSecured(r, b)
	}
	return g.receive(b)
}

// receive reads from the server what is within bounds.
func (g *guard) receive(b []byte) (int, error) {
	if err := g.reason(); err != nil {
		return 0, err
	}
	n, err := g.Conn.Read(b)
	if bad := g.got.feed(b[:n], g.packetBegins, g.packetEnds); bad != nil {
		return 0, g.fail(bad)
	}
	return n, err
}

// Write writes what the driver sends, or the TLS that stands for it.
func (g *guard) Write(b []byte) (int, error) {
	if r := g.secured.Load(); r != nil {
		return g.writeSecured(r, b)
	}
	if err := g.send(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// send writes to the server, and sees from it what will be answered.
func (g *guard) send(b []byte) error {
	if err := g.reason(); err != nil {
		return err
	}
	upgrade := false
	err := g.sent.feed(b, func() error { return nil }, func() (err error) {
		upgrade, err = g.asked()
		return err
	})
	if err != nil {
		return g.fail(err)
	}
	if _, err := g.Conn.Write(b); err != nil || !upgrade {
		return err
	}
	return g.upgrade()
}

// asked examines a packet of the driver: an answer to the server's greeting, or a command.
func (g *guard) asked() (upgrade bool, err error) {
	p := g.sent.start
	if sequence := g.sent.head[3]; g.phase() == inLogin {
		if sequence > 2 || len(p) < 32 { // the greeting is 0, TLS asked for 1
			return false, nil
		}
		can := binary.LittleEndian.Uint32(p)
		if can&clientTLS != 0 && g.sent.size == 32 {
			return true, nil
		}
		if can&clientCompress != 0 {
			return false, refuse("it would be compressed")
		}
		g.noEOF = can&clientDeprecateEOF != 0
		g.cached = can&clientMySQL == 0 && binary.LittleEndian.Uint32(p[28:])&cachesMetadata != 0
		return false, nil
	} else if sequence != 0 || len(p) == 0 {
		return false, nil // the rest of a login after all, or an acknowledgement of the binlog
	}
	switch p[0] {
	case comQuit:
		return false, nil
	case comStmtClose: // is not answered
	default:
	}
	if g.phase() != unasked || !g.got.whole() {
		return false, refuse("there is more of it than was asked for")
	}
	g.bytes, g.rows, g.binary = 0, 0, p[0] == comStmtExecute
	switch p[0] {
	case comStmtClose:
	case comStmtPrepare:
		g.expect(inPrepared)
	case comBinlogDump, comBinlogGTID:
		g.expect(inBinlog)
	default:
		g.expect(inReply)
	}
	return false, nil
}

// packetBegins examines how large a packet of the server is, before the driver makes room for it.
func (g *guard) packetBegins() error {
	size, most := g.got.size, maxReplyBytes
	switch g.phase() {
	case unasked:
		return refuse("it comes without a question")
	case inRows, inBinlog:
		most = maxRowBytes
	}
	if size > most {
		return refuse("a row or packet has more than %d bytes", most)
	}
	if size == 0 {
		return refuse("a packet is empty")
	}
	g.bytes += int64(g.got.left) + int64(len(g.got.head))
	bytes := int64(maxResultBytes)
	switch {
	case g.phase() == inLogin:
		bytes = maxLoginBytes
	case g.phase() == inBinlog:
		return nil
	case g.long:
		bytes = maxTextBytes
	}
	if g.bytes > bytes {
		return refuse("it has more than %d bytes", bytes)
	}
	if g.phase() == inRows {
		return g.holdRow()
	}
	return nil
}

// Marks at the beginning of packets.
const (
	markOK    = 0x00
	markFile  = 0xfb
	markEOF   = 0xfe
	markError = 0xff
)

// packetEnds examines a packet of the server, which says what comes next.
func (g *guard) packetEnds() error {
	p := g.got.start
	switch g.phase() {
	case inLogin:
		return g.loggingIn(p)
	case inReply:
		return g.replied(p)
	case inPrepared:
		return g.prepared(p)
	case inColumns:
		if len(p) < 4 || string(p[:4]) != "\x03def" {
			return refuse("what should describe a column does not")
		}
		if g.columns--; g.columns > 0 {
			return nil
		}
		if !g.noEOF {
			g.expect(afterColumn)
			return nil
		}
		return g.described()
	case afterColumn:
		if p[0] != markEOF {
			return refuse("there are more columns than it announced")
		}
		return g.described()
	case inRows:
		return g.row(p)
	}
	return nil // an event of a binlog
}

// described goes on behind descriptions of columns.
func (g *guard) described() error {
	switch {
	case g.then < 0: // rows
		g.expect(inRows)
	case g.then > 0:
		g.columns, g.then = g.then, 0
		g.expect(inColumns)
	default:
		g.expect(unasked)
	}
	return nil
}

func (g *guard) loggingIn(p []byte) error {
	if g.logins++; g.logins > maxLoginPackets {
		return refuse("the login has more than %d packets", maxLoginPackets)
	}
	if g.logins == 1 { // protocol, version, number of the connection
		for i := 1; i+4 < len(p); i++ {
			if p[i] == 0 {
				g.thread = binary.LittleEndian.Uint32(p[i+1:])
				break
			}
		}
		return nil
	}
	if p[0] == markOK {
		g.expect(unasked)
	}
	return nil
}

func (g *guard) replied(p []byte) error {
	switch p[0] {
	case markOK:
		return g.answered(p)
	case markError:
		g.expect(unasked)
		return nil
	case markFile:
		return refuse("it asks for a file of this machine (LOCAL INFILE)")
	}
	count, n, ok := lengthEncoded(p)
	if !ok || count == 0 || count > maxColumns {
		return refuse("a result has %d columns, more than %d or none", count, maxColumns)
	}
	g.columns, g.then = int(count), -1
	if g.cached && g.binary && (n >= len(p) || p[n] != 1) { // described before
		if g.expect(inRows); !g.noEOF {
			g.expect(afterColumn)
		}
		return nil
	}
	g.expect(inColumns)
	return nil
}

// prepared reads how many columns and parameters a statement has.
func (g *guard) prepared(p []byte) error {
	switch {
	case p[0] == markError:
		g.expect(unasked)
		return nil
	case p[0] != markOK || len(p) < 9:
		return refuse("a statement is neither prepared nor refused")
	}
	columns, parameters := int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))
	if columns > maxColumns {
		return refuse("a result has %d columns, more than %d", columns, maxColumns)
	}
	g.columns, g.then = parameters, columns
	if parameters == 0 {
		return g.described()
	}
	g.expect(inColumns)
	return nil
}

func (g *guard) row(p []byte) error {
	switch {
	case p[0] == markError:
		g.expect(unasked)
		return g.hold(0)
	case p[0] == markEOF && g.got.size == 1<<24-1:
		return refuse("a row may be its end as well")
	case p[0] == markEOF && (g.binary || g.got.size < 1<<24-1):
		return g.answered(p)
	case g.binary && p[0] != markOK:
		return refuse("a row is none")
	}
	if g.rows++; g.rows > maxResultRows {
		return refuse("a result has more than %d rows", maxResultRows)
	}
	return nil
}

// answered examines the packet that ends an answer.
func (g *guard) answered(p []byte) error {
	at := 3 // of the status
	if p[0] == markOK || g.noEOF {
		_, n, _ := lengthEncoded(p[1:])
		_, m, _ := lengthEncoded(p[min(len(p), 1+n):])
		at = 1 + n + m
	}
	if at+2 > len(p) {
		return refuse("its end is cut off")
	}
	if p[at]&moreResults != 0 {
		return refuse("it has more results than one")
	}
	g.expect(unasked)
	return g.hold(0)
}

// lengthEncoded reads a number as the protocol writes it, and how many bytes it has.
func lengthEncoded(p []byte) (value uint64, n int, ok bool) {
	if len(p) == 0 {
		return 0, 0, false
	}
	switch p[0] {
	case 0xfc:
		n = 3
	case 0xfd:
		n = 4
	case 0xfe:
		n = 9
	default:
		return uint64(p[0]), 1, p[0] < 0xfb
	}
	if len(p) < n {
		return 0, n, false
	}
	for i := n - 1; i > 0; i-- {
		value = value<<8 | uint64(p[i])
	}
	return value, n, true
}

// Close closes the connection. A statement that has not been answered to its end is ended at the server.
func (g *guard) Close() error {
	var err error
	g.closing.Do(func() {
		if g.held.Release != nil {
			defer g.held.Release()
		}
		g.gone.Store(true)
		defer g.hold(0)
		p := g.phase()
		if g.given != nil && (p == inReply || p == inColumns || p == inRows) && g.reason() == nil {
			defer g.given(g.statement, g.thread)()
		}
		if r := g.secured.Load(); r != nil {
			r.Close()
		}
		err = g.raw.Close()
	})
	return err
}

// SyscallConn lets the driver see whether the server has closed the connection.
func (g *guard) SyscallConn() (syscall.RawConn, error) {
	if s, ok := g.raw.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, net.ErrClosed
}
