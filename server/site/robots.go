package site

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"wpsitemapd/wp/wpconfig"
)

// MaxRobots is how many bytes of a robots.txt count (RFC 9309, 2.5).
const MaxRobots = 500 << 10

// maxRobotsFile is the largest size of a robots.txt file that is read, in bytes.
const maxRobotsFile = 4 << 20

// ReadRobots returns the text and path of robots.txt in the first web root that contains one. The error is fs.ErrNotExist if no
// web root does. Any other error is about a file that visitors may see but that this process cannot read. within is the folder
// of a discovered install: no symbolic link may lead out of that folder.
func ReadRobots(roots []string, within string) (text []byte, path string, err error) {
	for _, dir := range roots {
		path = filepath.Join(dir, "robots.txt")
		if text, err = wpconfig.ReadUnlinked(path, within, maxRobotsFile); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if len(text) > MaxRobots {
			text = text[:bytes.LastIndexByte(text[:MaxRobots], '\n')+1] // the rest does not count, and half a line could mean something else
		}
		return text, path, err
	}
	return nil, "", fs.ErrNotExist
}
