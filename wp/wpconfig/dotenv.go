package wpconfig

import (
	"path/filepath"
	"strings"

	"wpsitemapd/wp/php"
)

// dotenv is a loader of .env files (vlucas/phpdotenv), not run yet.
type dotenv struct {
	dirs      []string
	names     []string
	all       bool // read all of names, not only the first that exists
	overwrite bool // win over the environment
}

// static evaluates Class::method(…) of the libraries that Bedrock is made of: Roots\WPConfig\Config, Env\Env, Dotenv.
func (ev *evaluator) static(n *node) value {
	class, method, _ := strings.Cut(n.text, "::")
	if i := strings.LastIndexByte(class, '\\'); i >= 0 {
		class = class[i+1:]
	}
	args := make([]value, len(n.kids))
	for i, kid := range n.kids {
		args[i] = ev.eval(kid)
	}
	ev.line = int(n.line)
	method = strings.ToLower(method)
	switch strings.ToLower(class) {
	case "config":
		if len(args) > 0 && !args[0].known() {
			return args[0]
		}
		switch {
		case method == "define" && len(args) > 1:
			// Other than PHP's define the last one wins, but for what PHP has defined already.
			if _, ok := ev.names[constant+args[0].Str()]; !ok {
				ev.assign(bedrock+args[0].Str(), args[1])
			}
			return value{}
		case method == "get" && len(args) > 0:
			if v, ok := ev.read(bedrock + args[0].Str()); ok {
				return v
			}
			return unknown("uses a constant that is not defined")
		case method == "remove" && len(args) > 0:
			ev.unset(bedrock + args[0].Str())
			return value{}
		case method == "apply":
			ev.applyConfig()
			return value{}
		}
	case "env":
		if method == "get" && len(args) > 0 {
			return ev.apply(functions["env"], "env", args)
		}
	case "dotenv":
		d := &dotenv{names: []string{".env"}}
		if method == "create" && len(n.kids) > 1 && !isString(args[0]) {
			args = args[1:] // the repository
		}
		switch {
		case !strings.HasPrefix(method, "create"):
			return unknown("calls " + n.text + "()")
		case strings.Contains(method, "mutable") && !strings.Contains(method, "immutable"):
			d.overwrite = true
		}
		return ev.loader(d, args)
	}
	return unknown("calls " + n.text + "()")
}

func isString(v value) bool { return v.known() && v.Kind == php.String }

// loader takes directory, file names and whether to stop at the first file from the arguments of a constructor.
func (ev *evaluator) loader(d *dotenv, args []value) value {
	list := func(v value) []string {
		if !v.known() {
			return nil
		}
		if !v.isArray() {
			return []string{v.Str()}
		}
		var out []string
		for _, e := range v.elems {
			if e.value.known() {
				out = append(out, e.value.Str())
			}
		}
		return out
	}
	if len(args) > 0 {
		d.dirs = list(args[0])
	}
	if len(d.dirs) == 0 {
		d.dirs = []string{filepath.Dir(ev.file), filepath.Dir(filepath.Dir(ev.file))}
	}
	if len(args) > 1 && args[1].known() && args[1].Truthy() {
		d.names = list(args[1])
	}
	d.all = len(args) > 2 && args[2].known() && !args[2].Truthy()
	return value{dotenv: d}
}

func (ev *evaluator) construct(n *node) value {
	class := n.text
	if i := strings.LastIndexByte(class, '\\'); i >= 0 {
		class = class[i+1:]
	}
	if !strings.EqualFold(class, "Dotenv") {
		return unknown("depends on a class")
	}
	args := make([]value, len(n.kids))
	for i, kid := range n.kids {
		args[i] = ev.eval(kid)
	}
	return ev.loader(&dotenv{names: []string{".env"}}, args)
}

func (ev *evaluator) method(n *node) value {
	base := ev.eval(n.kids[0])
	for _, kid := range n.kids[1:] {
		ev.eval(kid)
	}
	if !base.known() {
		return base
	}
	if d := base.dotenv; d != nil {
		switch strings.ToLower(n.text) {
		case "load", "safeload", "overload":
			overwrite := d.overwrite || strings.EqualFold(n.text, "overload")
			ev.loadDotenv(d.dirs, d.names, d.all, overwrite)
			return arrayOf(nil)
		}
		return base // required()->notEmpty() and the like
	}
	return unknown("calls a method")
}

// applyConfig defines what Config::define collected.
func (ev *evaluator) applyConfig() {
	ev.spend(len(ev.names))
	pending := map[string]binding{}
	for name, b := range ev.names {
		if key, ok := strings.CutPrefix(name, bedrock); ok {
			if _, defined := ev.names[constant+key]; !defined {
				pending[key] = b
			}
		}
	}
	for key, b := range pending {
		ev.set(constant+key, b)
	}
}

// findDotenv loads the .env beside or above the running file when a script asks for a variable and has loaded
// none, as when the loading is left to a library.
func (ev *evaluator) findDotenv() {
	if ev.searched {
		return
	}
	ev.searched = true
	dir := filepath.Dir(ev.file)
	ev.loadDotenv([]string{dir, filepath.Dir(dir)}, []string{".env"}, false, false)
}

func (ev *evaluator) loadDotenv(dirs, names []string, all, overwrite bool) {
	ev.searched = true
	found := map[string]string{}
	var order []string
	for _, dir := range dirs {
		for _, name := range names {
			file := filepath.Join(dir, name)
			if !filepath.IsAbs(file) {
				file = filepath.Join(ev.root, file)
			}
			if !ev.opt.Exists(file) || ev.files >= 2*maxFiles {
				continue
			}
			ev.files++
			content, err := ev.opt.ReadFile(file)
			if err != nil || len(content) > maxString {
				why := "it is too large"
				if err != nil {
					why = reason(err)
				}
				ev.warn("include", "cannot read "+file+": "+why)
				continue
			}
			ev.hasDotenv = true
			ev.spend(len(content) / 16)
			parseDotenv(string(content), func(name string) string {
				v, ok := found[name]
				if !ok {
					v = ev.environment(name, value{}).Str()
				}
				if !ev.spend(len(v)/64 + 1) {
					return ""
				}
				return v
			}, func(name, v string) {
				if _, ok := found[name]; !ok {
					order = append(order, name)
				}
				found[name] = v
			})
			if !all {
				names, dirs = nil, nil
			}
		}
	}
	for _, name := range order {
		if _, set := ev.opt.Env(name); set && !overwrite {
			continue
		}
		if _, set := ev.names[envVariable+name]; set && !overwrite {
			continue
		}
		ev.assign(envVariable+name, text(found[name]))
	}
}

// parseDotenv reads NAME=value lines: optional export, # comments, 'literal', "with \escapes and ${NAME}", or bare
// with ${NAME}. Quoted values may span lines. Lines it does not understand are skipped.
func parseDotenv(s string, get func(string) string, set func(name, v string)) {
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
			set(name, interpolate(bare(v), get))
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
				switch c = quoted[i]; c {
				case 'n':
					c = '\n'
				case 'r':
					c = '\r'
				case 't':
					c = '\t'
				case 'f':
					c = '\f'
				case 'v':
					c = '\v'
				case '$':
					// \${NAME} is not replaced; a NUL keeps it apart until then
					b.WriteString("$\x00")
					i++
					continue
				}
			}
			b.WriteByte(c)
			i++
		}
		if i >= len(quoted) { // no end: not a value
			s = rest
			continue
		}
		v = b.String()
		if quote == '"' {
			v = strings.ReplaceAll(interpolate(v, get), "$\x00", "$")
		}
		set(name, v)
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
