package command

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What a person may write, the exit code, and what is printed where.
func TestCommandLine(t *testing.T) {
	config := demoConfig(t)
	odd := writeConfig(t, "nonsense = 1\n")
	for _, tt := range []struct {
		args           string
		code           int
		stdout, stderr string // parts; "" if nothing is printed there
	}{
		{"--help", done, "Commands:\n  init ", ""},
		{"-help", done, "Without a command, serve runs.", ""},
		{"-h", done, "Exit codes:\n  0  done\n  1  trouble found\n  2  wrong usage or configuration\n", ""},
		{"help", done, "  help ", ""},
		{"help export", done, "wpsitemapd export - ", ""},
		{"export --help", done, "wpsitemapd export - ", ""},
		{"help nonsense", misuse, "", `there is no command "nonsense"; see wpsitemapd help`},
		{"help a b", misuse, "", `there is an argument too many: "b"`},
		{"--version", done, "wpsitemapd ", ""},
		{"-version", done, ", commit ", ""},
		{"version", done, "wpsitemapd ", ""},
		{"version x", misuse, "", "wpsitemapd version: there is an argument too many: \"x\"\nSee wpsitemapd version --help.\n"},
		{"nonsense", misuse, "", `wpsitemapd: there is no command "nonsense"; see wpsitemapd help`},
		{"--nonsense", misuse, "", "wpsitemapd serve: flag provided but not defined: -nonsense"},
		{"check --nonsense", misuse, "", "See wpsitemapd check --help."},
		{"check --config", misuse, "", "flag needs an argument"},
		{"check --config /nowhere/x.toml", misuse, "", "there is no configuration /nowhere/x.toml. Write it, run wpsitemapd init"},
		{"check --config /", misuse, "", "configuration: "},
		{"check --config " + odd, misuse, "", "nonsense"},
		{"check --config " + config + " --site none", misuse, "", `the configuration has no site "none". Its sites are`},
		{"check --config " + config + " --as-of noon", misuse, "", "must be a time in RFC 3339"},
		{"check --config " + config + " --json=maybe", misuse, "", "must be true or false"},
		{"check --config " + config + " --json=false", done, "site ", ""},
		{"check --config " + config + " --json=1", done, `"ok": true`, ""},
		{"explain --config " + config + " /a/ --json /b/", done, `"url":"/b/"`, ""},
		{"explain --config " + config + " -- --json", misuse, "", ""},
		{"completion", misuse, "", "name one shell: bash, zsh or fish"},
		{"completion tcsh", misuse, "", "name one shell"},
		{"completion bash zsh", misuse, "", "name one shell"},
		{"completion bash", done, "complete -F _wpsitemapd wpsitemapd", ""},
		{"man", done, ".TH", ""},
		{"serve --upstream http://127.0.0.1:9", misuse, "", "work only with --wp"},
		{"serve --listen 127.0.0.1:0", misuse, "", "work only with --wp"},
		{"serve --admin 127.0.0.1:0", misuse, "", "work only with --wp"},
		{"check --wp /x --config " + config, misuse, "", "give it or --config, not both"},
		{"check --wp /nowhere/x", misuse, "", "--wp must be the folder of a WordPress install"},
	} {
		code, stdout, stderr := runCommand(t, strings.Fields(tt.args)...)
		expect.Equal(t, code, tt.code, tt.args, stdout, stderr)
		expect.Contains(t, stdout, tt.stdout, tt.args)
		expect.Contains(t, stderr, tt.stderr, tt.args)
		expect.Equal(t, stdout != "", tt.stdout != "" || tt.code == done, tt.args, "prints")
		expect.Equal(t, stderr != "", tt.code == misuse, tt.args, "prints to standard error", stderr)
	}
	expect.Equal(t, printed(t, "help", "export"), printed(t, "export", "--help"))
}

// A flag wins over its environment variable. A variable with a mistake is named.
func TestEnvironmentOfCommands(t *testing.T) {
	config := demoConfig(t)
	run := func(env map[string]string, args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Run(t.Context(), args, func(name string) string { return env[name] }, &out, &errs)
		return code, out.String() + errs.String()
	}
	code, text := run(map[string]string{"WPSITEMAPD_CONFIG": config}, "check", "--syntax")
	expect.Equal(t, code, done, text)
	code, text = run(map[string]string{"WPSITEMAPD_CONFIG": "/nowhere/x.toml"}, "check", "--syntax", "--config", config)
	expect.Equal(t, code, done, text)
	code, text = run(map[string]string{"WPSITEMAPD_CONFIG": config, "WPSITEMAPD_JSON": "maybe"}, "check")
	expect.Equal(t, code, misuse)
	expect.Contains(t, text, `WPSITEMAPD_JSON="maybe": must be true or false`)
}

