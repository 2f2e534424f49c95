package db

import (
	"errors"
	"net"
	"syscall"
)

// The driver makes room for as many columns, and for rows as long, as the server announces. Memory that cannot be had ends the process, for
// all sites. So answers are bounded while they are read.
const (
	// maxRowBytes bounds one row. The values of a row are bounded by their statement, see MaxValue.
	maxRowBytes = 48 << 20
	// manyColumns begins a count of columns of more than 65,535.
	manyColumns = 0xfd

	packetHead = 4         // bytes before a packet: its length, its number
	fullPacket = 1<<24 - 1 // the length of a packet that goes on in the next one
	tlsRequest = packetHead + 32
)

var errAnswer = errors.New("the database server's answer is refused: it announces more columns, or a longer row, than any statement asks for")

// answers is a connection to a database server. It ends with errAnswer where an answer is out of bounds. What TLS hides it passes on as it is.
type answers struct {
	net.Conn
	hidden bool // TLS has begun
	first  bool // the next packet is the first of the answer to a statement
	head   []byte
	left   int // bytes of the packet that were not read yet
	row    int // bytes of the packets that make one row
}

// SyscallConn lets the driver look whether the server has closed the connection.
func (a *answers) SyscallConn() (syscall.RawConn, error) {
	conn, ok := a.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return conn.SyscallConn()
}

// Write notes what a packet asks for: statements have the number 0, and a request for TLS has a length of its own.
func (a *answers) Write(b []byte) (int, error) {
	if len(b) >= packetHead {
		a.first = b[3] == 0
		a.hidden = a.hidden || b[3] == 1 && len(b) == tlsRequest
	}
	return a.Conn.Write(b)
}

func (a *answers) Read(b []byte) (int, error) {
	n, err := a.Conn.Read(b)
	if !a.hidden && !a.pass(b[:n]) {
		a.Close()
		return 0, errAnswer
	}
	return n, err
}

// pass reports whether the next bytes of packets are within bounds.
func (a *answers) pass(b []byte) bool {
	for len(b) > 0 {
		if a.left == 0 {
			n := min(len(b), packetHead-len(a.head))
			a.head, b = append(a.head, b[:n]...), b[n:]
			if len(a.head) < packetHead {
				return true
			}
			a.left = int(a.head[0]) | int(a.head[1])<<8 | int(a.head[2])<<16
			a.head = a.head[:0]
			if a.row += a.left; a.row > maxRowBytes {
				return false
			}
			if a.left < fullPacket {
				a.row = 0
			}
			continue
		}
		if a.first && (b[0] == manyColumns || b[0] == manyColumns+1) {
			return false
		}
		a.first = false
		n := min(len(b), a.left)
		a.left, b = a.left-n, b[n:]
	}
	return true
}
