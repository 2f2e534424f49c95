package wpconfig

import (
	"fmt"
	"strings"

	"wpsitemapd/wp/php"
)

// Bounds on one Parse, all files together.
const (
	maxSteps    = 2_000_000
	maxFiles    = 32
	maxIncludes = 10 // files within files
	maxDepth    = 3 * maxNesting
)

// binding is what a name stands for: a constant, a variable, an entry of Bedrock's Config, an environment variable.
type binding struct {
	value
	maybe bool   // set only if a condition holds that is not known
	cond  string // with maybe: that condition
	file  string
	line  int
}

// Prefixes of names in evaluator.names.
const (
	constant    = "c:"
	variable    = "v:"
	bedrock     = "b:" // Config::define, not applied yet
	envVariable = "e:" // environment: .env files and putenv
	server      = "s:" // $_SERVER, assigned
)

// change is an entry of the journal that takes back what a branch did.
type change struct {
	name string
	old  binding
	had  bool
}

// evaluator runs the statements of a configuration without effects outside of itself but reading files.
type evaluator struct {
	opt       Options
	root      string // directory of WordPress as far as known: where relative includes are looked for first
	names     map[string]binding
	journal   []change
	journaled int // undecided branches that are open

	file      string // now running, absolute
	line      int
	including int
	depth     int
	files     int
	bytes     int // of included files
	once      map[string]bool
	functions map[string][]token
	steps     int
	exhausted bool
	result    value // of return
	searched  bool  // for a .env file nobody loaded
	hasDotenv bool
	warnings  []Problem
	seen      map[string]bool
}

func (ev *evaluator) spend(n int) bool {
	ev.steps += n
	if ev.steps > maxSteps {
		ev.exhausted = true
	}
	return !ev.exhausted
}

func (ev *evaluator) warn(name, why string) {
	p := Problem{Name: name, File: ev.file, Line: ev.line, Why: why}
	key := fmt.Sprintf("%s\x00%s\x00%d\x00%s", name, p.File, p.Line, why)
	if !ev.seen[key] && len(ev.warnings) < 100 {
		ev.seen[key] = true
		ev.warnings = append(ev.warnings, p)
	}
}

func (ev *evaluator) set(name string, b binding) {
	if ev.journaled > 0 {
		old, had := ev.names[name]
		ev.journal = append(ev.journal, change{name, old, had})
	}
	ev.names[name] = b
}

func (ev *evaluator) unset(name string) {
	if old, had := ev.names[name]; had {
		if ev.journaled > 0 {
			ev.journal = append(ev.journal, change{name, old, had})
		}
		delete(ev.names, name)
	}
}

func (ev *evaluator) assign(name string, v value) {
	ev.set(name, binding{value: v, file: ev.file, line: ev.line})
}

// read is the value of a name; ok is false when it is not set at all.
func (ev *evaluator) read(name string) (v value, ok bool) {
	b, ok := ev.names[name]
	if b.maybe {
		return unknown(b.cond), true
	}
	return b.value, ok
}

// define makes a constant; as in PHP the first definition stays.
func (ev *evaluator) define(name string, v value) {
	key := constant + strings.TrimPrefix(name, "\\")
	if old, ok := ev.names[key]; ok {
		if old.maybe { // either of the two
			b := binding{value: unknown(old.cond), file: old.file, line: old.line}
			if same(old.value, v) {
				b.value = v
			}
			ev.set(key, b)
		}
		return
	}
	ev.assign(key, v)
}

