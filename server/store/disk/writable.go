package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mayWrite is what access(2) calls the right to make files in a folder.
const mayWrite = 2 | 1

// Writable reports why this user cannot, or must not, keep copies in a folder, nil where nothing is in the
// way. It changes nothing: a folder that is not there has to have one above it where it can be made. Root asks for a daemon
// that may have a user of its own.
func Writable(dir string) error {
	for _, part := range []string{dir, filepath.Join(dir, sitesName)} {
		if err := writable(part); err != nil {
			return err
		}
		if err := ownFolder(part, os.Geteuid() == 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func writable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
		return writable(filepath.Dir(dir))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	}
	if err := syscall.Access(dir, mayWrite); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
