package wpconfig

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A loader of phpdotenv reads the first of its files, or all. Variables that are set already stay, unless the loader overwrites them.
func TestDotenvLoaders(t *testing.T) {
	files := map[string]string{
		".env": "WP_A=of-env\nWP_OWN=of-env\n", "x.env": "WP_A=of-x\nWP_B=only-x\n", "sub/.env": "WP_A=of-sub\nWP_C=only-sub\n",
		"sub/x.env": "WP_A=of-sub-x\n",
	}
	for code, want := range map[string]string{
		`Dotenv\Dotenv::createImmutable(__DIR__)->load();`:                                                           "of-env - - daemon",
		`Dotenv\Dotenv::createUnsafeImmutable(__DIR__)->safeLoad();`:                                                 "of-env - - daemon",
		`Dotenv\Dotenv::createMutable(__DIR__)->load();`:                                                             "of-env - - of-env",
		`Dotenv\Dotenv::createUnsafeMutable(__DIR__)->load();`:                                                       "of-env - - of-env",
		`Dotenv\Dotenv::create(__DIR__)->load();`:                                                                    "of-env - - daemon",
		`Dotenv\Dotenv::create(__DIR__)->overload();`:                                                                "of-env - - of-env",
		`Dotenv\Dotenv::create(new Repository(), __DIR__)->load();`:                                                  "of-env - - daemon",
		`Dotenv\Dotenv::create(repository(), __DIR__ . '/sub')->load();`:                                             "of-sub - only-sub daemon",
		`Dotenv\Dotenv::create(__DIR__, 'x.env')->load();`:                                                           "of-x only-x - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, 'x.env')->load();`:                                                  "of-x only-x - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, null)->load();`:                                                     "of-env - - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, '')->load();`:                                                       "of-env - - daemon",
		`Dotenv\Dotenv::createImmutable([__DIR__ . '/sub', __DIR__])->load();`:                                       "of-sub - only-sub daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, ['none.env', 'x.env'])->load();`:                                    "of-x only-x - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, ['.env', 'x.env'])->load();`:                                        "of-env - - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, ['.env', 'x.env'], true)->load();`:                                  "of-env - - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__, ['.env', 'x.env'], false)->load();`:                                 "of-x only-x - daemon",
		`(new Dotenv\Dotenv(__DIR__))->load();`:                                                                      "of-env - - daemon",
		`$d = new Dotenv(__DIR__, 'x.env'); $d->load();`:                                                             "of-x only-x - daemon",
		`$d = new Dotenv(__DIR__ . '/sub'); $d->overload();`:                                                         "of-sub - only-sub daemon",
		`$d = Dotenv\Dotenv::createImmutable(__DIR__); $d->required('WP_A')->notEmpty(); $d->load();`:                "of-env - - daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__)->load(); Dotenv\Dotenv::createImmutable(__DIR__ . '/sub')->load();`: "of-env - only-sub daemon",
		`Dotenv\Dotenv::createImmutable(__DIR__);`:                                                                   "- - - daemon",
		`new Other(__DIR__);`:                            "- - - daemon",
		`Dotenv\Dotenv::createImmutable('sub')->load();`: "of-sub - only-sub daemon",
	} {
		dir := tree(t, files)
		write(t, filepath.Join(dir, "wp-config.php"), "<?php\n"+code+`
define('DB_NAME', (getenv('WP_A') ?: '-') . ' ' . (getenv('WP_B') ?: '-') . ' ' . (getenv('WP_C') ?: '-') . ' ' . getenv('WP_OWN'));`)
		c, err := Parse(t.Context(), filepath.Join(dir, "wp-config.php"),
			Options{Env: func(name string) (string, bool) { return "daemon", name == "WP_OWN" }})
		wptest.Must(t, err)
		got, _ := c.String("DB_NAME")
		expect.Equal(t, got, want, code, problems(c, dir))
	}
}

