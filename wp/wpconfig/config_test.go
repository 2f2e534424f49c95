package wpconfig

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

var update = flag.Bool("update", false, "rewrite the .want files in testdata")

// testEnv is the environment of the forms in testdata.
func testEnv(t testing.TB) func(string) (string, bool) {
	secret, err := filepath.Abs("testdata/forms/inc/secret")
	wptest.Must(t, err)
	env := map[string]string{
		"WP_T_NAME": "shop", "WP_T_PASSWORD": "open sesame", "WP_T_HOST": "10.0.0.1", "WP_T_HOME": "https://shop.example",
		"WP_T_STAGE": "production", "WP_T_FALSE": "false", "WP_T_SECRET_FILE": secret,
	}
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

// describe is everything that a configuration says, a line each.
func describe(c *Config, dir string) string {
	var b strings.Builder
	relative := func(s string) string { return strings.ReplaceAll(s, dir+"/", "") }
	var names []string
	for name := range c.constants {
		if name != "ABSPATH" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		s, ok := c.String(name)
		yes, _ := c.Bool(name)
		if ok {
			fmt.Fprintf(&b, "%s = %s (%v)\n", name, strconv.Quote(relative(s)), yes)
		} else {
			fmt.Fprintf(&b, "%s ?\n", name)
		}
	}
	fmt.Fprintf(&b, "$table_prefix = %q\n", c.TablePrefix)
	if c.Multisite() {
		b.WriteString("multisite\n")
	}
	if path, ok := c.ContentPath(); ok {
		fmt.Fprintf(&b, "content at the request's host and %s\n", path)
	}
	if d, err := c.Database(); err != nil {
		fmt.Fprintf(&b, "no database: %s\n", relative(err.Error()))
	} else {
		fmt.Fprintf(&b, "database: %s", relative(d.String()))
		if d.TLS {
			b.WriteString(" tls")
		}
		if d.TLSSkipVerify {
			b.WriteString(" skip-verify")
		}
		b.WriteString("\n")
	}
	for _, p := range c.Unknown {
		fmt.Fprintf(&b, "unknown: %s\n", relative(p.Error()))
	}
	for _, p := range c.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", relative(p.Error()))
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		wptest.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	wptest.Must(t, err)
	expect.Equal(t, got, string(want), file, want)
}

// Each file is one form of configuration, beside it what is read from it. The values were compared with what
// PHP 8.2 defines for the same file.
func TestForms(t *testing.T) {
	files, _ := filepath.Glob("testdata/forms/*.php")
	if len(files) < 30 {
		t.Fatalf("only %d forms", len(files))
	}
	dir, _ := filepath.Abs("testdata/forms")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := Parse(context.Background(), file, Options{Env: testEnv(t), sockets: []string{}, secrets: filepath.Join(dir, "inc")})
			wptest.Must(t, err)
			golden(t, strings.TrimSuffix(file, ".php")+".want", describe(c, dir))
		})
	}
}

