package provision

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"wpsitemapd/wp/wpconfig"
)

// init usually runs as root. So it writes only into folders in which nobody else can create or rename files. Then no name in
// the folder can be a link that somebody else has made.

// keep is given instead of the owner or the group of a new file, so that the file gets those of this process.
const keep = -1

// folder returns the real path of a folder, and creates the folder if it is missing. It returns an error if anybody but root
// and the user of this process can write to the folder, or rename a folder above it.
func folder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
		above, err := folder(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		real = filepath.Join(above, filepath.Base(path))
		return real, os.Mkdir(real, 0o755)
	}
	if err != nil {
		return "", err
	}
	at, err := wpconfig.OthersWrite(real)
	if err == nil && at != "" {
		err = fmt.Errorf("%s is not used: others can write to %s", path, at)
	}
	if err != nil {
		return "", err
	}
	return real, nil
}

// ours reports whether a file or folder belongs to root or to the user of this process.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}

// place returns the real path of a file. It returns an error if other users can write to the folder of the file, see folder.
func place(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, err := folder(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// writeFile writes a file with a content, a mode and an owner in one step: it writes a temporary file and renames it.
func writeFile(path, text string, mode fs.FileMode, uid, gid int) error {
	path, err := place(path)
	if err != nil {
		return err
	}
	temp := path + ".wpsitemapd-new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by an interrupted run
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	err = errors.Join(err, f.Chown(uid, gid), f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// replaceFile replaces the content of a file and keeps its mode and its owner. If path is a link, it replaces the content of the
// link's target.
func replaceFile(path, text string) error {
	path, err := place(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	return writeFile(path, text, info.Mode().Perm(), int(stat.Uid), int(stat.Gid))
}

// readOwn reads a file that only root and the user of this process can write. If other users can write the file, readOwn
// returns an error.
func readOwn(path string) ([]byte, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, err
	}
	path, err := place(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || !ours(info) || info.Mode().Perm()&0o022 != 0) {
		err = fmt.Errorf("%s is not used, because users other than root and the user of this process can write to it", path)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// removeFile removes a file. If there is no such file, it does nothing.
func removeFile(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	path, err := place(path)
	if err != nil {
		return err
	}
	return os.Remove(path)
}
