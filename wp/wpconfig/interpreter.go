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

// Bounds on one Parse, all files together.
const (
	maxSteps    = 2_000_000
	maxIncludes = 10 // files within files
	maxWarnings = 100
)

// binding is the value of a name: of a constant, a variable, an environment variable.
type binding struct {
	value
	doubtful   bool // PHP may not have set it
	configured bool // by Bedrock's Config::define
	file       string
	line       int
}

// Prefixes of names in interpreter.names.
const (
	constant    = "c:"
	variable    = "v:"
	envVariable = "e:" // environment: .env files
	server      = "s:" // $_SERVER, assigned
)

// interpreter evaluates the files of one configuration.
type interpreter struct {
	opt   Options
	files *files
	root  string // directory of WordPress as far as known: where relative includes are looked for first
	names map[string]binding

	file     string // absolute
	line     int
	returned bool   // the file has ended
	ended    string // the condition under which the file has ended
	result   value  // of return
	doubt    string // why PHP may not carry out what is evaluated; all that it sets is unknown
	assuming string // the assumption under which it is evaluated

	depth      int // of brackets and operators
	including  int
	once       map[string]bool
	functions  map[string][]token // bodies
	steps      int
	fatal      *errorAt
	searched   bool // for a .env file that no statement loads
	hasDotenv  bool
	unreadable string             // a .env file that cannot be read, and why
	perhaps    map[string]binding // what PHP sets if a variable of the environment is set that is not here
	warnings   []Problem
}

// run evaluates one file and returns its result.
func (in *interpreter) run(file, code string) (value, *errorAt) {
	in.once[file] = true
	tokens, err := scan(strings.TrimPrefix(code, "\ufeff"))
	if err == nil {
		err = checkEnd(tokens)
	}
	if err != nil {
		return value{}, err
	}
	outer := *in
	in.doubt = cmp.Or(in.doubt, in.ended)
	in.file, in.returned, in.ended, in.result = file, false, "", integer(1)
	in.statements(tokens)
	result := in.result
	in.file, in.line, in.doubt, in.returned, in.ended, in.result = outer.file, outer.line, outer.doubt, outer.returned, outer.ended, outer.result
	return result, in.fatal
}

// spend counts work, and reports whether there may be more of it.
func (in *interpreter) spend(n int) bool {
	if in.steps += n; in.steps > maxSteps && in.fatal == nil {
		in.fatal = &errorAt{in.line, "too much to evaluate"}
	}
	return in.fatal == nil
}

// enter goes one level deeper.
func (in *interpreter) enter() bool {
	if in.depth++; in.depth > maxNesting && in.fatal == nil {
		in.fatal = &errorAt{in.line, "nested too deeply"}
	}
	return in.spend(1)
}

// warn notes code that was not followed and may have set anything.
func (in *interpreter) warn(name, why string) {
	p := Problem{Name: name, File: in.file, Line: in.line, Why: why}
	if len(in.warnings) < maxWarnings && !slices.Contains(in.warnings, p) {
		in.warnings = append(in.warnings, p)
	}
}

// assign sets a name.
func (in *interpreter) assign(name string, v value) {
	v.unset, v.present = false, false
	doubt := cmp.Or(in.doubt, in.ended)
	if doubt != "" {
		v = unknown(doubt)
	}
	v.note = cmp.Or(v.note, in.assuming)
	in.names[name] = binding{value: v, doubtful: doubt != "", file: in.file, line: in.line}
}

// define makes a constant; as in PHP the first definition stays.
func (in *interpreter) define(name string, v value) {
	key := constant + strings.TrimPrefix(name, "\\")
	if _, ok := in.names[key]; !ok {
		in.assign(key, v)
	}
}

// configure is Bedrock's Config::define: the last one wins, but for what PHP has defined already.
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

// read is the value of a variable, a constant or an element of an array that PHP fills.
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
		return unknown("uses a constant that is not defined") // the name may be a password without quotes
	}
	v := unknown("uses a variable that is not set") // its name may be part of a password in double quotes
	v.unset = true
	return v
}

// inEveryRequest are the elements of $_SERVER that a page request always has.
var inEveryRequest = strings.Fields("HTTP_HOST SERVER_NAME SERVER_PORT REQUEST_URI REQUEST_METHOD REQUEST_TIME SCRIPT_NAME " +
	"SCRIPT_FILENAME PHP_SELF REMOTE_ADDR SERVER_PROTOCOL SERVER_SOFTWARE")

// serverVariable is an element of $_SERVER: an environment variable that may be read, or what a web server says of the request,
// which is not known.
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

// include follows an include or require of a file whose name is known, within bounds.
func (in *interpreter) include(tokens []token, line int, once bool) value {
	for _, t := range tokens {
		if t.kind == tokString && strings.HasSuffix(t.text, "wp-settings.php") { // wherever ABSPATH may be
			return unknown("comes from WordPress")
		}
	}
	name := in.eval(tokens)
	in.line = line
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
	if _, missing := os.Lstat(file); err != nil && errors.Is(missing, fs.ErrNotExist) { // for people, not for the code
		return refuse("there is no such file: "+shown, "a file that cannot be read")
	}
	if err != nil {
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

// locate finds a file as PHP does: an absolute name as it is, another one in the working directory, which is
// WordPress', and then, unless it starts with a dot, beside the file that includes it.
func (in *interpreter) locate(name string) (file string, exists bool, err error) {
	if filepath.IsAbs(name) {
		file = filepath.Clean(name)
		exists, err = in.files.exists(file)
		return file, exists, err
	}
	dirs := []string{in.root}
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		dirs = append(dirs, filepath.Dir(in.file))
	}
	for _, dir := range dirs {
		file = filepath.Join(dir, name)
		if exists, err = in.files.exists(file); exists || err != nil {
			break
		}
	}
	return file, exists, err
}