// Each file has one mistake. What is truncated or without an end PHP refuses too; what is nested too deeply it would
// read, and what has no code it would print.
func TestMistakes(t *testing.T) {
	files, _ := filepath.Glob("testdata/mistakes/*.php")
	if len(files) < 10 {
		t.Fatalf("only %d mistakes", len(files))
	}
	dir, _ := filepath.Abs("testdata/mistakes")
	var all strings.Builder
	for _, file := range files {
		_, err := Parse(context.Background(), file, Options{})
		if err == nil {
			t.Errorf("%s is read without an error", file)
			continue
		}
		if strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the error shows a secret: %v", file, err)
		}
		fmt.Fprintf(&all, "%s\n", strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	golden(t, "testdata/mistakes/all.want", all.String())
}

func TestNoSecretInProblems(t *testing.T) {
	for _, definition := range []string{
		`define('DB_PASSWORD', sesame);`,
		`define('DB_PASSWORD', "$sesame");`,
		`define('DB_PASSWORD', "x{$sesame}" . f());`,
		`define('DB_PASSWORD', sesame());`,
		`define('DB_PASSWORD', 'it's sesame');`,
		`define('DB_PASSWORD', $_SERVER['HTTP_HOST'] . 'sesame');`,
		`define('DB_PASSWORD', ['sesame']);`,
		`if ($_SERVER['HTTP_HOST'] == 'sesame') define('DB_PASSWORD', 'sesame'); else define('DB_PASSWORD', 'sesame2');`,
		`include 'http://' . $_SERVER['sesame'] . '/sesame'; define('DB_HOST', "::sesame:://");`,
	} {
		code := "<?php\ndefine('DB_NAME','n');define('DB_USER','u');\n" + definition + "\n"
		c, err := parseText(t, code)
		if err != nil {
			if strings.Contains(err.Error(), "sesame") {
				t.Errorf("%s: %v", definition, err)
			}
			continue
		}
		d, err := c.Database()
		if err == nil {
			t.Errorf("%s: gives %v", definition, d)
			continue
		}
		all := err.Error()
		for _, p := range append(slices.Clone(c.Unknown), c.Warnings...) {
			all += p.Error()
		}
		if strings.Contains(all, "sesame") {
			t.Errorf("%s: shows the secret: %s", definition, all)
		}
	}
	c, err := parseText(t, `<?php define('DB_NAME','n');define('DB_USER','u');define('DB_PASSWORD','sesame');define('DB_HOST','h');`)
	wptest.Must(t, err)
	d, err := c.Database()
	if err != nil || d.Password != "sesame" {
		t.Fatalf("%v, %v", d, err)
	}
	if s := fmt.Sprintf("%v %+v %#v %v %+v %#v", d, d, d, c, c, c); strings.Contains(s, "sesame") {
		t.Errorf("printing shows the secret: %s", s)
	}
}

// parseText parses code that is in a directory without other files.
func parseText(t testing.TB, code string) (*Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wp-config.php")
	wptest.Must(t, os.WriteFile(file, []byte(code), 0o600))
	return Parse(t.Context(), file, Options{})
}

// A .env file that may not be read is why its variables are not known.
func TestUnreadableDotenv(t *testing.T) {
	dir := tree(t, map[string]string{"wp-config.php": "<?php Config::define('DB_NAME', env('DB_NAME')); Config::apply();", ".env": "|"})
	c, err := Parse(t.Context(), dir, Options{})
	wptest.Must(t, err)
	want := "cannot evaluate DB_NAME at DIR/wp-config.php:1: the environment variable DB_NAME is not known: cannot read DIR/.env: not a regular file; " +
		"set dsn in the configuration"
	expect.Contains(t, problems(c, dir), want)
}

// A variable that is not seen leaves open whether there is a network.
func TestUnseenVariablesOfNetworks(t *testing.T) {
	for code, known := range map[string]bool{
		`define('MULTISITE', true);`: true, `define('DB_NAME', 'x');`: true,
		`define('MULTISITE', getenv('WP_NET') === 'true');`:         false,
		`define('MULTISITE', getenv('WP_NET') ?: false);`:           false,
		`if (getenv('WP_NET')) { define('MULTISITE', true); }`:      false,
		`if (getenv('WP_NET')): define('MULTISITE', true); endif;`:  false,
		`if (!getenv('WP_NET')) { define('MULTISITE', false); }`:    false,
		`if (getenv('WP_NET')) { define('WP_HOME', 'http://x/'); }`: true,
	} {
		c, err := parseText(t, "<?php "+code)
		expect.Equal(t, err, nil, code, !known)
		expect.Equal(t, c.MultisiteKnown(), known, code, !known)
	}
}

// Who asks can see why a file cannot be read, and say what to do; nothing is said of whether others are there.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads every file")
	}
	dir := tree(t, map[string]string{"a/wp-config.php": "<?php if (file_exists('../b/x')) { define('DB_USER', 'u'); }", "b/x": "",
		"c/wp-config.php": ""})
	wptest.Must(t, os.Chmod(filepath.Join(dir, "b"), 0))
	wptest.Must(t, os.Chmod(filepath.Join(dir, "c", "wp-config.php"), 0))
	if c, err := Parse(t.Context(), filepath.Join(dir, "a"), Options{}); err != nil ||
		!strings.Contains(problems(c, dir), "depends on a file that cannot be examined: permission denied") {
		t.Errorf("%v", err)
	}
	_, err := Parse(t.Context(), filepath.Join(dir, "c"), Options{})
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "cannot read "+dir+"/c/wp-config.php: permission denied" {
		t.Errorf("%v", err)
	}
}

