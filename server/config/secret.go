package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxSecret is how many bytes of a file with a secret are read.
const maxSecret = 64 << 10

// secret returns the value of key. If key + "_file" is set instead, secret returns the content of the file that it names. from
// is the key that was set, and file is the path of the file, or "". ok is false if neither key is set or the value is wrong.
func (t *table) secret(key, dir string) (from, file string, value Secret, ok bool) {
	failed, from, fileKey := len(t.found), key, key+"_file"
	asWritten := t.values[fileKey]
	if t.holds(key) && t.holds(fileKey) {
		t.fail(fileKey, nil, "cannot be set together with %s: remove one of the two", key)
	}
	t.text(key, func(text string) error {
		value, ok = Secret(text), true
		return nil
	})
	t.text(fileKey, func(path string) error {
		file = absolute(path, dir)
		return nil
	})
	if file != "" && !t.alone {
		text, err := readSecret(file, key)
		if from, value, ok = fileKey, text, true; err != nil {
			t.fail(fileKey, asWritten, "%v", err)
		} else {
			t.noteFile(file)
		}
	}
	return from, file, value, ok && len(t.found) == failed
}

// readSecret returns the value of key from a file that contains this value alone. The error does not name the file: the message of the
// caller names it, with its path as the configuration has it.
func readSecret(file, key string) (Secret, error) {
	text, err := readFile(file, maxSecret)
	if at, hasPath := errors.AsType[*fs.PathError](err); hasPath {
		err = at.Err
	}
	text = strings.TrimSpace(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot be read: %w", withHint(err))
	case text == "":
		return "", fmt.Errorf("the file is empty; it must hold the value of %s", key)
	case strings.ContainsAny(text, "\r\n"):
		return "", fmt.Errorf("the file must hold the value of %s alone, in one line", key)
	}
	return Secret(text), nil
}

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
