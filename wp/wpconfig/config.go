// Package wpconfig reads wp-config.php without PHP. It has a tokeniser, a parser for the statements and an evaluator
// for the expressions that configurations are made of; nothing is executed and nothing but files is touched.
//
// What cannot be known is never guessed. A value that depends on the request ($_SERVER['HTTP_HOST']), on a function
// that is not known here or on an environment variable that is not set becomes a Problem, which names the key of
// our own configuration to set instead. Where a condition cannot be evaluated, all its branches are read: what
// they agree on holds, what they do not is unknown. A branch that ends PHP is not the one of a working site and
// does not count. Code that is not understood makes unknown what it seems to set. The rest of the file is read on.
//
// Environment variables are those of Options.Env and of .env files. They need not be those of the web server: where a
// file has a default for one that is not set here, the default holds and a Warning tells so.
package wpconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// Options are the world outside of the file; the zero Options is the real one.
type Options struct {
	// Env looks up an environment variable. Nil: os.LookupEnv.
	Env func(name string) (string, bool)
	// ReadFile reads a whole file; wp-config.php and what it includes. Nil: from disk, regular files only.
	ReadFile func(name string) ([]byte, error)
	// Exists tells whether there is a file, directory or socket. Nil: on disk or, with ReadFile set, by it.
	Exists func(name string) bool
	// Sockets are tried in this order for DB_HOST localhost. Nil: the usual places.
	Sockets []string
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Exists == nil {
		o.Exists = func(name string) bool { _, err := os.Stat(name); return err == nil }
		if read := o.ReadFile; read != nil {
			o.Exists = func(name string) bool { _, err := read(name); return err == nil }
		}
	}
	if o.ReadFile == nil {
		o.ReadFile = ReadRegular
	}
	if o.Sockets == nil {
		o.Sockets = usualSockets
	}
	return o
}

// ReadRegular reads a file, one byte more than a configuration may have at most. Devices and pipes,
// which could block for ever, are errors.
func ReadRegular(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}

// reason is the error without the name of the file.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// Config is what a wp-config.php and the files it includes define.
type Config struct {
	File        string // the wp-config.php that was read, absolute
	TablePrefix string // $table_prefix; "" when it is among Unknown

	// Unknown lists what the daemon needs and the files set in a way that cannot be evaluated, and $table_prefix
	// when it is not set or not made of letters, digits and underscores.
	Unknown []Problem
	// Warnings lists includes that were not followed and defaults taken for environment variables not set here.
	Warnings []Problem

	constants map[string]binding
	root      string // directory of WordPress, as far as known
	opt       Options
}

// Format writes the path only: the constants are secrets.
func (c *Config) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "wpconfig(%s)", c.File) }

// LogValue is the path only.
func (c *Config) LogValue() slog.Value { return slog.StringValue(c.File) }

// A Problem is something in a wp-config.php that an operator should know. It never holds a value, since the values
// of a wp-config.php are secrets.
type Problem struct {
	Name    string // constant, "$table_prefix" or "include"
	File    string // absolute
	Line    int    // 0 when there is none
	Why     string // "depends on $_SERVER"
	Setting string // the key of our configuration to set instead, "" when there is none
	Assumed bool   // a value was taken all the same; Why tells which
}