// A command that Ctrl-C ends says so, and is no success.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	code := Run(ctx, []string{"left-out", "--config", demoConfig(t)}, func(string) string { return "" }, io.Discard, &errs)
	expect.Equal(t, code, trouble)
	expect.Equal(t, errs.String(), "wpsitemapd left-out: interrupted\n")
}

// The manual of a command has its parts in this order, and indents lists and flags.
func TestManualOfCommand(t *testing.T) {
	word := ""
	c := &command{
		name: "sing", synopsis: "[--loud WORD]", summary: "sings", exits: "it cannot sing", example: "wpsitemapd sing",
		about: "Sings a song.\nIt has verses:\n- the first\n- the second\n\nIt ends.",
		flags: []option{textOption("loud", "WORD", "quiet", "How loud.", &word), {name: "bare", help: "No variable."}},
	}
	var b bytes.Buffer
	c.printHelp(&b)
	expect.Equal(t, b.String(), `wpsitemapd sing - sings

Usage:
  wpsitemapd sing [--loud WORD]

Sings a song. It has verses:
- the first
- the second

It ends.

Flags, each with its environment variable; the command line wins:
  --loud WORD
      How loud. Default: quiet. Environment: WPSITEMAPD_LOUD.
  --bare
      No variable.

Exit codes:
  0  done
  1  it cannot sing
  2  wrong usage or configuration

Example:
  wpsitemapd sing
`)
	b.Reset()
	(&command{name: "hum", summary: "hums", about: "Hums.", example: "wpsitemapd hum"}).printHelp(&b)
	expect.Equal(t, b.String(), "wpsitemapd hum - hums\n\nUsage:\n  wpsitemapd hum\n\nHums.\n\nExit codes:\n  0  done\n  2  wrong usage or configuration\n\n"+
		"Example:\n  wpsitemapd hum\n")
	b.Reset()
	printOverview(&b, []*command{c})
	expect.Equal(t, b.String(), "wpsitemapd "+purpose+".\n\nCommands:\n  sing  sings\n\n"+defaults+
		"\n\nExit codes:\n  0  done\n  1  trouble found\n  2  wrong usage or configuration\n")
}

// Flags may take the place of a configuration. The site has the name of its folder, as far as a name may contain it.
func TestFlagsAsConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for folder, want := range map[string]string{
		"www.example.com": "www.example.com", "a b+c": "a-b-c", "-odd-": "odd", "ü": "site", strings.Repeat("x", 200): strings.Repeat("x", 100),
	} {
		root := filepath.Join(dir, folder)
		wptest.Must(t, os.MkdirAll(filepath.Join(root, "wp-content/database"), 0o755))
		writeTo(t, filepath.Join(root, "wp-config.php"), "<?php\ndefine('DB_ENGINE', 'sqlite');\n$table_prefix = 'wp_';\n")
		for _, wp := range []string{root, filepath.Join(root, "wp-config.php")} {
			s := &setup{wp: wp, upstream: "http://127.0.0.1:8080", listen: "127.0.0.1:8081", admin: "127.0.0.1:9091"}
			cfg, err := s.load()
			if err != nil {
				t.Fatal(folder, err)
			}
			expect.Equal(t, cfg.Sites[0].Name, want)
			expect.Equal(t, cfg.Sites[0].Upstream.String(), "http://127.0.0.1:8080")
			expect.Equal(t, string(cfg.Listen[0])+" "+string(cfg.Admin[0]), "127.0.0.1:8081 127.0.0.1:9091")
			expect.Equal(t, s.watched(), wp)
			again, err := s.reload(cfg)
			wptest.Must(t, err)
			expect.Equal(t, again.Sites[0].Name, want)
		}
	}
	file := demoConfig(t)
	s := &setup{file: file}
	cfg, err := s.load()
	wptest.Must(t, err)
	again, err := s.reload(cfg)
	wptest.Must(t, err)
	expect.Equal(t, len(again.Sites), len(cfg.Sites))
	expect.Equal(t, s.watched(), file)
	expect.Equal(t, new(setup).watched(), DefaultConfig)
	plain, err := (&setup{wp: filepath.Join(dir, "odd")}).load()
	expect.Equal(t, plain == nil && err != nil, true, "a folder that is not there:")
}

