//go:build !linux

package site

import "time"

// born returns when a folder came into being on its file system, zero where that is not known.
func born(string) time.Time { return time.Time{} }
