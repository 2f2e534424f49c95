package wpconfig

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// tree makes files, symbolic links ("-> target") and pipes ("|") in a folder, and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	for name, text := range files {
		name = filepath.Join(dir, name)
		wptest.Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, name)
		} else if text == "|" {
			err = syscall.Mkfifo(name, 0o600)
		} else {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		wptest.Must(t, err)
	}
	return dir
}

// problems are all that a configuration notes, without the folder of the test.
func problems(c *Config, dir string) string {
	var all []string
	for _, p := range append(slices.Clone(c.Unknown), c.Warnings...) {
		if p.Name != "$table_prefix" {
			all = append(all, strings.ReplaceAll(p.Error(), dir, "DIR"))
		}
	}
	return strings.Join(all, "\n")
}

func TestWhichFilesAreRead(t *testing.T) {
	const found = "<?php define('WPLANG', 'found');"
	for _, tt := range []struct {
		rule         string
		files        map[string]string
		path, within string
		include      string // an expression in the file at path
		want         string // of the problems; "" where the file is read
	}{
		{"beside wp-config.php", map[string]string{"a/inc/x.php": found}, "a/wp-config.php", "", "'inc/x.php'", ""},
		{"in the folder above", map[string]string{"x.php": found}, "a/wp-config.php", "", "dirname(__DIR__) . '/x.php'", ""},
		{"below the folder above, as Bedrock has it", map[string]string{"config/x.php": found}, "web/wp-config.php", "", "'../config/x.php'", ""},
		{"not two folders above", map[string]string{"x.php": found}, "a/b/wp-config.php", "", "'../../x.php'", "it lies outside of DIR/a"},
		{
			"not another install beside", map[string]string{"b/wp-config.php": found}, "a/wp-config.php", "", "'../b/wp-config.php'",
			"it belongs to another install",
		},
		{
			"not what belongs to another install beside", map[string]string{"b/secret/x.php": found, "b/htdocs/wp-config.php": ""},
			"a/wp-config.php", "", "'../b/secret/x.php'", "it belongs to another install",
		},
		{
			"nor does file_exists tell of it", map[string]string{"b/secret/x.php": "", "b/htdocs/wp-config.php": "", "a/x.php": found},
			"a/wp-config.php", "", "file_exists('../b/secret/x.php') ? 'x.php' : 'y.php'", "depends on a file that cannot be examined",
		},
		{
			"nor Dotenv", map[string]string{"b/.env": "X=x", "b/wp-config.php": "", "a/x.php": found}, "a/wp-config.php", "",
			`'y.php'; Dotenv\Dotenv::createUnsafeMutable(dirname(__DIR__) . '/b')->safeLoad(); include env('X') . '.php'`, "it belongs to another install",
		},
		{
			"nor .env by a link", map[string]string{"b/.env": "X=x", "b/wp-config.php": "", "a/.env": "-> ../b/.env", "a/x.php": found},
			"a/wp-config.php", "", "env('X') . '.php'", "it belongs to another install",
		},
		{
			"nor the environment of the daemon", nil, "a/wp-config.php", "",
			`'y.php'; Dotenv\Dotenv::createUnsafeMutable('/proc/self', 'environ')->safeLoad(); include getenv('PATH') . '.php'`, "it lies outside of DIR",
		},
		{
			"a link counts where it leads", map[string]string{"a/b/x.php": "-> ../../x.php", "x.php": found}, "a/b/wp-config.php", "",
			"'x.php'", "it lies outside of DIR/a",
		},
		{"a link within", map[string]string{"a/x.php": "-> y.php", "a/y.php": found}, "a/wp-config.php", "", "'x.php'", ""},
		{
			"releases behind a link share a folder", map[string]string{"current": "-> releases/7", "releases/7/x": "", "shared/x.php": found},
			"current/web/wp-config.php", "", "dirname(__DIR__, 3) . '/shared/x.php'", "",
		},
		{"a discovered install has no folder above", map[string]string{"x.php": found}, "a/wp-config.php", "a", "'../x.php'", "it lies outside of DIR/a"},
		{"but all of its own", map[string]string{"a/x.php": found}, "a/b/c/wp-config.php", "a", "'../../x.php'", ""},
		{"a pipe", map[string]string{"a/x.php": "|"}, "a/wp-config.php", "", "'x.php'", "not a regular file"},
		{"a folder", map[string]string{"a/x.php/y": ""}, "a/wp-config.php", "", "'x.php'", "not a regular file"},
		{"a device", nil, "a/wp-config.php", "", "'/dev/zero'", "it lies outside of DIR"},
		{"the kernel's", nil, "a/wp-config.php", "", "'/proc/kmsg'", "it lies outside of DIR"},
		{"what is no PHP", map[string]string{"a/x.php": "WPLANG=found"}, "a/wp-config.php", "", "'x.php'", "there is no PHP code in it"},
		{"what is not there", nil, "a/wp-config.php", "", "'x.php'", "there is no such file: x.php"},
	} {
		dir := tree(t, tt.files)
		write(t, filepath.Join(dir, tt.path), "<?php\n@include "+tt.include+";")
		opt := Options{}
		if tt.within != "" {
			opt.Within = filepath.Join(dir, tt.within)
		}
		c, err := Parse(t.Context(), filepath.Join(dir, tt.path), opt)
		if err != nil {
			t.Errorf("%s: %v", tt.rule, err)
			continue
		}
		got := problems(c, dir)
		if s, _ := c.String("WPLANG"); (s == "found") != (tt.want == "") || !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: read %q, problems %q, want %q", tt.rule, s, got, tt.want)
		}
		if tt.want != "" && !strings.Contains(got, "wp-config.php:2") {
			t.Errorf("%s: %q does not name the line", tt.rule, got)
		}
	}
}

func TestFilesOfOtherOwnersAreNotRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, tt := range []struct {
		rule          string
		config, other int
		read          bool
	}{
		{"of the same owner", 1001, 1001, true},
		{"of root", 1001, 0, true},
		{"of another", 1001, 1002, false},
		{"of another than root", 0, 1002, false},
	} {
		dir := tree(t, map[string]string{
			"wp-config.php": "<?php include 'x.php'; define('WP_HOME', env('X'));", "x.php": "<?php define('WPLANG', 'x');", ".env": "X=x",
		})
		for name, owner := range map[string]int{"wp-config.php": tt.config, "x.php": tt.other, ".env": tt.other} {
			wptest.Must(t, os.Chown(filepath.Join(dir, name), owner, owner))
		}
		c, err := Parse(t.Context(), dir, Options{})
		wptest.Must(t, err)
		_, lang := c.String("WPLANG")
		home, _ := c.String("WP_HOME")
		if lang != tt.read || (home == "x") != tt.read || strings.Contains(problems(c, dir), "neither to the owner") == tt.read {
			t.Errorf("%s: include %v, .env %q, problems %s", tt.rule, lang, home, problems(c, dir))
		}
	}
}

// The wp-config.php of a discovered install lies in its folder; what is a link out of it, or never ends, is an error.
func TestWPConfigItself(t *testing.T) {
	dir := tree(t, map[string]string{
		"victim/wp-config.php": "<?php",
		"link/wp-config.php":   "-> ../victim/wp-config.php",
		"pipe/wp-config.php":   "|",
		"kmsg/wp-config.php":   "-> /proc/kmsg",
	})
	for _, tt := range []struct{ name, within, want string }{
		{"link", "link", "outside the folder of the install"},
		{"link", "", ""},
		{"pipe", "pipe", "not a regular file"},
		{"pipe", "", "not a regular file"},
		{"kmsg", "kmsg", "wp-config.php: it is a link to /proc/kmsg, which is outside the folder of the install"},
		{"kmsg", "", "cannot read /proc/kmsg"},
	} {
		opt := Options{}
		if tt.within != "" {
			opt.Within = filepath.Join(dir, tt.within)
		}
		_, err := Parse(t.Context(), filepath.Join(dir, tt.name, "wp-config.php"), opt)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s within %q: %v, want %q", tt.name, tt.within, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Parse(ctx, filepath.Join(dir, "victim"), Options{}); err == nil {
		t.Error("a file is read after the end of the context")
	}
}

