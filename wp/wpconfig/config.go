// Package wpconfig reads wp-config.php without PHP: it takes the statements that configurations are made of one
// after the other, literals, constants, conditions, includes, .env files, and executes nothing.
//
// What cannot be known is never guessed. A value that depends on the request ($_SERVER['HTTP_HOST']), on a function
// that is not known here or on an environment variable that is not set becomes a Problem, which names the key of
// our own configuration to set instead. What is set below a condition that cannot be evaluated, or in a loop, is
// unknown, and so is what code that is not understood seems to set. The rest of the file is read on.
//
// A wp-config.php is written by the people of a site, who may be anybody: it reaches no file but those of its own
// install (see files), and no environment variable that may hold a secret of the daemon (see isOpen). The variables
// need not be those of the web server: where a file has a default for one that is not set here, the default holds
// and a Warning says so.
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

// Options are the world outside of the file.
type Options struct {
	// Env looks up an environment variable of the daemon, of which a wp-config.php gets only those with certain
	// names. Nil: none is set.
	Env func(name string) (string, bool)
	// Within is the folder of an install that was discovered: wp-config.php and what it names must lie in it, and Env
	// is not used. "": the configuration names the install.
	Within string

	// Of tests:
	sockets []string // tried in this order for DB_HOST localhost, in place of UsualSockets
	secrets string   // folder of a container's secrets, in place of /run/secrets
}

// Config is what a wp-config.php and the files it includes define.
type Config struct {
	File        string // the wp-config.php that was read, absolute
	TablePrefix string // $table_prefix; "" when it is among Unknown

	// Unknown lists what the daemon needs and the files set in a way that cannot be evaluated, and $table_prefix
	// when it is not set or not made of letters, digits and underscores.
	Unknown []Problem
	// Warnings lists what was not followed, such as includes, and defaults taken for environment variables not set here.
	Warnings []Problem

	constants map[string]binding
	root      string // directory of WordPress, as far as known
	files     *files
	opt       Options
}

// Format writes the path only: the constants are secrets.
func (c *Config) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "wpconfig(%s)", c.File) }

// LogValue is the path only.
func (c *Config) LogValue() slog.Value { return slog.StringValue(c.File) }

// A Problem is something in a wp-config.php that an operator should know. It never holds a value, since the values
// of a wp-config.php are secrets.
type Problem struct {
	Name    string // constant or "$table_prefix", or what was not followed: "include", "define", "eval"
	File    string // absolute
	Line    int    // 0 if unknown
	Why     string // "depends on $_SERVER"
	Setting string // the key of our configuration to set instead, "" without one
	Assumed bool   // a value was assumed all the same; Why names it
	Unset   bool   // nothing that was read sets it
}

// Error is the problem in one sentence.
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

// unfollowed reports whether the problem is code that may have set anything.
func (p Problem) unfollowed() bool {
	return p.Name == "include" || p.Name == "define" || p.Name == "eval"
}

// settings are the constants that the daemon reads, in the order of Config.Unknown, under the key of our configuration
// that replaces them.
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

// setting is the key of our configuration that replaces a constant, "" without one.
func setting(name string) string {
	for _, s := range settings {
		if slices.Contains(s.constants, name) {
			return s.key
		}
	}
	return ""
}

// assumptionMatters names those for which the wrong default leads to another database or site.
var assumptionMatters = map[string]bool{
	"DB_NAME": true, "DB_USER": true, "DB_PASSWORD": true, "DB_HOST": true, "WP_HOME": true, "WP_SITEURL": true,
}

