package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"wpsitemapd/wp"
)

// record is what init has done, in order, so that it can be taken back. It is kept in a file for root alone.
type record struct {
	path  string
	Deeds []deed `json:"deeds"`
}

// deed is one thing that was done: a file was made or a part of one replaced, an account was made, or a command was run.
type deed struct {
	File    string `json:"file,omitempty"`
	Created bool   `json:"created,omitempty"` // there was no such file
	Old     string `json:"old,omitempty"`     // what New has replaced
	New     string `json:"new,omitempty"`

	Account string `json:"account,omitempty"` // user@host
	Socket  string `json:"socket,omitempty"`  // of its server

	Undo []string `json:"undo,omitempty"` // the command that takes one back
}

func (d deed) String() string {
	switch {
	case d.Created:
		return "remove " + d.File
	case d.File != "":
		return "restore " + d.File
	case d.Account != "":
		return "drop the account " + d.Account
	}
	return strings.Join(d.Undo, " ")
}

// readRecord reads the record at a path. A missing file is an empty record.
func readRecord(path string) (*record, error) {
	r := &record{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	return r, err
}

// add notes a deed.
func (r *record) add(d deed) error {
	r.Deeds = append(r.Deeds, d)
	return r.save()
}

// save writes the record, or removes it where nothing is left.
func (r *record) save() error {
	if len(r.Deeds) == 0 {
		err := os.Remove(r.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(r.path, string(text)+"\n", 0o600, -1)
}

// revert takes back the deeds from place from on, the last first. Those that cannot be taken back stay.
func (r *record) revert(ctx context.Context, m *Machine, from int) error {
	var errs []error
	for i := len(r.Deeds) - 1; i >= from; i-- {
		d := r.Deeds[i]
		if err := d.takeBack(ctx, m); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d, err))
			if d.Undo == nil { // a command is not tried again
				continue
			}
		}
		r.Deeds = slices.Delete(r.Deeds, i, i+1)
	}
	return errors.Join(append(errs, r.save())...)
}

var errChanged = errors.New("it was changed since: take out by hand what is not wanted")

// takeBack undoes a deed. What is gone already is no error.
func (d deed) takeBack(ctx context.Context, m *Machine) error {
	switch {
	case d.Account != "":
		a, err := wp.OpenAdministrator(ctx, d.Socket)
		if err != nil {
			return err
		}
		defer a.Close()
		return a.DropAccount(ctx, d.Account)
	case d.File == "":
		_, err := m.run(ctx, d.Undo...)
		return err
	}
	now, err := os.ReadFile(d.File)
	switch text := string(now); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case d.Created && text == d.New:
		err = os.Remove(d.File)
		if filepath.Base(filepath.Dir(d.File)) == unit+".d" {
			_ = os.Remove(filepath.Dir(d.File)) // where nothing else is in it
		}
		return err
	case d.Created || d.Old != "" && text != d.New:
		return errChanged
	case !strings.Contains(text, d.New): // what was added was taken out by hand
		return nil
	default:
		return replaceFile(d.File, strings.Replace(text, d.New, d.Old, 1))
	}
}

// write makes a file, or gives it another content.
func (r *record) write(path, text string, mode fs.FileMode, gid int) error {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && string(before) == text:
		return nil
	case err == nil:
		if err := replaceFile(path, text); err != nil {
			return err
		}
		return r.add(deed{File: path, Old: string(before), New: text})
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := writeFile(path, text, mode, gid); err != nil {
		return err
	}
	return r.add(deed{File: path, Created: true, New: text})
}

// insert puts a text into a file that is there.
func (r *record) insert(path string, at int, text string) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := replaceFile(path, string(before[:at])+text+string(before[at:])); err != nil {
		return err
	}
	return r.add(deed{File: path, New: text})
}

// replaceFile gives a file another content. Its mode and its owner stay, and a link stays one.
func replaceFile(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temp := path + ".wpsitemapd-new"
	if err := os.WriteFile(temp, []byte(text), info.Mode().Perm()); err != nil {
		return err
	}
	defer os.Remove(temp)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		err = os.Chown(temp, int(stat.Uid), int(stat.Gid))
	}
	if err == nil {
		err = os.Chmod(temp, info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	return err
}

// writeFile makes a file with a mode and a group; -1 is the process's own.
func writeFile(path, text string, mode fs.FileMode, gid int) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		return err
	}
	return errors.Join(os.Chown(path, -1, gid), os.Chmod(path, mode))
}
