package wpconfig

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// dotenv is a loader of .env files (vlucas/phpdotenv, Symfony's), not run yet.
type dotenv struct {
	files     []string
	all       bool // read all of them, not only the first that exists
	overwrite bool // win over the environment
}

// static evaluates Class::method(…) of the libraries that Bedrock is made of: Roots\WPConfig\Config, Env\Env, Dotenv.
func (r *reader) static(class, method string, args []value) value {
	name := class + "::" + method
	if r.skip > 0 {
		return value{}
	}
	method = strings.ToLower(method)
	switch strings.ToLower(class[strings.LastIndexByte(class, '\\')+1:]) {
	case "config":
		if method == "apply" || len(args) == 0 {
			return value{}
		}
		key := args[0]
		place := constant + key.Str()
		switch {
		case !key.known():
			r.warn("define", "the name "+key.why)
			return key
		case method == "define" && len(args) > 1:
			// Other than PHP's define the last one wins, but for what PHP has defined already.
			if b, ok := r.names[place]; !ok || b.configured {
				r.assign(place, args[1])
				b = r.names[place]
				b.configured = true
				r.names[place] = b
			}
			return value{}
		case method == "get":
			return r.constant(key.Str())
		case method == "remove":
			r.assign(place, unknown("is removed"))
			return value{}
		}
	case "env":
		if method == "get" && len(args) > 0 {
			return r.apply(functions["env"], args)
		}
	case "dotenv":
		if d := loader(args, false).dotenv; d != nil && (method == "load" || method == "overload") { // of version 1
			return r.load(*d, method, nil)
		}
		if !strings.HasPrefix(method, "create") {
			break
		}
		if method == "create" && len(args) > 1 && args[0].Kind != php.String {
			args = args[1:] // the repository
		}
		return loader(args, strings.Contains(method, "mutable") && !strings.Contains(method, "immutable"))
	}
	return unknown("calls " + name + "()")
}

// loader takes directories, file names and whether to stop at the first file from the arguments of a constructor.
func loader(args []value, overwrite bool) value {
	d := &dotenv{overwrite: overwrite}
	lists := [][]string{nil, {".env"}}
	for i, v := range args {
		switch {
		case !v.known():
			return v
		case i == 2:
			d.all = !v.Truthy()
		case i < 2 && v.isArray():
			lists[i] = nil
			for _, e := range v.elems {
				lists[i] = append(lists[i], e.value.Str())
			}
		case i == 0 || i == 1 && v.Truthy():
			lists[i] = []string{v.Str()}
		}
	}
	for _, dir := range lists[0][:min(len(lists[0]), maxFiles)] {
		if strings.HasPrefix(filepath.Base(dir), ".env") { // it is the file itself
			d.files = append(d.files, dir)
			continue
		}
		for _, name := range lists[1][:min(len(lists[1]), maxFiles)] {
			d.files = append(d.files, filepath.Join(dir, name))
		}
	}
	return value{dotenv: d}
}

// method evaluates $object->name(…).
func (r *reader) method(base value, name string, args []value) value {
	if d := base.dotenv; d != nil && r.skip == 0 {
		switch name = strings.ToLower(name); name {
		case "load", "safeload", "overload", "loadenv", "bootenv", "toenv", "putenv", "toserver":
			return r.load(*d, name, args)
		}
		return base // required()->notEmpty() and the like
	}
	if !base.known() {
		return base
	}
	return unknown("calls a method")
}

// load has a loader read its files: those of its constructor, or, with Symfony's, those that it is called with.
func (r *reader) load(d dotenv, name string, args []value) value {
	if len(args) > 0 && !strings.HasPrefix(name, "to") && name != "putenv" {
		local := name == "loadenv" || name == "bootenv"
		d.files, d.all = nil, true
		for _, v := range args {
			switch {
			case !v.known():
				r.searched = true
				r.warn("include", "the name of the .env file "+v.why)
			case v.isText() && local && len(d.files) == 0: // the other arguments are names of variables
				d.files = []string{v.Str(), v.Str() + ".local"}
			case v.isText() && !local:
				d.files = append(d.files, v.Str())
			}
		}
	}
	d.overwrite = d.overwrite || name == "overload"
	r.loadDotenv(d)
	return arrayOf(nil)
}

// isOpen reports whether a wp-config.php may read a variable from the daemon's own environment, which holds the
// daemon's secrets, too.
func isOpen(name string) bool {
	return strings.HasPrefix(name, "DB_") || strings.HasPrefix(name, "WORDPRESS_") || strings.HasPrefix(name, "WP_")
}

// isSecret reports whether the value of a variable must not become part of a public address.
func isSecret(name string) bool {
	if strings.HasPrefix(name, "DB_") || strings.Contains(name, "_DB_") {
		return true
	}
	for _, word := range []string{"PASS", "PWD", "SECRET", "KEY", "SALT", "TOKEN", "AUTH", "CREDENTIAL"} {
		if strings.Contains(strings.ToUpper(name), word) {
			return true
		}
	}
	return false
}

