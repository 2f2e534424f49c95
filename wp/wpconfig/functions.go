package wpconfig

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"wpsitemapd/wp/php"
)

// builtinConstants lists PHP's own constants that configurations use. MYSQL_CLIENT_* are the names of PHP 5.
var builtinConstants = map[string]value{
	"PHP_EOL":                  text("\n"),
	"DIRECTORY_SEPARATOR":      text("/"),
	"PHP_OS":                   text("Linux"),
	"PHP_OS_FAMILY":            text("Linux"),
	"PHP_SAPI":                 text("fpm-fcgi"), // sitemaps are read over the web
	"MYSQLI_CLIENT_FOUND_ROWS": integer(2),
	"MYSQLI_CLIENT_COMPRESS":   integer(32),
	"MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT": integer(clientSSLNoVerify),
	"MYSQLI_CLIENT_IGNORE_SPACE":                integer(256),
	"MYSQLI_CLIENT_INTERACTIVE":                 integer(1024),
	"MYSQLI_CLIENT_SSL":                         integer(clientSSL),
	"MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT":      integer(1 << 30),
	"MYSQL_CLIENT_COMPRESS":                     integer(32),
	"MYSQL_CLIENT_IGNORE_SPACE":                 integer(256),
	"MYSQL_CLIENT_INTERACTIVE":                  integer(1024),
	"MYSQL_CLIENT_SSL":                          integer(clientSSL),
}

// function evaluates a call with known arguments; at least min of them are there.
type function struct {
	min  int
	eval func(r *reader, args []value) value
}

var functions map[string]function

func init() { // breaks the cycle of the reader and the table
	trim := func(f func(s, cut string) string) function {
		return function{1, func(_ *reader, a []value) value {
			cut := " \n\r\t\v\x00"
			if len(a) > 1 {
				cut = a[1].Str()
			}
			if strings.Contains(cut, "..") {
				return unknown("trims a range of characters")
			}
			return text(f(a[0].Str(), cut))
		}}
	}
	functions = map[string]function{
		"constant":      {1, func(r *reader, a []value) value { return r.constant(a[0].Str()) }},
		"defined":       {1, defined},
		"getenv":        {1, func(r *reader, a []value) value { return orFalse(r.environment(a[0].Str())) }},
		"env":           {1, env},
		"getenv_docker": {2, getenvDocker},
		"dirname":       {1, dirname},
		"realpath":      {1, realpath},
		"file_exists":   {1, fileExists},
		"is_file":       {1, fileExists},
		"is_readable":   {1, fileExists},
		"substr":        {2, substr},
		"trim":          trim(strings.Trim),
		"rtrim":         trim(strings.TrimRight),
		"ltrim":         trim(strings.TrimLeft),
		"parse_url":     {1, parseURL},
		"in_array":      {2, inArray},
	}
}

