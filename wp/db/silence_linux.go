package db

import (
	"strings"
	"syscall"
)

// giveUp has the kernel end a TCP connection on which what was sent is not acknowledged in time.
func giveUp(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	const tcpUserTimeout = 0x12 // in milliseconds; the same on every Linux
	return conn.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silence.Milliseconds())) // without it, it only takes longer
	})
}
