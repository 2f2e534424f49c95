//go:build !linux

package wpconfig

import "golang.org/x/sys/unix"

// searchOnly opens a folder that this process may not read, as /home often is.
const searchOnly = unix.O_SEARCH
