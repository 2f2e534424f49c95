package endtoend

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/server/command"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp/wptest"
)

// Bounds of what one has to read at a time.
const (
	mostReadmeLines = 250
	mostCellWords   = 25
)

// A page is one file of the documentation.
type page struct {
	path   string // from the module's folder
	text   string
	blocks []block  // in fences, in their order
	prose  string   // without them
	codes  []string // set in code style in the prose
}

// A block is text in a fence, with its language.
type block struct{ language, text string }

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	inline   = regexp.MustCompile("``\\s?(.+?)\\s?``|`([^`\n]+)`")
	linked   = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// manual returns the README and all pages below docs.
func manual(t *testing.T) []*page {
	t.Helper()
	paths := []string{"README.md", "CHANGELOG.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			relative, _ := filepath.Rel(root, path)
			paths = append(paths, filepath.ToSlash(relative))
		}
		return err
	})
	wptest.Must(t, err)
	var pages []*page
	for _, path := range paths {
		p := &page{path: path, text: fileText(t, path)}
		for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
			p.blocks = append(p.blocks, block{m[1], m[2]})
		}
		p.prose = fence.ReplaceAllString(p.text, "")
		for _, m := range inline.FindAllStringSubmatch(p.prose, -1) {
			p.codes = append(p.codes, m[1]+m[2])
		}
		pages = append(pages, p)
	}
	if len(pages) < 20 {
		t.Fatalf("%d pages", len(pages))
	}
	return pages
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	wptest.Must(t, err)
	return string(text)
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(path)))
	return err == nil
}

// slug is the anchor that GitHub gives to a heading.
func slug(heading string) string {
	heading = strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(strings.TrimSpace(heading)))
	heading = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(heading, "")
	return strings.ReplaceAll(heading, " ", "-")
}

// TestDocumentation looks whether what the documentation names is there.
func TestDocumentation(t *testing.T) {
	pages := manual(t)
	t.Run("length of the README", func(t *testing.T) {
		if n := strings.Count(pages[0].text, "\n"); n > mostReadmeLines {
			t.Errorf("%d lines", n)
		}
	})
	t.Run("links", func(t *testing.T) { testLinks(t, pages) })
	t.Run("table cells", func(t *testing.T) { testCells(t, pages) })
	t.Run("names", func(t *testing.T) { testNames(t, pages) })
	t.Run("configuration", func(t *testing.T) { testConfigurations(t, pages) })
	t.Run("snippets for nginx", func(t *testing.T) { testInclude(t, pages) })
	t.Run("messages", testMessages)
	t.Run("dependencies", testDependencies)
}

func testLinks(t *testing.T, pages []*page) {
	anchors := map[string][]string{}
	for _, p := range pages {
		for _, m := range headings.FindAllStringSubmatch(p.prose, -1) {
			anchors[p.path] = append(anchors[p.path], slug(m[1]))
		}
	}
	index := map[string]bool{}
	for _, p := range pages {
		for _, m := range linked.FindAllStringSubmatch(inline.ReplaceAllString(p.prose, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := p.path
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), file))
			}
			if p.path == "docs/README.md" {
				index[target] = true
			}
			if !exists(target) {
				t.Errorf("%s: there is no %s", p.path, m[1])
			} else if anchor != "" && !slices.Contains(anchors[target], anchor) {
				t.Errorf("%s: %s has no heading for #%s", p.path, target, anchor)
			}
		}
	}
	for _, p := range pages[2:] {
		if p.path != "docs/README.md" && !index[p.path] {
			t.Errorf("docs/README.md does not name %s", p.path)
		}
	}
}

func testCells(t *testing.T, pages []*page) {
	for _, p := range pages {
		for line := range strings.Lines(p.prose) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			line = inline.ReplaceAllStringFunc(line, func(code string) string { return strings.ReplaceAll(code, "|", " ") })
			for cell := range strings.SplitSeq(line, "|") {
				if n := len(strings.Fields(linked.ReplaceAllStringFunc(cell, func(l string) string {
					return l[:strings.Index(l, "](")]
				}))); n > mostCellWords {
					t.Errorf("%s: %d words in the cell %s", p.path, n, cell)
				}
			}
		}
	}
}