// The lines of a .env file, as phpdotenv reads them.
func TestDotenvLines(t *testing.T) {
	long := strings.Repeat("x", maxString/2)
	for line, want := range map[string]string{
		"X=a": `"a"`, "X = a ": `"a"`, "export X=a": `"a"`, "X='a b' # c": `"a b"`, `X="a b"`: `"a b"`, "X=a#b": `"a#b"`, "X=a #b": `"a"`, "X=": "false",
		"X=''":           "false",
		`X="a\nb\"c\\d"`: `"a\nb\"c\\d"`, "X='a\\nb'": `"a\\nb"`, "X=\"a\nb\"": `"a\nb"`, "Y=b\nX=${Y}c": `"bc"`, "Y=b\nX=\"a${Y}\"": `"ab"`,
		"Y=b\nX='a${Y}'": `"a${Y}"`,
		"X=Pa$WORD":      `"Pa$WORD"`, "X=a\nX=b": `"b"`, "# X=a": "false", "'X'=a": `"a"`, "\ufeffX=a": `"a"`, "X=a\r\nY=b": `"a"`, "X=${NOTHING}a": `"a"`,
		"X=\"a": "false", "X a": "false",
		"Y=" + long + "\nX=${Y}a": fmt.Sprintf("%q", long+"a"), "Y=" + long + "\nX=${Y}${Y}": "is too long",
	} {
		dir := tree(t, map[string]string{".env": line + "\n"})
		write(t, filepath.Join(dir, "wp-config.php"),
			"<?php Dotenv::createImmutable(__DIR__)->load(); define('DB_NAME', getenv('X') === false ? 'none' : getenv('X'));")
		c, err := Parse(t.Context(), dir, Options{})
		wptest.Must(t, err)
		got, ok := c.String("DB_NAME")
		switch {
		case !ok:
			got = c.Unknown[0].Why
		case got == "none" || got == "":
			got = "false"
		default:
			got = fmt.Sprintf("%q", got)
		}
		expect.Equal(t, got[:min(len(got), 90)], want[:min(len(want), 90)], line[:min(len(line), 40)])
		expect.Equal(t, len(got), len(want), line[:min(len(line), 40)])
	}
}

// The daemon's environment has secrets. A file gets only variables with certain names, and no secret gets into a public address.
func TestWhichVariablesMayBeRead(t *testing.T) {
	for name, want := range map[string][2]bool{ // open, secret
		"DB_HOST": {true, true}, "WP_HOME": {true, false}, "WORDPRESS_DB_HOST": {true, true}, "WORDPRESS_TITLE": {true, false}, "WP_AUTH_X": {true, true},
		"WP_my_token": {true, true},
		"HOME":        {false, false}, "MYSQL_PWD": {false, true}, "AWS_SECRET": {false, true}, "XDB_A": {false, false}, "": {false, false},
		"WP_SALT": {true, true}, "WP_Credentials": {true, true},
	} {
		expect.Equal(t, [2]bool{isOpen(name), isSecret(name)}, want, name)
	}
	dir := tree(t, map[string]string{"wp-config.php": "<?php define('WP_HOME', 'https://' . getenv('WP_TOKEN')); define('DB_NAME', getenv('WP_TOKEN')); define('DB_USER', getenv('HOME')); include getenv('WP_TOKEN');"})
	c, err := Parse(t.Context(), dir, Options{Env: func(string) (string, bool) { return "sesame", true }})
	wptest.Must(t, err)
	_, home := c.String("WP_HOME")
	name, _ := c.String("DB_NAME")
	user, _ := c.String("DB_USER")
	expect.Equal(t, home, false, "a secret is in the public address")
	expect.Equal(t, name, "sesame", "a secret is the name of the database")
	expect.Equal(t, user, "", "a variable of another name is read")
	all := problems(c, dir)
	expect.Contains(t, all, "its name is a secret")
	expect.Equal(t, strings.Contains(all, "sesame"), false, all)
}

// A secret stays one within another variable.
func TestSecretsWithinVariables(t *testing.T) {
	dir := tree(t, map[string]string{
		".env":          "WP_A=https://${WP_OPEN}\nWP_B=https://${WP_TOKEN}\nWP_C=${WP_TOKEN}${WP_OPEN}\n",
		"wp-config.php": "<?php Dotenv::createImmutable(__DIR__)->load(); define('WP_HOME', getenv('WP_A')); define('WP_SITEURL', getenv('WP_B')); include getenv('WP_C');",
	})
	env := func(name string) (string, bool) { return "sesame", name == "WP_OPEN" || name == "WP_TOKEN" }
	c, err := Parse(t.Context(), dir, Options{Env: env})
	wptest.Must(t, err)
	home, _ := c.String("WP_HOME")
	_, site := c.String("WP_SITEURL")
	expect.Equal(t, home, "https://sesame", "a variable that is no secret")
	expect.Equal(t, site, false, "a secret is in an address")
	expect.Contains(t, problems(c, dir), "its name is a secret")
	expect.Equal(t, strings.Contains(problems(c, dir), "sesame"), false, problems(c, dir))
}
