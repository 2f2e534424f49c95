package wpconfig

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"wpsitemapd/wp/php"
)

// builtinConstants are those of PHP that configurations use. MYSQL_CLIENT_* are the names of PHP 5.
var builtinConstants = map[string]value{
	"PHP_EOL":                  text("\n"),
	"DIRECTORY_SEPARATOR":      text("/"),
	"PATH_SEPARATOR":           text(":"),
	"PHP_OS":                   text("Linux"),
	"PHP_OS_FAMILY":            text("Linux"),
	"PHP_SAPI":                 text("fpm-fcgi"), // sitemaps are read over the web
	"PHP_INT_MAX":              integer(math.MaxInt64),
	"PHP_URL_SCHEME":           integer(0),
	"PHP_URL_HOST":             integer(1),
	"PHP_URL_PORT":             integer(2),
	"PHP_URL_USER":             integer(3),
	"PHP_URL_PASS":             integer(4),
	"PHP_URL_PATH":             integer(5),
	"PHP_URL_QUERY":            integer(6),
	"PHP_URL_FRAGMENT":         integer(7),
	"FILTER_VALIDATE_INT":      integer(257),
	"FILTER_VALIDATE_BOOLEAN":  integer(258),
	"FILTER_VALIDATE_BOOL":     integer(258),
	"MYSQLI_CLIENT_FOUND_ROWS": integer(2),
	"MYSQLI_CLIENT_COMPRESS":   integer(clientCompress),
	"MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT": integer(clientSSLNoVerify),
	"MYSQLI_CLIENT_IGNORE_SPACE":                integer(256),
	"MYSQLI_CLIENT_INTERACTIVE":                 integer(1024),
	"MYSQLI_CLIENT_SSL":                         integer(clientSSL),
	"MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT":      integer(1 << 30),
	"MYSQL_CLIENT_COMPRESS":                     integer(clientCompress),
	"MYSQL_CLIENT_IGNORE_SPACE":                 integer(256),
	"MYSQL_CLIENT_INTERACTIVE":                  integer(1024),
	"MYSQL_CLIENT_SSL":                          integer(clientSSL),
}

func (ev *evaluator) constant(name string) value {
	switch strings.ToLower(name) {
	case "true":
		return boolean(true)
	case "false":
		return boolean(false)
	case "null":
		return value{}
	case "__dir__":
		return text(filepath.Dir(ev.file))
	case "__file__":
		return text(ev.file)
	case "__line__":
		return integer(int64(ev.line))
	}
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	if v, ok := ev.read(constant + name); ok {
		return v
	}
	if v, ok := builtinConstants[name]; ok {
		return v
	}
	return unknown("uses a constant that is not defined") // the name may be a password without quotes
}

// function evaluates a call with known arguments; at least min of them are there.
type function struct {
	min  int
	eval func(ev *evaluator, args []value) value
}

var functions map[string]function

