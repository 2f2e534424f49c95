package wpconfig

import (
	"path/filepath"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// Binding powers, weakest first; the gaps are the operators that unary handles.
var binaryPower = map[string]int{
	"or": 1, "xor": 2, "and": 3,
	"?": 5, "??": 6, "||": 7, "&&": 8, "|": 9, "^": 10, "&": 11,
	"==": 12, "!=": 12, "===": 12, "!==": 12, "<>": 12, "<=>": 12,
	"<": 13, "<=": 13, ">": 13, ">=": 13, ".": 14, "<<": 15, ">>": 15, "+": 16, "-": 16,
	"*": 17, "/": 17, "%": 17, "instanceof": 19, "**": 21, "|>": 13,
}

const (
	powerAssign = 4
	powerNot    = 18
	powerUnary  = 20
)

var assignments = map[string]bool{
	"=": true, ".=": true, "??=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "**=": true,
	"|=": true, "&=": true, "^=": true, "<<=": true, ">>=": true,
}

func (r *reader) expression() value { return r.binary(0) }

func (r *reader) binary(weakest int) value {
	if !r.enter() {
		return value{}
	}
	defer r.leave()
	left := r.unary()
	for r.spend(1) {
		t := r.peek()
		power, ok := binaryPower[strings.ToLower(t.text)]
		if t.kind != tokOp && t.kind != tokName || !ok || power < weakest {
			return left
		}
		r.pos++
		left = r.operate(t, power, left)
	}
	return left
}

// operate reads what follows an operator and applies it.
func (r *reader) operate(t token, power int, left value) value {
	switch op := strings.ToLower(t.text); op {
	case "?":
		return r.ternary(t, power, left)
	case "??":
		left = left.quiet()
		return r.fallback(t, left, !left.isNull(), func() value { return r.binary(power) })
	case "||", "or", "&&", "and":
		return r.logic(t, left, op == "||" || op == "or", power)
	case ".":
		return join(left, r.binary(power+1))
	case "==", "!=", "<>", "===", "!==":
		right := r.binary(power + 1)
		if !left.known() || !right.known() {
			return unknown(first(left.why, right.why))
		}
		r.spend(min(len(left.Str()), len(right.Str())) / 64)
		same, ok := equal(left, right, len(op) == 3)
		if !ok {
			return unknown("compares arrays")
		}
		return boolean(same == (op[0] == '=')).with(left.marks.and(right.marks))
	case "|": // of MYSQL_CLIENT_FLAGS
		right := r.binary(power + 1)
		if left.known() && right.known() && left.Kind == php.Int && right.Kind == php.Int {
			return integer(left.Int() | right.Int())
		}
		return unknown(first(first(left.why, right.why), "uses the operator |"))
	case "**":
		power--
		fallthrough
	default:
		r.binary(power + 1)
		return unknown("uses the operator " + op)
	}
}

// fallback is left, or where that does not hold what read gives.
func (r *reader) fallback(t token, left value, holds bool, read func() value) (v value) {
	switch {
	case !left.known():
		r.doubting(int(t.line), left.why, func() { read() })
		return unknown(left.why)
	case holds:
		r.skipping(true, func() { read() })
		return left
	}
	v = read()
	v.note = first(v.note, r.assumption(left))
	return v
}

// assumption is what a condition takes for granted. What a .env file does not have is not set for PHP either.
func (r *reader) assumption(condition value) string {
	if condition.note == "" && condition.missing != "" && !r.hasDotenv {
		return condition.missing + ", so the default of the file is used"
	}
	return condition.note
}

func (r *reader) ternary(t token, power int, condition value) value {
	if r.accept(":") {
		return r.fallback(t, condition, condition.Truthy(), func() value { return r.binary(power + 1) })
	}
	var then, otherwise value
	both := func() {
		r.skipping(condition.known() && !condition.Truthy(), func() { then = r.binary(powerAssign) })
		r.expect(":")
		r.skipping(condition.known() && condition.Truthy(), func() { otherwise = r.binary(power + 1) })
	}
	if !condition.known() {
		r.doubting(int(t.line), condition.why, both)
		return unknown(condition.why)
	}
	if both(); !condition.Truthy() {
		then = otherwise
	}
	then.note = first(then.note, r.assumption(condition))
	return then
}

func (r *reader) logic(t token, left value, ends bool, power int) value {
	var right value
	read := func() { right = r.binary(power + 1) }
	switch {
	case !left.known():
		if r.doubting(int(t.line), left.why, read); right.known() && right.Truthy() == ends {
			return boolean(ends)
		}
		return unknown(left.why)
	case left.Truthy() == ends:
		r.skipping(true, read)
		return boolean(ends).with(left.marks)
	}
	if read(); !right.known() {
		return right
	}
	return boolean(right.Truthy()).with(left.marks.and(right.marks))
}

func (r *reader) unary() value {
	if !r.enter() {
		return value{}
	}
	defer r.leave()
	for r.isOp("#[") {
		r.skipBracket("#[")
	}
	t := r.peek()
	operand := func(power int) value {
		r.pos++
		return r.binary(power)
	}
	switch t.kind {
	case tokOp:
		switch t.text {
		case "!":
			v := operand(powerNot)
			if v.known() {
				v = boolean(!v.Truthy()).with(v.marks)
			}
			return v
		case "@":
			return operand(powerUnary)
		case "-", "+", "~":
			operand(powerUnary)
			return unknown("uses the operator " + t.text)
		case "++", "--":
			r.store(operand(powerUnary), unknown("is counted"))
			return unknown("is counted")
		case "(":
			if to := r.peekAt(1); to.kind == tokName && r.peekAt(2).isOp(")") && casts[strings.ToLower(to.text)] {
				r.pos += 2
				return cast(strings.ToLower(to.text), operand(powerUnary))
			}
		}
	case tokName:
		switch word := strings.ToLower(t.text); word {
		case "include", "include_once", "require", "require_once":
			return r.readInclude(word)
		case "print":
			return operand(powerAssign)
		case "throw", "exit", "die": // a site that works does not end here
			r.pos++
			if r.isOp("(") && r.peekAt(1).isOp(")") {
				r.pos += 2
			} else if word == "throw" || r.isOp("(") {
				r.expression()
			}
			return unknown("ends PHP")
		}
	}
	v := r.postfix(r.primary())
	if op := r.peek(); op.kind == tokOp && assignments[op.text] {
		r.pos++
		return r.assignment(op, v)
	}
	return v
}

func (r *reader) readInclude(word string) value {
	line := int(r.peek().line)
	r.pos++
	start := r.pos
	v := r.binary(powerAssign)
	for _, t := range r.tokens[min(start, len(r.tokens)):min(r.pos, len(r.tokens))] {
		if t.kind == tokString && strings.HasSuffix(t.text, "wp-settings.php") { // wherever ABSPATH may be
			return unknown("comes from WordPress")
		}
	}
	if r.skip > 0 || r.failed || r.fatal != nil {
		return value{}
	}
	return r.include(word, line, v, v.Str())
}

var casts = map[string]bool{
	"int": true, "integer": true, "bool": true, "boolean": true, "float": true, "double": true,
	"string": true, "array": true, "object": true,
}

func cast(to string, v value) value {
	switch {
	case !v.known():
		return v
	case to == "array" || to == "object":
		if !v.isArray() {
			return unknown("makes an array of a single value")
		}
		return v
	case to == "bool" || to == "boolean":
		return boolean(v.Truthy()).with(v.marks)
	case !v.isText() || to == "float" || to == "double":
		return unknown("uses the cast (" + to + ")")
	case to == "string":
		return text(v.Str()).with(v.marks)
	}
	return integer(v.Int()).with(v.marks)
}

func (r *reader) assignment(op token, target value) value {
	if target.place == "" {
		r.failed = true // an array is taken apart, or a property set
		return target
	}
	var v value
	switch op.text {
	case "=":
		v = r.binary(powerAssign)
	case "??=":
		old := target.quiet()
		v = r.fallback(op, old, !old.isNull(), func() value { return r.binary(powerAssign) })
	case ".=":
		v = join(target, r.binary(powerAssign))
	default:
		r.binary(powerAssign)
		v = unknown("uses the operator " + op.text)
	}
	r.line = int(op.line)
	r.store(target, v)
	return v
}

// store sets what a target stands for; of an array that is changed nothing is known any more.
func (r *reader) store(target, v value) {
	switch {
	case target.place == "":
		r.failed = true
	case r.skip > 0:
	case target.part:
		r.assign(target.place, unknown("is an array that is changed"))
	default:
		r.assign(target.place, v)
	}
}

func (r *reader) primary() value {
	t := r.peek()
	r.pos++
	switch t.kind {
	case tokString:
		return text(t.text)
	case tokNumber:
		v, ok := numberValue(t.text)
		r.failed = r.failed || !ok
		return value{Value: v}
	case tokTemplate:
		return r.template(t)
	case tokVariable:
		return r.variable(t.text)
	case tokOther:
		return unknown("runs a command")
	case tokName:
		return r.name(t)
	case tokOp:
		switch t.text {
		case "(":
			v := r.expression()
			r.expect(")")
			return v
		case "[":
			return r.items("]")
		}
	}
	r.failed = true
	return value{}
}

func (r *reader) template(t token) value {
	v := text("")
	for _, part := range t.parts {
		next := text(part.text)
		if part.tokens != nil {
			inner := &reader{interpreter: r.interpreter, file: r.file, line: r.line, tokens: part.tokens, depth: r.depth}
			next = inner.expression()
			if r.fatal == nil {
				r.fatal = inner.fatal
			}
			if inner.failed || inner.pos < len(inner.tokens) || part.tokens[0].kind == tokOther {
				next = unknown("contains an expression that is not understood")
			}
		}
		v = join(v, next)
		r.spend(len(v.Str()) / 64)
	}
	return v
}

// variable reads $name, and the arrays that PHP fills with their key.
func (r *reader) variable(name string) value {
	place := variable + name
	switch name {
	case "_SERVER", "_ENV", "GLOBALS":
		if !r.accept("[") {
			return unknown("depends on $" + name)
		}
		k := r.expression()
		r.expect("]")
		key, ok := keyOf(k)
		switch name {
		case "_SERVER":
			place = server + key.String()
		case "_ENV":
			place = envVariable + key.String()
		default:
			place = variable + key.String()
		}
		if !ok {
			return unknown("depends on $" + name)
		}
	case "_GET", "_POST", "_COOKIE", "_REQUEST", "_FILES", "_SESSION", "argv", "argc":
		return unknown("depends on $" + name)
	}
	v := value{why: "uses a variable that is not set", unset: true} // its name may be part of a password in double quotes
	b, ok := r.names[place]
	switch {
	case ok:
		v = b.value
	case strings.HasPrefix(place, server):
		v = r.serverVariable(place[len(server):])
	case strings.HasPrefix(place, envVariable):
		v = r.environment(place[len(envVariable):])
	}
	v.place = place
	return v
}

// serverVariable is an element of $_SERVER: what a web server says of the request, which is not known, or an
// environment variable.
func (r *reader) serverVariable(name string) value {
	for _, prefix := range []string{"HTTP_", "SERVER_", "REQUEST_", "REMOTE_", "SCRIPT_", "CONTENT_", "REDIRECT_", "PHP_",
		"PATH_", "QUERY_", "DOCUMENT_", "GATEWAY_", "SSL_", "CONTEXT_", "AUTH_", "GEOIP_", "FCGI_", "HTTPS", "arg", "UNIQUE_ID"} {
		if strings.HasPrefix(name, prefix) && name != "SERVER_ENV" { // a usual SetEnv
			return value{why: "depends on $_SERVER", present: inEveryRequest[name]}
		}
	}
	return r.environment(name)
}

// inEveryRequest names the elements of $_SERVER that a page request always has.
var inEveryRequest = map[string]bool{
	"HTTP_HOST": true, "SERVER_NAME": true, "SERVER_PORT": true, "REQUEST_URI": true, "REQUEST_METHOD": true, "REQUEST_TIME": true,
	"SCRIPT_NAME": true, "SCRIPT_FILENAME": true, "PHP_SELF": true, "REMOTE_ADDR": true, "SERVER_PROTOCOL": true, "SERVER_SOFTWARE": true,
}

// name reads what starts with an identifier: a constant, a call, or one of the words that are operators.
func (r *reader) name(t token) value {
	switch strings.ToLower(t.text) {
	case "array":
		if r.accept("(") {
			return r.items(")")
		}
	case "isset", "empty":
		return r.isset(t)
	case "eval":
		r.skipBracket("(")
		if r.skip == 0 {
			r.line = int(t.line)
			r.warn("eval", "its code is made while PHP runs")
		}
		return unknown("runs eval()")
	case "new":
		class := r.peek()
		r.pos++
		if class.kind != tokName || class.isWord("class") {
			r.failed = true
			return value{}
		}
		args := []value{}
		if r.accept("(") {
			args = r.arguments()
		}
		if name := strings.ToLower(class.text); name == "dotenv" || strings.HasSuffix(name, `\dotenv`) {
			return loader(args, false)
		}
		return unknown("depends on a class")
	case "function", "fn", "static", "match", "yield", "clone":
		r.failed = true // what is set within is unknown then
		return value{}
	}
	switch {
	case r.accept("("):
		return r.call(t, r.arguments())
	case r.accept("::"):
		return r.classMember(t)
	}
	return r.constant(t.text)
}

func (r *reader) classMember(class token) value {
	member := r.peek()
	r.pos++
	switch {
	case member.kind != tokName && member.kind != tokVariable:
		r.failed = true
	case r.accept("("):
		args := r.arguments()
		r.line = int(class.line)
		return r.static(strings.TrimPrefix(class.text, `\`), member.text, args)
	case member.isWord("class"):
		return text(class.text)
	}
	return unknown("depends on a class")
}

// arguments reads up to the closing parenthesis.
func (r *reader) arguments() []value {
	args := r.list(")")
	r.expect(")")
	return args
}

// list reads expressions separated by commas, before the end operator.
func (r *reader) list(end string) []value {
	var list []value
	for !r.failed && r.fatal == nil && !r.isOp(end) {
		switch {
		case r.accept("..."): // unpacked, or a first-class callable
			if !r.isOp(end) {
				r.expression()
			}
			list = append(list, unknown("unpacks arguments"))
		default:
			if r.peek().kind == tokName && r.peekAt(1).isOp(":") {
				r.pos += 2 // a named argument, taken by its place
			}
			list = append(list, r.expression())
		}
		if !r.accept(",") {
			break
		}
	}
	return list
}

func (r *reader) items(end string) value {
	result := arrayOf(nil)
	next := int64(0)
	for !r.failed && r.fatal == nil && !r.accept(end) {
		if r.accept("...") {
			r.expression()
			result.why = "unpacks an array"
		} else {
			v, key, ok := r.expression(), php.Key{Int: next}, true
			if r.accept("=>") {
				key, ok = keyOf(v)
				v = r.expression()
			}
			if !ok {
				result.why = "is an array with a key that cannot be evaluated"
			}
			if !key.IsString && key.Int >= next && key.Int < 1<<62 {
				next = key.Int + 1
			}
			result.elems = append(result.elems, element{key, v})
		}
		if !r.accept(",") {
			r.expect(end)
			break
		}
	}
	return result
}

func (r *reader) isset(t token) value {
	r.expect("(")
	args := r.arguments()
	if t.isWord("empty") {
		if len(args) != 1 {
			r.failed = true
			return value{}
		}
		v := args[0].quiet()
		if v.known() {
			v = boolean(!v.Truthy()).with(v.marks)
		}
		return v
	}
	result := boolean(true)
	for _, v := range args {
		switch v = v.quiet(); {
		case v.present:
		case !v.known():
			return unknown(v.why)
		case v.isNull():
			return boolean(false).with(v.marks)
		default:
			result = result.with(v.marks)
		}
	}
	return result
}

// postfix reads what follows a value: [key], ->property, ->method(), (arguments), ++.
func (r *reader) postfix(v value) value {
	for r.spend(1) && !r.failed {
		place := v.place
		switch {
		case r.accept("["):
			if r.accept("]") {
				v = unknown("reads behind the end of an array")
			} else {
				k := r.expression()
				r.expect("]")
				r.spend(len(v.elems) / 4)
				key, ok := keyOf(k)
				v = v.member(key, ok)
			}
			v.place, v.part = place, true
		case r.accept("->"), r.accept("?->"):
			member := r.peek()
			if member.kind == tokName || member.kind == tokVariable {
				r.pos++
			} else {
				r.skipBracket("{")
			}
			if r.accept("(") {
				r.arguments()
				v = r.method(v, member.text)
				break
			}
			v = v.member(php.KeyOf(member.text), member.kind == tokName)
			v.place, v.part = place, true
		case r.accept("("):
			r.arguments()
			v = unknown("calls a function that is not known")
		case r.accept("++"), r.accept("--"):
			r.store(v, unknown("is counted"))
			v = unknown("is counted")
		default:
			return v
		}
	}
	return v
}

func numberValue(s string) (php.Value, bool) {
	s = strings.ReplaceAll(strings.ToLower(s), "_", "")
	if n, err := strconv.ParseInt(s, 0, 64); err == nil { // which knows 0x, 0b, 0o and the leading 0 of octal numbers
		return php.NewInt(n), true
	}
	f, err := strconv.ParseFloat(s, 64)
	return php.NewFloat(f), err == nil && !strings.HasPrefix(s, "0x")
}

func (r *reader) constant(name string) value {
	name = name[strings.LastIndexByte(name, '\\')+1:]
	switch strings.ToLower(name) {
	case "true":
		return boolean(true)
	case "false":
		return boolean(false)
	case "null":
		return value{}
	case "__dir__":
		return text(filepath.Dir(r.file))
	case "__file__":
		return text(r.file)
	}
	if b, ok := r.names[constant+name]; ok {
		return b.value
	}
	if v, ok := builtinConstants[name]; ok {
		return v
	}
	return unknown("uses a constant that is not defined") // the name may be a password without quotes
}
