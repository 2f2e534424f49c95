package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MaxRobots is how much of a robots.txt counts, in bytes (RFC 9309, 2.5).
const MaxRobots = 500 << 10

const robotsName = "robots.txt"

// ReadRobots returns the robots.txt in the first of some web roots that has one, and its path. Where none has one the error is
// fs.ErrNotExist. Any other error is of a file that visitors may see, and that is not read here: the people of a site choose what it
// is, so a symbolic link is not followed, and a hard link counts where the file belongs to the owner of the folder: that to a file of
// another site keeps the other owner.
func ReadRobots(roots []string) (text []byte, path string, err error) {
	for _, dir := range roots {
		path = filepath.Join(dir, robotsName)
		text, err = readRobots(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			return text, path, err
		}
	}
	return nil, "", fs.ErrNotExist
}

func readRobots(dir string) ([]byte, error) {
	f, err := os.OpenFile(filepath.Join(dir, robotsName), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s/%s is a link, which is not followed", dir, robotsName)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || foreignLink(info, dir) {
		return nil, fmt.Errorf("%s/%s is no regular file, or a hard link to a file of another owner", dir, robotsName)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxRobots+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxRobots {
		text = text[:bytes.LastIndexByte(text[:MaxRobots], '\n')+1] // what follows does not count, and half a line says something else
	}
	return text, nil
}

// foreignLink reports whether a file has another name and another owner than the folder.
func foreignLink(file fs.FileInfo, dir string) bool {
	of, ok := file.Sys().(*syscall.Stat_t)
	if !ok || of.Nlink < 2 {
		return false
	}
	var folder syscall.Stat_t
	return syscall.Stat(dir, &folder) != nil || folder.Uid != of.Uid
}
