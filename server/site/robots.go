package site

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"wpsitemapd/wp/wpconfig"
)

// MaxRobots is how much of a robots.txt counts, in bytes (RFC 9309, 2.5).
const MaxRobots = 500 << 10

// maxRobotsFile is how large a file with a robots.txt may be that is read at all.
const maxRobotsFile = 4 << 20

// ReadRobots returns the robots.txt in the first of some web roots that has one, and its path. Where none has one the error is
// fs.ErrNotExist. Any other error is of a file that visitors may see, and that is not read here.
func ReadRobots(roots []string) (text []byte, path string, err error) {
	for _, dir := range roots {
		path = filepath.Join(dir, "robots.txt")
		if text, err = wpconfig.ReadUnlinked(path, "", maxRobotsFile); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if len(text) > MaxRobots {
			text = text[:bytes.LastIndexByte(text[:MaxRobots], '\n')+1] // what follows does not count, and half a line says something else
		}
		return text, path, err
	}
	return nil, "", fs.ErrNotExist
}