func TestLocation(t *testing.T) {
	const config = "<?php define('WHERE', '%s'); if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/'); define('AT', ABSPATH);"
	type files map[string]string
	for _, c := range []struct {
		rule      string
		files     files
		open      string
		where, at string // "" for an error
	}{
		{"a file is read as it is", files{"a/wp-config.php": "a"}, "a/wp-config.php", "a", "a/"},
		{"a directory stands for the file in it", files{"a/wp-config.php": "a", "a/wp-settings.php": "", "wp-config.php": "up"}, "a", "a", "a/"},
		{"without one the file one above counts", files{"a/wp-settings.php": "", "wp-config.php": "up"}, "a", "up", "a/"},
		{"but not when that is another WordPress", files{"a/wp-settings.php": "", "wp-config.php": "up", "wp-settings.php": ""}, "a", "", ""},
		{"two above is too far", files{"a/b/wp-settings.php": "", "wp-config.php": "up"}, "a/b", "", ""},
		{"Bedrock's root", files{"a/config/application.php": "bedrock", "a/web/wp-config.php": "web"}, "a", "bedrock", "a/config/"},
		{"a missing file is an error", files{"wp-config.php": "up"}, "a/wp-config.php", "", ""},
	} {
		for name, text := range c.files {
			c.files[name] = fmt.Sprintf(config, text)
		}
		root := tree(t, c.files)
		got, err := Parse(context.Background(), filepath.Join(root, c.open), Options{})
		if c.where == "" {
			if err == nil {
				t.Errorf("%s: read %s", c.rule, got.File)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		where, _ := got.String("WHERE")
		at, _ := got.String("AT")
		expect.Equal(t, where, c.where, c.rule)
		expect.Equal(t, at, filepath.Join(root, c.at)+"/", c.rule)
		folders := []string{filepath.Dir(got.File)}
		if own := filepath.Join(root, c.at); own != folders[0] {
			folders = append(folders, own)
		}
		expect.List(t, got.Folders(), folders, c.rule, "folders")
	}
}

func TestBedrock(t *testing.T) {
	for _, c := range []struct{ rule, file, url, want string }{
		{".env.local wins over .env, digits become a number", "web/wp-config.php", "", "local:123@tcp(127.0.0.1:3306)/shop"},
		{"DATABASE_URL is not taken apart", "config/application.php", "mysql://sesame@db.example/other", "set dsn in the configuration"},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		wptest.Must(t, err)
		wptest.Must(t, os.CopyFS(dir, os.DirFS("testdata/bedrock")))
		if c.url != "" {
			write(t, filepath.Join(dir, ".env.local"), "DB_USER=local\nDATABASE_URL='"+c.url+"'\n")
		}
		got, err := Parse(t.Context(), filepath.Join(dir, c.file), Options{sockets: []string{}})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		d, err := got.Database()
		if c.url != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%s: %v", c.rule, err)
			}
			continue
		}
		expect.Equal(t, err, nil, c.rule)
		expect.Equal(t, fmt.Sprintf("%s:%s@%s(%s)/%s", d.User, d.Password, d.Network, d.Addr, d.Name), c.want, c.rule)
		for name, want := range map[string]string{
			"WP_HOME": "http://shop.example", "WP_SITEURL": "http://shop.example/wp", "WP_CONTENT_DIR": dir + "/web/app",
			"WP_CONTENT_URL": "http://shop.example/app", "ABSPATH": dir + "/web/wp/", "WP_ENVIRONMENT_TYPE": "development",
		} {
			if s, _ := got.String(name); s != want {
				t.Errorf("%s: %s = %q, want %q", c.rule, name, s, want)
			}
		}
		if got.TablePrefix != "wp_" || len(got.Unknown) != 0 || len(got.Warnings) != 0 {
			t.Errorf("%s: prefix %q, %v, %v", c.rule, got.TablePrefix, got.Unknown, got.Warnings)
		}
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := parseText(t, "<?php /*"+strings.Repeat("x", maxFileSize)+"*/"); err == nil {
		t.Error("a file of more than 4 MiB is read")
	}
	if _, err := parseText(t, "<?php "+strings.Repeat(";", maxTokens+1)); err == nil {
		t.Error("a file of too many tokens is read")
	}
	for name, text := range map[string]string{
		"many expressions": strings.Repeat("{$x}", maxFileSize/4-10), "a long expression": "{$x" + strings.Repeat("[1]", maxTokens/3+1) + "}",
		"many variables": strings.Repeat("$x ", maxTokens), "an expression that PHP refuses": "{$x['a]}",
	} {
		if tokens, err := tokenize(`<?php $a = "` + text + `"`); err == nil || len(tokens) > maxTokens {
			t.Errorf("%s within a text: %d tokens, %v", name, len(tokens), err)
		}
	}
}

// The error names the file with the code that goes too far, and its line.
func TestTooDeepInAnIncludedFile(t *testing.T) {
	dir := tree(t, map[string]string{
		"wp-config.php": "<?php\nrequire 'deep.php';",
		"deep.php":      "<?php\n\n\n$a = " + strings.Repeat("!", 2*maxNesting) + "1;",
	})
	_, err := Parse(t.Context(), dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "deep.php, line 4: nested too deeply") {
		t.Error(err)
	}
}

func TestLongTextOfEscapes(t *testing.T) {
	n := (maxFileSize - 100) / 2
	tokens, err := tokenize(`<?php $a = "` + strings.Repeat(`\n`, n) + `";`)
	if err != nil || len(tokens) != 4 || tokens[2].text != strings.Repeat("\n", n) {
		t.Errorf("%d tokens, %v", len(tokens), err)
	}
}

// What would take PHP long or much memory ends here with an error or an unknown value.
func TestHostileFilesAreBounded(t *testing.T) {
	list := "[" + strings.Repeat("1,", 1000) + "]"
	for name, code := range map[string]string{
		"doubling text":             `$a = 'xxxxxxxx';` + strings.Repeat(`$a .= $a;`, 60) + `define('DB_NAME', $a);`,
		"nested loops":              `$l = ` + list + `;` + strings.Repeat(`foreach ($l as $x) `, 20) + `$y = 1;`,
		"long chain of operators":   `$a = ` + strings.Repeat(`1 + `, 50000) + `1;`,
		"long chain of indexes":     `$a = $b` + strings.Repeat(`[0]`, 40000) + `;`,
		"long chain of elseif":      `if ($_GET['a']) { $x0 = 1; }` + strings.Repeat(` elseif ($_GET['a']) { $y = 1; define('X', 2); }`, 5000),
		"undecided ifs":             strings.Repeat(`if ($_GET['a']) { define('X', 1); $y = 2; }`, 5000),
		"nested undecided ifs":      strings.Repeat(`if ($_GET['a']) { $y = 1; `, 150) + strings.Repeat(`}`, 150),
		"switch that falls through": `switch ($_GET['a']) {` + strings.Repeat(`case 1: $y = 1;`, 5000) + `}`,
		"array that grows":          `foreach (` + list + ` as $x) foreach (` + list + ` as $y) $z[] = 1;`,
		"replacing": `$a = str_repeat('a', 9);` +
			strings.Repeat(`$b = str_replace('a', '`+strings.Repeat("b", 1000)+`', '`+strings.Repeat("a", 1000)+`');`, 500),
		"many .env files":        `Dotenv::create([` + strings.Repeat(`'a',`, 5000) + `], [` + strings.Repeat(`'b',`, 5000) + `])->load();`,
		"many long texts":        `$a = '` + strings.Repeat("x", maxString-9) + `';` + strings.Repeat(`$b = $a . 'y';`, 20000),
		"functions called often": `function f() {` + strings.Repeat(`$x = 1;`, 10000) + `}` + strings.Repeat(`f();`, 10000),
		"unclosed quotes":        strings.Repeat("$x = <<<A\n", 10000),
		"many failures":          strings.Repeat(`{ ( ] `, 100),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := parseText(t, "<?php "+code)
			if err == nil {
				if s, ok := c.String("DB_NAME"); ok && len(s) > maxString {
					t.Errorf("%d bytes of text", len(s))
				}
			}
		})
	}
}