// help returns the manuals of all commands.
func help(t *testing.T) (text string, commands []string) {
	t.Helper()
	manualOf := func(args ...string) string {
		var out bytes.Buffer
		command.Run(context.Background(), args, func(string) string { return "" }, &out, &out)
		return out.String()
	}
	overview := manualOf("help")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+)  +`).FindAllStringSubmatch(overview, -1) {
		commands = append(commands, m[1])
		text += manualOf(m[1], "--help")
	}
	if len(commands) < 8 {
		t.Fatalf("commands %q in %s", commands, overview)
	}
	return text + overview, commands
}

var (
	flagForm    = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*)`)
	metricForm  = regexp.MustCompile(`\bwpsitemapd_[a-z0-9_]+`)
	commandForm = regexp.MustCompile(`^(?:\S*/)?wpsitemapd ([a-z][a-z-]*)`)
	makeForm    = regexp.MustCompile(`^make ([a-z-]+)`)
	testForm    = regexp.MustCompile(`^(?:Test|Benchmark)[A-Z]\w+$`)
	pathForm    = regexp.MustCompile(`^(?:\.\./)*(?:server|sitemap|wp|docs|testdata|\.ci)/[\w./-]+$` +
		`|^[\w.-]+\.(?:go|md|sql|conf|service|socket|yml|json|sh)$|^(?:docker|wpsitemapd|config\.example)\.toml$|^Caddyfile\.\w+$`)
	keyForm   = regexp.MustCompile(`^([a-z][a-z_]*) = `)
	tableForm = regexp.MustCompile(`^\[\[?((?:site|defaults|discover)[\w.]*)\]?\]$`)
	envForm   = regexp.MustCompile(`\bWPSITEMAPD_[A-Z_]+`)
	goForm    = regexp.MustCompile(`^(?:[A-Za-z]+\.)?([A-Za-z]{4,})$`)
)

// Settings of database servers, of WordPress and of nginx that look like our keys.
var foreignKeys = []string{"blog_public", "force_lang", "location"}

// Files that users have, not the repository.
var foreignFiles = []string{"robots.txt", "docker-compose.yml"}

