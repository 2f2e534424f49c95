package endtoend

import (
	"bytes"
	"context"
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
	t.Run("links", func(t *testing.T) { testLinks(t, pages) })
	t.Run("names", func(t *testing.T) { testNames(t, pages) })
	t.Run("configuration", func(t *testing.T) { testConfigurations(t, pages) })
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

var commandForm = regexp.MustCompile(`^(?:\S*/)?wpsitemapd ([a-z][a-z-]*)`)

// Settings of database servers, of WordPress and of nginx that look like our keys.
var foreignKeys = []string{"blog_public", "force_lang", "location"}

// testNames looks whether what stands in code style is there: commands, flags, keys, metrics, files and what else has a form.
func testNames(t *testing.T, pages []*page) {
	manuals, commands := help(t)
	sources, tests := goSources(t)
	makefile, example := fileText(t, "Makefile"), fileText(t, "config.example.toml")
	keys, tables := configNames(example)
	scripts := makefile
	for _, name := range []string{"run", "mariadb", "fuzz", "servers", "browsers"} {
		scripts += fileText(t, ".ci/"+name)
	}
	metricNames := append(metrics.Names(), "wpsitemapd_", "wpsitemapd_facts")
	role := fileText(t, "docs/deploy/ansible/roles/wpsitemapd/defaults/main.yml")
	for _, m := range regexp.MustCompile(`(?m)^(wpsitemapd_\w+):`).FindAllStringSubmatch(role, -1) {
		metricNames = append(metricNames, m[1])
	}
	hasWord := func(text, word string) bool {
		return regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(word) + `\b`).MatchString(text)
	}
	forms := []struct {
		what, form string // of names, the last group of a match
		known      func(p *page, text, name string) bool
	}{
		{"flag", `(?:^|\s)(--[a-z][a-z-]*)`, func(_ *page, text, name string) bool { return !isOurCommand(text) || hasWord(manuals, name) }},
		{"metric", `\bwpsitemapd_[a-z0-9_]+`, func(_ *page, _, name string) bool { return slices.Contains(metricNames, name) }},
		{"command", commandForm.String(), func(_ *page, _, name string) bool { return slices.Contains(commands, name) }},
		{"target", `^make ([a-z-]+)`, func(_ *page, _, name string) bool { return strings.Contains(makefile, "\n"+name+":") }},
		{"test", `^(?:Test|Benchmark)[A-Z]\w+$`, func(_ *page, _, name string) bool { return strings.Contains(tests, "func "+name+"(") }},
		{
			"file", `^(?:server|sitemap|wp|docs|testdata|\.ci)/[\w./-]+$` +
				`|^[\w.-]+\.(?:go|md|sql|conf|service|socket|yml|json|sh)$|^(?:docker|wpsitemapd|config\.example)\.toml$|^Caddyfile\.\w+$`,
			func(_ *page, _, name string) bool {
				return name == "docker-compose.yml" || exists(name) || exists("docs/deploy/"+name)
			},
		},
		{"key", `^([a-z][a-z_]*) = `, func(p *page, _, name string) bool {
			return keys[name] || slices.Contains(foreignKeys, name) || p.path == "CHANGELOG.md" && config.Retired(name) != ""
		}},
		{"table", `^\[\[?((?:site|defaults|discover)[\w.]*?)(?:\.NAME)?\]?\]$`, func(_ *page, _, name string) bool { return tables[name] }},
		{"variable", `\bWPSITEMAPD_[A-Z_]+`, func(_ *page, _, name string) bool { return strings.Contains(manuals+sources+tests+scripts, name) }},
		{"function or type", `^(?:[A-Za-z]+\.)?([A-Za-z]{4,})$`, func(p *page, _, name string) bool {
			return p.path != "docs/developer/architecture.md" || hasWord(sources, name)
		}},
	}
	for _, p := range pages {
		texts := slices.Clone(p.codes)
		for _, b := range p.blocks {
			for line := range strings.Lines(b.text) {
				if b.language == "sh" && (commandForm.MatchString(line) || strings.HasPrefix(line, "make ")) {
					texts = append(texts, strings.TrimSpace(line))
				}
			}
		}
		for _, f := range forms {
			form := regexp.MustCompile(f.form)
			for _, text := range texts {
				for _, m := range form.FindAllStringSubmatch(text, -1) {
					if name := m[len(m)-1]; !f.known(p, text, name) {
						t.Errorf("%s: there is no %s %s: `%s`", p.path, f.what, name, text)
					}
				}
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

// isOurCommand reports whether a text begins with a flag or a command of the program, or is "check --fetch", and no other one.
func isOurCommand(text string) bool {
	return strings.HasPrefix(text, "--") || commandForm.MatchString(text) ||
		regexp.MustCompile(`^[a-z]+ --`).MatchString(text) && !strings.HasPrefix(text, "docker ")
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
	credentials := t.TempDir()
	write(t, filepath.Join(credentials, "wpsitemapd.dsn"), "sitemaps:secret@unix(/run/mysqld/mysqld.sock)/example")
	t.Setenv("CREDENTIALS_DIRECTORY", credentials)
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

// alarm matches a call that logs a warning or an error, with its message.
var alarm = regexp.MustCompile(`(?:(?:[^tb]\.(?:Warn|Error)|\.alarm)\(\s*|\bLevel(?:Warn|Error),\s*)("(?:[^"\\]|\\.)*"|` + "`[^`]*`" + `)`)

// testMessages compares the messages of the log with those that are explained.
func testMessages(t *testing.T) {
	explained, logged := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`: ").FindAllStringSubmatch(fileText(t, "docs/operator/troubleshooting.md"), -1) {
		explained[m[1]] = true
	}
	sources, _ := goSources(t)
	for _, m := range alarm.FindAllStringSubmatch(sources, -1) {
		message, err := strconv.Unquote(m[1])
		wptest.Must(t, err)
		logged[message] = true
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
