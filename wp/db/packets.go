package db

import (
	"errors"
	"net"
	"syscall"
)

// The driver allocates memory for as many columns, and for rows as long, as the server announces. If that memory is not
// available, the process ends for all sites. So the packets of answers are checked while they are read.
const (
	// maxRowBytes is the largest row in bytes. The statement limits each value of a row, see bounded.
	maxRowBytes = 48 << 20
	// An answer begins with the number of its columns. If that needs more than two bytes, the first byte is one of these.
	threeBytes, eightBytes = 0xfd, 0xfe

	packetHead = 4         // bytes before a packet: its length and its number
	fullPacket = 1<<24 - 1 // length of a packet whose content goes on in the next packet
	tlsRequest = packetHead + 32
)

var errAnswer = errors.New("the answer of the database server is refused, because it has more columns, more rows or longer rows " +
	"than the statement asks for: check that this is a MySQL or MariaDB server")

// checked is a connection to a database server. If an answer is beyond the bounds, Read closes the connection and
// returns errAnswer. After TLS has begun, answers are encrypted, and Read does not check them.
type checked struct {
	net.Conn
	hidden bool   // TLS has begun
	first  bool   // the next packet is the first of the answer to a statement
	head   []byte // what was read of a packet's head
	left   int    // bytes of the packet that are not read yet
	row    int    // bytes of the packets of the current row
}

// SyscallConn lets the driver check whether the server has closed the connection.
func (c *checked) SyscallConn() (syscall.RawConn, error) {
	conn, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return conn.SyscallConn()
}

// Write looks at the packet that is sent. A packet with the number 0 begins a statement. A packet with the number 1 and the
// length tlsRequest begins TLS.
func (c *checked) Write(b []byte) (int, error) {
	if len(b) >= packetHead {
		c.first = b[3] == 0
		c.hidden = c.hidden || b[3] == 1 && len(b) == tlsRequest
	}
	return c.Conn.Write(b)
}

// Read reads from the server and checks what it has read.
func (c *checked) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.hidden && !c.pass(b[:n]) {
		c.Close()
		return 0, errAnswer
	}
	return n, err
}

// pass reports whether the next bytes from the server are within the bounds. They may begin and end anywhere, in the head
// of a packet or in its content.
func (c *checked) pass(b []byte) bool {
	for len(b) > 0 {
		if c.left == 0 { // b begins in a head
			n := min(len(b), packetHead-len(c.head))
			c.head, b = append(c.head, b[:n]...), b[n:]
			if len(c.head) < packetHead {
				return true
			}
			c.left = int(c.head[0]) | int(c.head[1])<<8 | int(c.head[2])<<16
			c.head = c.head[:0]
			if c.row += c.left; c.row > maxRowBytes {
				return false
			}
			if c.left < fullPacket { // the last packet of its row
				c.row = 0
			}
			continue
		}
		if c.first && (b[0] == threeBytes || b[0] == eightBytes) {
			return false
		}
		c.first = false
		n := min(len(b), c.left)
		c.left, b = c.left-n, b[n:]
	}
	return true
}
