// Package wpconfig reads wp-config.php without PHP. It evaluates the statements that configurations consist of:
// literals, constants, conditions, includes and .env files. It executes nothing.
//
// The package never guesses. A value may depend on the request ($_SERVER['HTTP_HOST']), on an unknown function, or on
// an environment variable that is not set. Such a value becomes a Problem, which names the key of our own
// configuration to set instead. Everything that is set below an unknown condition, in a loop, or in code that is not
// understood is unknown too. The rest of the file is still read.
//
// The people of a site write its wp-config.php, and they may be anybody. So the file reaches only files of its own
// install (see files), and no environment variable that may hold a secret of the daemon (see isOpen). The variables
// may differ from those of the web server. If the file has a default for a variable that is not set here, the default
// is used and a Warning says so.
package wpconfig

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Options say what a wp-config.php may use outside of its own code.
type Options struct {
	// Env looks up an environment variable of the daemon. A wp-config.php gets only variables with certain names. If
	// Env is nil, no variable is set.
	Env func(name string) (string, bool)
	// Within is the folder of an install that was discovered. Its wp-config.php and the files that it names must be
	// below this folder, and Env is not used. If Within is "", the configuration names the install.
	Within string

	// For tests:
	sockets []string // replaces usualSockets for DB_HOST localhost
	secrets string   // replaces /run/secrets, the folder of a container's secrets
}

// Config holds what a wp-config.php and the files it includes define.
type Config struct {
	File        string // absolute path of the wp-config.php
	TablePrefix string // $table_prefix; "" if it is among Unknown

	// Unknown lists the settings that the daemon needs and that the files set in a way that cannot be evaluated. It
	// contains $table_prefix if that is not set, or has other characters than letters, digits and underscores.
	Unknown []Problem
	// Warnings lists code that was not followed, such as includes. It also lists defaults that were used for
	// environment variables that are not set here.
	Warnings []Problem

	constants map[string]binding
	root      string // folder of WordPress, as far as known
	files     *files
	opt       Options
}

// Format writes only the path, because the constants are secrets.
func (c *Config) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "wpconfig(%s)", c.File) }

// LogValue returns only the path.
func (c *Config) LogValue() slog.Value { return slog.StringValue(c.File) }

// A Problem is something in a wp-config.php that the operator should know. It never contains a value, because the
// values of a wp-config.php are secrets.
type Problem struct {
	Name    string // a constant, "$table_prefix", or the code that was not followed: "include", "define", "eval"
	File    string // absolute path
	Line    int    // 0 if unknown
	Why     string // for example "depends on $_SERVER"
	Setting string // the key of our configuration to set instead, or ""
	Assumed bool   // a value was assumed; Why names the assumption
	Unset   bool   // no code that was read sets it
}

// Error describes the problem in one sentence.
func (p Problem) Error() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.unfollowed() {
		return fmt.Sprintf("not followed: %s at %s: %s", p.Name, at, p.Why)
	}
	s, otherwise := "cannot evaluate", ""
	if p.Assumed {
		s, otherwise = "not sure of", "if that is wrong "
	}
	s = fmt.Sprintf("%s %s at %s: %s", s, p.Name, at, p.Why)
	if p.Setting != "" {
		s += fmt.Sprintf("; %sset %s in the configuration", otherwise, p.Setting)
	}
	return s
}

// unfollowed reports whether the problem is code that was not followed and may have set anything.
func (p Problem) unfollowed() bool {
	return p.Name == "include" || p.Name == "define" || p.Name == "eval"
}

// settings are the constants that the daemon needs, in the order of Config.Unknown. key is the key of our
// configuration that an operator can set instead of the constants, or "" if there is none.
var settings = []struct {
	key       string
	constants []string
}{
	{"dsn", strings.Fields("DB_NAME DB_USER DB_PASSWORD DB_HOST DB_CHARSET MYSQL_CLIENT_FLAGS " +
		"DB_ENGINE DATABASE_ENGINE DB_DIR DB_FILE FQDB FQDBDIR")},
	{"home", strings.Fields("WP_HOME WP_SITEURL")},
	{"", strings.Fields("WP_CONTENT_DIR WP_CONTENT_URL WP_PLUGIN_URL UPLOADS BLOGUPLOADDIR UPLOADBLOGSDIR CUSTOM_USER_TABLE " +
		"CUSTOM_USER_META_TABLE MULTISITE SUBDOMAIN_INSTALL VHOST DOMAIN_CURRENT_SITE PATH_CURRENT_SITE SITE_ID_CURRENT_SITE " +
		"BLOG_ID_CURRENT_SITE SUNRISE NOBLOGREDIRECT WPLANG WP_ENVIRONMENT_TYPE YOAST_NEWS_SITEMAP_BASENAME YOAST_VIDEO_SITEMAP_BASENAME")},
	{"table_prefix", []string{"$table_prefix"}},
}

