//go:build !linux

package db

import "syscall"

// giveUp changes nothing: the system decides how long it waits for an acknowledgement.
func giveUp(string, string, syscall.RawConn) error { return nil }