// A command with a report of its own logs warnings and errors, without the time.
func TestQuietLog(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := quiet(&b)
	log.Info("hidden")
	log.Warn("shown", "at", 1, slog.Group("of", "time", "kept"), "time", "dropped")
	expect.Equal(t, b.String(), "level=WARN msg=shown at=1 of.time=kept\n")
}

func TestAtMostOne(t *testing.T) {
	t.Parallel()
	expect.Equal(t, atMostOne("--a and --b"), nil)
	expect.Equal(t, atMostOne("--a and --b", false, true), nil)
	expect.Contains(t, atMostOne("--a and --b", true, true).Error(), "give one of --a and --b")
}

// health asks at the admin listener, so that it needs one.
func TestHealthNeedsAdmin(t *testing.T) {
	t.Parallel()
	code, _, stderr := runCommand(t, "health", "--config", siteOf(t, `dsn = "sqlite:/nowhere"`))
	expect.Equal(t, code, misuse)
	expect.Contains(t, stderr, "set admin in the configuration")
	address := "127.0.0.1:" + wptest.FreePort(t)
	code, _, stderr = runCommand(t, "health", "--config", writeConfig(t, "admin = \""+address+"\"\n[[site]]\nname = \"a\"\ndsn = \"sqlite:/nowhere\"\n"))
	expect.Equal(t, code, trouble)
	expect.Contains(t, stderr, "the daemon does not answer at "+address)
}

// The demo answers in the place of WordPress: pages have an address with a slash at its end.
func TestDemoAnswersAsWordPress(t *testing.T) {
	t.Parallel()
	d := &demo{Home: "http://127.0.0.1:1", Admin: "http://127.0.0.1:2", Config: "/tmp/x.toml", Command: "wpsitemapd"}
	for path, want := range map[string]struct {
		status            int
		contentType, text string
	}{
		"/":           {200, "text/html; charset=utf-8", "http://127.0.0.1:2/"},
		"/a-post/":    {200, "text/html; charset=utf-8", "a-post/"},
		"/x.png":      {404, "text/plain; charset=utf-8", "404"},
		"/robots.txt": {200, "text/plain; charset=utf-8", "Disallow: /wp-admin/"},
	} {
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		expect.Equal(t, rec.Code, want.status, path)
		expect.Equal(t, rec.Result().Header.Get("Content-Type"), want.contentType, path)
		expect.Contains(t, rec.Body.String(), want.text, path)
	}
}

// A rule that excludes nothing is told, because its name may be wrong. A site that cannot be read does not hide the others.
func TestLeftOutOfSeveralSites(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), database, "https://www.example.com"))
	well := writeConfig(t, "[[site]]\nname = \"a\"\ndsn = \"sqlite:"+database+"\"\n")
	code, stdout, stderr := runCommand(t, "left-out", "--config", well, "--rule", "nonsense")
	expect.Equal(t, code, done)
	expect.Equal(t, stdout, "")
	expect.Contains(t, stderr, `the rule "nonsense" excludes nothing`)
	code, stdout, stderr = runCommand(t, "left-out", "--config", well, "--rule", "noindex")
	expect.Equal(t, code, done)
	expect.Equal(t, stderr, "")
	expect.Parts(t, stdout, "https://www.example.com/", "  is       post ", "  rule     noindex. ", "  do       ")
	both := writeConfig(t, "[[site]]\nname = \"b\"\ndsn = \"sqlite:/nowhere/x\"\n[[site]]\nname = \"a\"\ndsn = \"sqlite:"+database+"\"\n")
	code, csv, stderr := runCommand(t, "left-out", "--config", both, "--csv", "--rule", "noindex")
	expect.Equal(t, code, trouble)
	expect.Contains(t, stderr, "wpsitemapd left-out: site b: ")
	expect.Parts(t, csv, "site,url,object,title,rule,because,do,edit\n", "\na,https://www.example.com/")
	_, _, stderr = runCommand(t, "left-out", "--config", both, "--site", "b", "--rule", "noindex")
	expect.Equal(t, strings.Contains(stderr, "excludes nothing"), false, "a site that cannot be read")
}