func init() { // breaks the cycle of the evaluator and the table
	str := func(f func(string) string) function {
		return function{1, func(_ *evaluator, a []value) value { return text(f(a[0].Str())) }}
	}
	exists := function{1, func(ev *evaluator, a []value) value {
		_, ok := ev.locate(a[0].Str())
		return boolean(ok && a[0].Str() != "")
	}}
	trim := func(f func(string, string) string) function {
		return function{1, func(_ *evaluator, a []value) value {
			cut := " \n\r\t\v\x00"
			if len(a) > 1 {
				cut = a[1].Str()
				if strings.Contains(cut, "..") {
					return unknown("trims a range of characters")
				}
			}
			return text(trimBytes(f, a[0].Str(), cut))
		}}
	}
	is := func(kinds ...php.Kind) function {
		return function{1, func(_ *evaluator, a []value) value {
			for _, k := range kinds {
				if a[0].Kind == k {
					return boolean(true)
				}
			}
			return boolean(false)
		}}
	}
	contains := func(f func(s, part string) bool) function {
		return function{2, func(_ *evaluator, a []value) value { return boolean(f(a[0].Str(), a[1].Str())) }}
	}
	cast := func(to string) function {
		return function{1, func(ev *evaluator, a []value) value { return ev.cast(to, a[0]) }}
	}
	functions = map[string]function{
		"define":            {2, defineFunction},
		"constant":          {1, func(ev *evaluator, a []value) value { return ev.constant(a[0].Str()) }},
		"getenv":            {1, getenv},
		"env":               {1, env},
		"getenv_docker":     {2, getenvDocker},
		"putenv":            {1, putenv},
		"dirname":           {1, dirname},
		"basename":          {1, basename},
		"realpath":          {1, realpath},
		"file_exists":       exists,
		"is_file":           exists,
		"is_readable":       exists,
		"is_dir":            exists,
		"file_get_contents": {1, fileGetContents},
		"trim":              trim(strings.Trim),
		"rtrim":             trim(strings.TrimRight),
		"chop":              trim(strings.TrimRight),
		"ltrim":             trim(strings.TrimLeft),
		"strtolower":        str(asciiLower),
		"strtoupper":        str(asciiUpper),
		"rawurldecode":      str(func(s string) string { return unescape(s, url.PathUnescape) }),
		"urldecode":         str(func(s string) string { return unescape(s, url.QueryUnescape) }),
		"substr":            {2, substr},
		"str_replace":       {3, strReplace},
		"sprintf":           {1, sprintf},
		"implode":           {1, implode},
		"join":              {1, implode},
		"explode":           {2, explode},
		"parse_url":         {1, parseURL},
		"in_array":          {2, inArray},
		"array_key_exists":  {2, arrayKeyExists},
		"count":             {1, func(_ *evaluator, a []value) value { return integer(int64(len(a[0].elems))) }},
		"strlen":            {1, func(_ *evaluator, a []value) value { return integer(int64(len(a[0].Str()))) }},
		"str_contains":      contains(strings.Contains),
		"str_starts_with":   contains(strings.HasPrefix),
		"str_ends_with":     contains(strings.HasSuffix),
		"strpos":            {2, strpos(false)},
		"stripos":           {2, strpos(true)},
		"strcasecmp": {2, func(_ *evaluator, a []value) value {
			return integer(int64(strings.Compare(asciiLower(a[0].Str()), asciiLower(a[1].Str()))))
		}},
		"intval":            {1, func(ev *evaluator, a []value) value { return onlyArgument(a, ev.cast("int", a[0])) }},
		"boolval":           cast("bool"),
		"strval":            cast("string"),
		"floatval":          cast("float"),
		"filter_var":        {1, filterVar},
		"is_array":          is(php.Array),
		"is_string":         is(php.String),
		"is_int":            is(php.Int),
		"is_bool":           is(php.Bool),
		"is_null":           is(php.Null),
		"php_sapi_name":     {0, func(*evaluator, []value) value { return builtinConstants["PHP_SAPI"] }},
		"wp_installing":     {0, func(*evaluator, []value) value { return boolean(false) }},
		"untrailingslashit": str(func(s string) string { return strings.TrimRight(s, "/\\") }),
		"trailingslashit":   str(func(s string) string { return strings.TrimRight(s, "/\\") + "/" }),
	}
}

func (ev *evaluator) call(n *node) value {
	name := strings.ToLower(n.text)
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	switch {
	case name == "defined" && len(n.kids) > 0:
		return ev.defined(ev.eval(n.kids[0]))
	case name == "compact", name == "extract", name == "parse_str":
		return unknown("calls " + name + "()")
	}
	args := make([]value, len(n.kids))
	for i, kid := range n.kids {
		args[i] = ev.eval(kid)
	}
	ev.line = int(n.line)
	f, ok := functions[name]
	if !ok || len(args) < f.min {
		if body, declared := ev.functions[name]; declared {
			ev.unread(body, "is set within a function")
		}
		return unknown("calls " + n.text + "()")
	}
	return ev.apply(f, name, args)
}

func (ev *evaluator) apply(f function, name string, args []value) value {
	if name == "define" {
		return f.eval(ev, args)
	}
	envName, note, size := "", "", 0
	for _, a := range args {
		if !a.known() {
			return a
		}
		if a.isArray() {
			for _, e := range a.elems {
				if !e.value.known() {
					return e.value
				}
			}
		}
		envName, note = first(envName, a.env), first(note, a.note)
		size += len(a.Str()) + 8*len(a.elems)
	}
	ev.spend(size / 32)
	v := f.eval(ev, args)
	if len(v.Str()) > maxString {
		return unknown("is too long")
	}
	ev.spend(len(v.Str()) / 32)
	switch v.Kind {
	case php.String, php.Null, php.Array:
		v.env, v.note = first(v.env, envName), first(v.note, note)
	}
	return v
}

