package wpconfig

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"wpsitemapd/wp/php"
)

// builtinConstants are constants of PHP that configurations use.
var builtinConstants = map[string]value{
	"PHP_EOL":                text("\n"),
	"DIRECTORY_SEPARATOR":    text("/"),
	"PHP_SAPI":               text("fpm-fcgi"), // the value for a request from the web
	"MYSQLI_CLIENT_COMPRESS": integer(32),
	"MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT": integer(clientSSLNoVerify),
	"MYSQLI_CLIENT_SSL":                         integer(clientSSL),
}

// call evaluates a call of a function or of a static method. It knows some functions of PHP and of the libraries of
// Bedrock.
func (in *interpreter) call(at token, function string, tokens []token) value {
	function = strings.TrimPrefix(function, `\`)
	if at.isWord("array") {
		return in.items(tokens)
	}
	args := in.arguments(tokens)
	in.now.line = int(at.line)
	name := strings.ToLower(unqualified(function))
	defines := len(args) > 1 && (name == "define" || name == "config::define")
	switch {
	case defines && !args[0].known():
		in.warn("define", "its name "+args[0].why)
		return unknown(args[0].why)
	case defines && name == "define":
		in.define(args[0].Str(), args[1])
		return boolean(true)
	case defines:
		in.configure(args[0].Str(), args[1])
		return value{}
	case name == "config::apply":
		return value{}
	case name == "isset" || name == "empty":
		return isset(args, name == "empty")
	case name == "exit" || name == "die": // a working site does not end here
		return unknown("ends PHP")
	case name == "eval":
		in.warn("eval", "its code is made while PHP runs")
		return unknown("runs eval()")
	case strings.HasPrefix(name, "dotenv::create"):
		return createLoader(name, args)
	case len(args) > 0:
		if v, ok := in.calculate(name, args); ok {
			return v
		}
	}
	in.skip(in.functions[name], "is set within a function")
	return unknown("calls " + function + "()")
}

// calculate evaluates a function other than define. Only env() sets anything: it may load a .env file. ok is false if the function is
// not known. If an argument is not known, the result is not known either.
func (in *interpreter) calculate(name string, args []value) (v value, ok bool) {
	why := ""
	for _, a := range args {
		if why == "" {
			why = a.why
		}
		in.spend(len(a.Str()) / 32)
	}
	first := args[0]
	s := first.Str()
	switch name {
	case "defined":
		v = in.defined(s)
	case "getenv":
		if v = in.environment(s); v.isNull() {
			v.Value = php.NewBool(false)
		}
	case "env", "env::get":
		v = in.env(s, args)
	case "config::get":
		v = in.read(constant + s)
	case "getenv_docker":
		v = in.getenvDocker(s, args)
	case "dirname":
		v = dirname(s, args)
	case "file_exists", "is_file", "is_readable":
		v = in.fileExists(s)
	case "in_array":
		v = inArray(args)
	default:
		return value{}, false
	}
	if why != "" {
		return unknown(why), true
	}
	return v.of(args...), true
}

// fileExists evaluates file_exists. is_file and is_readable are taken for the same, although is_file is false for a folder.
func (in *interpreter) fileExists(name string) value {
	_, ok, err := in.locate(name)
	if err != nil {
		return unknown("depends on a file that cannot be examined: " + reason(err).Error())
	}
	return boolean(ok && name != "")
}

func (in *interpreter) defined(name string) value {
	name = strings.TrimPrefix(name, "\\")
	b, ok := in.names[constant+name]
	if b.doubtful {
		return unknown(b.why)
	}
	_, builtin := builtinConstants[name]
	return boolean(ok || builtin)
}

// isset evaluates isset(), or empty() if empty is set.
func isset(args []value, empty bool) value {
	result := boolean(true)
	for _, v := range args {
		switch v = v.quiet(); {
		case empty:
			return v.not()
		case v.present:
		case !v.known():
			return unknown(v.why)
		case v.isNull():
			return boolean(false).of(v)
		}
		result = result.of(v)
	}
	return result
}

// env evaluates env() of oscarotero/env and similar functions, as Bedrock uses them. If the variable is not set, env
// returns the second argument or null. It converts words such as true, and digits, and removes quotes.
func (in *interpreter) env(name string, args []value) value {
	in.findDotenv()
	v := in.environment(name)
	if v.isNull() && len(args) > 1 {
		v.note = in.assumption(v)
		return args[1].of(value{note: v.note})
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

// getenvDocker evaluates the function in the wp-config.php of the Docker image. The result is the content of the file
// that the variable NAME_FILE names. Without that variable, the result is the variable NAME. Without both, it is the
// default. The file is read only if NAME_FILE is a variable of the daemon and the file is one of the container's
// secrets.
func (in *interpreter) getenvDocker(name string, args []value) value {
	file := in.environment(name + "_FILE")
	_, fromDotenv := in.names[envVariable+name+"_FILE"]
	switch v := in.environment(name); {
	case !file.known():
		return file
	case file.Truthy() && fromDotenv:
		return unknown("reads the file that " + name + "_FILE names; the daemon reads that file only if the variable is in its own environment")
	case file.Truthy():
		s, err := readSecret(in.opt.secrets, file.Str())
		if err != nil {
			return unknown("reads the file that " + name + "_FILE names: " + reason(err).Error())
		}
		v = text(strings.TrimRight(s, "\r\n"))
		v.secret = true
		return v
	case v.isNull() && len(args) > 1:
		return args[1].of(value{note: in.assumption(v)})
	default:
		return v
	}
}

// readSecret reads a file below the folder of a container's secrets.
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

// inArray evaluates in_array(), which Bedrock calls.
func inArray(args []value) value {
	if len(args) < 2 {
		return unknown("calls in_array() without a list")
	}
	strict := len(args) > 2 && args[2].Truthy()
	for _, e := range args[1].elems {
		if is := equal(args[0], e.value, strict); !is.known() || is.Truthy() {
			return is
		}
	}
	return boolean(false)
}

func dirname(s string, args []value) value {
	levels := int64(1)
	if len(args) > 1 {
		levels = min(max(args[1].Int(), 1), 100)
	}
	if s == "" {
		return text("")
	}
	rooted := strings.HasPrefix(s, "/")
	for range levels {
		if s = path.Dir(strings.TrimRight(s, "/")); rooted && s == "." {
			s = "/"
		}
	}
	return text(s)
}