// Files may be included one after another without a bound, and one within another up to a bound. A name without a folder is searched
// in the folder of WordPress first, then in that of the file that includes it.
func TestIncludes(t *testing.T) {
	files := map[string]string{
		"wp-config.php": "<?php $x = ''; " + strings.Repeat("include 'empty.php'; ", maxIncludes+2) + "include 'sub/first.php'; include 'self.php';",
		"empty.php":     "<?php", "sub/first.php": "<?php include 'second.php'; include './third.php';",
		"sub/second.php": "<?php define('DB_NAME', 'second'); include 'both.php';", "sub/third.php": "<?php define('DB_USER', 'third');",
		"self.php": "<?php $x .= 'a'; if ($x === '" + strings.Repeat("a", maxIncludes) + "') { define('LAST', 'x'); } if ($x === '" +
			strings.Repeat("a", maxIncludes+1) + "') { define('BEYOND', 'x'); } include 'self.php';",
		"both.php": "<?php define('DB_HOST', 'above');", "sub/both.php": "<?php define('DB_HOST', 'below');",
	}
	dir := tree(t, files)
	c, err := Parse(t.Context(), dir, Options{Within: dir})
	wptest.Must(t, err)
	for name, want := range map[string]string{"DB_NAME": "second", "DB_USER": "", "DB_HOST": "above"} {
		got, _ := c.String(name)
		expect.Equal(t, got, want, name)
	}
	all := problems(c, dir)
	expect.Equal(t, strings.Count(all, "too many files include one another"), 1, all)
	expect.Equal(t, strings.Count(all, "there is no such file"), 1, all)
	expect.Contains(t, all, "there is no such file: ./third.php")
	for name, want := range map[string]bool{"LAST": true, "BEYOND": false} {
		_, ok := c.String(name)
		expect.Equal(t, ok, want, name)
	}
}

