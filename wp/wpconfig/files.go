package wpconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	maxFiles  = 32   // files that are read for one wp-config.php
	maxFolder = 1000 // names in a folder that are read
)

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than 4 MiB, too large for a configuration")
	errHardLink   = errors.New("a hard link to a file of another owner; replace it by a copy, or give the file and its folder the same owner")
)

// files reads the files that the wp-config.php of one install names. It reads only regular files below the folders of
// that install that belong to root or to the owner of the wp-config.php.
//
// The people of a site choose what a wp-config.php names. They must not reach the files of another site, nor block the
// daemon by a pipe or a device.
type files struct {
	ctx     context.Context
	install string    // folder of wp-config.php
	folders []*folder // files below these are read; without symbolic links, as install
	found   bool      // the install was discovered
	owner   int       // user id of the owner of wp-config.php
	opened  int       // number of files that were read
	bytes   int       // total size of these files
}

// newFiles opens the wp-config.php at path. It returns the path without symbolic links, and the content. The folders are
// held open until close.
//
// Files may be read below three folders: the folder of wp-config.php; the folder above, as in Bedrock; and the folder
// that holds the last symbolic link in path. Such a link is "current" if each release has a folder of its own. If
// within is set, files may be read only below that folder.
func newFiles(ctx context.Context, path, within string) (f *files, real string, code []byte, err error) {
	f = &files{ctx: ctx, found: within != "", owner: -1}
	base, err := pin(cmp.Or(within, "/")) // before path is resolved, because the people of an install may rename its folder
	if err != nil {
		return nil, path, nil, err
	}
	defer base.close()
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, path, nil, err
	}
	f.install = filepath.Dir(real)
	if f.found && !isBelow(base.name, real) {
		return nil, path, nil, fmt.Errorf("it is a link to %s, which is outside the folder of the install; "+
			"to allow this file, write a [[site]] for the install", real)
	}
	defer func(f *files) {
		if err != nil {
			f.close()
		}
	}(f)
	dirs := []string{f.install}
	if f.found {
		dirs = append(dirs, base.name)
	} else {
		for _, dir := range []string{filepath.Dir(f.install), linkFolder(path)} {
			if isBelow(dir, real) {
				dirs = append(dirs, dir)
			}
		}
	}
	for _, dir := range dirs {
		d, err := base.below(dir)
		if err != nil {
			return nil, real, nil, err
		}
		f.folders = append(f.folders, d)
	}
	code, err = f.read(real)
	return f, real, code, err
}

// close closes the open folders. After that, no file can be read.
func (f *files) close() {
	for _, d := range f.folders {
		d.close()
	}
}

// linkFolder returns the folder that holds the last symbolic link of a path, or "" without a link.
func linkFolder(path string) string {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return filepath.Dir(path)
		}
	}
	return ""
}

// isBelow reports whether a clean path is below a folder. It is false for the folders "" and "/".
func isBelow(folder, path string) bool {
	return len(folder) > 1 && strings.HasPrefix(path, strings.TrimRight(folder, "/")+"/")
}

// folder returns the open folder below which the file real may be read. real is a path without symbolic links. folder
// returns an error if the file is outside of these folders or belongs to another install.
func (f *files) folder(real string) (*folder, error) {
	err := fmt.Errorf("it lies outside of %s", f.folders[len(f.folders)-1].name)
	for _, d := range f.folders {
		dir := d.name
		if !isBelow(dir, real) {
			continue
		}
		top, _, deeper := strings.Cut(real[len(dir)+1:], "/")
		top = filepath.Join(dir, top)
		if dir == f.install || !deeper || isBelow(top, filepath.Join(f.install, "x")) || !holdsInstall(top) {
			return d, nil
		}
		err = fmt.Errorf("it belongs to another install, or it cannot be seen whether %s has a wp-config.php", top)
	}
	return nil, err
}

// holdsInstall reports whether a folder, or a folder directly in it, has a wp-config.php. It also returns true if the
// folder is too large to search or cannot be read.
func holdsInstall(dir string) bool {
	entries, err := ReadFolder(dir)
	if err != nil {
		return true
	}
	names := []string{""}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name, "wp-config.php")); err == nil {
			return true
		}
	}
	return false
}

// OpenFolder opens a folder so that its names can be read. It returns an error for anything else, such as a pipe, which
// would block.
func OpenFolder(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY, 0)
}