// environment is an environment variable: that of a .env file, else that of the daemon, where it may
// be read. One that is not there is null.
func (r *reader) environment(name string) value {
	if b, ok := r.names[envVariable+name]; ok {
		return b.value
	}
	why := "is not set here"
	switch {
	case r.unreadable != "":
		why = "is not known: " + r.unreadable
	case r.opt.Within != "":
		why = "is not set in the .env file of the install, and that of the daemon is not read for an install that was discovered"
	case !isOpen(name):
		why = "is not set in the .env file of the install, and of those of the daemon only DB_*, WORDPRESS_* and WP_* are read"
	default:
		if s, ok := r.opt.Env(name); ok {
			v := text(s)
			v.secret = isSecret(name)
			return v
		}
	}
	return value{marks: marks{missing: "the environment variable " + name + " " + why}}
}

// findDotenv loads the .env beside or above the running file when a script asks for a variable and has loaded
// none, as when the loading is left to a library.
func (r *reader) findDotenv() {
	if !r.searched {
		dir := filepath.Dir(r.file)
		r.loadDotenv(dotenv{files: []string{filepath.Join(dir, ".env"), filepath.Join(filepath.Dir(dir), ".env")}})
	}
}

func (r *reader) loadDotenv(d dotenv) {
	r.searched = true
	found := map[string]value{}
	for _, file := range d.files[:min(len(d.files), maxFiles)] {
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.root, file)
		}
		exists, err := r.files.exists(file)
		if !exists && err == nil {
			continue
		}
		var content []byte
		if err == nil {
			content, err = r.files.read(file)
		}
		if err != nil {
			r.unreadable = cmp.Or(r.unreadable, "cannot read "+file+": "+reason(err).Error())
			r.warn("include", r.unreadable)
			continue
		}
		r.hasDotenv = true
		r.spend(len(content) / 16)
		r.parseDotenv(string(content), found)
		if !d.all {
			break
		}
	}
	for name, v := range found {
		_, ours := r.opt.Env(name)
		_, set := r.names[envVariable+name]
		if d.overwrite || !set && !(ours && isOpen(name)) {
			r.assign(envVariable+name, v)
		}
	}
}

var (
	// dotenvLine matches NAME=value, with an optional export: 'literal', "with \\escapes and ${NAME}", or bare with ${NAME}.
	// Quoted values may span lines.
	dotenvLine = regexp.MustCompile(
		`(?m)^[ \t]*(?:export[ \t]+)?['"]?([\w.]+)['"]?[ \t]*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^'"\s#][^\n]*)?)[ \t]*(?:#.*)?\r?$`)
	dotenvComment   = regexp.MustCompile(`[ \t]#.*`)
	dotenvName      = regexp.MustCompile(`\$\{([^}\n]*)\}`)
	dotenvEscape    = regexp.MustCompile(`\\[\s\S]|\$\{([^}\n]*)\}`)
	dotenvUnescaped = map[string]string{`\n`: "\n", `\r`: "\r", `\t`: "\t", `\f`: "\f", `\v`: "\v"}
)

// parseDotenv adds the variables of a .env file to found. Lines that it does not understand are skipped.
func (r *reader) parseDotenv(s string, found map[string]value) {
	for _, m := range dotenvLine.FindAllStringSubmatch(strings.TrimPrefix(s, "\ufeff"), -1) {
		name, literal, quoted, bare := m[1], m[2], m[3], m[4]
		switch {
		case literal != "":
			found[name] = text(literal)
		case quoted != "":
			found[name] = r.interpolate(dotenvEscape, quoted, found)
		default:
			found[name] = r.interpolate(dotenvName, strings.TrimSpace(dotenvComment.ReplaceAllString(bare, "")), found)
		}
	}
}

// interpolate replaces what a pattern finds in a value: ${NAME} and escapes.
func (r *reader) interpolate(pattern *regexp.Regexp, s string, found map[string]value) value {
	result, size := value{}, len(s)
	s = pattern.ReplaceAllStringFunc(s, func(match string) string {
		if match[0] == '\\' {
			return cmp.Or(dotenvUnescaped[match], match[1:])
		}
		name := match[2 : len(match)-1]
		v, ok := found[name]
		if !ok {
			v = r.environment(name)
		}
		size += len(v.Str())
		result.secret = result.secret || v.secret
		if result.why = cmp.Or(result.why, v.why); size > maxString {
			result.why = "is too long"
		}
		if !result.known() || !r.spend(len(v.Str())/64+1) {
			return ""
		}
		return v.Str()
	})
	if result.known() {
		result.Value = php.NewString(s)
	}
	return result
}