// Each warning is noted once, up to a bound.
func TestWarningsAreBounded(t *testing.T) {
	for code, want := range map[string]int{
		strings.Repeat("include 'a.php';", 3):               1,
		strings.Repeat("include 'a.php';\n", 3):             3,
		strings.Repeat("include 'a.php';\n", maxWarnings):   maxWarnings,
		strings.Repeat("include 'a.php';\n", maxWarnings+5): maxWarnings,
	} {
		c, err := parseText(t, "<?php "+code)
		wptest.Must(t, err)
		expect.Equal(t, len(c.Warnings), want, len(code))
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/forms/*.php", "testdata/mistakes/*.php", "testdata/bedrock/*/*.php", "testdata/bedrock/.env"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			code, err := os.ReadFile(file)
			wptest.Must(f, err)
			f.Add(string(code))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, code string) {
		for _, name := range []string{"wp-config.php", "include-loop.php", ".env"} {
			wptest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(code), 0o600))
		}
		c, err := Parse(t.Context(), dir, Options{
			Env: func(name string) (string, bool) { return "value", name == "WP_T_NAME" }, sockets: []string{},
		})
		if err != nil {
			return
		}
		if c.TablePrefix != "" && !validPrefix.MatchString(c.TablePrefix) {
			t.Errorf("prefix %q", c.TablePrefix)
		}
		if d, err := c.Database(); err == nil && d.Engine == "mysql" && (d.Addr == "" || d.Network == "") {
			t.Errorf("database without an address: %v", d)
		}
		for _, p := range c.Unknown {
			if p.Why == "" || p.Name == "" || p.File == "" {
				t.Errorf("a problem without a reason: %+v", p)
			}
		}
	})
}

// write makes a file with the folders above it.
func write(t *testing.T, name, text string) {
	t.Helper()
	wptest.Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	wptest.Must(t, os.WriteFile(name, []byte(text), 0o600))
}
