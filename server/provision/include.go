package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/docs/deploy"
)

// webIncludes makes the web servers include our file in the blocks that serve the installs. It asks the administrator first.
func (s *Setup) webIncludes(ctx context.Context, installs []*install, servers []*webServer) error {
	var serving []*block
	for _, in := range installs {
		serving = append(serving, in.blocks...)
		if in.blocks == nil {
			s.left("%s: no block of a web server has its folder as root. Add the include of docs/operator/deploy.md to the block "+
				"that serves the site", in.file)
		}
	}
	for _, w := range servers {
		var blocks []*block
		for _, b := range w.blocks {
			if !slices.Contains(serving, b) {
				continue
			}
			if b.robots {
				s.left("%s has a location for /robots.txt of its own: name the sitemaps in that robots.txt, or remove the location", b)
			}
			if !b.ours {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) == 0 {
			continue
		}
		s.say("\n%s: the file %s, and this line in", w.kind.name, w.snippet)
		for _, b := range blocks {
			s.say("  %s", b)
		}
		s.say("    %s", w.include)
		if len(w.missing) > 0 {
			s.say("  The modules %s are enabled.", strings.Join(w.missing, ", "))
		}
		if !s.agreed("Write it, and reload " + w.kind.name + "?") {
			continue
		}
		if err := s.include(ctx, w, blocks); err != nil {
			return fmt.Errorf("%s stays as it was: %w", w.kind.name, err)
		}
	}
	return nil
}

// include inserts a line into each of the blocks: the directive that includes our file. Then it tests the configuration and
// reloads the web server. If the test fails, include undoes its changes.
func (s *Setup) include(ctx context.Context, w *webServer, blocks []*block) error {
	from := len(s.record.Deeds)
	err := s.writeInclude(ctx, w, blocks)
	if err == nil {
		_, err = w.run(ctx, &s.Machine, "-t")
	}
	if err != nil {
		return errors.Join(err, s.record.revert(ctx, s, from, func(deed) bool { return true }))
	}
	s.reload(ctx, w)
	return nil
}

// reload tells the web server to read its configuration again.
func (s *Setup) reload(ctx context.Context, w *webServer) {
	if _, err := w.run(ctx, &s.Machine, w.kind.reload...); err != nil {
		s.left("%s has not loaded its new configuration (%v): reload or start it", w.kind.name, err)
	}
}

// writeInclude enables the modules that our file needs, writes our file, and adds the line that includes it to blocks, in this
// order: the configuration of the web server can be used at any time in between.
func (s *Setup) writeInclude(ctx context.Context, w *webServer, blocks []*block) error {
	for _, name := range w.missing {
		enable, disable := []string{s.Enmod, "--quiet", name}, []string{s.Dismod, "--quiet", "--force", name}
		if err := s.do(ctx, deed{Server: w.kind.name, Do: enable, Undo: disable}); err != nil {
			return err
		}
	}
	text := strings.ReplaceAll(w.kind.text, deploy.Listen, s.listen)
	if err := s.record.write(deed{Server: w.kind.name, File: w.snippet, New: text}, 0o644, keep); err != nil {
		return err
	}
	blocks = slices.Clone(blocks)
	// The last block of a file comes first. An insertion then leaves the text before the remaining blocks as it was.
	slices.SortFunc(blocks, func(a, b *block) int { return len(b.before) - len(a.before) })
	for _, b := range blocks {
		if err := s.record.insert(deed{Server: w.kind.name, File: b.file, New: "\n    " + w.include}, b.before); err != nil {
			return err
		}
	}
	return nil
}
