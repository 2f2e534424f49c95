package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxSecret is the largest size of a file with a secret in bytes.
const maxSecret = 64 << 10

// givenSecret is a secret as the configuration gives it: in the text, or in a file.
type givenSecret struct {
	key   string // the key that was set
	file  string // the path of the file; "" if the value is in the text
	value Secret
}

// secret returns the value of key, or the content of the file that key + "_file" names. ok is false if neither key is set
// or the value is wrong.
func (t *table) secret(key, dir string) (given givenSecret, ok bool) {
	failed, fileKey := len(t.found), key+"_file"
	asWritten := t.values[fileKey]
	given.key = key
	if t.holds(key) && t.holds(fileKey) {
		t.fail(fileKey, nil, "cannot be set together with %s: remove one of the two", key)
	}
	t.text(key, func(text string) error {
		given.value, ok = Secret(text), true
		return nil
	})
	t.text(fileKey, func(path string) error {
		given.file = absolute(path, dir)
		return nil
	})
	if given.file != "" && !t.alone {
		text, err := readSecret(given.file, key)
		if err != nil {
			t.fail(fileKey, asWritten, "%v", err)
		} else {
			t.noteFile(given.file, true)
		}
		given.key, given.value, ok = fileKey, text, true
	}
	return given, ok && len(t.found) == failed
}

// readSecret returns the value of key from a file that contains this value alone. The error does not name the file: the message of the
// caller names it, with its path as the configuration has it.
func readSecret(file, key string) (Secret, error) {
	text, err := readFile(file, maxSecret+1)
	if at, hasPath := errors.AsType[*fs.PathError](err); hasPath {
		err = at.Err
	}
	tooLarge := len(text) > maxSecret
	text = strings.TrimSpace(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot be read: %w", withHint(err))
	case tooLarge:
		return "", fmt.Errorf("the file is larger than %v; it must hold the value of %s alone", Size(maxSecret), key)
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
		return fmt.Errorf("%w: run a command with sudo; if the service says this, let its user or group read the file", err)
	}
	return err
}
