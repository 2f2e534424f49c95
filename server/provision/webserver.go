package provision

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/wpconfig"
)

// serverKind describes nginx or Apache: how to run it, how to read its configuration, and what init adds to that. Its values
// are in nginx.go and apache.go.
type serverKind struct {
	name    string
	command []string
	reload  []string // flags of command that load the configuration again

	// How to find the files of the configuration:
	dump     []string       // a command that prints their names and writes nothing
	file     *regexp.Regexp // matches a name in this output; the main file comes first
	includes bool           // dump names only the main file; includedByNginx finds the files that it includes

	// How to read a file. A block is a server block of nginx, or a <VirtualHost> of Apache.
	begin  *regexp.Regexp                        // matches the beginning of a block
	own    func(body string) (own, whole string) // splits the text after that: the block's own directives, all of the block
	root   *regexp.Regexp                        // matches the folder of a block in its own directives
	hosts  *regexp.Regexp                        // matches names of hosts in a block's own directives
	robots *regexp.Regexp                        // matches a block's own location for robots.txt; nil: such a location does no harm

	// What init adds:
	text    string   // of our file
	folders []string // folders beside the main file; our file goes into the first that exists
	include string   // the form of the directive that includes our file, with %s for its path
	modules []string // modules that our file needs
}

// webServer is a web server of this machine, with what init has read of its configuration.
type webServer struct {
	kind    serverKind
	files   map[string]string // the texts of the files of the configuration, by path
	blocks  []*block
	snippet string   // the path of our file
	include string   // the directive that includes our file
	missing []string // modules that our file needs and that are not loaded
	failed  error    // why the configuration cannot be read
}

// webServers reads the configurations of the web servers that are installed.
func (s *Setup) webServers(ctx context.Context) (all []*webServer) {
	for _, kind := range []serverKind{s.nginx(), s.apache()} {
		if len(kind.command) == 0 || !installed(kind.command[0]) {
			continue
		}
		w := &webServer{kind: kind, files: map[string]string{}}
		w.failed = w.read(ctx, s)
		all = append(all, w)
	}
	return all
}

// run runs the command of the web server with flags.
func (w *webServer) run(ctx context.Context, m *Machine, flags ...string) (string, error) {
	return m.run(ctx, slices.Concat(w.kind.command, flags)...)
}

// read tests the configuration, and reads its files and the list of loaded modules. A dry run skips the test, because the
// test makes files: nginx makes its pid file and its logs, Debian's apachectl makes folders.
func (w *webServer) read(ctx context.Context, s *Setup) error {
	if !s.DryRun {
		if _, err := w.run(ctx, &s.Machine, "-t"); err != nil {
			return err
		}
	}
	dump, err := s.run(ctx, w.kind.dump...)
	if err != nil {
		return err
	}
	files := w.kind.file.FindAllStringSubmatch(dump, -1)
	if len(files) == 0 {
		return fmt.Errorf("%s names no configuration", strings.Join(w.kind.dump, " "))
	}
	dir := filepath.Dir(files[0][1])
	for i, file := range files {
		if err := w.readFile(file[1], dir); err != nil && i == 0 { // without the main file, nothing is known
			return err
		}
	}
	if at := slices.IndexFunc(w.kind.folders, func(name string) bool { return exists(filepath.Join(dir, name)) }); at >= 0 {
		dir = filepath.Join(dir, w.kind.folders[at])
	}
	w.snippet = filepath.Join(dir, "wpsitemapd-locations.conf")
	w.include = fmt.Sprintf(w.kind.include, w.snippet)
	for _, module := range w.kind.modules {
		if !strings.Contains(dump, " "+module+"_module ") {
			w.missing = append(w.missing, module)
		}
	}
	return nil
}

// maxFiles is how many files of a configuration are read.
const maxFiles = 10_000

// readFile reads a file of the configuration and its blocks, and the files that it includes. Their paths are relative to dir,
// the folder of the main file. It is no error if an included file is missing.
func (w *webServer) readFile(path, dir string) error {
	content, err := wpconfig.ReadRegular(path)
	if err != nil {
		return err
	}
	if _, known := w.files[path]; known || len(w.files) == maxFiles {
		return nil
	}
	text := string(content)
	w.files[path] = text
	w.blocks = append(w.blocks, w.kind.blocks(path, text)...)
	if !w.kind.includes {
		return nil
	}
	for _, pattern := range includedByNginx(text) {
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(dir, pattern)
		}
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			_ = w.readFile(file, dir)
		}
	}
	return nil
}