func (ev *evaluator) defined(name value) value {
	if !name.known() {
		return name
	}
	s := strings.TrimPrefix(name.Str(), "\\")
	if b, ok := ev.names[constant+s]; ok {
		if b.maybe {
			return unknown(b.cond)
		}
		return boolean(true)
	}
	_, ok := builtinConstants[s]
	return boolean(ok)
}

func defineFunction(ev *evaluator, a []value) value {
	if a[0].known() {
		ev.define(a[0].Str(), a[1])
	}
	return boolean(true)
}

func getenv(ev *evaluator, a []value) value {
	return ev.environment(a[0].Str(), boolean(false))
}

// env is oscarotero/env and the like, as Bedrock uses it: null for what is not set, words and digits converted.
func env(ev *evaluator, a []value) value {
	name := a[0].Str()
	ev.findDotenv()
	v := ev.environment(name, value{})
	if v.known() && v.Kind == php.Null && len(a) > 1 {
		return ev.assumed(v, a[1])
	}
	if !v.known() || v.Kind != php.String {
		return v
	}
	s := v.Str()
	switch asciiLower(s) {
	case "true":
		return boolean(true)
	case "false":
		return boolean(false)
	case "null":
		return value{}
	}
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return integer(v.Int())
	}
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return text(s)
}

// getenvDocker is the function in the wp-config.php of the Docker image: the content of the file that NAME_FILE
// names, else NAME, else the default.
func getenvDocker(ev *evaluator, a []value) value {
	name := a[0].Str()
	file := ev.environment(name+"_FILE", boolean(false))
	if !file.known() {
		return file
	}
	if file.Truthy() {
		content := fileGetContents(ev, []value{file})
		if !content.known() {
			return content
		}
		return text(strings.TrimRight(content.Str(), "\r\n"))
	}
	v := ev.environment(name, boolean(false))
	if v.known() && v.Kind == php.Bool {
		return ev.assumed(v, a[1])
	}
	return v
}

func putenv(ev *evaluator, a []value) value {
	name, v, ok := strings.Cut(a[0].Str(), "=")
	if ok {
		ev.assign(envVariable+name, text(v))
	} else {
		ev.assign(envVariable+name, value{})
	}
	return boolean(true)
}