func (ev *evaluator) eval(n *node) value {
	if ev.depth++; ev.depth > maxDepth+maxChain {
		ev.exhausted = true
	}
	defer func() { ev.depth-- }()
	if !ev.spend(1) {
		return unknown("is too much to evaluate")
	}
	if n.line > 0 {
		ev.line = int(n.line)
	}
	switch n.kind {
	case nUnknown:
		return unknown(n.text)
	case nLiteral:
		return value{Value: n.value}
	case nTemplate, nConcat:
		return ev.concat(n.kids)
	case nVariable:
		return ev.variable(n.text)
	case nConstant:
		return ev.constant(n.text)
	case nArray:
		return ev.array(n.kids)
	case nIndex:
		return ev.index(n)
	case nProperty:
		return ev.member(ev.quiet(n.kids[0]), php.KeyOf(n.text), n.text != "")
	case nCall:
		return ev.call(n)
	case nCallValue:
		if n.kids[0].kind == nClosure {
			ev.unread(n.kids[0].tokens, "is set within a function")
		}
		return unknown("calls a function that is not known")
	case nClosure:
		return unknown("is a function")
	case nStatic:
		return ev.static(n)
	case nMethod:
		return ev.method(n)
	case nNew:
		return ev.construct(n)
	case nUnary:
		return ev.unary(n)
	case nCast:
		return ev.cast(n.text, ev.eval(n.kids[0]))
	case nBinary:
		return ev.binary(n)
	case nLogic:
		return ev.logic(n)
	case nCoalesce:
		left := ev.quiet(n.kids[0])
		switch {
		case !left.known():
			return ev.either(left.why, left, func() value { return ev.eval(n.kids[1]) })
		case left.isMissing():
			return ev.assumed(left, ev.eval(n.kids[1]))
		}
		return left
	case nTernary:
		return ev.ternary(n)
	case nAssign:
		return ev.assignment(n)
	case nIsset:
		return ev.isset(n.kids)
	case nEmpty:
		if len(n.kids) != 1 {
			return unknown("is not understood")
		}
		v := ev.quiet(n.kids[0])
		if !v.known() {
			return v
		}
		return boolean(!v.Truthy())
	case nInclude:
		return ev.include(n)
	}
	return unknown("is not understood")
}

// assumed is the fallback v, with a note when it stands in for an environment variable that is not set here.
func (ev *evaluator) assumed(missing, v value) value {
	// What a .env file does not have is not set for PHP either.
	if missing.env != "" && !ev.hasDotenv && v.known() && v.note == "" && v.env == "" {
		v.note = fmt.Sprintf("the environment variable %s is not set here, so the default of the file is used", missing.env)
	}
	return v
}

// either joins a value with another that may be the case instead.
func (ev *evaluator) either(why string, a value, other func() value) value {
	var b value
	ev.undecided(int32(ev.line), why, func() flow { b = other(); return flowOn }, nil)
	if same(a, b) {
		return a
	}
	return unknown(why)
}