// ReadFolder returns what a folder contains. It returns an error if that is more than 1000 names.
func ReadFolder(name string) ([]fs.DirEntry, error) {
	d, err := OpenFolder(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(maxFolder + 1)
	if errors.Is(err, io.EOF) { // it is empty
		err = nil
	}
	if len(entries) > maxFolder {
		return nil, fmt.Errorf("%s holds more than %d names", name, maxFolder)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// exists reports whether a file or folder exists. It returns an error if the path may not be read.
func (f *files) exists(name string) (bool, error) {
	if err := f.ctx.Err(); err != nil {
		return false, err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		real = filepath.Clean(name)
	}
	if _, outside := f.folder(real); outside != nil {
		return false, outside
	}
	if errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	return err == nil, nil
}

// read returns the content of a file. All files together may not be larger than maxFileSize.
func (f *files) read(name string) ([]byte, error) {
	if f.opened++; f.opened > maxFiles {
		return nil, errors.New("too many files are read")
	}
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	dir, err := f.folder(real)
	if err != nil {
		return nil, err
	}
	file, in, err := dir.open(real)
	if err != nil {
		return nil, err
	}
	text, err := content(file, maxFileSize, func(opened Inode) error {
		if f.owner < 0 { // the first file is wp-config.php itself
			f.owner = opened.UID
		}
		if f.found && opened.hardLink(in) {
			return errHardLink
		}
		if opened.UID != f.owner && opened.UID != 0 {
			return errors.New("it belongs neither to the owner of wp-config.php nor to root: make one of these two its owner")
		}
		return nil
	})
	if f.bytes += len(text); err == nil && f.bytes > maxFileSize {
		return nil, errTooLarge
	}
	return text, err
}

// settled returns the path of a file of the install without symbolic links. SQLite opens files by their names. So
// settled returns an error if other people can change what is at this path, by a link or by a new folder. Other people
// are all users except root and the user of this process.
func (f *files) settled(name string) (real string, err error) {
	if real, err = filepath.EvalSymlinks(name); err != nil {
		return "", err
	}
	if _, err := f.folder(real); err != nil {
		return "", err
	}
	way, err := Way(real)
	if err != nil {
		return "", err
	}
	at, file := real, way[len(way)-1]
	if file.ours() {
		at = othersWrite(filepath.Dir(real), way[:len(way)-1]) // SQLite also opens files beside the database, such as its WAL
	}
	if at != "" {
		return "", fmt.Errorf("other users than root and the daemon's own can write to %s, and could put a link to another site's file there: "+
			"let only these two write to it", at)
	}
	return real, nil
}

// content reads an open file if allowed accepts it, and closes it. It reads at most the size that the file system
// reports. Files of the kernel report no size, and some of them block or are secret.
func content(file *os.File, most int64, allowed func(Inode) error) ([]byte, error) {
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > most && most == maxFileSize:
		return nil, errTooLarge
	case info.Size() > most:
		return nil, fmt.Errorf("larger than %d MiB", most>>20)
	}
	if err := allowed(inodeOfInfo(info)); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, info.Size()))
}

// ReadRegular reads a file of at most 4 MiB. It opens no devices and pipes: they could block, and opening some devices
// has effects.
func ReadRegular(name string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	base, err := pin("/")
	if err != nil {
		return nil, err
	}
	defer base.close()
	f, _, err := base.open(real)
	if err != nil {
		return nil, err
	}
	return content(f, maxFileSize, func(Inode) error { return nil })
}

// ReadUnlinked reads a file that the people of a site choose, although visitors may then see the content. most is the
// largest size in bytes. It returns an error if the file is not regular or is a symbolic link.
//
// A hard link is an error too, unless the file belongs to the owner of the folder: a link to a file of another site has
// the owner of that file. within is the folder of a discovered install: no link in the path may lead out of that
// folder. It is "" for other installs, and for a file elsewhere that the operator names.
func ReadUnlinked(name, within string, most int64) ([]byte, error) {
	f, in, err := openUnlinked(filepath.Clean(name), within)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link, which is not followed", name)
	}
	if err != nil {
		return nil, err
	}
	text, err := content(f, most, func(opened Inode) error {
		if opened.hardLink(in) {
			return errHardLink
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s is not read: %w", name, err)
	}
	return text, nil
}

// openUnlinked opens a file, and returns the folder that it lies in.
func openUnlinked(name, within string) (file *os.File, in Inode, err error) {
	base, err := pin(cmp.Or(within, "/"))
	if err != nil {
		return nil, Inode{}, err
	}
	defer base.close()
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, Inode{}, err
	}
	if within != "" && dir != base.name && !isBelow(base.name, dir) {
		return nil, Inode{}, fmt.Errorf("%s is not read: a link leads out of %s", name, within)
	}
	return base.open(filepath.Join(dir, filepath.Base(name)))
}

// reason returns an error without the name of the file.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Folders returns the folders of the install's own files: the folder of wp-config.php, and ABSPATH if it may be read.
func (c *Config) Folders() []string {
	folders := []string{c.files.install}
	if real, err := filepath.EvalSymlinks(c.root); err == nil && real != c.files.install && c.MayRead(filepath.Join(real, "x")) {
		folders = append(folders, real)
	}
	return folders
}

// MayRead reports whether a path belongs to this install and to no other one. The path must be free of symbolic links; its
// file need not exist.
func (c *Config) MayRead(path string) bool {
	_, err := c.files.folder(path)
	return err == nil
}
