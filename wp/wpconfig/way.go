package wpconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The people of an install may rename folders and make links while the program reads their files. So a walk goes along
// a path folder by folder, and opens each folder in the open folder above. A file that is opened in an open folder is a
// file of that folder, even if the people of the install rename folders in between.

// An Inode describes a file, folder or link on the way to a file.
type Inode struct {
	Mode     fs.FileMode
	UID, GID int
	names    uint64 // number of hard links
}

// ours reports whether a file, folder or link belongs to root or to the user of this process.
func (i Inode) ours() bool { return i.UID == 0 || i.UID == os.Geteuid() }

// hardLink reports whether a file in a folder may be a hard link to a file of another install. Such a link has the owner
// of that file.
func (i Inode) hardLink(folder Inode) bool {
	return i.Mode.IsRegular() && i.names > 1 && i.UID != folder.UID
}

// targetOwner returns who must own the target of a symbolic link in the folder i. If only is true, the link is safe only if
// the user uid owns its target. If only is false, the link may lead anywhere, because only root or the user of this process
// can have created the link.
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
	st := info.Sys().(*syscall.Stat_t) // Sys returns a Stat_t on every Unix
	return Inode{Mode: info.Mode(), UID: int(st.Uid), GID: int(st.Gid), names: uint64(st.Nlink)}
}

type folder struct {
	Inode
	name string // the path, without symbolic links; for a folder of a way, its name in the folder above
	fd   int
}

// openFolder opens a folder by its name in an open folder. A link is an error. The process needs no right to read the
// folder.
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

// open opens a regular file below the folder for reading. real is the path of the file, with all symbolic links resolved. If somebody has
// put a link into the path since then, open fails. parent is the folder of the file.
func (d *folder) open(real string) (file *os.File, parent Inode, err error) {
	at, err := d.below(filepath.Dir(real))
	if err == nil {
		defer at.close()
		var st unix.Stat_t
		if err := unix.Fstatat(at.fd, filepath.Base(real), &st, unix.AT_SYMLINK_NOFOLLOW); err == nil {
			if is := inodeOf(&st).Mode; !is.IsRegular() && is&fs.ModeSymlink == 0 {
				return nil, Inode{}, errNotRegular
			}
		}
		var fd int
		if fd, err = openAt(at.fd, filepath.Base(real), unix.O_RDONLY|unix.O_NONBLOCK); err == nil {
			return os.NewFile(uintptr(fd), real), at.Inode, nil
		}
	}
	return nil, Inode{}, &fs.PathError{Op: "open", Path: real, Err: err}
}

// below opens a folder by its path without links. The folder is d itself or is below d.
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

// pin opens a folder by its path. It follows symbolic links by the rules of Way.
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

// Way returns the folders on the way to a file, from the root on, and then the file itself. The file may be a link.
//
// Way follows a link to a folder if only root or the user of this process can have made the link. It also follows a link of
// another user to a folder that the same user owns. Any other link is an error, because it could lead to files of another
// install. A hard link to a file of another owner is an error too.
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

// OthersWrite looks for a folder in which a user other than root and the user of this process can create or rename files. It
// checks dir and all folders above dir, because a user who can rename a folder can replace what is below it. It returns such a
// folder, or "" if there is none. The path dir must not contain symbolic links.
func OthersWrite(dir string) (at string, err error) {
	way, err := Way(dir)
	if err != nil {
		return "", err
	}
	return othersWrite(dir, way), nil
}

// othersWrite implements OthersWrite for a path whose folders, from the root to dir, are in way.
func othersWrite(dir string, way []Inode) (at string) {
	at = dir
	for i, step := range slices.Backward(way) {
		renames := i == len(way)-1 || step.Mode&fs.ModeSticky == 0 // in a folder such as /tmp nobody can rename files of other users
		if !step.Mode.IsDir() || !step.ours() || step.Mode&0o022 != 0 && renames {
			return at
		}
		at = filepath.Dir(at)
	}
	return ""
}

// mostLinks is how many symbolic links are followed on the way to a folder.
const mostLinks = 40

// way is a walk along a path.
type way struct {
	folders []*folder // held open, from the root on
	links   int       // number of symbolic links that were followed
}

// walk opens the folders on the way to a folder.
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

// here returns the folder that the walk has reached.
func (w *way) here() *folder { return w.folders[len(w.folders)-1] }

// path returns the path of the folder that the walk has reached.
func (w *way) path() string {
	path := "/"
	for _, d := range w.folders {
		path = filepath.Join(path, d.name)
	}
	return path
}

// back closes all folders except the first n.
func (w *way) back(n int) {
	for _, d := range w.folders[n:] {
		d.close()
	}
	w.folders = w.folders[:n]
}

// follow continues the walk along a path. If the path is absolute, it first goes back to the root.
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

// look returns the Inode of an entry of the folder that the walk has reached. It does not follow a symbolic link.
func (w *way) look(name string) (Inode, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(w.here().fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Inode{}, &fs.PathError{Op: "lstat", Path: filepath.Join(w.path(), name), Err: err}
	}
	return inodeOf(&st), nil
}

// enter walks on to an entry of the folder that the walk has reached. The entry must be a folder, or a symbolic link to a folder.
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
	// Another link may have replaced this one before it was read. Only somebody who can write to the folder can do that.
	// So the owner of the folder counts too, and the folder that was reached is checked, not the text of the link.
	uid, only := in.targetOwner(found)
	if err := w.follow(string(target[:n])); err != nil {
		return err
	}
	if only && w.here().UID != uid {
		return fmt.Errorf("%s is a link of another user to %s", at, w.path())
	}
	return nil
}
