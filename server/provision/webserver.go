package provision

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/wp/wpconfig"
)

// webServer is nginx or Apache on this machine.
type webServer struct {
	name    string
	command []string
	dump    []string                              // a command that prints the names of the configuration's files and writes nothing
	file    *regexp.Regexp                        // matches one of these names; the main file comes first
	begin   *regexp.Regexp                        // matches the beginning of a block: a server block of nginx, a <VirtualHost> of Apache
	own     func(body string) (own, whole string) // splits the text after a block's beginning: its own directives, all of the block
	root    *regexp.Regexp                        // matches the folder of a block among its own directives
	host    *regexp.Regexp                        // matches the names of hosts among a block's own directives
	robots  *regexp.Regexp                        // matches a block's own location for robots.txt; nil: such a location does no harm
	folders []string                              // folders beside the main file; our file goes into the first that exists
	text    string                                // of our file
	include string                                // the directive that includes our file; read replaces %s by its path
	reload  []string                              // flags that reload the configuration
	needs   []string                              // modules that our file needs; read removes those that are loaded

	files   []confFile // the files of the configuration
	blocks  []block
	snippet string // the path of our file
	failed  error  // why the configuration cannot be read
}

// confFile is a file of a web server's configuration.
type confFile struct{ path, text string }

// block is a part of a web server's configuration that serves the files of a folder: a server block or a <VirtualHost>.
type block struct {
	file   string
	line   int
	before string // the text of the file up to and including the beginning of the block
	root   string
	hosts  string // the names of its hosts, each between two spaces
	ours   bool   // it mentions wpsitemapd
	robots bool   // it has its own location for robots.txt
}

// names reports whether the block serves a host. It makes no difference between names with and without www.
func (b block) names(host string) bool {
	return strings.Contains(b.hosts, " "+bare(host)+" ") || strings.Contains(b.hosts, " www."+bare(host)+" ")
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// webServers reads the configurations of the web servers that are installed.
func (s *Setup) webServers(ctx context.Context) (all []*webServer) {
	for _, w := range []*webServer{
		{
			name: "nginx", command: s.Nginx, dump: append(slices.Clone(s.Nginx), "-V"),
			file:  regexp.MustCompile(`--conf-path=(/\S+)`),
			begin: regexp.MustCompile(`(?m)^[ \t]*server\s*\{`), own: ownOfNginx,
			root:    regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*root\s+["']?(/[^;"'\n]+?)["']?\s*;`),
			host:    regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*server_name\s+([^;]+);`),
			robots:  regexp.MustCompile(`(?m)(?:^|[;{}])[ \t]*location\s[^{\n]*/robots\.txt`),
			folders: []string{"snippets"},
			text:    deploy.NginxLocations, include: "include %s;", reload: []string{"-s", "reload"},
		},
		{
			name: "Apache", command: s.Apache, dump: append(slices.Clone(s.ApacheProgram), "-t", "-D", "DUMP_INCLUDES", "-D", "DUMP_MODULES"),
			file:  regexp.MustCompile(`(?m)^\s+\((?:\*|\d+)\) (/.+)$`),
			begin: regexp.MustCompile(`(?im)^[ \t]*<VirtualHost\b.*>`), own: ownOfApache,
			root:    regexp.MustCompile(`(?im)^[ \t]*DocumentRoot\s+["']?(/[^"'\n]+?)["']?[ \t\r]*$`),
			host:    regexp.MustCompile(`(?im)^[ \t]*Server(?:Name|Alias)\s+(.+)$`),
			folders: []string{"conf-available", "../conf"}, // of Debian, of Fedora
			text:    deploy.ApacheLocations, include: `Include "%s"`, reload: []string{"-k", "graceful"},
			needs: []string{"headers", "proxy", "proxy_http", "rewrite"},
		},
	} {
		if len(w.command) == 0 || !installed(w.command[0]) {
			continue
		}
		w.failed = w.read(ctx, s)
		all = append(all, w)
	}
	return all
}

// run runs the command of the web server with flags.
func (w *webServer) run(ctx context.Context, m *Machine, flags ...string) (string, error) {
	return m.run(ctx, slices.Concat(w.command, flags)...)
}

// read tests the configuration, and reads its files and the list of loaded modules. A dry run skips the test, because the
// test makes files: nginx makes its pid file and its logs, Debian's apachectl makes folders.
func (w *webServer) read(ctx context.Context, s *Setup) error {
	if !s.DryRun {
		if _, err := w.run(ctx, &s.Machine, "-t"); err != nil {
			return err
		}
	}
	out, err := s.run(ctx, w.dump...)
	if err != nil {
		return err
	}
	files := w.file.FindAllStringSubmatch(out, -1)
	if len(files) == 0 {
		return fmt.Errorf("%s names no configuration", strings.Join(w.dump, " "))
	}
	dir := filepath.Dir(files[0][1])
	for i, file := range files {
		if err := w.readFile(file[1], dir); err != nil && i == 0 {
			return err
		}
	}
	if at := slices.IndexFunc(w.folders, func(name string) bool { return exists(filepath.Join(dir, name)) }); at >= 0 {
		dir = filepath.Join(dir, w.folders[at])
	}
	w.snippet = filepath.Join(dir, "wpsitemapd-locations.conf")
	w.include = fmt.Sprintf(w.include, w.snippet)
	w.needs = slices.DeleteFunc(w.needs, func(name string) bool { return strings.Contains(out, " "+name+"_module ") })
	return nil
}

