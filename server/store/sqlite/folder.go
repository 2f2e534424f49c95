package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownFolder refuses a folder in which other users could put pages for us to serve: one that every user can write to, or that
// belongs to another one, who could let them. With asRoot that one may be the daemon's user.
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

// mayWrite is what access(2) calls the right to make files in a folder.
const mayWrite = 2 | 1

// writable reports why this user cannot, or must not, keep pages in a folder, nil where nothing is in the way. It changes
// nothing: a folder that is not there has to have one above it where it can be made. Root asks for a daemon that may have a
// user of its own.
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
