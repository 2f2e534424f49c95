package provision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Undo undoes what earlier runs have done. It begins with the includes by which the web server sends
// requests to the daemon. Then it undoes the daemon's setup, and last the database accounts. What cannot be undone stays in the
// record, and a later Undo tries it again.
func (s *Setup) Undo(ctx context.Context) error {
	var err error
	if s.record, err = readRecord(s.recordPath()); err != nil {
		return err
	}
	if len(s.record.Deeds) == 0 {
		s.say("There is nothing to take back: %s has no record of an init.", s.recordPath())
		return nil
	}
	for _, d := range slices.Backward(s.record.Deeds) {
		s.say("  %s", d)
	}
	if !s.agreed("Take this back?") {
		return nil
	}
	if !exists(s.Systemd) && s.daemonRuns(ctx) {
		return errors.New("the daemon runs: stop it, then run wpsitemapd init --undo again")
	}
	if err := s.leadAway(ctx); err != nil {
		return err
	}
	isAccount := func(d deed) bool { return d.Account != "" }
	if err := s.record.revert(ctx, s, 0, func(d deed) bool { return !isAccount(d) }); err != nil {
		if slices.ContainsFunc(s.record.Deeds, isAccount) {
			err = fmt.Errorf("%w\nthe account of the database stays until the rest is taken back", err)
		}
		return fmt.Errorf("%w\nrun wpsitemapd init --undo again", err)
	}
	err = s.record.revert(ctx, s, 0, isAccount)
	s.printLeft()
	return err
}

// leadAway removes our include from the configurations of the web servers.
func (s *Setup) leadAway(ctx context.Context) error {
	for _, w := range s.webServers(ctx) {
		if !slices.ContainsFunc(s.record.Deeds, func(d deed) bool { return d.Server == w.kind.name }) {
			continue
		}
		if w.failed != nil {
			return fmt.Errorf("the configuration of %s has a mistake, correct it first: %w", w.kind.name, w.failed)
		}
		if others := s.otherIncludes(w); len(others) > 0 {
			return fmt.Errorf("%s is included elsewhere, too: take the line out at %s, then run wpsitemapd init --undo again",
				w.snippet, strings.Join(others, ", "))
		}
		if err := s.takeOut(ctx, w); err != nil {
			return fmt.Errorf("%s stays as it was: %w", w.kind.name, err)
		}
	}
	return nil
}

// otherIncludes returns where a web server's configuration includes our file by a line that init did not write. The places
// have the form file:line.
func (s *Setup) otherIncludes(w *webServer) (places []string) {
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		text := w.files[path]
		for _, d := range s.record.Deeds {
			if d.New != "" && resolved(d.File) == resolved(path) {
				text = strings.Replace(text, d.New, "\n", 1) // keeps the numbers of the lines
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if before, _, _ := strings.Cut(line, "#"); strings.Contains(before, filepath.Base(w.snippet)) {
				places = append(places, fmt.Sprintf("%s:%d", path, i+1))
			}
		}
	}
	return places
}

// takeOut removes what init has added to the configuration of a web server. If the server refuses the new configuration,
// takeOut writes back the earlier configuration.
func (s *Setup) takeOut(ctx context.Context, w *webServer) error {
	deeds, files := slices.Clone(s.record.Deeds), map[string]string{}
	about := func(d deed) bool { return d.Server == w.kind.name }
	for _, d := range deeds {
		if text, err := os.ReadFile(d.File); about(d) && err == nil {
			files[d.File] = string(text)
		}
	}
	err := s.record.revert(ctx, s, 0, about)
	if err == nil {
		_, err = w.run(ctx, &s.Machine, "-t")
	}
	if err == nil {
		s.reload(ctx, w)
		return nil
	}
	errs := []error{err}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if exists(path) {
			errs = append(errs, replaceFile(path, files[path]))
		} else {
			errs = append(errs, writeFile(path, files[path], 0o644, keep, keep))
		}
	}
	for _, d := range deeds {
		if about(d) && d.Do != nil {
			_, err := s.run(ctx, d.Do...)
			errs = append(errs, err)
		}
	}
	s.record.Deeds = deeds
	return errors.Join(append(errs, s.record.save())...)
}
