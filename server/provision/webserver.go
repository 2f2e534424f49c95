package provision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/docs/deploy"
)

// webServer is nginx or Apache on this machine.
type webServer struct {
	name    string
	command []string
	dump    []string // flags that print the configuration, or its files
	file    *regexp.Regexp
	find    func(file, text string) []block
	folders []string // beside the main file: the first that exists keeps our part of the configuration
	text    string   // of our part
	include string   // the directive; %s is the path of our part until that is known
	reload  []string // flags
	needs   []string // modules of our part, without those that are there once the configuration is read

	blocks  []block
	snippet string // where our part is kept
}

// block is a server block of nginx or a <VirtualHost> of Apache that serves files.
type block struct {
	file  string
	line  int
	at    int // offset behind its first line
	names []string
	root  string
	ours  bool // it mentions wpsitemapd
	// robots: it has a location of its own for robots.txt
	robots bool
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// webServers reads the configurations of those that are installed. What cannot be read is among the notes.
func (m *Machine) webServers(ctx context.Context) (all []*webServer, notes []string) {
	for _, w := range []*webServer{
		{
			name: "nginx", command: m.Nginx, dump: []string{"-T"}, file: nginxFile, find: nginxBlocks, folders: []string{"snippets"},
			text: deploy.NginxLocations, include: "include %s;", reload: []string{"-s", "reload"},
		},
		{
			name: "Apache", command: m.Apache, dump: []string{"-t", "-D", "DUMP_INCLUDES", "-D", "DUMP_MODULES"}, file: apacheFile, find: apacheBlocks,
			folders: []string{"conf-available", "../conf"}, // of Debian, of Fedora
			text:    deploy.ApacheLocations, include: `Include "%s"`, reload: []string{"-k", "graceful"},
			needs: []string{"headers", "proxy", "proxy_http", "rewrite"},
		},
	} {
		if !m.has(w.command) {
			continue
		}
		if err := w.read(ctx, m); err != nil {
			notes = append(notes, fmt.Sprintf("the configuration of %s cannot be read: %v", w.name, err))
			continue
		}
		all = append(all, w)
	}
	return all, notes
}

// run runs the web server with flags.
func (w *webServer) run(ctx context.Context, m *Machine, flags ...string) (string, error) {
	return m.run(ctx, slices.Concat(w.command, flags)...)
}

// read reads the configuration: its files, of which the main one is the first, and the modules that are there.
func (w *webServer) read(ctx context.Context, m *Machine) error {
	out, err := w.run(ctx, m, w.dump...)
	if err != nil {
		return err
	}
	for i, file := range w.file.FindAllStringSubmatch(out, -1) {
		if i == 0 {
			dir := filepath.Dir(file[1])
			if at := slices.IndexFunc(w.folders, func(name string) bool { return exists(filepath.Join(dir, name)) }); at >= 0 {
				dir = filepath.Join(dir, w.folders[at])
			}
			w.snippet = filepath.Join(dir, "wpsitemapd-locations.conf")
		}
		text, err := os.ReadFile(file[1])
		if err != nil {
			return err
		}
		w.blocks = append(w.blocks, w.find(file[1], string(text))...)
	}
	w.include = fmt.Sprintf(w.include, w.snippet)
	w.needs = slices.DeleteFunc(w.needs, func(name string) bool { return strings.Contains(out, " "+name+"_module ") })
	return nil
}

var nginxFile = regexp.MustCompile(`(?m)^# configuration file (.+):$`)

// nginxToken matches a comment, a word in quotation marks, one without, and what ends a directive.
var nginxToken = regexp.MustCompile(`#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:\\.|\$\{[^}]*\}|[^\s;{}\\])+|[;{}]`)

// nginxBlocks finds the server blocks of a file that name a root.
func nginxBlocks(file, text string) (blocks []block) {
	var in *block // the server block that is read
	depth := 0    // of blocks in it
	var words []string
	for _, at := range nginxToken.FindAllStringIndex(text, -1) {
		token := text[at[0]:at[1]]
		if !strings.Contains(";{}", token) {
			if token[0] != '#' {
				words = append(words, strings.Trim(token, `"'`))
			}
			continue
		}
		name := ""
		if len(words) > 0 {
			name = words[0]
		}
		switch {
		case in == nil:
			if token == "{" && name == "server" {
				in = &block{file: file, line: strings.Count(text[:at[1]], "\n") + 1, at: at[1]}
			}
		case token == "{":
			depth++
			in.robots = in.robots || name == "location" && words[len(words)-1] == "/robots.txt"
		case token == "}" && depth > 0:
			depth--
		case token == "}":
			in.ours = strings.Contains(text[in.at:at[1]], "wpsitemapd")
			if in.root != "" {
				blocks = append(blocks, *in)
			}
			in = nil
		case depth == 0 && name == "server_name":
			in.names = append(in.names, words[1:]...)
		case depth == 0 && name == "root" && len(words) == 2 && filepath.IsAbs(words[1]):
			in.root = words[1]
		}
		words = nil
	}
	return blocks
}

var (
	apacheFile      = regexp.MustCompile(`(?m)^\s+\((?:\*|\d+)\) (/.+)$`)
	apacheDirective = regexp.MustCompile(`(?i)^\s*(<VirtualHost\b.*>|</VirtualHost>|ServerName|ServerAlias|DocumentRoot)(?:\s+(.*?))?\s*$`)
)

// apacheBlocks finds the virtual hosts of a file that name a root.
func apacheBlocks(file, text string) (blocks []block) {
	var in *block
	at, n := 0, 0
	for line := range strings.Lines(text) {
		at, n = at+len(line), n+1
		d := apacheDirective.FindStringSubmatch(line)
		if d == nil {
			continue
		}
		switch name := strings.ToLower(d[1]); {
		case strings.HasPrefix(name, "<virtualhost"):
			in = &block{file: file, line: n, at: at - 1} // before the end of the line, as in nginx
		case in == nil:
		case name == "</virtualhost>":
			in.ours = strings.Contains(text[in.at:at], "wpsitemapd")
			if in.root != "" {
				blocks = append(blocks, *in)
			}
			in = nil
		case name == "documentroot":
			if root := strings.Trim(d[2], `"'`); filepath.IsAbs(root) {
				in.root = root
			}
		default:
			in.names = append(in.names, strings.Fields(d[2])...)
		}
	}
	return blocks
}

// serving returns the blocks in whose root an install is: the nearest root above it, else one just below it, as the root
// of a site whose wp-config.php lies one folder above.
func (w *webServer) serving(wpConfig string) (all []block) {
	dir, longest := resolved(filepath.Dir(wpConfig)), 0
	for _, b := range w.blocks {
		root := resolved(b.root)
		length := 0 // of a root above the install
		switch {
		case strings.HasPrefix(dir+"/", strings.TrimRight(root, "/")+"/"):
			length = len(root)
		case filepath.Dir(root) != dir:
			continue
		}
		if length > longest {
			longest, all = length, nil
		}
		if length == longest {
			all = append(all, b)
		}
	}
	return all
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// include puts our directive into blocks, has the web server test that, and reload it. Where the test fails, all is as before.
func (s *Setup) include(ctx context.Context, w *webServer, blocks []block) error {
	from := len(s.record.Deeds)
	err := s.writeInclude(ctx, w, blocks)
	if err == nil {
		_, err = w.run(ctx, &s.Machine, "-t")
	}
	if err != nil {
		return errors.Join(err, s.record.revert(ctx, &s.Machine, from))
	}
	if _, err := w.run(ctx, &s.Machine, w.reload...); err != nil {
		s.left("%s could not be told of its new configuration (%v): reload or start it", w.name, err)
	}
	s.record.Deeds = slices.Insert(s.record.Deeds, from, deed{Undo: slices.Concat(w.command, w.reload)}) // after all else is taken back
	return s.record.save()
}

func (s *Setup) writeInclude(ctx context.Context, w *webServer, blocks []block) error {
	for _, name := range w.needs {
		if _, err := s.run(ctx, s.Enmod, "--quiet", name); err != nil {
			return err
		}
		if err := s.record.add(deed{Undo: []string{s.Dismod, "--quiet", "--force", name}}); err != nil {
			return err
		}
	}
	if err := s.record.write(w.snippet, strings.ReplaceAll(w.text, deploy.Listen, s.listen), 0o644, -1); err != nil {
		return err
	}
	blocks = slices.Clone(blocks)
	slices.SortFunc(blocks, func(a, b block) int { return b.at - a.at }) // from the end, so that offsets hold
	for _, b := range blocks {
		if err := s.record.insert(b.file, b.at, "\n    "+w.include); err != nil {
			return err
		}
	}
	return nil
}
