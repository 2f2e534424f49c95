package wpconfig

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// binaryPower has the binding powers of operators, weakest first. The gaps are those that unary handles.
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

// assignments are the operators that set a variable; those behind the first three make it unknown.
var assignments = map[string]bool{
	"=": true, ".=": true, "??=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "**=": true,
	"|=": true, "&=": true, "^=": true, "<<=": true, ">>=": true, "++": true, "--": true,
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
			break
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
		return r.fallback(t, left, !left.isNull(), power)
	case "||", "or", "&&", "and":
		return r.logic(t, power, left, op == "||" || op == "or")
	case ".":
		return join(left, r.binary(power+1))
	default:
		right := r.binary(power + 1)
		if !left.known() || !right.known() {
			return unknown(cmp.Or(left.why, right.why))
		}
		switch op {
		case "==", "!=", "<>", "===", "!==":
			r.spend(min(len(left.Str()), len(right.Str())) / 64)
			return equal(left, right, len(op) == 3, op[0] == '=').with(left.marks.and(right.marks))
		case "|": // of MYSQL_CLIENT_FLAGS
			if left.Kind == php.Int && right.Kind == php.Int {
				return integer(left.Int() | right.Int())
			}
		}
		return unknown("uses the operator " + op)
	}
}

// when reads what PHP evaluates only where a condition holds: without effect where it does not, in doubt where that
// is not known.
func (r *reader) when(t token, condition value, holds bool, read func()) {
	if condition.known() {
		r.skipping(!holds, read)
		return
	}
	doubt := r.doubt
	r.doubt = cmp.Or(doubt, undecided(int(t.line), condition.why))
	read()
	r.doubt = doubt
}

// fallback is left, or where that does not hold what follows.
func (r *reader) fallback(t token, left value, holds bool, power int) value {
	var v value
	r.when(t, left, !holds, func() { v = r.binary(power) })
	switch {
	case left.present:
		return left
	case !left.known():
		return unknown(left.why)
	case holds:
		return left
	}
	v.note = cmp.Or(v.note, r.assumption(left))
	return v
}

const defaultUsed = ", so the default of the file is used"

// assumption is what a condition takes for granted. What a .env file does not have is not set for PHP either.
func (r *reader) assumption(condition value) string {
	if condition.note == "" && condition.missing != "" && !r.hasDotenv {
		return condition.missing + defaultUsed
	}
	return condition.note
}

func (r *reader) ternary(t token, power int, condition value) value {
	if r.accept(":") {
		return r.fallback(t, condition, condition.Truthy(), power+1)
	}
	var then, otherwise value
	r.when(t, condition, condition.Truthy(), func() { then = r.binary(powerAssign) })
	r.expect(":")
	r.when(t, condition, !condition.Truthy(), func() { otherwise = r.binary(power + 1) })
	if !condition.known() {
		v := unknown(condition.why)
		if isScheme.MatchString(then.Str()) && isScheme.MatchString(otherwise.Str()) {
			v.request = then.Str()
		}
		return v
	}
	if !condition.Truthy() {
		then = otherwise
	}
	then.note = cmp.Or(then.note, r.assumption(condition))
	return then
}

// logic is || or, where a false operand decides, &&.
func (r *reader) logic(t token, power int, left value, decides bool) value {
	var right value
	r.when(t, left, left.Truthy() != decides, func() { right = r.binary(power + 1) })
	switch {
	case left.known() && left.Truthy() == decides:
		return boolean(decides).with(left.marks)
	case !right.known():
		return unknown(cmp.Or(left.why, right.why))
	case left.known():
		return boolean(right.Truthy()).with(left.marks.and(right.marks))
	case right.Truthy() == decides:
		return boolean(decides)
	}
	return unknown(left.why)
}

