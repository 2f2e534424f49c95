package provision

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// copyOwner gives a file the owner, the group and the mode of another.
func copyOwner(path string, of fs.FileInfo) error {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok {
		if err := os.Chown(path, int(stat.Uid), int(stat.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(path, of.Mode().Perm())
}

// groupOf is the name of a file's group.
func groupOf(of fs.FileInfo) string {
	stat, ok := of.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	id := strconv.Itoa(int(stat.Gid))
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}