// call evaluates the call of a function by its name.
func (r *reader) call(t token, args []value) value {
	if r.skip > 0 || r.failed || r.fatal != nil {
		return value{}
	}
	r.line = int(t.line)
	name := strings.ToLower(t.text[strings.LastIndexByte(t.text, '\\')+1:])
	if name == "define" && len(args) > 1 {
		if args[0].known() {
			r.define(args[0].Str(), args[1])
		} else {
			r.warn("define", "its name "+args[0].why)
		}
		return boolean(true)
	}
	f, ok := functions[name]
	if ok && len(args) >= f.min {
		return r.apply(f, args)
	}
	r.unread(r.functions[name], "is set within a function")
	return unknown("calls " + strings.TrimPrefix(t.text, `\`) + "()")
}

// apply calls a function with arguments that are known; their marks go over to the result.
func (r *reader) apply(f function, args []value) value {
	var m marks
	size := 0
	for _, a := range args {
		if !a.known() {
			return unknown(a.why)
		}
		m = m.and(a.marks)
		size += len(a.Str())
	}
	r.spend(size / 32)
	return f.eval(r, args).with(m)
}

func fileExists(r *reader, a []value) value {
	_, ok, err := r.locate(a[0].Str())
	if err != nil {
		return unknown("asks for a file of which nothing is said here: " + reason(err).Error())
	}
	return boolean(ok && a[0].Str() != "")
}

func realpath(r *reader, a []value) value {
	file, ok, err := r.locate(a[0].Str())
	if err != nil || !ok {
		return unknown("asks for a file that is not there or of which nothing is said here")
	}
	return text(file)
}

func defined(r *reader, a []value) value {
	name := strings.TrimPrefix(a[0].Str(), "\\")
	if b, ok := r.names[constant+name]; ok {
		if b.doubtful {
			return unknown(b.why)
		}
		return boolean(true)
	}
	_, ok := builtinConstants[name]
	return boolean(ok)
}

// orFalse is false where an environment variable is not set, as getenv() has it.
func orFalse(v value) value {
	if v.isNull() {
		v.Value = php.NewBool(false)
	}
	return v
}

// env is oscarotero/env and the like, as Bedrock uses it: null for what is not set, words and digits converted.
func env(r *reader, a []value) value {
	r.findDotenv()
	v := r.environment(a[0].Str())
	if v.isNull() && len(a) > 1 {
		return a[1].with(marks{note: r.assumption(v)})
	}
	if !v.known() || v.Kind != php.String {
		return v
	}
	s := v.Str()
	switch lower := strings.ToLower(s); {
	case lower == "true" || lower == "false":
		v.Value = php.NewBool(lower == "true")
	case lower == "null":
		v.Value = php.Value{}
	case s != "" && strings.Trim(s, "0123456789") == "":
		v.Value = php.NewInt(v.Int())
	case len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]:
		v.Value = php.NewString(s[1 : len(s)-1])
	}
	return v
}

// getenvDocker is the function in the wp-config.php of the Docker image: the content of the file that NAME_FILE
// names, else NAME, else the default. The file is read where NAME_FILE was given to the daemon, too, by those who run
// it, and is one of the secrets of its own container.
func getenvDocker(r *reader, a []value) value {
	name := a[0].Str()
	file := r.environment(name + "_FILE")
	if !file.known() {
		return file
	}
	if file.Truthy() {
		if _, own := r.names[envVariable+name+"_FILE"]; own {
			return unknown("reads the file that " + name + "_FILE names, which is done where that is a variable of the daemon only")
		}
		s, err := readSecret(r.opt.secrets, file.Str())
		if err != nil {
			return unknown("reads the file that " + name + "_FILE names: " + reason(err).Error())
		}
		return text(strings.TrimRight(s, "\r\n")).with(marks{secret: true})
	}
	v := r.environment(name)
	if v.isNull() {
		return a[1].with(marks{note: r.assumption(v)})
	}
	return v
}

// readSecret reads a file of the folder in which a container has its secrets.
func readSecret(folder, name string) (string, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return "", err
	}
	if !isBelow(folder, name) {
		return "", errors.New("it lies outside of " + folder)
	}
	content, err := ReadRegular(name)
	return string(content), err
}

// inArray finds a text in a list, as Bedrock does.
func inArray(r *reader, a []value) value {
	strict := len(a) > 2 && a[2].Truthy()
	for _, e := range a[1].elems {
		if !a[0].isText() || !e.value.isText() {
			return unknown("calls in_array() for what is not known")
		}
		if is := equal(a[0], e.value, strict, true); !is.known() || is.Truthy() {
			return is
		}
	}
	return boolean(false)
}

func dirname(_ *reader, a []value) value {
	levels := int64(1)
	if len(a) > 1 {
		levels = min(max(a[1].Int(), 1), 100)
	}
	s := a[0].Str()
	if s == "" {
		return text("")
	}
	for range levels {
		s = path.Dir(strings.TrimRight(s, "/"))
		if strings.HasPrefix(a[0].Str(), "/") && s == "." {
			s = "/"
		}
	}
	return text(s)
}

// substr cuts off the slash of a path, as in Bedrock: substr($dsn->path, 1).
func substr(_ *reader, a []value) value {
	s, from := a[0].Str(), a[1].Int()
	if len(a) > 2 || from < 0 {
		return unknown("calls substr() for the end of a text")
	}
	return text(s[min(from, int64(len(s))):])
}

// parseURL splits as PHP does, without decoding anything: a password may hold # / ? only as escapes, and @ as it is.
func parseURL(_ *reader, a []value) value {
	if len(a) > 1 {
		return unknown("calls parse_url() for one part")
	}
	u, ok := php.ParseURL(a[0].Str())
	switch {
	case !ok:
		return boolean(false)
	case u.Host == "":
		return unknown("calls parse_url() with something else than an address")
	}
	result := arrayOf(nil)
	for name, part := range map[string]string{
		"scheme": u.Scheme, "host": u.Host, "user": u.User, "pass": u.Pass, "path": u.Path, "query": u.Query, "fragment": u.Fragment,
	} {
		if part != "" {
			result.elems = append(result.elems, element{php.KeyOf(name), text(part).with(a[0].marks)})
		}
	}
	if u.Port != 0 {
		result.elems = append(result.elems, element{php.KeyOf("port"), integer(int64(u.Port)).with(a[0].marks)})
	}
	return result
}
