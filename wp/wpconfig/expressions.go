package wpconfig

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// powers has the binding powers of operators, in the order of PHP's manual. A smaller number binds weaker. Operators that are
// not evaluated are listed too, because an expression is split at them.
var powers = map[string]int{
	"or": 1, "xor": 2, "and": 3,
	"=": powerAssign, ".=": powerAssign, "??=": powerAssign, "+=": powerAssign, "-=": powerAssign, "*=": powerAssign, "/=": powerAssign,
	"%=": powerAssign, "**=": powerAssign, "|=": powerAssign, "&=": powerAssign, "^=": powerAssign, "<<=": powerAssign, ">>=": powerAssign,
	"++": powerAssign, "--": powerAssign,
	"?": 5, "??": 6, "||": 7, "&&": 8, "|": 9, "^": 10, "&": 11,
	"==": 12, "!=": 12, "===": 12, "!==": 12, "<>": 12, "<=>": 12,
	"<": 13, "<=": 13, ">": 13, ">=": 13, "|>": 13, ".": 14, "<<": 15, ">>": 15, "+": 16, "-": 16,
	"*": 17, "/": 17, "%": 17, "instanceof": 19, "**": 21,
}

const powerAssign = 4

// split cuts tokens at a separator outside of brackets. It returns no empty part at the end.
func split(tokens []token, separator string) (parts [][]token) {
	start := 0
	for i := 0; i < len(tokens); i++ {
		if t := tokens[i]; t.opens() {
			i += int(t.size)
		} else if t.isOp(separator) {
			parts = append(parts, tokens[start:i])
			start = i + 1
		}
	}
	if start < len(tokens) {
		parts = append(parts, tokens[start:])
	}
	return parts
}

// eval evaluates an expression. It splits the tokens at the operator that binds weakest.
func (in *interpreter) eval(tokens []token) value {
	if len(tokens) == 0 || !in.enter() || !in.spend(len(tokens)) {
		return unknown(notUnderstood)
	}
	defer func() { in.depth-- }()
	first := tokens[0]
	if first.kind == tokName {
		switch word := strings.ToLower(first.text); word {
		case "include", "include_once", "require", "require_once":
			return in.include(tokens[1:], int(first.line), strings.HasSuffix(word, "_once"))
		case "function", "fn", "static", "match", "yield", "clone", "throw", "print", "unset":
			return in.refuse(tokens)
		}
	}
	if first.isOp("@") && isInclude(tokenAt(tokens, 1)) {
		return in.eval(tokens[1:])
	}
	at, weakest := 0, 100
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if power, ok := powers[strings.ToLower(t.text)]; ok && (t.kind == tokOp || t.kind == tokName) && i > 0 {
			// The tokens are split at the operator that PHP applies last. If several have equal power, this is the last one; for
			// power 8 and below, it is the first one.
			if power < weakest || power == weakest && power > 8 {
				at, weakest = i, power
			}
		}
		i += int(t.size)
	}
	if at > 0 {
		return in.operate(tokens[:at], tokens[at], tokens[at+1:])
	}
	if first.kind == tokOp {
		switch first.text {
		case "!":
			return in.eval(tokens[1:]).not()
		case "@":
			return in.eval(tokens[1:])
		case "-", "+", "~":
			return unknown("uses the operator " + first.text)
		}
	}
	return in.operand(tokens)
}

// refuse makes everything unknown that an expression sets, and returns an unknown value. It is called for an expression
// that is not understood.
func (in *interpreter) refuse(tokens []token) value {
	in.skip(tokens, notUnderstood)
	return unknown(notUnderstood)
}

func (in *interpreter) operate(left []token, operator token, right []token) value {
	line := int(operator.line)
	switch op := strings.ToLower(operator.text); op {
	case "=", ".=", "??=":
		return in.assignment(left, operator, right)
	case "?":
		return in.choice(left, right, line)
	case "??":
		v := in.eval(left).quiet()
		return in.fallback(line, v, !v.isNull(), right)
	case "||", "or", "&&", "and":
		return in.logic(line, in.eval(left), right, op == "||" || op == "or")
	case ".":
		return in.join(in.eval(left), in.eval(right))
	default:
		if powers[op] == powerAssign {
			return in.refuse(append(append(left[:len(left):len(left)], operator), right...))
		}
		return compute(op, in.eval(left), in.eval(right))
	}
}

// compute applies an operator that always evaluates both sides.
func compute(op string, a, b value) value {
	switch {
	case !a.known() || !b.known():
		return unknown(cmp.Or(a.why, b.why))
	case op == "==" || op == "===":
		return equal(a, b, op == "===").of(a, b)
	case op == "!=" || op == "!==" || op == "<>":
		return equal(a, b, op == "!==").of(a, b).not()
	case op == "|" && a.Kind == php.Int && b.Kind == php.Int: // for MYSQL_CLIENT_FLAGS
		return integer(a.Int() | b.Int())
	}
	return unknown("uses the operator " + op)
}

