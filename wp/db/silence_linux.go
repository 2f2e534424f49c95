package db

import (
	"strings"
	"syscall"
)

// giveUp tells the kernel to close a TCP connection if sent data is not acknowledged within silence.
func giveUp(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	const tcpUserTimeout = 0x12 // in milliseconds; the same on every Linux
	return conn.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silence.Milliseconds())) // without it the kernel waits longer
	})
}