func dirname(_ *evaluator, a []value) value {
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

func basename(_ *evaluator, a []value) value {
	s := strings.TrimRight(a[0].Str(), "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	if len(a) > 1 && s != a[1].Str() {
		s = strings.TrimSuffix(s, a[1].Str())
	}
	return text(s)
}

func realpath(ev *evaluator, a []value) value {
	file, ok := ev.locate(a[0].Str())
	if !ok {
		return boolean(false)
	}
	return text(file)
}

// fileGetContents reads secrets that are kept in files of their own.
func fileGetContents(ev *evaluator, a []value) value {
	name := a[0].Str()
	file, ok := "", false
	if name != "" && !strings.Contains(name, "://") && !strings.Contains(name, "\x00") {
		file, ok = ev.locate(name)
	}
	if !ok {
		return unknown("reads a file that does not exist")
	}
	if ev.files++; ev.files > 2*maxFiles {
		return unknown("reads too many files")
	}
	content, err := ev.opt.ReadFile(file)
	switch {
	case err != nil:
		return unknown("reads a file that cannot be read (" + reason(err) + ")")
	case len(content) > maxString:
		return unknown("reads a file that is too large")
	}
	return text(string(content))
}

func trimBytes(f func(string, string) string, s, cut string) string {
	for i := 0; i < len(cut); i++ {
		if cut[i] >= 0x80 { // strings' cutsets are of code points, PHP's of bytes
			latin := make([]rune, len(s))
			for j := range latin {
				latin[j] = rune(s[j])
			}
			set := make([]rune, len(cut))
			for j := range set {
				set[j] = rune(cut[j])
			}
			out := []byte{}
			for _, r := range f(string(latin), string(set)) {
				out = append(out, byte(r))
			}
			return string(out)
		}
	}
	return f(s, cut)
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// unescape leaves alone what is no escape, as PHP does.
func unescape(s string, decode func(string) (string, error)) string {
	if out, err := decode(s); err == nil {
		return out
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			out, _ := decode(s[i : i+3])
			b.WriteString(out)
			i += 2
			continue
		}
		out := s[i : i+1]
		if s[i] == '+' {
			out, _ = decode("+")
		}
		b.WriteString(out)
	}
	return b.String()
}

func substr(_ *evaluator, a []value) value {
	s := a[0].Str()
	n := int64(len(s))
	from := a[1].Int()
	if from < 0 {
		from = max(0, from+n)
	}
	from = min(from, n)
	to := n
	if len(a) > 2 && a[2].Kind != php.Null {
		switch l := a[2].Int(); {
		case l < 0:
			to = max(from, n+l)
		default:
			to = min(n, from+min(l, n))
		}
	}
	return text(s[from:to])
}

func strReplace(_ *evaluator, a []value) value {
	s := a[2].Str()
	if a[2].isArray() || !a[0].isArray() && a[1].isArray() {
		return unknown("calls str_replace() with arrays")
	}
	pairs := a[0].elems
	if !a[0].isArray() {
		pairs = []element{{value: a[0]}}
	}
	for i, p := range pairs {
		with := a[1].Str()
		if a[1].isArray() {
			with = ""
			if i < len(a[1].elems) {
				with = a[1].elems[i].value.Str()
			}
		}
		search := p.value.Str()
		if search == "" {
			continue
		}
		if len(s)+strings.Count(s, search)*len(with) > 2*maxString {
			return unknown("is too long")
		}
		s = strings.ReplaceAll(s, search, with)
	}
	return text(s)
}

// sprintf knows %s, %d and %%, also with a position.
func sprintf(_ *evaluator, a []value) value {
	format := a[0].Str()
	var b strings.Builder
	next := 1
	for {
		plain, rest, ok := strings.Cut(format, "%")
		b.WriteString(plain)
		if !ok {
			return text(b.String())
		}
		at, n := 0, 0
		for n < len(rest) && n < 4 && isDigit(rest[n]) {
			at = at*10 + int(rest[n]-'0')
			n++
		}
		if n > 0 && (n >= len(rest) || rest[n] != '$' || at == 0) {
			return unknown("calls sprintf() with a form that is not known")
		}
		if n > 0 {
			rest = rest[n+1:]
		}
		if rest == "" {
			return unknown("calls sprintf() with a form that is not known")
		}
		verb := rest[0]
		format = rest[1:]
		if verb == '%' && n == 0 {
			b.WriteByte('%')
			continue
		}
		if n == 0 {
			at = next
			next++
		}
		if at >= len(a) || b.Len() > maxString {
			return unknown("calls sprintf() with a form that is not known")
		}
		switch verb {
		case 's':
			b.WriteString(a[at].Str())
		case 'd':
			fmt.Fprint(&b, a[at].Int())
		default:
			return unknown("calls sprintf() with a form that is not known")
		}
	}
}

func implode(_ *evaluator, a []value) value {
	list, glue := a[0], ""
	if len(a) > 1 {
		list, glue = a[1], a[0].Str()
		if a[0].isArray() {
			list, glue = a[0], a[1].Str()
		}
	}
	var b strings.Builder
	for i, e := range list.elems {
		if i > 0 {
			b.WriteString(glue)
		}
		b.WriteString(e.value.Str())
		if b.Len() > maxString {
			return unknown("is too long")
		}
	}
	return text(b.String())
}

func explode(ev *evaluator, a []value) value {
	if a[0].Str() == "" || strings.Count(a[1].Str(), a[0].Str()) > 1000 {
		return unknown("splits text in a way that is not known")
	}
	limit := int64(math.MaxInt32)
	if len(a) > 2 {
		limit = a[2].Int()
	}
	if limit < 1 {
		return unknown("splits text in a way that is not known")
	}
	var elems []element
	for i, s := range strings.SplitN(a[1].Str(), a[0].Str(), int(min(limit, math.MaxInt32))) {
		elems = append(elems, element{php.Key{Int: int64(i)}, text(s)})
	}
	return arrayOf(elems)
}

// parseURL splits as PHP does, without decoding anything: a password may hold # / ? only as escapes, and @ as it is.
func parseURL(_ *evaluator, a []value) value {
	parts := splitURL(a[0].Str())
	if parts == nil {
		return boolean(false)
	}
	names := []string{"scheme", "host", "port", "user", "pass", "path", "query", "fragment"}
	if len(a) > 1 {
		if i := a[1].Int(); i >= 0 && i < int64(len(names)) {
			return parts[names[i]]
		}
	}
	var elems []element
	for _, name := range names {
		if v, ok := parts[name]; ok {
			elems = append(elems, element{php.KeyOf(name), v})
		}
	}
	return arrayOf(elems)
}

func splitURL(s string) map[string]value {
	parts := map[string]value{}
	if rest, fragment, ok := strings.Cut(s, "#"); ok {
		s, parts["fragment"] = rest, text(fragment)
	}
	if rest, query, ok := strings.Cut(s, "?"); ok {
		s, parts["query"] = rest, text(query)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	switch {
	case ok:
		parts["scheme"] = text(scheme)
	case strings.HasPrefix(s, "//"):
		rest = s[2:]
	default:
		if s != "" {
			parts["path"] = text(s)
		}
		return parts
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		parts["path"] = text(rest[i:])
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		user, pass, ok := strings.Cut(rest[:i], ":")
		parts["user"] = text(user)
		if ok {
			parts["pass"] = text(pass)
		}
		rest = rest[i+1:]
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		port := php.NewString(rest[i+1:]).Int()
		if strings.Trim(rest[i+1:], "0123456789") != "" || port > 65535 {
			return nil
		}
		if rest[i+1:] != "" {
			parts["port"] = integer(port)
		}
		rest = rest[:i]
	}
	if rest == "" {
		return nil
	}
	parts["host"] = text(rest)
	return parts
}

func inArray(_ *evaluator, a []value) value {
	strict := len(a) > 2 && a[2].Truthy()
	for _, e := range a[1].elems {
		if strict {
			if same(a[0], e.value) {
				return boolean(true)
			}
			continue
		}
		order, ok := compare(a[0], e.value)
		if !ok {
			return unknown("compares arrays")
		}
		if order == 0 {
			return boolean(true)
		}
	}
	return boolean(false)
}

func arrayKeyExists(_ *evaluator, a []value) value {
	key, ok := keyOf(a[0])
	if !ok || !a[1].isArray() {
		return unknown("looks for a key in what is no array")
	}
	_, found := a[1].find(key)
	return boolean(found)
}

func strpos(fold bool) func(*evaluator, []value) value {
	return func(_ *evaluator, a []value) value {
		if len(a) > 2 {
			return unknown("searches from a position")
		}
		s, part := a[0].Str(), a[1].Str()
		if fold {
			s, part = asciiLower(s), asciiLower(part)
		}
		if i := strings.Index(s, part); i >= 0 {
			return integer(int64(i))
		}
		return boolean(false)
	}
}

func onlyArgument(a []value, v value) value {
	if len(a) > 1 {
		return unknown("calls intval() with a base")
	}
	return v
}

// filterVar knows FILTER_VALIDATE_BOOLEAN, FILTER_VALIDATE_INT and no filter.
func filterVar(_ *evaluator, a []value) value {
	if len(a) == 1 {
		return text(a[0].Str())
	}
	s := strings.TrimSpace(a[0].Str())
	switch a[1].Int() {
	case 258:
		switch asciiLower(s) {
		case "1", "true", "on", "yes":
			return boolean(true)
		case "0", "false", "off", "no", "":
			return boolean(false)
		}
		if len(a) > 2 {
			return value{}
		}
		return boolean(false)
	case 257:
		if len(a) == 2 {
			if v := php.NewString(s); (value{Value: php.NewInt(v.Int())}).Str() == s {
				return integer(v.Int())
			}
			return boolean(false)
		}
	}
	return unknown("calls filter_var() with a filter that is not known")
}
