package db

import (
	"errors"
	"net"
	"syscall"
)

// The driver allocates memory for as many columns, and for rows as long, as the server announces. If that memory is not
// available, the process ends for all sites. So answers are checked while they are read.
const (
	// maxRowBytes is the largest row in bytes. The statement limits each value of a row, see bounded.
	maxRowBytes = 48 << 20
	// If the first byte of an answer is manyColumns or the next higher byte, the answer has more than 65,535 columns.
	manyColumns = 0xfd

	packetHead = 4         // bytes before a packet: its length and its number
	fullPacket = 1<<24 - 1 // length of a packet whose content goes on in the next packet
	tlsRequest = packetHead + 32
)

var errAnswer = errors.New("the database server's answer is refused: it announces more columns, or a longer row, than any statement asks for")

// answers is a connection to a database server. If an answer is beyond the bounds, Read closes the connection and
// returns errAnswer. After TLS has begun, answers are encrypted, and Read does not check them.
type answers struct {
	net.Conn
	hidden bool // TLS has begun
	first  bool // the next packet is the first of the answer to a statement
	head   []byte
	left   int // bytes of the packet that are not read yet
	row    int // bytes of the packets of the current row
}

// SyscallConn lets the driver check whether the server has closed the connection.
func (a *answers) SyscallConn() (syscall.RawConn, error) {
	conn, ok := a.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return conn.SyscallConn()
}

// Write looks at the packet that is sent. A packet with the number 0 begins a statement. A packet with the number 1 and the
// length tlsRequest begins TLS.
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

// pass reports whether the next bytes from the server are within the bounds.
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
