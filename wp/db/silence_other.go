//go:build !linux

package db

import "syscall"

// giveUp leaves it to the system how long it waits for an acknowledgement.
func giveUp(string, string, syscall.RawConn) error { return nil }