// Error is the problem in one sentence.
func (p Problem) Error() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.Name == "include" {
		return fmt.Sprintf("not followed: include at %s: %s", at, p.Why)
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

// settings are the constants that the daemon reads, in the order of Config.Unknown, under the key of our configuration
// that replaces them.
var settings = []struct {
	key       string
	constants []string
}{
	{"dsn", []string{
		"DB_NAME", "DB_USER", "DB_PASSWORD", "DB_HOST", "DB_CHARSET", "DB_COLLATE", "MYSQL_CLIENT_FLAGS",
		"DB_ENGINE", "DATABASE_ENGINE", "DB_DIR", "DB_FILE", "FQDB", "FQDBDIR",
	}},
	{"home", []string{
		"WP_HOME", "WP_SITEURL",
	}},
	{"", []string{
		"WP_CONTENT_DIR", "WP_CONTENT_URL", "WP_PLUGIN_URL", "UPLOADS", "BLOGUPLOADDIR", "UPLOADBLOGSDIR",
		"CUSTOM_USER_TABLE", "CUSTOM_USER_META_TABLE", "MULTISITE", "SUBDOMAIN_INSTALL", "VHOST",
		"DOMAIN_CURRENT_SITE", "PATH_CURRENT_SITE", "SITE_ID_CURRENT_SITE", "BLOG_ID_CURRENT_SITE", "SUNRISE",
		"NOBLOGREDIRECT", "WPLANG", "WP_ENVIRONMENT_TYPE", "YOAST_NEWS_SITEMAP_BASENAME",
		"YOAST_VIDEO_SITEMAP_BASENAME",
	}},
}

// setting is the key that replaces a constant, "" when there is none.
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
func Parse(path string, opt Options) (*Config, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	root := ""
	if info, err := os.Stat(path); opt.ReadFile == nil && err == nil && info.IsDir() {
		root = path
		path = find(path)
	}
	if opt.ReadFile == nil {
		// PHP's __FILE__ has no symbolic links in it; dirname(__DIR__) depends on that.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	opt = opt.withDefaults()
	code, err := opt.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %s", path, reason(err))
	}
	if len(code) > maxFileSize {
		return nil, fmt.Errorf("cannot read %s: larger than 4 MiB, which is no configuration", path)
	}
	dir := filepath.Dir(path)
	isWordPress := func(dir string) bool { return opt.Exists(filepath.Join(dir, "wp-settings.php")) }
	if root == "" || !isWordPress(root) {
		root = dir
	}
	ev := &evaluator{
		opt: opt, root: root, names: map[string]binding{}, once: map[string]bool{},
		functions: map[string][]token{}, seen: map[string]bool{},
	}
	if isWordPress(root) {
		ev.define("ABSPATH", text(root+"/")) // WordPress has defined it before it loads the file
	}
	if err := ev.run(path, string(code)); err != nil {
		return nil, fmt.Errorf("cannot read %s, %w", path, err)
	}
	if ev.exhausted {
		return nil, fmt.Errorf("cannot read %s: too much to evaluate", path)
	}
	return ev.config(path), nil
}

// find is where WordPress in dir has its configuration.
func find(dir string) string {
	exists := func(name ...string) bool {
		_, err := os.Stat(filepath.Join(name...))
		return err == nil
	}
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

func (ev *evaluator) config(path string) *Config {
	c := &Config{File: path, Warnings: ev.warnings, constants: map[string]binding{}, root: ev.root, opt: ev.opt}
	for name, b := range ev.names {
		if key, ok := strings.CutPrefix(name, constant); ok {
			c.constants[key] = b
		}
	}
	if b, ok := c.constants["ABSPATH"]; ok && b.known() && !b.maybe && filepath.IsAbs(b.Str()) {
		c.root = filepath.Clean(b.Str())
	}
	var names []string
	for _, s := range settings {
		names = append(names, s.constants...)
	}
	for _, name := range names {
		b, ok := c.constants[name]
		if !ok {
			continue
		}
		why := b.trouble(setting(name) != "")
		if why != "" {
			if name == "DB_PASSWORD" { // what it is made of may be a part of it
				why = withoutNames(why)
			}
			c.Unknown = append(c.Unknown, Problem{Name: name, File: b.file, Line: b.line, Why: why, Setting: setting(name)})
			b.value, b.maybe = unknown(why), false
			c.constants[name] = b
		} else if b.note != "" && assumptionMatters[name] {
			c.Warnings = append(c.Warnings,
				Problem{Name: name, File: b.file, Line: b.line, Why: b.note, Setting: setting(name), Assumed: true})
		}
	}
	b, ok := ev.names[variable+"table_prefix"]
	p := Problem{Name: "$table_prefix", File: b.file, Line: b.line, Why: b.trouble(true), Setting: "table_prefix"}
	switch {
	case !ok:
		p.File, p.Why = path, "is not set"
	case p.Why != "":
	case b.isArray() || !validPrefix.MatchString(b.Str()):
		p.Why = "must be made of letters, digits and underscores"
	default:
		c.TablePrefix = b.Str()
		if b.note != "" {
			p.Why, p.Assumed = b.note, true
			c.Warnings = append(c.Warnings, p)
		}
	}
	if c.TablePrefix == "" {
		c.Unknown = append(c.Unknown, p)
	}
	return c
}

// trouble is why a binding cannot be used. PHP has false or null for an environment variable that is not set; where
// only the web server's own environment gives the right value, needed says that this will not do.
func (b binding) trouble(needed bool) string {
	switch {
	case b.maybe:
		return b.cond
	case !b.known():
		return b.why
	case b.env != "" && needed:
		return "the environment variable " + b.env + " is not set"
	case b.dotenv != nil:
		return "is an object"
	}
	return ""
}

var called = regexp.MustCompile(`calls [^ ]+\(\)`)

func withoutNames(why string) string { return called.ReplaceAllString(why, "calls a function") }

func (c *Config) constant(name string) (value, bool) {
	b, ok := c.constants[name]
	if !ok || b.maybe || !b.known() || b.isArray() || b.dotenv != nil {
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

// Int is a constant as PHP makes an integer of it.
func (c *Config) Int(name string) (n int64, ok bool) {
	v, ok := c.constant(name)
	return v.Int(), ok
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

// missing tells that a constant is not defined, and where it might have been.
func (c *Config) missing(name string) error {
	p := Problem{Name: name, File: c.File, Why: "is not defined", Setting: setting(name)}
	for _, w := range c.Warnings {
		if w.Name == "include" {
			p.Why += fmt.Sprintf(" (the include at %s:%d was not followed: %s)", w.File, w.Line, w.Why)
			break
		}
	}
	return p
}