func (in *interpreter) assignment(left []token, operator token, right []token) value {
	name, whole := in.assigned(left)
	if name == "" { // the left side is a list or a property
		return in.refuse(append(append(left[:len(left):len(left)], operator), right...))
	}
	var v value
	switch operator.text {
	case "=":
		v = in.eval(right)
	case ".=":
		v = in.join(in.eval(left), in.eval(right))
	default:
		was := in.eval(left).quiet()
		v = in.fallback(int(operator.line), was, !was.isNull(), right)
	}
	in.now.line = int(operator.line)
	if !whole {
		in.assign(name, unknown("is an array that is changed"))
		return v
	}
	in.assign(name, v)
	return v
}

// assigned returns the name in interpreter.names that an assignment sets, or "" if it sets something else. whole reports
// whether it sets the whole variable and not only an element.
func (in *interpreter) assigned(tokens []token) (name string, whole bool) {
	if tokens[0].kind != tokVariable {
		return "", false
	}
	name, n := in.variable(tokens)
	return name, name != "" && n == len(tokens)
}

// variable parses a variable at the beginning of tokens, or an element of an array that PHP fills, such as $_SERVER. name is the
// key of the variable in interpreter.names. name is "" if it depends on the request or cannot be evaluated. n is the number of
// tokens that were parsed.
func (in *interpreter) variable(tokens []token) (name string, n int) {
	var prefix string
	switch tokens[0].text {
	case "_SERVER":
		prefix = server
	case "_ENV":
		prefix = envVariable
	case "GLOBALS":
		prefix = variable
	case "_GET", "_POST", "_COOKIE", "_REQUEST", "_FILES", "_SESSION", "argv", "argc":
		return "", 1
	default:
		return variable + tokens[0].text, 1
	}
	if !tokenAt(tokens, 1).isOp("[") {
		return "", 1
	}
	n = int(tokens[1].size) + 2
	key, ok := keyOf(in.eval(tokens[2 : n-1]))
	if !ok {
		return "", n
	}
	return prefix + key.String(), n
}

// evalIf evaluates tokens that PHP evaluates only if a condition holds. If the condition does not hold, evalIf evaluates
// nothing. If the condition is not known, everything that the tokens set is in doubt.
func (in *interpreter) evalIf(line int, condition value, holds bool, tokens []token) value {
	if condition.known() && !holds {
		return value{}
	}
	doubt := in.now.doubt
	if !condition.known() {
		in.now.doubt = cmp.Or(doubt, undecided(line, condition.why))
	}
	v := in.eval(tokens)
	in.now.doubt = doubt
	return v
}

func undecided(line int, why string) string {
	return fmt.Sprintf("depends on the condition at line %d, which %s", line, why)
}

// fallback evaluates left ?: right and left ?? right. holds says whether a known left is the result: it is true for ?:, or set for
// ??. A left that PHP sets in every request is the result, too. If left is not known otherwise, neither is the result. In all other
// cases, the result is the value of right.
func (in *interpreter) fallback(line int, left value, holds bool, right []token) value {
	v := in.evalIf(line, left, !holds, right)
	switch {
	case left.present || left.known() && holds:
		return left
	case !left.known():
		return unknown(left.why)
	}
	v.note = cmp.Or(v.note, in.assumption(left))
	return v
}

// logic evaluates left || right if shortCircuit is true, and left && right if it is false. shortCircuit is the value of an
// operand that is the result by itself: true for ||, false for &&. If left has that value, PHP does not evaluate right.
func (in *interpreter) logic(line int, left value, right []token, shortCircuit bool) value {
	v := in.evalIf(line, left, left.Truthy() != shortCircuit, right)
	switch {
	case left.known() && left.Truthy() == shortCircuit:
		return boolean(shortCircuit).of(left)
	case !v.known():
		return unknown(cmp.Or(left.why, v.why))
	case left.known():
		return boolean(v.Truthy()).of(left, v)
	case v.Truthy() == shortCircuit:
		return boolean(shortCircuit)
	}
	return unknown(left.why)
}

// choice evaluates condition ? then : other, and condition ?: other.
func (in *interpreter) choice(left, right []token, line int) value {
	condition := in.eval(left)
	if tokenAt(right, 0).isOp(":") {
		return in.fallback(line, condition, condition.Truthy(), right[1:])
	}
	colon := 0
	for open := 0; colon < len(right) && !(open == 0 && right[colon].isOp(":")); colon++ {
		switch t := right[colon]; {
		case t.isOp("?"):
			open++
		case t.isOp(":"):
			open--
		default:
			colon += int(t.size)
		}
	}
	if colon >= len(right) {
		return in.refuse(right)
	}
	then, other := right[:colon], right[colon+1:]
	yes := in.evalIf(line, condition, condition.Truthy(), then)
	no := in.evalIf(line, condition, !condition.Truthy(), other)
	if !condition.known() {
		v := unknown(condition.why)
		if isScheme.MatchString(yes.Str()) && isScheme.MatchString(no.Str()) {
			v.Value = yes.Value
		}
		return v
	}
	if !condition.Truthy() {
		yes = no
	}
	yes.note = cmp.Or(yes.note, in.assumption(condition))
	return yes
}

