package wpconfig

import (
	"path/filepath"
	"strings"

	"wpsitemapd/wp/php"
)

// dotenv is a loader of .env files (vlucas/phpdotenv), not run yet.
type dotenv struct {
	dirs, names []string
	all         bool // read all of names, not only the first that exists
	overwrite   bool // win over the environment
}

// static evaluates Class::method(…) of the libraries that Bedrock is made of: Roots\WPConfig\Config, Env\Env, Dotenv.
func (r *reader) static(class, method string, args []value) value {
	name := class + "::" + method
	if r.skip > 0 {
		return value{}
	}
	method = strings.ToLower(method)
	switch key := (value{}); strings.ToLower(class[strings.LastIndexByte(class, '\\')+1:]) {
	case "config":
		if len(args) > 0 {
			key = args[0]
		}
		switch {
		case !key.known():
			r.warn("define", "the name "+key.why)
			return key
		case method == "define" && len(args) > 1:
			// Other than PHP's define the last one wins, but for what PHP has defined already.
			if _, ok := r.names[constant+key.Str()]; !ok {
				r.assign(bedrock+key.Str(), args[1])
			}
			return value{}
		case method == "get" && len(args) > 0:
			if b, ok := r.names[bedrock+key.Str()]; ok {
				return b.value
			}
			return unknown("uses a constant that is not defined")
		case method == "remove" && len(args) > 0:
			r.assign(bedrock+key.Str(), unknown("is removed"))
			return value{}
		case method == "apply":
			r.spend(len(r.names))
			for name, b := range r.names {
				if key, ok := strings.CutPrefix(name, bedrock); ok && b.why != "is removed" {
					if _, defined := r.names[constant+key]; !defined {
						r.names[constant+key] = b
					}
				}
			}
			return value{}
		}
	case "env":
		if method == "get" && len(args) > 0 {
			return r.apply(functions["env"], args)
		}
	case "dotenv":
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

// loader takes directory, file names and whether to stop at the first file from the arguments of a constructor.
func loader(args []value, overwrite bool) value {
	d := &dotenv{names: []string{".env"}, overwrite: overwrite}
	for i, v := range args {
		list := []string{v.Str()}
		if v.isArray() {
			list = nil
			for _, e := range v.elems {
				list = append(list, e.value.Str())
			}
		}
		switch {
		case !v.known():
			return v
		case i == 0:
			d.dirs = list
		case i == 1 && v.Truthy():
			d.names = list
		case i == 2:
			d.all = !v.Truthy()
		}
	}
	return value{dotenv: d}
}

// method evaluates $object->name(…).
func (r *reader) method(base value, name string) value {
	if d := base.dotenv; d != nil && r.skip == 0 {
		switch strings.ToLower(name) {
		case "load", "safeload", "overload":
			r.loadDotenv(d.dirs, d.names, d.all, d.overwrite || strings.EqualFold(name, "overload"))
			return arrayOf(nil)
		}
		return base // required()->notEmpty() and the like
	}
	if !base.known() {
		return base
	}
	return unknown("calls a method")
}

// isOpen reports whether a wp-config.php may read a variable from the daemon's own environment, which holds the
// daemon's secrets, too.
func isOpen(name string) bool {
	return strings.HasPrefix(name, "DB_") || strings.HasPrefix(name, "WORDPRESS_") || strings.HasPrefix(name, "WP_")
}

// isSecret reports whether the value of a variable should not come to stand in a public address.
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

// environment is an environment variable: that of a .env file or of putenv(), else that of the daemon, where it may
// be read. One that is not there is null.
func (r *reader) environment(name string) value {
	if b, ok := r.names[envVariable+name]; ok {
		return b.value
	}
	why := "is not set here"
	switch {
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
		r.loadDotenv([]string{dir, filepath.Dir(dir)}, []string{".env"}, false, false)
	}
}

func (r *reader) loadDotenv(dirs, names []string, all, overwrite bool) {
	r.searched = true
	found := map[string]value{}
	for _, dir := range dirs {
		for _, name := range names {
			file := filepath.Join(dir, name)
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
				r.warn("include", "cannot read "+file+": "+reason(err))
				continue
			}
			r.hasDotenv = true
			r.spend(len(content) / 16)
			r.parseDotenv(string(content), found)
			if !all {
				names, dirs = nil, nil
			}
		}
	}
	for name, v := range found {
		_, ours := r.opt.Env(name)
		_, set := r.names[envVariable+name]
		if overwrite || !set && !(ours && isOpen(name)) {
			r.assign(envVariable+name, v)
		}
	}
}

// parseDotenv reads NAME=value lines: optional export, # comments, 'literal', "with \escapes and ${NAME}", or bare
// with ${NAME}. Quoted values may span lines. Lines it does not understand are skipped.
func (r *reader) parseDotenv(s string, found map[string]value) {
	set := func(name, v string, replace bool) {
		var out value
		if replace {
			v = interpolate(v, func(name string) string {
				v, ok := found[name]
				if !ok {
					v = r.environment(name)
				}
				out = value{why: first(out.why, v.why), marks: marks{secret: out.secret || v.secret}}
				if !r.spend(len(v.Str())/64 + 1) {
					return ""
				}
				return v.Str()
			})
		}
		if out.known() {
			out.Value = php.NewString(strings.ReplaceAll(v, "$\x00", "$"))
		}
		found[name] = out
	}
	s = strings.TrimPrefix(s, "\ufeff")
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		entry := strings.TrimSpace(line)
		name, v, ok := strings.Cut(strings.TrimPrefix(entry, "export "), "=")
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		if !ok || strings.HasPrefix(entry, "#") || name == "" || strings.ContainsAny(name, " \t") {
			s = rest
			continue
		}
		v = strings.TrimLeft(v, " \t")
		if v == "" || v[0] != '"' && v[0] != '\'' {
			set(name, bare(v), true)
			s = rest
			continue
		}
		// A quoted value: find its end in everything that is left.
		quoted := s[strings.IndexByte(s, '=')+1:]
		quoted = strings.TrimLeft(quoted, " \t")
		quote := quoted[0]
		var b strings.Builder
		i := 1
		for i < len(quoted) && quoted[i] != quote {
			c := quoted[i]
			if quote == '"' && c == '\\' && i+1 < len(quoted) {
				i++
				if c = quoted[i]; c == '$' { // \${NAME} is not replaced; a NUL keeps it apart until then
					b.WriteString("$\x00")
					i++
					continue
				}
				if at := strings.IndexByte("nrtfv", c); at >= 0 {
					c = "\n\r\t\f\v"[at]
				}
			}
			b.WriteByte(c)
			i++
		}
		if i >= len(quoted) { // no end: not a value
			s = rest
			continue
		}
		set(name, b.String(), quote == '"')
		_, s, _ = strings.Cut(quoted[i+1:], "\n")
	}
}

// bare ends an unquoted value at a comment.
func bare(v string) string {
	if strings.HasPrefix(v, "#") {
		return ""
	}
	for i := 1; i < len(v); i++ {
		if v[i] == '#' && (v[i-1] == ' ' || v[i-1] == '\t') {
			v = v[:i]
			break
		}
	}
	return strings.TrimSpace(v)
}

func interpolate(v string, get func(string) string) string {
	var b strings.Builder
	for {
		plain, rest, ok := strings.Cut(v, "${")
		b.WriteString(plain)
		if !ok {
			return b.String()
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok || b.Len() > maxString {
			return b.String() + "${" + rest
		}
		b.WriteString(get(name))
		v = after
	}
}
