package wpconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The people of an install may rename their folders and make links while its files are read. So a path is walked folder by folder, and
// each folder is opened in the one above that is open already. A file that is opened in an open folder lies there, whatever has the
// folder's name by now.

// An Inode is what a step of a way leads to.
type Inode struct {
	Mode     fs.FileMode
	UID, GID int
	names    uint64 // how many hard links it has
}

// ours reports whether a file, folder or link belongs to root or to the user of this process.
func (i Inode) ours() bool { return i.UID == 0 || i.UID == os.Geteuid() }

// hardLink reports whether a file in a folder may be a hard link to the file of another install, which keeps its owner.
func (i Inode) hardLink(folder Inode) bool {
	return i.Mode.IsRegular() && i.names > 1 && i.UID != folder.UID
}

// targetOwner returns who must own what a link in a folder leads to. only is false if it may lead anywhere, since nobody but root and the
// user of this process can have made it or put it there.
func (i Inode) targetOwner(link Inode) (uid int, only bool) {
	switch {
	case !link.ours():
		return link.UID, true
	case !i.ours():
		return i.UID, true
	}
	return link.UID, i.Mode.Perm()&0o002 != 0 && i.Mode&fs.ModeSticky == 0
}

func inodeOf(st *unix.Stat_t) Inode {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	if st.Mode&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return Inode{Mode: mode, UID: int(st.Uid), GID: int(st.Gid), names: uint64(st.Nlink)}
}

func inodeOfInfo(info fs.FileInfo) Inode {
	st := info.Sys().(*syscall.Stat_t) // so on every Unix
	return Inode{Mode: info.Mode(), UID: int(st.Uid), GID: int(st.Gid), names: uint64(st.Nlink)}
}

// A folder is held open.
type folder struct {
	Inode
	name string // without links: its path, or in a way its name
	fd   int
}

// openFolder opens a folder in a folder. A link is an error. No right to read the folder is needed.
func openFolder(in int, name string) (*folder, error) {
	fd, err := openAt(in, name, unix.O_DIRECTORY|searchOnly)
	if err != nil {
		return nil, err
	}
	d := &folder{name: name, fd: fd}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		d.close()
		return nil, err
	}
	d.Inode = inodeOf(&st)
	return d, nil
}

func openAt(in int, name string, flags int) (fd int, err error) {
	for {
		fd, err = unix.Openat(in, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

func (d *folder) close() { _ = unix.Close(d.fd) }

// open opens a file for reading by its path without links, which lies below the folder. A link is an error, also one that has taken the
// place of a folder on the way. in is the folder of the file.
func (d *folder) open(real string) (file *os.File, in Inode, err error) {
	at, err := d.below(filepath.Dir(real))
	if err == nil {
		defer at.close()
		var fd int
		if fd, err = openAt(at.fd, filepath.Base(real), unix.O_RDONLY|unix.O_NONBLOCK); err == nil {
			return os.NewFile(uintptr(fd), real), at.Inode, nil
		}
	}
	return nil, Inode{}, &fs.PathError{Op: "open", Path: real, Err: err}
}

// below opens the folder itself once more, or one below it by its path without links.
func (d *folder) below(real string) (*folder, error) {
	rest, err := filepath.Rel(d.name, real)
	if err != nil || !filepath.IsLocal(rest) {
		return nil, fmt.Errorf("%s is not in %s", real, d.name)
	}
	at, err := openFolder(d.fd, ".")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(rest, "/") {
		next, err := openFolder(at.fd, name)
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	at.name = real
	return at, nil
}

// pin opens a folder. Links on the way to it are followed as Way says.
func pin(path string) (*folder, error) {
	w, err := walk(path)
	if err != nil {
		return nil, err
	}
	defer w.back(0)
	d, err := openFolder(w.here().fd, ".")
	if err != nil {
		return nil, err
	}
	d.name = w.path()
	return d, nil
}

// Way returns the folders on the way to a file and the file itself, from the root on. The last one may be a link, the others are none: a
// link to a folder is followed if nobody but root and the user of this process can have put it there, or if it leads to what its own
// people have. Other links are errors: they would present the files of a neighbour as those of an install. So is a hard link to a file
// of another owner.
func Way(file string) (all []Inode, err error) {
	w, err := walk(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer w.back(0)
	for _, d := range w.folders {
		all = append(all, d.Inode)
	}
	last, err := w.look(filepath.Base(file))
	if err == nil && last.hardLink(w.here().Inode) {
		err = fmt.Errorf("%s is %w", file, errHardLink)
	}
	return append(all, last), err
}

// mostLinks is how many links the way to a folder may have.
const mostLinks = 40

// way is a walk along a path.
type way struct {
	folders []*folder // held open, from the root on
	links   int       // followed so far
}

// walk goes the way to a folder.
func walk(path string) (*way, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := openFolder(unix.AT_FDCWD, "/")
	if err != nil {
		return nil, err
	}
	w := &way{folders: []*folder{root}}
	if err := w.follow(path); err != nil {
		w.back(0)
		return nil, err
	}
	return w, nil
}

// here is the folder that was reached.
func (w *way) here() *folder { return w.folders[len(w.folders)-1] }

// path is where that folder is.
func (w *way) path() string {
	path := "/"
	for _, d := range w.folders {
		path = filepath.Join(path, d.name)
	}
	return path
}

// back leaves all but the first n folders.
func (w *way) back(n int) {
	for _, d := range w.folders[n:] {
		d.close()
	}
	w.folders = w.folders[:n]
}

// follow goes on along a path. An absolute one begins at the root.
func (w *way) follow(path string) error {
	if filepath.IsAbs(path) {
		w.back(1)
	}
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "", ".":
		case "..":
			w.back(max(len(w.folders)-1, 1))
		default:
			if err := w.enter(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// look returns what has a name in the folder that was reached.
func (w *way) look(name string) (Inode, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(w.here().fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Inode{}, &fs.PathError{Op: "lstat", Path: filepath.Join(w.path(), name), Err: err}
	}
	return inodeOf(&st), nil
}

// enter goes on to a folder, or along a link, in the folder that was reached.
func (w *way) enter(name string) error {
	in, at := w.here(), filepath.Join(w.path(), name)
	found, err := w.look(name)
	if err != nil {
		return err
	}
	if found.Mode&fs.ModeSymlink == 0 {
		next, err := openFolder(in.fd, name)
		if err != nil {
			return &fs.PathError{Op: "open", Path: at, Err: err}
		}
		w.folders = append(w.folders, next)
		return nil
	}
	if w.links++; w.links > mostLinks {
		return &fs.PathError{Op: "open", Path: at, Err: syscall.ELOOP}
	}
	var target [4096]byte // a path is no longer
	n, err := unix.Readlinkat(in.fd, name, target[:])
	if err != nil {
		return &fs.PathError{Op: "readlink", Path: at, Err: err}
	}
	// Another link may have taken this one's place before it was read. Only somebody who can write to the folder can do that. So the
	// owner of the folder counts, too, and what was reached, not what the link said.
	uid, only := in.targetOwner(found)
	if err := w.follow(string(target[:n])); err != nil {
		return err
	}
	if only && w.here().UID != uid {
		return fmt.Errorf("%s is a link of another user to %s", at, w.path())
	}
	return nil
}