func testNames(t *testing.T, pages []*page) {
	manuals, commands := help(t)
	sources, tests := goSources(t)
	makefile, example := fileText(t, "Makefile"), fileText(t, "config.example.toml")
	keys, tables := configNames(example)
	scripts := makefile
	for _, name := range []string{"run", "mariadb", "fuzz", "servers", "browsers"} {
		scripts += fileText(t, ".ci/"+name)
	}
	known := metrics.Names()
	role := fileText(t, "docs/deploy/ansible/roles/wpsitemapd/defaults/main.yml")
	for _, m := range regexp.MustCompile(`(?m)^(wpsitemapd_\w+):`).FindAllStringSubmatch(role, -1) {
		known = append(known, m[1])
	}
	for _, p := range pages {
		texts := slices.Clone(p.codes)
		for _, b := range p.blocks {
			if b.language == "sh" {
				for line := range strings.Lines(b.text) {
					if commandForm.MatchString(line) || makeForm.MatchString(line) {
						texts = append(texts, strings.TrimSpace(line))
					}
					for _, word := range strings.Fields(line) {
						if strings.HasPrefix(word, "docs/") && !exists(word) {
							t.Errorf("%s: there is no file %s", p.path, word)
						}
					}
					if from := strings.Fields(line); len(from) == 3 && from[0] == "cp" && !exists(from[1]) && !exists("docs/deploy/"+from[1]) {
						t.Errorf("%s: there is no file %s", p.path, from[1])
					}
				}
			}
		}
		for _, text := range texts {
			missing := func(what, name string) { t.Errorf("%s: there is no %s %s: `%s`", p.path, what, name, text) }
			for _, m := range flagForm.FindAllStringSubmatch(ourCommand(text), -1) {
				if !regexp.MustCompile(regexp.QuoteMeta(m[1]) + `\b`).MatchString(manuals) {
					missing("flag", m[1])
				}
			}
			for _, name := range metricForm.FindAllString(text, -1) {
				if !slices.Contains(known, name) && name != "wpsitemapd_" && name != "wpsitemapd_facts" {
					missing("metric", name)
				}
			}
			if m := commandForm.FindStringSubmatch(text); m != nil && !slices.Contains(commands, m[1]) {
				missing("command", m[1])
			}
			if m := makeForm.FindStringSubmatch(text); m != nil && !strings.Contains(makefile, "\n"+m[1]+":") {
				missing("target", m[1])
			}
			if testForm.MatchString(text) && !strings.Contains(tests, "func "+text+"(") {
				missing("test", text)
			}
			if pathForm.MatchString(text) && !strings.HasPrefix(text, "../") &&
				!slices.Contains(foreignFiles, text) && !exists(text) && !exists("docs/deploy/"+text) {
				missing("file", text)
			}
			if m := keyForm.FindStringSubmatch(text); m != nil && !keys[m[1]] && !slices.Contains(foreignKeys, m[1]) &&
				!(p.path == "CHANGELOG.md" && config.Retired(m[1]) != "") {
				missing("key", m[1])
			}
			if m := tableForm.FindStringSubmatch(text); m != nil && !tables[regexp.MustCompile(`\.NAME$`).ReplaceAllString(m[1], "")] {
				missing("table", m[1])
			}
			for _, name := range envForm.FindAllString(text, -1) {
				if !strings.Contains(manuals, name) && !strings.Contains(sources+tests+scripts, name) {
					missing("variable", name)
				}
			}
			if m := goForm.FindStringSubmatch(text); m != nil && p.path == "docs/developer/architecture.md" &&
				!regexp.MustCompile(`\b`+m[1]+`\b`).MatchString(sources) {
				missing("function or type", text)
			}
		}
	}
	// what a key does has to stand somewhere
	said := map[string]bool{}
	for _, p := range pages {
		for _, code := range p.codes {
			said[strings.TrimSpace(strings.SplitN(code, "=", 2)[0])] = true
		}
		for _, b := range p.blocks {
			for _, m := range keyLine.FindAllStringSubmatch(b.text, -1) {
				said[m[1]] = true
			}
		}
	}
	for key := range keys {
		if !said[key] && !strings.Contains(pageOf(t, pages, "docs/operator/configuration.md"), key) {
			t.Errorf("no page names the key %s", key)
		}
	}
	// and what the tables of keys name has to be one
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_0-9]+)` \\|").FindAllStringSubmatch(pageOf(t, pages, "docs/operator/configuration.md"), -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(example) {
			t.Errorf("there is no key %s", m[1])
		}
	}
}

// ourCommand is a text that begins with a flag or a command of the program, or is "check --fetch", and no other one.
func ourCommand(text string) string {
	if strings.HasPrefix(text, "--") || commandForm.MatchString(text) ||
		regexp.MustCompile(`^[a-z]+ --`).MatchString(text) && !strings.HasPrefix(text, "docker ") {
		return text
	}
	return ""
}

func pageOf(t *testing.T, pages []*page, path string) string {
	t.Helper()
	for _, p := range pages {
		if p.path == path {
			return p.text
		}
	}
	t.Fatalf("there is no %s", path)
	return ""
}

var keyLine = regexp.MustCompile(`(?m)^(?:# )?([a-z][a-z0-9_]*)\s*= `)

// configNames are the keys and tables of config.example.toml, which a test of package server holds to be complete.
func configNames(example string) (keys, tables map[string]bool) {
	keys, tables = map[string]bool{}, map[string]bool{}
	for _, m := range keyLine.FindAllStringSubmatch(example, -1) {
		keys[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:# )?\[\[?([a-z][\w.]*)\]`).FindAllStringSubmatch(example, -1) {
		tables[m[1]] = true
		if name, ok := strings.CutPrefix(m[1], "defaults."); ok {
			tables["site."+name] = true
		}
		if strings.HasPrefix(m[1], "discover.site.") {
			tables["discover.site"] = true
		}
		if head, _, ok := strings.Cut(strings.TrimPrefix(m[1], "site."), "."); ok {
			tables["site."+head] = true
		}
	}
	return keys, tables
}

// goSources returns all Go files, and those of tests apart.
func goSources(t *testing.T) (sources, tests string) {
	t.Helper()
	var product, checks strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, "_test.go") {
			checks.Write(text)
		} else {
			product.Write(text)
		}
		return err
	})
	wptest.Must(t, err)
	return product.String(), checks.String()
}

