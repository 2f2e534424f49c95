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

// record lists what init has done, in order. Undo works through this list. Only root may read its file.
type record struct {
	path  string
	Deeds []deed `json:"deeds"`
}

// deed is one thing that init has done: it made a file, replaced a part of a file, made an account or ran a command.
type deed struct {
	Server string `json:"server,omitempty"` // the name of the web server that the deed is about; "": none

	File    string `json:"file,omitempty"`
	Created bool   `json:"created,omitempty"` // the file did not exist before
	Old     string `json:"old,omitempty"`     // the text that New has replaced
	New     string `json:"new,omitempty"`

	Account string `json:"account,omitempty"` // user@host
	Socket  string `json:"socket,omitempty"`  // of the server that has the account

	Do     []string `json:"do,omitempty"`
	Undo   []string `json:"undo,omitempty"`   // the command that undoes Do
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

// recordPath returns the path of the record, beside the configuration.
func (s *Setup) recordPath() string { return strings.TrimSuffix(s.Config, ".toml") + ".init.json" }

// readRecord reads the record at a path. If the file is missing, the record is empty. If others can write the file, readRecord
// returns an error, because the record names commands.
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

// add adds a deed and saves the record.
func (r *record) add(d deed) error {
	r.Deeds = append(r.Deeds, d)
	return r.save()
}

// save writes the record. If it has no deeds, save removes the file.
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

// revert undoes the deeds that chosen accepts, from the last one back to the one at index from. If a deed cannot be undone,
// it stays in the record. But if a command fails a second time, its deed is removed, and the administrator is told.
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
			s.left("not undone: %s. It failed twice (%v). Run it by hand if it is still needed", d, err)
		}
		r.Deeds = slices.Delete(r.Deeds, i, i+1)
	}
	return errors.Join(append(errs, r.save())...)
}

// takeBack undoes a deed. If somebody has already undone the deed by hand, takeBack returns nil.
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
	case added && !strings.Contains(text, d.New): // somebody has removed the added text already
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
		_ = os.Remove(filepath.Dir(d.File)) // fails if the folder holds other files
	}
	return err
}

// keepBeside saves the text of a file in another file beside it, with .old at the end. init has written the file, and
// somebody has changed it since.
func (s *Setup) keepBeside(path, text string) error {
	beside := path + ".old"
	if exists(beside) {
		return fmt.Errorf("somebody has changed it, and init cannot save the changes in %s, because that file exists: move it away", beside)
	}
	s.say("Somebody has changed %s. The changed content is now in %s.", path, beside)
	return writeFile(beside, text, 0o600, keep, keep)
}

// Each of the following functions does the deed d, and records it after it is done.

// write gives d.File the content d.New. It creates the file with a mode and a group if the file is missing. It does and records
// nothing if the file has that content already.
func (r *record) write(d deed, mode fs.FileMode, gid int) error {
	before, err := os.ReadFile(d.File)
	switch {
	case err == nil && string(before) == d.New:
		return nil
	case err == nil:
		d.Old = string(before)
		err = replaceFile(d.File, d.New)
	case errors.Is(err, fs.ErrNotExist):
		d.Created = true
		err = writeFile(d.File, d.New, mode, keep, gid)
	}
	if err != nil {
		return err
	}
	return r.add(d)
}

// insert inserts d.New into the existing file d.File. The file must still begin with before, which d.New follows.
func (r *record) insert(d deed, before string) error {
	now, err := os.ReadFile(d.File)
	if err != nil {
		return err
	}
	after, unchanged := strings.CutPrefix(string(now), before)
	if !unchanged {
		return fmt.Errorf("%s has changed since it was read: run init again", d.File)
	}
	if err := replaceFile(d.File, before+d.New+after); err != nil {
		return err
	}
	return r.add(d)
}

// do runs the command d.Do.
func (s *Setup) do(ctx context.Context, d deed) error {
	if _, err := s.run(ctx, d.Do...); err != nil {
		return err
	}
	return s.record.add(d)
}
