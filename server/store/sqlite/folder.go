package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownFolder returns an error if other users could put pages into a folder for the daemon to serve. That is so if every user can
// write to it, or if it belongs to a user who is neither root nor this user. If asRoot is set, any user may own the folder,
// because the daemon may run as that user.
func ownFolder(path string, asRoot bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("every user of this machine can write to %s: choose another folder, such as /var/lib/wpsitemapd", path)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() && !asRoot {
		return fmt.Errorf("%s belongs to another user (%d), who could change what is served: choose another folder", path, owner.Uid)
	}
	return nil
}

// mayWrite is the access(2) mode W_OK|X_OK, the right to make files in a folder.
const mayWrite = 2 | 1

// writable returns why this user cannot, or must not, keep pages in a folder. It returns nil if nothing prevents it. It changes
// nothing: if the folder does not exist, it looks at the first folder above that does. If this user is root, the daemon may run
// as another user, which may own the folder.
func writable(dir string) error {
	info, err := os.Stat(dir)
	there := true
	for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		dir, there = filepath.Dir(dir), false
		info, err = os.Stat(dir)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err == nil && there {
		err = ownFolder(dir, os.Geteuid() == 0)
	}
	if err != nil {
		return err
	}
	if err := syscall.Access(dir, mayWrite); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