// Opening some devices has effects, even if nothing is read. A socket stands for them here: opening it fails in another way.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "device"))
	wptest.Must(t, err)
	defer l.Close()
	wptest.Must(t, os.Symlink("device", filepath.Join(dir, "link")))
	for _, name := range []string{"device", "link", "."} {
		if _, err := ReadRegular(filepath.Join(dir, name)); !errors.Is(err, errNotRegular) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadUnlinked(filepath.Join(dir, "device"), dir, 100); !errors.Is(err, errNotRegular) {
		t.Error(err)
	}
}

// The people of an install may put a pipe or very many files in the place of a folder.
func TestFoldersOfTenantsAreBounded(t *testing.T) {
	pipe, full := filepath.Join(t.TempDir(), "pipe"), t.TempDir()
	wptest.Must(t, syscall.Mkfifo(pipe, 0o600))
	for i := range maxFolder + 1 {
		wptest.Must(t, os.WriteFile(filepath.Join(full, strconv.Itoa(i)), nil, 0o600))
	}
	for _, dir := range []string{pipe, full} {
		if entries, err := ReadFolder(dir); err == nil || len(entries) > 0 {
			t.Errorf("%s: %d names, %v", dir, len(entries), err)
		}
		if !holdsInstall(dir) {
			t.Errorf("%s counts as searched", dir)
		}
	}
	if entries, err := ReadFolder(t.TempDir()); err != nil || len(entries) > 0 {
		t.Errorf("an empty folder: %v %v", entries, err)
	}
}

