package wpconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
)

// Limits for one Parse. maxFiles limits how many files it reads.
const (
	maxSteps    = 2_000_000 // of all files together
	maxIncludes = 10        // depth of files that include one another
	maxWarnings = 100       // of all files together
)

// binding is the value of a constant, a variable or an environment variable.
type binding struct {
	value
	doubtful   bool // PHP may not have set it
	configured bool // set by Config::define of Bedrock
	file       string
	line       int
}

// Prefixes of the keys in interpreter.names.
const (
	constant    = "c:"
	variable    = "v:"
	envVariable = "e:" // from .env files
	server      = "s:" // elements of $_SERVER that the file sets
)

// interpreter evaluates the files of one configuration.
type interpreter struct {
	opt   Options
	files *files
	root  string // folder of WordPress as far as known; relative includes are searched there first
	names map[string]binding

	now progress

	depth      int // nesting of statements, brackets and operators
	including  int
	once       map[string]bool
	functions  map[string][]token // bodies of functions, by name
	steps      int
	fatal      *errorAt // why the work ended early; nil if it did not
	fatalFile  string   // the file that fatal is about
	searched   bool     // a .env file was loaded, or its loader is unknown
	hasDotenv  bool
	unreadable string             // which .env file cannot be read, and why
	perhaps    map[string]binding // what PHP sets if an environment variable is set that is not set here
	warnings   []Problem
}

// progress is how far the interpreter has come in the running file. Each included file has its own progress. After an
// include, run restores the progress of the including file.
type progress struct {
	file     string // absolute path
	line     int
	returned bool   // the file has ended by return
	ended    string // the condition under which the file may have ended
	result   value  // the value that the file returns
	doubt    string // why PHP may not execute the current code; everything that it sets is unknown
	assuming string // the assumption under which the current code is evaluated
}

// unsure returns why PHP may not execute the current code, or "".
func (p *progress) unsure() string { return cmp.Or(p.doubt, p.ended) }

// run evaluates one file and returns the value that the file returns.
func (in *interpreter) run(file, code string) (value, *errorAt) {
	in.once[file] = true
	tokens, err := tokenize(strings.TrimPrefix(code, "\ufeff"))
	if err == nil {
		err = checkEnd(tokens)
	}
	if err != nil {
		return value{}, err
	}
	outer := in.now
	in.now = progress{file: file, line: 1, result: integer(1), doubt: outer.unsure(), assuming: outer.assuming} // PHP returns 1
	in.statements(tokens)
	result := in.now.result
	in.now = outer
	return result, in.fatal
}

// spend counts n steps of work and reports whether the work may go on.
func (in *interpreter) spend(n int) bool {
	if in.steps += n; in.steps > maxSteps && in.fatal == nil {
		in.fatal, in.fatalFile = &errorAt{in.now.line, "too much to evaluate"}, in.now.file
	}
	return in.fatal == nil
}

// enter increases the depth and reports whether the work may go on. The caller decreases the depth when it has finished.
func (in *interpreter) enter() bool {
	if in.depth++; in.depth > maxNesting && in.fatal == nil {
		in.fatal, in.fatalFile = &errorAt{in.now.line, "nested too deeply"}, in.now.file
	}
	return in.spend(1)
}

// warn records code that was not followed and may have set anything.
func (in *interpreter) warn(name, why string) {
	p := Problem{Name: name, File: in.now.file, Line: in.now.line, Why: why}
	if len(in.warnings) < maxWarnings && !slices.Contains(in.warnings, p) {
		in.warnings = append(in.warnings, p)
	}
}

func (in *interpreter) assign(name string, v value) {
	v.unset, v.present = false, false
	doubt := in.now.unsure()
	if doubt != "" {
		v = unknown(doubt)
	}
	v.note = cmp.Or(v.note, in.now.assuming)
	in.names[name] = binding{value: v, doubtful: doubt != "", file: in.now.file, line: in.now.line}
}

// define sets a constant. As in PHP, the first definition counts.
func (in *interpreter) define(name string, v value) {
	key := constant + name
	if _, ok := in.names[key]; !ok {
		in.assign(key, v)
	}
}

// configure evaluates Config::define of Bedrock. The last definition counts, unless PHP has already defined the
// constant.
func (in *interpreter) configure(name string, v value) {
	key := constant + name
	if b, ok := in.names[key]; ok && !b.configured {
		return
	}
	in.assign(key, v)
	b := in.names[key]
	b.configured = true
	in.names[key] = b
}