// maxFiles is how many files of a configuration are read.
const maxFiles = 10_000

// readFile reads a file of the configuration, and adds its blocks to w.blocks. For nginx it also reads the files that this
// file includes. Their paths are relative to dir, and it is no error if an included file is missing.
func (w *webServer) readFile(path, dir string) error {
	text, err := wpconfig.ReadRegular(path)
	if err != nil {
		return err
	}
	if len(w.files) == maxFiles || slices.ContainsFunc(w.files, func(f confFile) bool { return f.path == path }) {
		return nil
	}
	w.files = append(w.files, confFile{path, string(text)})
	w.find(path, string(text))
	if w.name == "nginx" {
		for _, pattern := range includesOfNginx(string(text)) {
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(dir, pattern)
			}
			files, _ := filepath.Glob(pattern)
			for _, file := range files {
				_ = w.readFile(file, dir)
			}
		}
	}
	return nil
}

// includesOfNginx returns the patterns of the files that a file of nginx's configuration includes.
func includesOfNginx(text string) (patterns []string) {
	var directive []string
	for _, token := range nginxToken.FindAllString(text, -1) {
		switch {
		case token[0] == '#':
		case !strings.Contains(";{}", token):
			directive = append(directive, strings.Trim(token, `"'`))
		default:
			if token == ";" && len(directive) == 2 && directive[0] == "include" {
				patterns = append(patterns, directive[1])
			}
			directive = nil
		}
	}
	return patterns
}

// find adds to w.blocks the blocks of a file that have a folder of their own. The folder of an inner block does not count. A
// server block that only redirects often has an inner location for certificates, with the root of another site.
func (w *webServer) find(file, text string) {
	begins := w.begin.FindAllStringIndex(text, -1)
	for i, begin := range begins {
		next := len(text)
		if i+1 < len(begins) {
			next = begins[i+1][0]
		}
		own, whole := w.own(text[begin[1]:next])
		root := w.root.FindStringSubmatch(own)
		if root == nil {
			continue
		}
		hosts := " "
		for _, names := range w.host.FindAllStringSubmatch(own, -1) {
			hosts += strings.Join(strings.Fields(strings.ToLower(names[1])), " ") + " "
		}
		w.blocks = append(w.blocks, block{
			file: file, line: strings.Count(text[:begin[1]], "\n") + 1, before: text[:begin[1]], root: root[1], hosts: hosts,
			ours: strings.Contains(whole, "wpsitemapd"), robots: w.robots != nil && w.robots.MatchString(whole),
		})
	}
}

// nginxToken matches a comment, a quoted word, an unquoted word, or a sign that ends a directive or begins or ends a block.
var nginxToken = regexp.MustCompile(`#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:\\.|\$\{[^}]*\}|[^\s;{}\\])+|[;{}]`)

// ownOfNginx splits the text after the beginning of a server block. own has the directives of the block without inner blocks,
// and whole is everything up to the last brace of the block.
func ownOfNginx(body string) (own, whole string) {
	depth := 0
	for _, at := range nginxToken.FindAllStringIndex(body, -1) {
		token := body[at[0]:at[1]]
		switch {
		case token == "}" && depth == 0:
			return own, body[:at[0]]
		case token == "}":
			depth--
			token = ";"
		case token == "{":
			depth++
		}
		if depth == 0 && token[0] != '#' {
			own += token + " "
		}
	}
	return own, body
}

var endOfVirtualHost = regexp.MustCompile(`(?im)^[ \t]*</VirtualHost>`)

func ownOfApache(body string) (own, whole string) {
	if end := endOfVirtualHost.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	return body, body
}

// serving returns the blocks whose root is the nearest folder above a wp-config.php. If there are none, it returns the blocks
// whose root is directly below the folder of wp-config.php, because WordPress finds that file one folder above the root.
func (w *webServer) serving(wpConfig string) (all []block) {
	dir, longest := resolved(filepath.Dir(wpConfig)), 0
	for _, b := range w.blocks {
		root := resolved(b.root)
		length := 0 // the length of a root above the install; 0 for a root below
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

// include inserts a line into each of the blocks: the directive that includes our file. Then it tests the configuration and
// reloads the web server. If the test fails, include undoes its changes.
func (s *Setup) include(ctx context.Context, w *webServer, blocks []block) error {
	from := len(s.record.Deeds)
	s.record.server = w.name
	err := s.writeInclude(ctx, w, blocks)
	s.record.server = ""
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
	if _, err := w.run(ctx, &s.Machine, w.reload...); err != nil {
		s.left("%s has not loaded its new configuration (%v): reload or start it", w.name, err)
	}
}

func (s *Setup) writeInclude(ctx context.Context, w *webServer, blocks []block) error {
	for _, name := range w.needs {
		if err := s.do(ctx, []string{s.Enmod, "--quiet", name}, []string{s.Dismod, "--quiet", "--force", name}); err != nil {
			return err
		}
	}
	if err := s.record.write(w.snippet, strings.ReplaceAll(w.text, deploy.Listen, s.listen), 0o644, keep); err != nil {
		return err
	}
	blocks = slices.Clone(blocks)
	// The last block of a file comes first. An insertion then leaves the text before the remaining blocks as it was.
	slices.SortFunc(blocks, func(a, b block) int { return len(b.before) - len(a.before) })
	for _, b := range blocks {
		if err := s.record.insert(b.file, b.before, "\n    "+w.include); err != nil {
			return err
		}
	}
	return nil
}