// Parse reads the wp-config.php at path. A directory stands for the wp-config.php in it or, as WordPress has it,
// the one in the directory above unless that is a WordPress of its own (has a wp-settings.php); last for Bedrock's
// config/application.php in it.
//
// The error is not nil when the file cannot be read, has more than 4 MiB, is no PHP, or ends within a string, a
// comment or a block, as it does half-way through a deployment. What is merely not known is in Config.Unknown.
func Parse(ctx context.Context, path string, opt Options) (*Config, error) {
	if opt.Env == nil || opt.Within != "" {
		opt.Env = func(string) (string, bool) { return "", false }
	}
	if opt.sockets == nil {
		opt.sockets = UsualSockets
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
	// PHP's __FILE__ has no symbolic links in it; dirname(__DIR__) depends on that.
	f, path, code, err := newFiles(ctx, path, opt.Within)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, reason(err))
	}
	if root == "" || !exists(root, "wp-settings.php") {
		root = filepath.Dir(path)
	}
	in := &interpreter{
		opt: opt, files: f, root: root, names: map[string]binding{}, perhaps: map[string]binding{}, once: map[string]bool{},
		functions: map[string][]token{},
	}
	if exists(root, "wp-settings.php") {
		in.names[constant+"ABSPATH"] = binding{value: text(root + "/")} // WordPress has defined it before it loads the file
	}
	if _, err := in.run(path, string(code)); err != nil {
		return nil, fmt.Errorf("cannot read %s, %w", path, err)
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

// find is where WordPress in dir has its configuration.
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

// bound returns the binding of a name with what is assumed of it; one that may only be set counts where orPerhaps is set.
func (in *interpreter) bound(name string, orPerhaps bool) (b binding, ok bool) {
	b, ok = in.names[name]
	perhaps := in.perhaps[name]
	if !ok && orPerhaps && perhaps.why != "" {
		return perhaps, true
	}
	b.note = cmp.Or(b.note, perhaps.why)
	return b, ok
}

// check notes that a constant is unknown or assumed. key is the key of our configuration that replaces it.
func (c *Config) check(in *interpreter, name, key string, b binding) {
	if _, ok := b.requestPath(); ok && name == "WP_CONTENT_URL" { // see ContentPath
		return
	}
	p := Problem{Name: name, File: b.file, Line: b.line, Setting: key, Why: b.trouble(key != "" || !in.hasDotenv)}
	if name == "MULTISITE" { // the database shows it
		p.Why = strings.TrimSuffix(cmp.Or(p.Why, b.note), defaultUsed)
	}
	if p.Why == "" && b.secret && key != "dsn" {
		p.Why = "would show the value of an environment variable that may be a secret"
	}
	switch {
	case p.Why != "":
		if name == "DB_PASSWORD" { // what it is made of may be a part of it
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

// prefix takes $table_prefix, or notes what is wrong with it.
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

// trouble is why a binding cannot be used. PHP has false or null for an environment variable that is not set, and the web
// server may have set it: needed says that this will not do. What a .env file does not have is not set for PHP either.
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

// Defined reports whether a constant is defined, even when its value, or the condition for it, is not known.
func (c *Config) Defined(name string) bool {
	_, ok := c.constants[name]
	return ok
}

// String is a constant as PHP makes text of it: "1" for true, "" for false and null. It is not ok when the
// constant is not defined or its value not known.
func (c *Config) String(name string) (s string, ok bool) {
	v, ok := c.constant(name)
	return v.Str(), ok
}

// Bool is a constant by PHP's rules of truth: 'false', the text, is true.
func (c *Config) Bool(name string) (b, ok bool) {
	v, ok := c.constant(name)
	return v.Truthy(), ok
}

// ContentPath is the path of WP_CONTENT_URL where that is an address of the request's own host.
func (c *Config) ContentPath() (path string, ok bool) {
	return c.constants["WP_CONTENT_URL"].requestPath()
}

// Multisite reports whether WordPress is a network: MULTISITE is true or, where it is not defined, one of
// SUBDOMAIN_INSTALL, VHOST and SUNRISE is defined (is_multisite()). WP_ALLOW_MULTISITE only allows to make one.
func (c *Config) Multisite() bool {
	if c.Defined("MULTISITE") {
		on, _ := c.Bool("MULTISITE")
		return on
	}
	return c.Defined("SUBDOMAIN_INSTALL") || c.Defined("VHOST") || c.Defined("SUNRISE")
}

// MultisiteKnown reports whether Multisite is certain: MULTISITE is defined with a value that is known, or not at
// all.
func (c *Config) MultisiteKnown() bool {
	_, known := c.Bool("MULTISITE")
	return known || !c.Defined("MULTISITE")
}

// missing says that a constant is not defined, and where it might have been.
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