// testConfigurations reads every block of TOML as the daemon would.
func testConfigurations(t *testing.T, pages []*page) {
	t.Setenv("REDIS_PASSWORD", "secret")
	n := 0
	for _, p := range pages {
		for _, b := range p.blocks {
			if b.language != "toml" {
				continue
			}
			n++
			if _, err := config.Parse(b.text, p.path, t.TempDir()); err != nil {
				t.Errorf("%s: %v\n%s", p.path, err, b.text)
			}
		}
	}
	if n < 5 {
		t.Errorf("%d configurations", n)
	}
}

// testInclude looks whether the line for a server block names the file that was copied. TestFronts runs nginx with both.
func testInclude(t *testing.T, pages []*page) {
	const line = "include snippets/wpsitemapd-locations.conf;\n"
	n := 0
	for _, p := range pages {
		for i, b := range p.blocks {
			if b.language == "nginx" && strings.Contains(b.text, "wpsitemapd") {
				n++
				if b.text != line || i == 0 || p.blocks[i-1].text != "cp docs/deploy/nginx-locations.conf /etc/nginx/snippets/wpsitemapd-locations.conf\n" {
					t.Errorf("%s: %s", p.path, b.text)
				}
			}
		}
	}
	if n != 1 {
		t.Errorf("%d snippets", n)
	}
	if !strings.Contains(fileText(t, "docs/deploy/nginx-locations.conf"), strings.TrimSpace(line)) || !strings.Contains(ownBlock, line) {
		t.Error("the file itself, or the test that runs nginx with it, has another line")
	}
}

// testMessages compares the messages of the log with those that are explained.
func testMessages(t *testing.T) {
	explained := map[string]bool{}
	text := fileText(t, "docs/operator/troubleshooting.md")
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`: ").FindAllStringSubmatch(text, -1) {
		explained[m[1]] = true
	}
	logged := map[string]bool{}
	for _, room := range []string{"server", "sitemap", "wp"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (strings.HasSuffix(d.Name(), "test") || d.Name() == "bench" || d.Name() == "testdata"):
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if message := alarming(call); message != "" {
						logged[message] = true
					}
				}
				return true
			})
			return nil
		})
		wptest.Must(t, err)
	}
	if len(logged) < 40 {
		t.Fatalf("only %d messages were found", len(logged))
	}
	for message := range logged {
		if !explained[message] {
			t.Errorf("troubleshooting.md does not explain %q", message)
		}
	}
	for message := range explained {
		if !logged[message] {
			t.Errorf("nothing logs %q", message)
		}
	}
}

// alarming returns the constant message of a call that logs a warning or an error, else "".
func alarming(call *ast.CallExpr) string {
	place := -1 // of the message among the arguments
	if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Warn", "Error", "alarm"}, f.Sel.Name) {
		place = 0
	}
	for i, arg := range call.Args {
		if level, ok := arg.(*ast.SelectorExpr); ok && (level.Sel.Name == "LevelWarn" || level.Sel.Name == "LevelError") {
			place = i + 1
		}
	}
	if place < 0 || place >= len(call.Args) {
		return ""
	}
	text, ok := call.Args[place].(*ast.BasicLit)
	if !ok || text.Kind != token.STRING {
		return ""
	}
	message, _ := strconv.Unquote(text.Value)
	return message
}

// testDependencies compares the direct dependencies of go.mod with those that have their reason.
func testDependencies(t *testing.T) {
	var have, said []string
	for _, m := range regexp.MustCompile(`(?m)^\t([\w./-]+) v\S+$`).FindAllStringSubmatch(fileText(t, "go.mod"), -1) {
		have = append(have, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^\| ([\w./-]+/[\w./-]+) \| \S`).FindAllStringSubmatch(fileText(t, "docs/developer/dependencies.md"), -1) {
		said = append(said, m[1])
	}
	slices.Sort(have)
	slices.Sort(said)
	if !slices.Equal(have, said) || len(have) == 0 {
		t.Errorf("go.mod has %q, docs/developer/dependencies.md %q", have, said)
	}
}