// setting returns the key of our configuration that replaces a constant. It returns "" if there is no such key.
func setting(name string) string {
	for _, s := range settings {
		if slices.Contains(s.constants, name) {
			return s.key
		}
	}
	return ""
}

// assumptionMatters holds the constants whose wrong value would lead to another database or site.
var assumptionMatters = map[string]bool{
	"DB_NAME": true, "DB_USER": true, "DB_PASSWORD": true, "DB_HOST": true, "WP_HOME": true, "WP_SITEURL": true,
}

// Parse reads the wp-config.php at path. If path is a folder, Parse reads the first of these files that exists:
//
//  1. wp-config.php in the folder
//  2. wp-config.php in the folder above, if that has no wp-settings.php (a WordPress of its own)
//  3. config/application.php, as in Bedrock
//
// Parse returns an error if the file cannot be read, is larger than 4 MiB or is not PHP. It also returns an error if the
// file ends within a string, a comment or a block, which may happen during a deployment. A setting with an unknown
// value does not cause an error: Config.Unknown lists the setting.
func Parse(ctx context.Context, path string, opt Options) (*Config, error) {
	if opt.Env == nil || opt.Within != "" {
		opt.Env = func(string) (string, bool) { return "", false }
	}
	if opt.sockets == nil {
		opt.sockets = usualSockets
	}
	opt.secrets = cmp.Or(opt.secrets, "/run/secrets")
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	root := ""
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if root, err = filepath.EvalSymlinks(path); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, reason(err))
		}
		path = find(path)
	}
	// newFiles resolves symbolic links, because PHP does so for __FILE__ and __DIR__.
	f, path, code, err := newFiles(ctx, path, opt.Within)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, reason(err))
	}
	defer f.close()
	if root == "" || !exists(root, "wp-settings.php") {
		root = filepath.Dir(path)
	}
	in := &interpreter{
		opt: opt, files: f, root: root, names: map[string]binding{}, perhaps: map[string]binding{}, once: map[string]bool{},
		functions: map[string][]token{},
	}
	if exists(root, "wp-settings.php") {
		in.names[constant+"ABSPATH"] = binding{value: text(root + "/")} // WordPress defines it before it loads the file
	}
	if _, err := in.run(path, string(code)); err != nil {
		return nil, fmt.Errorf("cannot read %s, %w", cmp.Or(in.fatalFile, path), err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return in.config(path), nil
}

func exists(name ...string) bool {
	_, err := os.Stat(filepath.Join(name...))
	return err == nil
}

// find returns the path of the configuration of the WordPress in dir.
func find(dir string) string {
	above := filepath.Dir(dir)
	switch {
	case exists(dir, "wp-config.php"):
	case exists(above, "wp-config.php") && !exists(above, "wp-settings.php"):
		return filepath.Join(above, "wp-config.php")
	case exists(dir, "config", "application.php"):
		return filepath.Join(dir, "config", "application.php")
	}
	return filepath.Join(dir, "wp-config.php")
}

var validPrefix = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

func (in *interpreter) config(path string) *Config {
	c := &Config{File: path, Warnings: in.warnings, constants: map[string]binding{}, root: in.root, files: in.files, opt: in.opt}
	for name, b := range in.names {
		if key, ok := strings.CutPrefix(name, constant); ok {
			c.constants[key] = b
		}
	}
	if b, ok := c.constants["ABSPATH"]; ok && b.isText() && !b.secret && filepath.IsAbs(b.Str()) {
		c.root = filepath.Clean(b.Str())
	}
	for _, s := range settings {
		for _, name := range s.constants {
			if name == "$table_prefix" {
				c.prefix(in)
			} else if b, ok := in.bound(constant+name, name == "MULTISITE"); ok {
				c.check(in, name, s.key, b)
			}
		}
	}
	return c
}

// bound returns the binding of a name, and whether there is one. The binding has a note if PHP may have set the name
// elsewhere. If orPerhaps is set, bound also returns a binding that PHP sets only under a condition that is not known
// here.
func (in *interpreter) bound(name string, orPerhaps bool) (b binding, ok bool) {
	b, ok = in.names[name]
	perhaps := in.perhaps[name]
	if !ok && orPerhaps && perhaps.why != "" {
		return perhaps, true
	}
	b.note = cmp.Or(b.note, perhaps.why)
	return b, ok
}

// check records that a constant is unknown or assumed. key is the key of our configuration that replaces it.
func (c *Config) check(in *interpreter, name, key string, b binding) {
	if _, ok := b.requestPath(); ok && name == "WP_CONTENT_URL" { // see ContentPath
		return
	}
	p := Problem{Name: name, File: b.file, Line: b.line, Setting: key, Why: b.trouble(key != "" || !in.hasDotenv)}
	if name == "MULTISITE" { // the database shows whether the site is a network
		p.Why = strings.TrimSuffix(cmp.Or(p.Why, b.note), defaultUsed)
	}
	if p.Why == "" && b.secret && key != "dsn" {
		p.Why = "would show the value of an environment variable that may be a secret"
	}
	switch {
	case p.Why != "":
		if name == "DB_PASSWORD" { // the name of the function may be a part of the password
			p.Why = called.ReplaceAllString(p.Why, "calls a function")
		}
		c.Unknown = append(c.Unknown, p)
		b.value = unknown(p.Why)
		c.constants[name] = b
	case b.note != "" && assumptionMatters[name]:
		p.Why, p.Assumed = b.note, true
		c.Warnings = append(c.Warnings, p)
	}
}

// prefix sets TablePrefix, or records what is wrong with $table_prefix.
func (c *Config) prefix(in *interpreter) {
	b, ok := in.bound(variable+"table_prefix", false)
	p := Problem{Name: "$table_prefix", File: b.file, Line: b.line, Why: b.trouble(true), Setting: setting("$table_prefix")}
	switch {
	case !ok:
		p = c.missing("$table_prefix")
		p.Unset = p.Why == "is not defined"
		p.Why = strings.Replace(p.Why, "is not defined", "is not set", 1)
	case p.Why != "":
	case b.isArray() || !validPrefix.MatchString(b.Str()):
		p.Why = "must be made of letters, digits and underscores"
	default:
		c.TablePrefix = b.Str()
		if b.note != "" {
			p.Why, p.Assumed = b.note, true
			c.Warnings = append(c.Warnings, p)
		}
		return
	}
	c.Unknown = append(c.Unknown, p)
}

// trouble returns why a binding cannot be used, or "". PHP reads an environment variable that is not set as false or
// null. Here such a value may be wrong, because the web server may have set the variable. If needed is set, trouble
// therefore refuses such a value.
func (b binding) trouble(needed bool) string {
	switch {
	case !b.known():
		return b.why
	case b.missing != "" && needed:
		return b.missing
	case b.loader != nil:
		return "is an object"
	}
	return ""
}

var called = regexp.MustCompile(`calls [^ ]+\(\)`)

func (c *Config) constant(name string) (value, bool) {
	b, ok := c.constants[name]
	if !ok || !b.isText() {
		return value{}, false
	}
	return b.value, true
}

// defined reports whether a constant is defined, even if its value or the condition for it is not known.
func (c *Config) defined(name string) bool {
	_, ok := c.constants[name]
	return ok
}

// String returns a constant as PHP converts it to text: "1" for true, "" for false and null. ok is false if the
// constant is not defined or its value is not known.
func (c *Config) String(name string) (s string, ok bool) {
	v, ok := c.constant(name)
	return v.Str(), ok
}

// Bool returns whether a constant is true by PHP's rules. The text 'false' is true.
func (c *Config) Bool(name string) (b, ok bool) {
	v, ok := c.constant(name)
	return v.Truthy(), ok
}

// ContentPath returns the path of WP_CONTENT_URL if that address is at the host of the request.
func (c *Config) ContentPath() (path string, ok bool) {
	return c.constants["WP_CONTENT_URL"].requestPath()
}

// Multisite reports whether WordPress is a network, as is_multisite() does. If MULTISITE is defined, its value decides.
// If not, the result is true if SUBDOMAIN_INSTALL, VHOST or SUNRISE is defined. WP_ALLOW_MULTISITE only allows people
// to create a network.
func (c *Config) Multisite() bool {
	if c.defined("MULTISITE") {
		on, _ := c.Bool("MULTISITE")
		return on
	}
	return c.defined("SUBDOMAIN_INSTALL") || c.defined("VHOST") || c.defined("SUNRISE")
}

// MultisiteKnown reports whether the result of Multisite is certain: MULTISITE is not defined, or its value is known.
func (c *Config) MultisiteKnown() bool {
	_, known := c.Bool("MULTISITE")
	return known || !c.defined("MULTISITE")
}

// missing returns the Problem that a constant is not defined. It names code that was not followed and may define it.
func (c *Config) missing(name string) Problem {
	p := Problem{Name: name, File: c.File, Why: "is not defined", Setting: setting(name)}
	for _, w := range c.Warnings {
		if w.unfollowed() {
			p.Why += fmt.Sprintf(" (the %s at %s:%d was not followed: %s)", w.Name, w.File, w.Line, w.Why)
			break
		}
	}
	return p
}