func (r *reader) unary() value {
	if !r.enter() {
		return value{}
	}
	defer r.leave()
	t := r.peek()
	if t.kind == tokOp {
		switch t.text {
		case "!":
			r.pos++
			return r.binary(powerNot).not()
		case "@":
			r.pos++
			return r.binary(powerUnary)
		case "-", "+", "~":
			r.pos++
			r.binary(powerUnary)
			return unknown("uses the operator " + t.text)
		case "(":
			if r.peekAt(1).isWord("object") && r.peekAt(2).isOp(")") { // as Bedrock makes one of an array
				r.pos += 3
				v := r.binary(powerUnary)
				if v.known() && !v.isArray() {
					v = unknown("uses a cast")
				}
				return v
			}
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
	line, start := r.tokens[r.pos-1].line, r.pos
	name := r.binary(powerAssign)
	for _, t := range r.tokens[min(start, len(r.tokens)):min(r.pos, len(r.tokens))] {
		if t.kind == tokString && strings.HasSuffix(t.text, "wp-settings.php") { // wherever ABSPATH may be
			return unknown("comes from WordPress")
		}
	}
	if r.skip > 0 || r.failed || r.fatal != nil {
		return value{}
	}
	r.line = int(line)
	return r.include(word, name)
}

func (r *reader) assignment(op token, target value) value {
	var v value
	switch op.text {
	case "=":
		v = r.binary(powerAssign)
	case "??=":
		old := target.quiet()
		v = r.fallback(op, old, !old.isNull(), powerAssign)
	case ".=":
		v = join(target, r.binary(powerAssign))
	default:
		r.failed = true
	}
	r.line = int(op.line)
	switch {
	case target.place == "": // an array is taken apart, or a property set
		r.failed = true
	case r.skip > 0 || r.failed:
	case target.part:
		r.assign(target.place, unknown("is an array that is changed"))
	default:
		r.assign(target.place, v)
	}
	return v
}

func (r *reader) primary() value {
	t := r.peek()
	r.pos++
	switch {
	case t.kind == tokString:
		return text(t.text)
	case t.kind == tokNumber:
		if n, err := strconv.ParseInt(t.text, 0, 64); err == nil { // which knows 0x, 0b, 0o and the leading 0 of octal numbers
			return integer(n)
		}
		return unknown("is a number that is not understood")
	case t.kind == tokVariable:
		return r.variable(t.text)
	case t.kind == tokOther:
		return unknown(t.text)
	case t.kind == tokName:
		return r.name(t)
	case t.isOp("("):
		v := r.expression()
		r.expect(")")
		return v
	case t.isOp("["):
		return r.items("]")
	}
	r.failed = true
	return value{}
}

// variable reads $name, and the arrays that PHP fills with their key.
func (r *reader) variable(name string) value {
	place := variable + name
	if prefix, ok := filledByPHP[name]; ok {
		if prefix == "" || !r.accept("[") {
			return unknown("depends on $" + name)
		}
		k := r.expression()
		r.expect("]")
		key, ok := keyOf(k)
		if !ok {
			return unknown("depends on $" + name)
		}
		place = prefix + key.String()
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

// filledByPHP has the prefix of the names in interpreter.names under which the elements of an array are; "" where
// they depend on the request.
var filledByPHP = map[string]string{
	"_SERVER": server, "_ENV": envVariable, "GLOBALS": variable,
	"_GET": "", "_POST": "", "_COOKIE": "", "_REQUEST": "", "_FILES": "", "_SESSION": "", "argv": "", "argc": "",
}

// ofTheRequest are the beginnings of names in $_SERVER that a web server sets.
var ofTheRequest = []string{
	"HTTP_", "SERVER_", "REQUEST_", "REMOTE_", "SCRIPT_", "CONTENT_", "REDIRECT_", "PHP_", "PATH_", "QUERY_", "DOCUMENT_",
	"GATEWAY_", "SSL_", "CONTEXT_", "AUTH_", "GEOIP_", "FCGI_", "HTTPS", "arg", "UNIQUE_ID",
}

// inEveryRequest names the elements of $_SERVER that a page request always has.
var inEveryRequest = map[string]bool{
	"HTTP_HOST": true, "SERVER_NAME": true, "SERVER_PORT": true, "REQUEST_URI": true, "REQUEST_METHOD": true, "REQUEST_TIME": true,
	"SCRIPT_NAME": true, "SCRIPT_FILENAME": true, "PHP_SELF": true, "REMOTE_ADDR": true, "SERVER_PROTOCOL": true, "SERVER_SOFTWARE": true,
}

// serverVariable is an element of $_SERVER: what a web server says of the request, which is not known, or an
// environment variable.
func (r *reader) serverVariable(name string) value {
	for _, prefix := range ofTheRequest {
		if strings.HasPrefix(name, prefix) && name != "SERVER_ENV" { // a usual SetEnv
			v := value{why: "depends on $_SERVER", present: inEveryRequest[name]}
			if name == "HTTP_HOST" || name == "SERVER_NAME" {
				v.request = requestHost
			}
			return v
		}
	}
	return r.environment(name)
}

// name reads what starts with an identifier: a constant, a call, or one of the words that are operators.
func (r *reader) name(t token) value {
	switch word := strings.ToLower(t.text); word {
	case "include", "include_once", "require", "require_once":
		return r.readInclude(word)
	case "array":
		if r.accept("(") {
			return r.items(")")
		}
	case "isset", "empty":
		r.expect("(")
		return r.isset(word, r.arguments())
	case "exit", "die": // a site that works does not end here
		if r.accept("(") {
			r.arguments()
		}
		return unknown("ends PHP")
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
		var args []value
		if r.accept("(") {
			args = r.arguments()
		}
		if name := strings.ToLower(class.text[strings.LastIndexByte(class.text, '\\')+1:]); name == "dotenv" || name == "loader" {
			return loader(args, false)
		}
		r.failed = r.failed || class.kind != tokName || class.isWord("class")
		return unknown("depends on a class")
	case "function", "fn", "static", "match", "yield", "clone", "throw", "print":
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
	}
	return unknown("depends on a class")
}

// arguments reads up to the closing parenthesis.
func (r *reader) arguments() []value {
	var list []value
	for !r.failed && r.fatal == nil && !r.isOp(")") {
		list = append(list, r.expression())
		if !r.accept(",") {
			break
		}
	}
	r.expect(")")
	return list
}

// items reads the elements of an array.
func (r *reader) items(end string) value {
	result := arrayOf(nil)
	next := int64(0)
	for !r.failed && r.fatal == nil && !r.isOp(end) {
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
		if !r.accept(",") {
			break
		}
	}
	r.expect(end)
	return result
}

func (r *reader) isset(word string, args []value) value {
	result := boolean(true)
	for _, v := range args {
		switch v = v.quiet(); {
		case word == "empty":
			return v.not()
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

// postfix reads what follows a value: [key], ->property, ->method().
func (r *reader) postfix(v value) value {
	for r.spend(1) && !r.failed {
		place := v.place
		switch {
		case r.accept("["):
			if r.isOp("]") {
				v = unknown("reads behind the end of an array")
			} else {
				r.spend(len(v.elems) / 4)
				v = v.member(keyOf(r.expression()))
			}
			r.expect("]")
			v.place, v.part = place, true
		case r.accept("->"), r.accept("?->"):
			member := r.peek()
			r.pos++
			r.failed = r.failed || member.kind != tokName
			if r.accept("(") {
				args := r.arguments()
				r.line = int(member.line)
				v = r.method(v, member.text, args)
				break
			}
			v = v.member(php.KeyOf(member.text), true)
			v.place, v.part = place, true
		case r.accept("("):
			r.arguments()
			v = unknown("calls a function that is not known")
		default:
			return v
		}
	}
	return v
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
