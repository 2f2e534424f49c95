package provision

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/wp/wpconfig"
)

// serverKind describes nginx or Apache: how to run it, how to read its configuration, and what init adds to that.
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
		if len(kind.command) == 0 {
			continue
		}
		if _, err := exec.LookPath(kind.command[0]); err != nil {
			continue
		}
		w := &webServer{kind: kind, files: map[string]string{}}
		w.failed = w.read(ctx, s)
		all = append(all, w)
	}
	return all
}

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

func (m *Machine) nginx() serverKind {
	return serverKind{
		name: "nginx", command: m.Nginx, reload: []string{"-s", "reload"},
		dump: append(slices.Clone(m.Nginx), "-V"), file: regexp.MustCompile(`--conf-path=(/\S+)`), includes: true,
		begin:  regexp.MustCompile(`(?m)^[ \t]*server\s*\{`),
		own:    ownOfNginx,
		root:   regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*root\s+["']?(/[^;"'\n]+?)["']?\s*;`),
		hosts:  regexp.MustCompile(`(?m)(?:^|[;{])[ \t]*server_name\s+([^;]+);`),
		robots: regexp.MustCompile(`(?m)(?:^|[;{}])[ \t]*location\s[^{\n]*/robots\.txt`),
		text:   deploy.NginxLocations, folders: []string{"snippets"}, include: "include %s;",
	}
}

// includedByNginx returns the patterns of the files that a file of nginx's configuration includes.
func includedByNginx(text string) (patterns []string) {
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

// apache describes Apache. Our file for Apache leaves robots.txt to WordPress, so that a location for it does no harm.
func (m *Machine) apache() serverKind {
	return serverKind{
		name: "Apache", command: m.Apache, reload: []string{"-k", "graceful"},
		dump:  append(slices.Clone(m.ApacheProgram), "-t", "-D", "DUMP_INCLUDES", "-D", "DUMP_MODULES"),
		file:  regexp.MustCompile(`(?m)^\s+\((?:\*|\d+)\) (/.+)$`),
		begin: regexp.MustCompile(`(?im)^[ \t]*<VirtualHost\b.*>`),
		own:   ownOfApache,
		root:  regexp.MustCompile(`(?im)^[ \t]*DocumentRoot\s+["']?(/[^"'\n]+?)["']?[ \t\r]*$`),
		hosts: regexp.MustCompile(`(?im)^[ \t]*Server(?:Name|Alias)\s+(.+)$`),
		text:  deploy.ApacheLocations, include: `Include "%s"`,
		folders: []string{"conf-available", "../conf"}, // of Debian, of Fedora
		modules: []string{"headers", "proxy", "proxy_http", "rewrite"},
	}
}

var endOfVirtualHost = regexp.MustCompile(`(?im)^[ \t]*</VirtualHost>`)

// ownOfApache returns the text up to the end of a <VirtualHost> as both results. Directives of inner sections count as its own.
func ownOfApache(body string) (own, whole string) {
	if end := endOfVirtualHost.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	return body, body
}
