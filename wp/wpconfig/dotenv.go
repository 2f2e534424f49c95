package wpconfig

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// loader is an object of phpdotenv that loads .env files.
type loader struct {
	files     []string
	all       bool // read all files, not only the first that exists
	overwrite bool // the files override the environment
}

// createLoader evaluates Dotenv::createImmutable(…) and similar methods.
func createLoader(method string, args []value) value {
	if method == "dotenv::create" && len(args) > 1 && !args[0].isArray() && !args[0].isText() {
		args = args[1:] // skip the repository
	}
	v := newLoader(args)
	if v.loader != nil {
		v.loader.overwrite = strings.Contains(method, "mutable") && !strings.Contains(method, "immutable")
	}
	return v
}

// newLoader returns a loader for the arguments of a constructor: folders, file names, and whether to stop at the first
// file.
func newLoader(args []value) value {
	l := &loader{}
	lists := [][]string{nil, {".env"}}
	for i, v := range args {
		switch {
		case !v.known():
			return v
		case v.secret: // messages show the name of the file
			return unknown("is a secret")
		case i == 2:
			l.all = !v.Truthy()
		case i < 2 && v.isArray():
			lists[i] = nil
			for _, e := range v.elems[:min(len(v.elems), maxFiles)] {
				lists[i] = append(lists[i], e.value.Str())
			}
		case i == 0 || i == 1 && v.Truthy():
			lists[i] = []string{v.Str()}
		}
	}
	for _, dir := range lists[0] {
		for _, name := range lists[1] {
			l.files = append(l.files, filepath.Join(dir, name))
		}
	}
	return value{loader: l}
}

// method evaluates $object->name(…). It knows only the methods of phpdotenv.
func (in *interpreter) method(base value, name string, args []value) value {
	name = strings.ToLower(name)
	loads := strings.Contains(name, "load") || name == "bootenv" || name == "toenv"
	switch {
	case base.loader != nil && loads:
		in.loadDotenv(base.loader.files, base.loader.all, base.loader.overwrite || name == "overload")
		return value{Value: php.Value{Kind: php.Array}}
	case base.loader != nil:
		return base // for example required()->notEmpty()
	case loads:
		in.searched = true
		in.warn("include", "it may be a .env file, whose loader is not known")
	}
	return unknown(cmp.Or(base.why, "calls a method"))
}

// isOpen reports whether a wp-config.php may read a variable of the daemon's own environment. That environment also
// holds the daemon's secrets.
func isOpen(name string) bool {
	return strings.HasPrefix(name, "DB_") || strings.HasPrefix(name, "WORDPRESS_") || strings.HasPrefix(name, "WP_")
}

// isSecret reports whether the value of a variable must not appear in a public address.
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

// environment returns an environment variable from a .env file, or else from the daemon's environment, if that may be
// read. It returns null if the variable is not set.
func (in *interpreter) environment(name string) value {
	if b, ok := in.names[envVariable+name]; ok {
		return b.value
	}
	why := "is not set here"
	switch {
	case in.unreadable != "":
		why = "is not known: " + in.unreadable
	case in.opt.Within != "":
		why = "is not set in the .env file of the install. For an install of [[discover]], the daemon does not read it from its own environment"
	case !isOpen(name):
		why = "is not set in the .env file of the install. From its own environment, the daemon reads only DB_*, WORDPRESS_* and WP_*"
	default:
		if s, ok := in.opt.Env(name); ok {
			v := text(s)
			v.secret = isSecret(name)
			return v
		}
	}
	return value{missing: "the environment variable " + name + " " + why}
}

// findDotenv loads the .env in the folder of the running file or in the folder above, unless a .env file was loaded
// already. A library may load it without a statement in the script.
func (in *interpreter) findDotenv() {
	if !in.searched {
		dir := filepath.Dir(in.now.file)
		in.loadDotenv([]string{filepath.Join(dir, ".env"), filepath.Join(filepath.Dir(dir), ".env")}, false, false)
	}
}

// loadDotenv reads the first file that exists, or all files if all is set.
func (in *interpreter) loadDotenv(files []string, all, overwrite bool) {
	in.searched = true
	found := map[string]value{}
	for _, file := range files[:min(len(files), maxFiles)] {
		if !filepath.IsAbs(file) {
			file = filepath.Join(in.root, file)
		}
		exists, err := in.files.exists(file)
		if !exists && err == nil {
			continue
		}
		var content []byte
		if err == nil {
			content, err = in.files.read(file)
		}
		if err != nil {
			in.unreadable = cmp.Or(in.unreadable, "cannot read "+file+": "+reason(err).Error())
			in.warn("include", in.unreadable)
			continue
		}
		in.hasDotenv = true
		in.spend(len(content) / 16)
		in.parseDotenv(string(content), found)
		if !all {
			break
		}
	}
	for name, v := range found {
		_, ours := in.opt.Env(name)
		_, set := in.names[envVariable+name]
		if overwrite || !set && !(ours && isOpen(name)) {
			in.assign(envVariable+name, v)
		}
	}
}

var (
	// dotenvLine matches NAME=value with an optional export. The value is 'literal', "with \\escapes and ${NAME}", or
	// bare with ${NAME}. Quoted values may span lines.
	dotenvLine = regexp.MustCompile(
		`(?m)^[ \t]*(?:export[ \t]+)?['"]?([\w.]+)['"]?[ \t]*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^'"\s#][^\n]*)?)[ \t]*(?:#.*)?\r?$`)
	dotenvComment   = regexp.MustCompile(`[ \t]#.*`)
	dotenvName      = regexp.MustCompile(`\$\{([^}\n]*)\}`)
	dotenvEscape    = regexp.MustCompile(`\\[\s\S]|\$\{([^}\n]*)\}`)
	dotenvUnescaped = map[string]string{`\n`: "\n", `\r`: "\r", `\t`: "\t", `\f`: "\f", `\v`: "\v"}
)

// parseDotenv adds the variables of a .env file to found. It skips lines that it does not understand. Public parsers
// are no alternative: they refuse the whole file, expand ${A}${A} without limit, and read Pa$WORD as a variable, which
// phpdotenv does not.
func (in *interpreter) parseDotenv(s string, found map[string]value) {
	for _, m := range dotenvLine.FindAllStringSubmatch(strings.TrimPrefix(s, "\ufeff"), -1) {
		name, literal, quoted, bare := m[1], m[2], m[3], m[4]
		switch {
		case literal != "":
			found[name] = text(literal)
		case quoted != "":
			found[name] = in.interpolate(dotenvEscape, quoted, found)
		default:
			found[name] = in.interpolate(dotenvName, strings.TrimSpace(dotenvComment.ReplaceAllString(bare, "")), found)
		}
	}
}

// interpolate replaces references such as ${NAME}, and escape sequences, in a value. pattern matches both. found has the variables
// that the file has set so far.
func (in *interpreter) interpolate(pattern *regexp.Regexp, s string, found map[string]value) value {
	result, size := value{}, len(s)
	s = pattern.ReplaceAllStringFunc(s, func(match string) string {
		if match[0] == '\\' {
			return cmp.Or(dotenvUnescaped[match], match[1:])
		}
		name := match[2 : len(match)-1]
		v, ok := found[name]
		if !ok {
			v = in.environment(name)
		}
		size += len(v.Str())
		result.secret = result.secret || v.secret
		if result.why = cmp.Or(result.why, v.why); size > maxString {
			result.why = "is too long"
		}
		if !result.known() || !in.spend(len(v.Str())/64+1) {
			return ""
		}
		return v.Str()
	})
	if result.known() {
		result.Value = php.NewString(s)
	}
	return result
}