const defaultUsed = ", so the default of the file is used"

// assumption returns the text of a warning if a condition depends on an environment variable that is not set here, or "". It returns
// "" for the variable if a .env file was read, because PHP does not find the variable either.
func (in *interpreter) assumption(condition value) string {
	if condition.note == "" && condition.missing != "" && !in.hasDotenv {
		return condition.missing + defaultUsed
	}
	return condition.note
}

// operand evaluates an expression without operators: a literal, a variable, a constant or a call, with any number of
// [key] and ->method() after it.
func (in *interpreter) operand(tokens []token) value {
	v, n := in.primary(tokens)
	if n == 0 {
		return in.refuse(tokens)
	}
	for n < len(tokens) {
		t, group := tokens[n], tokenAt(tokens, n+2)
		switch {
		case t.isOp("["):
			v = v.member(keyOf(in.eval(tokens[n+1 : n+int(t.size)])))
			in.spend(len(v.elems) / 4)
			n += int(t.size) + 1
		case t.isOp("->") && group.isOp("("):
			args := in.arguments(tokens[n+3 : n+2+int(group.size)])
			in.now.line = int(t.line)
			v = in.method(v, tokens[n+1].text, args)
			n += int(group.size) + 3
		case t.isOp("->"):
			v = unknown("takes a property of an object")
			n += 2
		default:
			return in.refuse(tokens)
		}
	}
	return v
}

// primary evaluates the literal, variable, constant or call that the tokens begin with. It returns the value and the number
// of its tokens, or 0 if they are not understood.
func (in *interpreter) primary(tokens []token) (v value, n int) {
	t := tokens[0]
	next := tokenAt(tokens, 1)
	n = 1
	switch {
	case t.kind == tokString:
		v = text(t.text)
	case t.kind == tokNumber:
		number, err := strconv.ParseInt(t.text, 0, 64) // accepts 0x, 0b, 0o and the leading 0 of octal numbers
		if v = integer(number); err != nil {
			v = unknown("is a number that is not understood")
		}
	case t.kind == tokOther:
		v = unknown(t.text)
	case t.kind == tokVariable:
		var name string
		if name, n = in.variable(tokens); name == "" {
			v = unknown("depends on $" + t.text)
		} else {
			v = in.read(name)
		}
	case t.isOp("("):
		v, n = in.eval(tokens[1:t.size]), int(t.size)+1
	case t.isOp("["):
		v, n = in.items(tokens[1:t.size]), int(t.size)+1
	case t.isWord("new"):
		v, n = unknown("depends on a class"), 2
		if group := tokenAt(tokens, 2); group.isOp("(") {
			n += int(group.size) + 1
			if args := in.arguments(tokens[3 : n-1]); len(args) > 0 && strings.EqualFold(unqualified(next.text), "dotenv") {
				v = newLoader(args)
			}
		}
	case t.kind == tokName && next.isOp("("):
		n = int(next.size) + 2
		v = in.call(t, t.text, tokens[2:n-1])
	case t.kind == tokName && next.isOp("::"):
		v, n = unknown("depends on a class"), 3
		if group := tokenAt(tokens, 3); group.isOp("(") {
			n += int(group.size) + 1
			v = in.call(t, t.text+"::"+tokenAt(tokens, 2).text, tokens[4:n-1])
		}
	case t.isWord("exit") || t.isWord("die"): // a working site does not end here
		v = unknown("ends PHP")
	case t.kind == tokName:
		v = in.constant(t.text)
	default:
		return value{}, 0
	}
	return v, n
}

func (in *interpreter) arguments(tokens []token) (all []value) {
	for _, e := range split(tokens, ",") {
		all = append(all, in.eval(e))
	}
	return all
}

// items evaluates the elements of an array.
func (in *interpreter) items(tokens []token) value {
	result := value{Value: php.Value{Kind: php.Array}}
	next := int64(0)
	for _, e := range split(tokens, ",") {
		key, ok := php.Key{Int: next}, true
		if pair := split(e, "=>"); len(pair) == 2 {
			key, ok = keyOf(in.eval(pair[0]))
			e = pair[1]
		}
		if !ok {
			result.why = "is an array with a key that cannot be evaluated"
		}
		if !key.IsString && key.Int >= next && key.Int < 1<<62 {
			next = key.Int + 1
		}
		result.elems = append(result.elems, element{key, in.eval(e)})
	}
	return result
}

func (in *interpreter) constant(name string) value {
	name = unqualified(name)
	switch strings.ToLower(name) {
	case "true":
		return boolean(true)
	case "false":
		return boolean(false)
	case "null":
		return value{}
	case "__dir__":
		return text(filepath.Dir(in.now.file))
	case "__file__":
		return text(in.now.file)
	}
	return in.read(constant + name)
}

// unqualified returns a name without its namespace.
func unqualified(name string) string { return name[strings.LastIndexByte(name, '\\')+1:] }
