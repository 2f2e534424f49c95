package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxConfig is the largest size of a configuration in bytes.
const maxConfig = 4 << 20

// readFile returns the beginning of a file, up to most bytes.
func readFile(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}

// withHint adds advice to the error of a file that this user may not read. It returns any other error unchanged.
func withHint(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: use sudo to run a command; for the service, let its own user or group read the file", err)
	}
	return err
}
