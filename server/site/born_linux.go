package site

import (
	"time"

	"golang.org/x/sys/unix"
)

// born returns when a folder came into being on its file system, zero where that is not known.
// A copy does not take that time along, and nobody can set it.
func born(path string) time.Time {
	var info unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &info); err != nil || info.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(info.Btime.Sec, int64(info.Btime.Nsec))
}
