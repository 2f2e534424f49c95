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

	"wpsitemapd/wp"
)

// record is what init has done, in order, so that it can be taken back. It is kept in a file for root alone.
type record struct {
	path   string
	server string // the web server that deeds are about now
	Deeds  []deed `json:"deeds"`
}

// deed is one thing that was done: a file was made or a part of one replaced, an account was made, or a command was run.
type deed struct {
	Server string `json:"server,omitempty"` // the web server that this is about

	File    string `json:"file,omitempty"`
	Created bool   `json:"created,omitempty"` // there was no such file
	Old     string `json:"old,omitempty"`     // what New has replaced
	New     string `json:"new,omitempty"`

	Account string `json:"account,omitempty"` // user@host
	Socket  string `json:"socket,omitempty"`  // of its server

	Do     []string `json:"do,omitempty"`
	Undo   []string `json:"undo,omitempty"`   // the command that takes Do back
	Failed bool     `json:"failed,omitempty"` // Undo has failed before
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

// readRecord reads the record at a path. A missing file is an empty record. It names commands, so it is believed only if
// nobody else can write it.
func readRecord(path string) (*record, error) {
	r := &record{path: path}
	text, err := readOwn(path)
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
	d.Server = r.server
	r.Deeds = append(r.Deeds, d)
	return r.save()
}

// save writes the record, or removes it if nothing is left.
func (r *record) save() error {
	if len(r.Deeds) == 0 {
		return removeFile(r.path)
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(r.path, string(text)+"\n", 0o600, keep, keep)
}

// revert takes back deeds, from place from on those that are chosen, the last first. What cannot be taken back stays; a command
// that fails a second time goes.
func (r *record) revert(ctx context.Context, s *Setup, from int, chosen func(deed) bool) error {
	var errs []error
	for i := len(r.Deeds) - 1; i >= from; i-- {
		d := &r.Deeds[i]
		if !chosen(*d) {
			continue
		}
		if err := d.takeBack(ctx, s); err != nil {
			if d.Undo == nil || !d.Failed {
				d.Failed = d.Undo != nil
				errs = append(errs, fmt.Errorf("%s: %w", d, err))
				continue
			}
			s.left("%s fails again (%v): see whether that is needed", d, err)
		}
		r.Deeds = slices.Delete(r.Deeds, i, i+1)
	}
	return errors.Join(append(errs, r.save())...)
}

// takeBack undoes a deed. It is no error if what was done is gone already.
func (d *deed) takeBack(ctx context.Context, s *Setup) error {
	switch {
	case d.Account != "":
		a, err := wp.OpenAdministrator(ctx, d.Socket)
		if err != nil {
			return err
		}
		defer a.Close()
		return a.DropAccount(ctx, d.Account)
	case d.File == "":
		_, err := s.run(ctx, d.Undo...)
		return err
	}
	now, err := os.ReadFile(d.File)
	text := string(now)
	added := !d.Created && d.Old == ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case added && !strings.Contains(text, d.New): // what was added was taken out by hand
		return nil
	case added:
		return replaceFile(d.File, strings.Replace(text, d.New, "", 1))
	case text != d.New:
		if err := s.keepBeside(d.File, text); err != nil {
			return err
		}
	}
	if !d.Created {
		return replaceFile(d.File, d.Old)
	}
	err = removeFile(d.File)
	if filepath.Base(filepath.Dir(d.File)) == unit+".d" {
		_ = os.Remove(filepath.Dir(d.File)) // if nothing else is in it
	}
	return err
}

// keepBeside keeps a file that an administrator has changed since, as it is.
func (s *Setup) keepBeside(path, text string) error {
	beside := path + ".old"
	if exists(beside) {
		return fmt.Errorf("it was changed since, and is to be kept as %s, which exists: move that away", beside)
	}
	s.say("%s was changed since: as it is now it is kept as %s.", path, beside)
	return writeFile(beside, text, 0o600, keep, keep)
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
	if err := writeFile(path, text, mode, keep, gid); err != nil {
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
