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
// is, so a link, by whatever name, is not followed.
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
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || ok && stat.Nlink > 1 {
		return nil, fmt.Errorf("%s/%s is no regular file with one name", dir, robotsName)
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