// read returns the value of a name: a variable, a constant, or an element of an array that PHP fills.
func (in *interpreter) read(name string) value {
	if b, ok := in.names[name]; ok {
		return b.value
	}
	switch kind, rest := name[:2], name[2:]; kind {
	case server:
		return in.serverVariable(rest)
	case envVariable:
		return in.environment(rest)
	case constant:
		if v, ok := builtinConstants[rest]; ok {
			return v
		}
		return unknown("uses a constant that is not defined") // the name is not shown: it may be a password without quotes
	}
	v := unknown("uses a variable that is not set") // the name is not shown: it may be part of a password in double quotes
	v.unset = true
	return v
}

// inEveryRequest are the elements of $_SERVER that every page request has.
var inEveryRequest = strings.Fields("HTTP_HOST SERVER_NAME SERVER_PORT REQUEST_URI REQUEST_METHOD REQUEST_TIME SCRIPT_NAME " +
	"SCRIPT_FILENAME PHP_SELF REMOTE_ADDR SERVER_PROTOCOL SERVER_SOFTWARE")

// serverVariable returns an element of $_SERVER: an environment variable that may be read, or an unknown value that
// depends on the request.
func (in *interpreter) serverVariable(name string) value {
	if _, ok := in.names[envVariable+name]; ok || isOpen(name) {
		return in.environment(name)
	}
	v := unknown("depends on $_SERVER")
	v.present = slices.Contains(inEveryRequest, name)
	if name == "HTTP_HOST" || name == "SERVER_NAME" {
		v.Value = php.NewString(requestHost)
	}
	return v
}

// include evaluates an include or require within the limits. If the name of the file is not known, it warns.
func (in *interpreter) include(tokens []token, line int, once bool) value {
	for _, t := range tokens {
		if t.kind == tokString && strings.HasSuffix(t.text, "wp-settings.php") { // whatever ABSPATH is
			return unknown("comes from WordPress")
		}
	}
	name := in.eval(tokens)
	in.now.line = line
	path, shown := name.Str(), name.Str()
	if name.secret {
		shown = "(its name is a secret)"
	}
	refuse := func(why, comesFrom string) value {
		in.warn("include", why)
		return unknown("comes from " + comesFrom)
	}
	switch {
	case !name.known():
		return refuse("its file name "+name.why, "a file that is not known")
	case strings.HasSuffix(path, "vendor/autoload.php"):
		return unknown("comes from a library")
	case path == "" || strings.Contains(path, "\x00") || strings.Contains(path, "://"):
		return refuse("it is no file", "a file that is not known")
	}
	file, exists, err := in.locate(path)
	switch {
	case err == nil && !exists:
		in.warn("include", "there is no such file: "+shown)
		return boolean(false)
	case once && in.once[file]:
		return boolean(true)
	case in.including >= maxIncludes:
		return refuse("too many files include one another: "+shown, "too many files")
	}
	var code []byte
	if err == nil {
		code, err = in.files.read(file)
	}
	if err != nil {
		if _, missing := os.Lstat(file); errors.Is(missing, fs.ErrNotExist) { // only the message depends on this
			return refuse("there is no such file: "+shown, "a file that cannot be read")
		}
		return refuse("cannot read "+shown+": "+reason(err).Error(), "a file that cannot be read")
	}
	in.including++
	v, refused := in.run(file, string(code))
	in.including--
	if refused != nil {
		return refuse(fmt.Sprintf("%s, %v", shown, refused), "a file that is not understood")
	}
	return v
}

// locate finds a file as PHP does. A relative name is searched in the working directory, which is the folder of
// WordPress. Unless it starts with ./ or ../, it is then searched in the folder of the including file.
func (in *interpreter) locate(name string) (file string, exists bool, err error) {
	if filepath.IsAbs(name) {
		file = filepath.Clean(name)
		exists, err = in.files.exists(file)
		return file, exists, err
	}
	dirs := []string{in.root}
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		dirs = append(dirs, filepath.Dir(in.now.file))
	}
	for _, dir := range dirs {
		file = filepath.Join(dir, name)
		if exists, err = in.files.exists(file); exists || err != nil {
			break
		}
	}
	return file, exists, err
}