func (ev *evaluator) concat(kids []*node) value {
	var out strings.Builder
	result := value{}
	for _, kid := range kids {
		v := ev.eval(kid)
		if !v.known() {
			result.why = first(result.why, v.why)
			continue
		}
		if v.isArray() || v.dotenv != nil {
			result.why = first(result.why, "joins what is not text")
		}
		result.env = first(result.env, v.env)
		result.note = first(result.note, v.note)
		out.WriteString(v.Str())
		if out.Len() > maxString {
			return unknown("is too long")
		}
	}
	ev.spend(out.Len() / 64)
	if result.why == "" {
		result.Value = php.NewString(out.String())
	}
	return result
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (ev *evaluator) variable(name string) value {
	switch name {
	case "_GET", "_POST", "_COOKIE", "_REQUEST", "_FILES", "_SESSION", "_SERVER", "_ENV", "GLOBALS", "argv", "argc":
		return unknown("depends on $" + name)
	}
	v, ok := ev.read(variable + name)
	if !ok {
		return unknown("uses a variable that is not set") // the name may be part of a password in double quotes
	}
	return v
}

func (ev *evaluator) array(items []*node) value {
	ev.spend(len(items))
	result := arrayOf(nil)
	index := map[php.Key]int{}
	next := int64(0)
	for _, item := range items {
		v := ev.eval(item.kids[0])
		key := php.Key{Int: next}
		if len(item.kids) > 1 {
			k := ev.eval(item.kids[1])
			var ok bool
			if key, ok = keyOf(k); !ok || !k.known() {
				return unknown("is an array with a key that cannot be evaluated")
			}
		}
		if !key.IsString && key.Int >= next && key.Int < 1<<62 {
			next = key.Int + 1
		}
		if i, ok := index[key]; ok {
			result.elems[i].value = v
			continue
		}
		index[key] = len(result.elems)
		result.elems = append(result.elems, element{key, v})
	}
	return result
}

// member is an element of an array or a property of an object.
func (ev *evaluator) member(base value, key php.Key, ok bool) value {
	switch {
	case !base.known():
		return unknown(base.why)
	case !ok:
		return unknown("uses a key that cannot be evaluated")
	case base.isArray():
		ev.spend(len(base.elems) / 4)
		v, _ := base.find(key)
		return v
	case base.Kind == php.Null || base.Kind == php.Bool:
		return value{env: base.env}
	}
	return unknown("takes a part of text")
}

func (ev *evaluator) index(n *node) value {
	if len(n.kids) < 2 {
		return unknown("reads behind the end of an array")
	}
	k := ev.eval(n.kids[1])
	key, ok := keyOf(k)
	ok = ok && k.known()
	if base := n.kids[0]; base.kind == nVariable {
		switch base.text {
		case "_SERVER":
			if !ok {
				return unknown("depends on $_SERVER")
			}
			return ev.serverVariable(key.String())
		case "_ENV":
			if !ok {
				return unknown("depends on $_ENV")
			}
			return ev.environment(key.String(), value{})
		case "GLOBALS":
			if !ok {
				return unknown("depends on $GLOBALS")
			}
			return ev.variable(key.String())
		}
	}
	return ev.member(ev.quiet(n.kids[0]), key, ok)
}

// environment is an environment variable; missing is what PHP has in place of one that is not set.
func (ev *evaluator) environment(name string, missing value) value {
	if v, ok := ev.read(envVariable + name); ok {
		return v
	}
	if s, ok := ev.opt.Env(name); ok {
		return text(s)
	}
	missing.env = name
	return missing
}

// serverVariable is an element of $_SERVER: what the script set itself, what a web server tells of the request,
// which is not known, or an environment variable.
func (ev *evaluator) serverVariable(name string) value {
	if v, ok := ev.read(server + name); ok {
		return v
	}
	if fromRequest(name) {
		return unknown("depends on $_SERVER")
	}
	return ev.environment(name, value{})
}

func fromRequest(name string) bool {
	for _, prefix := range []string{"HTTP_", "SERVER_", "REQUEST_", "REMOTE_", "SCRIPT_", "CONTENT_", "REDIRECT_", "PHP_",
		"PATH_", "QUERY_", "DOCUMENT_", "GATEWAY_", "SSL_", "CONTEXT_", "AUTH_", "GEOIP_", "FCGI_"} {
		if strings.HasPrefix(name, prefix) {
			return name != "SERVER_ENV" // a usual SetEnv
		}
	}
	return name == "HTTPS" || name == "argv" || name == "argc" || name == "UNIQUE_ID"
}

// inEveryRequest names the elements of $_SERVER that a page request always has.
func inEveryRequest(name string) bool {
	switch name {
	case "HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "REQUEST_URI", "REQUEST_METHOD", "REQUEST_TIME", "SCRIPT_NAME",
		"SCRIPT_FILENAME", "PHP_SELF", "REMOTE_ADDR", "SERVER_PROTOCOL", "SERVER_SOFTWARE":
		return true
	}
	return false
}

// quiet evaluates where PHP takes an unset variable for null.
func (ev *evaluator) quiet(n *node) value {
	if n.kind == nVariable {
		if _, ok := ev.names[variable+n.text]; !ok {
			switch n.text {
			case "_GET", "_POST", "_COOKIE", "_REQUEST", "_FILES", "_SESSION", "_SERVER", "_ENV", "GLOBALS", "argv", "argc":
			default:
				return value{}
			}
		}
	}
	if n.kind == nIndex && n.kids[0].kind == nVariable && n.kids[0].text == "GLOBALS" && len(n.kids) > 1 {
		if k := ev.eval(n.kids[1]); k.known() {
			return ev.quiet(&node{kind: nVariable, text: k.Str(), line: n.line})
		}
	}
	return ev.eval(n)
}

func (ev *evaluator) isset(kids []*node) value {
	for _, n := range kids {
		if n.kind == nIndex && len(n.kids) > 1 && n.kids[0].kind == nVariable && n.kids[0].text == "_SERVER" {
			k := ev.eval(n.kids[1])
			if _, assigned := ev.names[server+k.Str()]; !assigned && k.known() && inEveryRequest(k.Str()) {
				continue
			}
		}
		v := ev.quiet(n)
		if !v.known() {
			return v
		}
		if v.isMissing() && v.dotenv == nil {
			return boolean(false)
		}
	}
	return boolean(true)
}

func (ev *evaluator) unary(n *node) value {
	v := ev.eval(n.kids[0])
	if !v.known() {
		return v
	}
	switch n.text {
	case "!":
		return boolean(!v.Truthy())
	case "@":
		return v
	case "-":
		return arithmetic("-", integer(0), v)
	case "+":
		return arithmetic("+", integer(0), v)
	case "~":
		return integer(^v.Int())
	}
	return integer(1) // print
}

func (ev *evaluator) cast(to string, v value) value {
	if !v.known() {
		return v
	}
	out := value{env: v.env, note: v.note}
	switch to {
	case "int":
		out.Value = php.NewInt(v.Int())
		if v.isArray() {
			out.Value = php.NewInt(int64(min(1, len(v.elems))))
		}
	case "float":
		out.Value = php.NewFloat(number64(v))
		if v.Kind == php.String {
			out.Value = php.NewFloat(floatval(v.Str()))
		}
	case "bool":
		out.Value = php.NewBool(v.Truthy())
	case "string":
		if v.isArray() {
			return unknown("joins what is not text")
		}
		out.Value = php.NewString(v.Str())
	case "unset":
		return value{}
	default: // array, object
		if v.isArray() {
			return v
		}
		if v.isMissing() {
			return arrayOf(nil)
		}
		if to == "object" {
			return unknown("makes an object of a scalar")
		}
		return arrayOf([]element{{php.Key{}, v}})
	}
	return out
}

func (ev *evaluator) binary(n *node) value {
	a, b := ev.eval(n.kids[0]), ev.eval(n.kids[1])
	if !a.known() {
		return a
	}
	if !b.known() {
		return b
	}
	ev.spend((len(a.Str()) + len(b.Str())) / 64)
	switch n.text {
	case "===":
		return boolean(same(a, b))
	case "!==":
		return boolean(!same(a, b))
	case "==", "!=", "<>", "<", "<=", ">", ">=", "<=>":
		order, ok := compare(a, b)
		if !ok {
			return unknown("compares arrays")
		}
		switch n.text {
		case "==":
			return boolean(order == 0)
		case "!=", "<>":
			return boolean(order != 0)
		case "<":
			return boolean(order < 0)
		case "<=":
			return boolean(order <= 0)
		case ">":
			return boolean(order > 0)
		case ">=":
			return boolean(order >= 0)
		}
		return integer(int64(order))
	}
	return arithmetic(n.text, a, b)
}

func (ev *evaluator) logic(n *node) value {
	a := ev.eval(n.kids[0])
	if n.text == "xor" {
		b := ev.eval(n.kids[1])
		if !a.known() || !b.known() {
			return unknown(first(a.why, b.why))
		}
		return boolean(a.Truthy() != b.Truthy())
	}
	ends := n.text == "||" // the operand that makes the other one not count
	if a.known() {
		if a.Truthy() == ends {
			return boolean(ends)
		}
		if n.kids[1].kind == nExit {
			return unknown("ends PHP")
		}
		b := ev.eval(n.kids[1])
		if !b.known() {
			return b
		}
		return boolean(b.Truthy())
	}
	var b value
	ev.undecided(n.line, a.why, func() flow {
		if n.kids[1].kind == nExit {
			return flowExit
		}
		b = ev.eval(n.kids[1])
		return flowOn
	}, nil)
	if b.known() && n.kids[1].kind != nExit && b.Truthy() == ends {
		return boolean(ends)
	}
	return unknown(a.why)
}

func (ev *evaluator) ternary(n *node) value {
	cond := ev.eval(n.kids[0])
	if n.kids[1] == nil { // ?:
		switch {
		case !cond.known():
			return ev.either(cond.why, cond, func() value { return ev.eval(n.kids[2]) })
		case cond.Truthy():
			return cond
		}
		return ev.assumed(cond, ev.eval(n.kids[2]))
	}
	if cond.known() {
		if cond.Truthy() {
			return ev.eval(n.kids[1])
		}
		return ev.assumed(cond, ev.eval(n.kids[2]))
	}
	var a, b value
	ev.undecided(n.line, cond.why,
		func() flow { a = ev.eval(n.kids[1]); return flowOn },
		func() flow { b = ev.eval(n.kids[2]); return flowOn })
	if same(a, b) {
		return a
	}
	return unknown(cond.why)
}

func (ev *evaluator) assignment(n *node) value {
	target := n.kids[0]
	var v value
	switch n.text {
	case "=":
		v = ev.eval(n.kids[1])
	case "??=":
		old := ev.quiet(target)
		switch {
		case !old.known():
			v = ev.either(old.why, old, func() value { return ev.eval(n.kids[1]) })
		case old.isMissing():
			v = ev.assumed(old, ev.eval(n.kids[1]))
		default:
			return old
		}
	case ".=":
		v = ev.concat([]*node{target, n.kids[1]})
	default:
		v = ev.binary(&node{kind: nBinary, line: n.line, text: strings.TrimSuffix(n.text, "="), kids: []*node{target, n.kids[1]}})
	}
	ev.line = int(n.line)
	ev.store(target, v, false)
	return v
}

// store sets or removes what a target expression stands for.
func (ev *evaluator) store(target *node, v value, remove bool) {
	put := func(name string) {
		if remove {
			ev.unset(name)
			return
		}
		ev.assign(name, v)
	}
	switch target.kind {
	case nVariable:
		put(variable + target.text)
	case nArray: // [$a, 'k' => $b] = …
		next := int64(0)
		for _, item := range target.kids {
			key := php.Key{Int: next}
			next++
			ok := true
			if len(item.kids) > 1 {
				k := ev.eval(item.kids[1])
				key, ok = keyOf(k)
				ok = ok && k.known()
			}
			ev.store(item.kids[0], ev.member(v, key, ok), remove)
		}
	case nIndex, nProperty:
		base := target.kids[0]
		var key *php.Key
		switch {
		case target.kind == nProperty:
			k := php.KeyOf(target.text)
			key = &k
		case len(target.kids) > 1:
			k := ev.eval(target.kids[1])
			kk, ok := keyOf(k)
			if !ok || !k.known() {
				ev.store(base, unknown("is an array with a key that cannot be evaluated"), false)
				return
			}
			key = &kk
		}
		if base.kind == nVariable && key != nil {
			switch base.text {
			case "GLOBALS":
				put(variable + key.String())
				return
			case "_SERVER":
				if remove {
					v = value{}
				}
				ev.assign(server+key.String(), v)
				return
			case "_ENV":
				if remove {
					v = value{}
				}
				ev.assign(envVariable+key.String(), v)
				return
			}
		}
		if base.kind != nVariable && base.kind != nIndex && base.kind != nProperty {
			return
		}
		if base.kind == nVariable && (base.text == "GLOBALS" || base.text == "_SERVER" || base.text == "_ENV") {
			return
		}
		old := ev.quiet(base)
		ev.spend(len(old.elems))
		switch {
		case !old.known():
		case remove:
			if !old.isArray() || key == nil {
				return
			}
			kept := make([]element, 0, len(old.elems))
			for _, e := range old.elems {
				if e.key != *key {
					kept = append(kept, e)
				}
			}
			ev.store(base, arrayOf(kept), false)
		case old.isArray() || old.isMissing():
			ev.store(base, old.with(key, v), false)
		default:
			ev.store(base, unknown("takes a part of text"), false)
		}
	}
}