// /proc/kmsg waits for the kernel's next message, whatever the flags.
func TestReadRegularDoesNotWait(t *testing.T) {
	for _, name := range []string{"/proc/kmsg", "/proc/self/environ", "/dev/zero"} {
		done := make(chan []byte)
		go func() {
			text, _ := ReadRegular(name)
			done <- text
		}()
		select {
		case text := <-done:
			if len(text) > 0 {
				t.Errorf("%s: read %d bytes", name, len(text))
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s is waited for", name)
		}
	}
}

func TestWhichVariablesAreRead(t *testing.T) {
	env := func(name string) (string, bool) {
		switch name {
		case "DB_NAME", "WORDPRESS_DB_NAME", "WP_LANG", "SECRET_TOKEN", "REDIS_PASSWORD", "WPSITEMAPD_CONFIG", "DATABASE_URL", "DB_PASSWORD", "WP_AUTH_KEY":
			return "value", true
		}
		return "", false
	}
	for _, tt := range []struct {
		rule, code, dotenv string
		discovered         bool
		want               string // DB_NAME, or the reason why it is not known
	}{
		{"DB_*", `getenv('DB_NAME')`, "", false, "value"},
		{"WORDPRESS_*", `getenv_docker('WORDPRESS_DB_NAME', 'x')`, "", false, "value"},
		{"WP_*", `$_ENV['WP_LANG']`, "", false, "value"},
		{"no other", `getenv('SECRET_TOKEN')`, "", false, "the daemon reads only DB_*, WORDPRESS_* and WP_*"},
		{"nor of its own kind", `$_SERVER['WPSITEMAPD_CONFIG']`, "", false, "depends on $_SERVER"},
		{"nor one that .env asks for", `env('A')`, `A="${SECRET_TOKEN}."`, false, "."},
		{"that of .env has any name", `env('REDIS_PASSWORD')`, "REDIS_PASSWORD=own", false, "own"},
		{"one that is not read has a default", `getenv('SECRET_TOKEN') ?: 'default'`, "", false, "default"},
		{"nothing for what was discovered", `getenv('DB_NAME')`, "", true,
			"For an install of [[discover]], the daemon does not read it from its own environment"},
		{"but its .env", `env('DB_NAME')`, "DB_NAME=own", true, "own"},
		{"which is not mixed with the daemon's", `env('A')`, "A=${DB_NAME}.", true, "."},
	} {
		dir := tree(t, map[string]string{"wp-config.php": "<?php define('DB_NAME', " + tt.code + ");"})
		if tt.dotenv != "" {
			write(t, filepath.Join(dir, ".env"), tt.dotenv)
		}
		opt := Options{Env: env}
		if tt.discovered {
			opt.Within = dir
		}
		c, err := Parse(t.Context(), dir, opt)
		wptest.Must(t, err)
		s, ok := c.String("DB_NAME")
		if ok != (s == tt.want) || !ok && !strings.Contains(problems(c, dir), tt.want) {
			t.Errorf("%s: %q, %v, problems %s", tt.rule, s, ok, problems(c, dir))
		}
	}
}

// A variable of the daemon that may hold a secret serves to connect, and never comes to stand in an address.
func TestSecretsStayOutOfAddresses(t *testing.T) {
	env := func(name string) (string, bool) {
		return "sesame", name != "WP_HOME_FILE" && name != "DB_PASSWORD_FILE"
	}
	for code, public := range map[string]bool{
		`getenv('WP_HOME')`:     true,
		`getenv('DB_PASSWORD')`: false,
		`'https://x.example/' . getenv('WORDPRESS_AUTH_SALT')`:  false,
		`"https://x.example/{$_ENV['WORDPRESS_DB_PASSWORD']}"`:  false,
		`dirname('/' . getenv('DB_PASSWORD') . '/a')`:           false,
		`['k' => 'http://' . getenv('DB_PASSWORD')]['k']`:       false,
		`getenv('NOT_THERE') ?: getenv('DB_PASSWORD')`:          false,
		`true ? getenv_docker('DB_PASSWORD', '') : ''`:          false,
		`$a = ['k' => getenv('DB_PASSWORD')]) || ($b = $a['k']`: true, // a truth is none
	} {
		for _, name := range []string{"WP_CONTENT_URL", "WP_HOME", "UPLOADS", "DOMAIN_CURRENT_SITE", "YOAST_NEWS_SITEMAP_BASENAME"} {
			dir := tree(t, map[string]string{"wp-config.php": "<?php define('" + name + "', (" + code + ")); define('DB_PASSWORD', (" + code + "));"})
			c, err := Parse(t.Context(), dir, Options{Env: env})
			wptest.Must(t, err)
			if s, ok := c.String(name); ok != public {
				t.Errorf("%s = %s is %q", name, code, s)
			}
			if _, ok := c.String("DB_PASSWORD"); !ok {
				t.Errorf("DB_PASSWORD = %s is not known: %s", code, problems(c, dir))
			}
		}
	}
}

// The official Docker image keeps its password in a file that a variable names.
func TestDockerSecrets(t *testing.T) {
	dir := tree(t, map[string]string{
		"run/secrets/password": "sesame\n", "elsewhere": "sesame", "run/secrets/link": "-> ../../elsewhere", "run/secrets/pipe": "|",
		"site/wp-config.php": "<?php\ndefine('DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'default'));define('WP_HOME', DB_PASSWORD);",
		"own/wp-config.php":  "<?php\nenv('X'); define('DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'default'));",
	})
	write(t, filepath.Join(dir, "own", ".env"), "WORDPRESS_DB_PASSWORD_FILE="+dir+"/run/secrets/password")
	for _, tt := range []struct{ rule, site, file, within, want string }{
		{"a secret of the container", "site", "run/secrets/password", "", "sesame"},
		{"another file", "site", "elsewhere", "", "it lies outside of DIR/run/secrets"},
		{"a link to another file", "site", "run/secrets/link", "", "it lies outside of DIR/run/secrets"},
		{"a pipe", "site", "run/secrets/pipe", "", "not a regular file"},
		{"for a discovered install the variable is not read", "site", "run/secrets/password", "site", "default"},
		{"named by the install's own .env", "own", "", "", "the daemon reads that file only if the variable is in its own environment"},
	} {
		c, err := Parse(t.Context(), filepath.Join(dir, tt.site), Options{
			Env: func(name string) (string, bool) {
				return filepath.Join(dir, tt.file), name == "WORDPRESS_DB_PASSWORD_FILE" && tt.file != ""
			},
			Within: map[bool]string{true: filepath.Join(dir, tt.within)}[tt.within != ""], secrets: filepath.Join(dir, "run", "secrets"),
		})
		wptest.Must(t, err)
		s, ok := c.String("DB_PASSWORD")
		if ok != (s == tt.want) || !ok && !strings.Contains(problems(c, dir), tt.want) {
			t.Errorf("%s: %q, problems %s", tt.rule, s, problems(c, dir))
		}
		if s, _ := c.String("WP_HOME"); s == "sesame" {
			t.Errorf("%s: the secret stands in WP_HOME", tt.rule)
		}
	}
}

// A discovered install has no SQLite file but its own.
func TestSQLiteOfDiscoveredInstalls(t *testing.T) {
	for name, want := range map[string]bool{"data/.ht.sqlite": true, "../victim/.ht.sqlite": false, "link.sqlite": false} {
		dir := tree(t, map[string]string{
			"a/wp-config.php":   "<?php define('DB_ENGINE', 'sqlite'); define('FQDB', __DIR__ . '/" + name + "');",
			"a/data/.ht.sqlite": "", "victim/.ht.sqlite": "", "a/link.sqlite": "-> ../victim/.ht.sqlite",
		})
		for _, within := range []string{"", filepath.Join(dir, "a")} {
			c, err := Parse(t.Context(), filepath.Join(dir, "a"), Options{Within: within})
			wptest.Must(t, err)
			if _, err := c.Database(); (err == nil) != (want || within == "") {
				t.Errorf("%s within %q: %v", name, within, err)
			}
		}
	}
}

// The SQLite file of a discovered install is not read if another user could put a link in its place, or in that of a folder
// on the way to it.
func TestSQLiteFilesThatOthersCanReplace(t *testing.T) {
	for rule, change := range map[string]func(dir string) error{
		"nobody":                              func(string) error { return nil },
		"everybody can write to the folder":   func(dir string) error { return os.Chmod(dir+"/data", 0o777) },
		"a group can write to the folder":     func(dir string) error { return os.Chmod(dir+"/data", 0o775) },
		"a group can write to the install":    func(dir string) error { return os.Chmod(dir, 0o775) },
		"the folder belongs to another user":  func(dir string) error { return os.Chown(dir+"/data", 1002, -1) },
		"the install belongs to another user": func(dir string) error { return os.Chown(dir, 1002, -1) },
		"the file belongs to another user":    func(dir string) error { return os.Chown(dir+"/data/.ht.sqlite", 1002, -1) },
		"everybody can make files beside it":  func(dir string) error { return os.Chmod(dir+"/data", 0o777|os.ModeSticky) },
	} {
		base := tree(t, map[string]string{
			"a/wp-config.php":   "<?php define('DB_ENGINE', 'sqlite'); define('FQDB', __DIR__ . '/link/.ht.sqlite');",
			"a/data/.ht.sqlite": "", "a/link": "-> data",
		})
		dir := filepath.Join(base, "a")
		if err := change(dir); errors.Is(err, fs.ErrPermission) {
			continue // only root can give files away
		} else {
			wptest.Must(t, err)
		}
		c, err := Parse(t.Context(), dir, Options{Within: dir})
		wptest.Must(t, err)
		d, err := c.Database()
		if ok := rule == "nobody"; (err == nil) != ok {
			t.Errorf("%s: %v", rule, err)
		} else if real, _ := filepath.EvalSymlinks(dir); ok && d.SQLitePath != real+"/data/.ht.sqlite" {
			t.Errorf("%s: the path has links: %s", rule, d.SQLitePath)
		}
	}
}
