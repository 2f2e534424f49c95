package wpconfig

import (
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// maxChain bounds operators at one level, which become as deep a tree.
const maxChain = 5000

type nodeKind uint8

const (
	// Expressions
	nUnknown   nodeKind = iota // text: why
	nLiteral                   // value
	nTemplate                  // kids, joined
	nVariable                  // text
	nConstant                  // text
	nArray                     // kids: nItem
	nItem                      // kids: value and, if there is one, key
	nIndex                     // kids: base and, unless [], key
	nProperty                  // kids: base; text
	nCall                      // text: function; kids: arguments
	nClosure                   // tokens: body
	nCallValue                 // kids: callee, arguments
	nStatic                    // text: Class::method; kids: arguments
	nMethod                    // text; kids: base, arguments
	nNew                       // text: class; kids: arguments
	nUnary                     // text: operator; kids
	nCast                      // text: type; kids
	nBinary                    // text: operator; kids
	nConcat                    // kids
	nLogic                     // text: && || xor; kids
	nCoalesce                  // kids
	nTernary                   // kids: condition, then (nil for ?:), else
	nAssign                    // text: operator; kids: target, value
	nIsset                     // kids
	nEmpty                     // kids
	nInclude                   // text: include, require, … ; kids
	nExit                      // exit, die, throw

	// Statements
	sNothing
	sExpression // kids
	sBlock      // kids
	sIf         // kids: condition, statement, condition, statement, … and, with else, a last statement
	sConst      // text; kids: value
	sReturn     // kids
	sLeave      // break, continue
	sForeach    // kids: subject, key (or nil), value, body
	sLoop       // kids: body
	sSwitch     // kids: subject, then nItem: kids: block and, unless default, value
	sFunction   // text: name; tokens: body
	sUnset      // kids
	sUnread     // tokens that are not understood
)

type node struct {
	kind   nodeKind
	line   int32
	text   string
	value  php.Value
	kids   []*node
	tokens []token
}

// parser reads what a configuration may hold and skips, statement by statement, what it does not know:
// newer PHP, or a file that PHP would refuse.
type parser struct {
	tokens []token
	pos    int
	depth  int
	failed bool     // the current statement cannot be read
	fatal  *errorAt // the file cannot be read
}

func parse(src string) ([]*node, *errorAt) {
	tokens, err := scan(strings.TrimPrefix(src, "\ufeff"))
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	var list []*node
	for p.fatal == nil && p.pos < len(p.tokens) {
		if p.isOp("}") {
			p.fatal = &errorAt{int(p.peek().line), "unexpected '}'"}
			break
		}
		list = append(list, p.statement())
	}
	return list, p.fatal
}

func (p *parser) peek() token { return p.peekAt(0) }

func (p *parser) peekAt(n int) token {
	if p.failed || p.fatal != nil || p.pos+n >= len(p.tokens) {
		return token{}
	}
	return p.tokens[p.pos+n]
}

func (p *parser) isOp(text string) bool {
	t := p.peek()
	return t.kind == tokOp && t.text == text
}

func (p *parser) isWord(word string) bool {
	t := p.peek()
	return t.kind == tokName && strings.EqualFold(t.text, word)
}

func (p *parser) accept(op string) bool {
	if p.isOp(op) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) acceptWord(word string) bool {
	if p.isWord(word) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.failed = true
	}
}

// end takes the end of a simple statement. The last one of a file may lack it before ?>, which scan has made a semicolon.
func (p *parser) end() { p.expect(";") }

func (p *parser) enter() bool {
	if p.depth++; p.depth > maxNesting && p.fatal == nil {
		p.fatal = &errorAt{int(p.peek().line), "nested too deeply"}
	}
	return p.fatal == nil
}

// statement reads one statement; it always moves on or sets fatal.
func (p *parser) statement() *node {
	start := p.pos
	line := p.peek().line
	if p.failed || !p.enter() { // a failure is the enclosing statement's, which skips all of itself
		return &node{kind: sNothing}
	}
	defer func() { p.depth-- }()
	n := p.readStatement()
	if p.fatal != nil {
		return &node{kind: sNothing}
	}
	if p.failed {
		p.failed = false
		p.pos = min(start, len(p.tokens))
		return &node{kind: sUnread, line: line, tokens: p.skipStatement()}
	}
	n.line = line
	return n
}

// skipStatement goes past the next semicolon or block outside brackets, but not past the end of the enclosing block.
func (p *parser) skipStatement() []token {
	start := p.pos
	depth := 0
	for ; p.pos < len(p.tokens); p.pos++ {
		t := p.tokens[p.pos]
		if t.kind != tokOp {
			continue
		}
		switch t.text {
		case "(", "[", "{", "#[":
			depth++
		case ")", "]":
			if depth > 0 {
				depth--
			}
		case "}":
			if depth == 0 {
				return p.tokens[start:p.pos]
			}
			if depth--; depth == 0 && !p.continues() {
				p.pos++
				return p.tokens[start:p.pos]
			}
		case ";":
			if depth == 0 {
				p.pos++
				return p.tokens[start:p.pos]
			}
		}
	}
	p.fatal = p.truncated(start)
	return nil
}

// continues reports whether an expression goes on behind a closing brace.
func (p *parser) continues() bool {
	t := p.peekAt(1)
	if t.kind == tokOp {
		return strings.Contains(" ; ) ] , . -> ?-> :: ( ? : ?? ", " "+t.text+" ")
	}
	return t.kind == tokName && (strings.EqualFold(t.text, "else") || strings.EqualFold(t.text, "elseif") ||
		strings.EqualFold(t.text, "catch") || strings.EqualFold(t.text, "finally"))
}

func (p *parser) truncated(start int) *errorAt {
	return &errorAt{int(p.tokens[min(start, len(p.tokens)-1)].line), "the file ends within what begins here"}
}

func (p *parser) skipAttributes() {
	for p.isOp("#[") {
		p.skipBracket("#[")
	}
}

// skipBracket goes past a bracketed group and returns what it holds.
func (p *parser) skipBracket(open string) []token {
	start := p.pos
	if !p.isOp(open) {
		p.failed = true
		return nil
	}
	depth := 0
	for ; p.pos < len(p.tokens); p.pos++ {
		if t := p.tokens[p.pos]; t.kind == tokOp {
			switch t.text {
			case "(", "[", "{", "#[":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth == 0 {
				p.pos++
				return p.tokens[start+1 : p.pos-1]
			}
		}
	}
	p.fatal = p.truncated(start)
	return nil
}

func (p *parser) readStatement() *node {
	p.skipAttributes()
	t := p.peek()
	if t.kind == tokOp {
		switch t.text {
		case ";":
			p.pos++
			return &node{kind: sNothing}
		case "{":
			return p.block()
		}
	}
	if t.kind == tokName {
		next := p.peekAt(1)
		if next.kind == tokOp && next.text == ":" && !isKeyword(t.text) { // a label
			p.pos += 2
			return &node{kind: sNothing}
		}
		if read, ok := statements[strings.ToLower(t.text)]; ok && !(next.kind == tokOp && next.text == "::") {
			return read(p)
		}
	}
	n := &node{kind: sExpression, kids: []*node{p.expression()}}
	p.end()
	return n
}

func isKeyword(s string) bool {
	switch strings.ToLower(s) {
	case "else", "default", "parent", "self", "static":
		return true
	}
	return false
}

var statements map[string]func(*parser) *node

func init() { // breaks the cycle of statement and the table
	statements = map[string]func(*parser) *node{
		"if": (*parser).ifStatement, "foreach": (*parser).foreachStatement, "switch": (*parser).switchStatement,
		"while": (*parser).loopStatement, "for": (*parser).loopStatement, "do": (*parser).doStatement,
		"try": (*parser).tryStatement, "const": (*parser).constStatement, "echo": (*parser).echoStatement,
		"return": (*parser).returnStatement, "break": (*parser).leaveStatement, "continue": (*parser).leaveStatement,
		"namespace": (*parser).namespaceStatement, "use": (*parser).skippedStatement, "declare": (*parser).declareStatement,
		"global": (*parser).skippedStatement, "goto": (*parser).skippedStatement, "function": (*parser).functionStatement,
		"class": (*parser).classStatement, "abstract": (*parser).classStatement, "final": (*parser).classStatement,
		"readonly": (*parser).classStatement, "interface": (*parser).classStatement, "trait": (*parser).classStatement,
		"enum": (*parser).classStatement, "unset": (*parser).unsetStatement,
	}
}

func (p *parser) block() *node {
	start := p.pos
	p.expect("{")
	n := &node{kind: sBlock}
	for !p.failed && p.fatal == nil && !p.accept("}") {
		if p.pos >= len(p.tokens) {
			p.fatal = p.truncated(start)
			break
		}
		n.kids = append(n.kids, p.statement())
	}
	return n
}

// body reads the statement of a control structure, or in the form with a colon the statements up to one of ends.
func (p *parser) body(ends ...string) *node {
	if !p.accept(":") {
		return p.statement()
	}
	start := p.pos
	n := &node{kind: sBlock}
	for !p.failed && p.fatal == nil {
		for _, end := range ends {
			if p.isWord(end) {
				return n
			}
		}
		if p.pos >= len(p.tokens) {
			p.fatal = p.truncated(start)
			break
		}
		if p.isOp("}") {
			p.failed = true
			break
		}
		n.kids = append(n.kids, p.statement())
	}
	return n
}

func (p *parser) condition() *node {
	p.expect("(")
	n := p.expression()
	p.expect(")")
	return n
}

func (p *parser) ifStatement() *node {
	n := &node{kind: sIf}
	p.pos++
	colon := false
	branch := func() {
		n.kids = append(n.kids, p.condition())
		colon = p.isOp(":")
		n.kids = append(n.kids, p.body("elseif", "else", "endif"))
	}
	branch()
	for !p.failed && p.fatal == nil {
		if p.acceptWord("elseif") {
			branch()
			continue
		}
		if !p.isWord("else") {
			break
		}
		p.pos++
		if p.isWord("if") && !colon {
			p.pos++
			branch()
			continue
		}
		colon = p.isOp(":")
		n.kids = append(n.kids, p.body("endif"))
		break
	}
	if colon {
		if !p.acceptWord("endif") {
			p.failed = true
		}
		p.end()
	}
	return n
}

func (p *parser) foreachStatement() *node {
	p.pos++
	p.expect("(")
	n := &node{kind: sForeach, kids: []*node{p.expression(), nil, nil, nil}}
	if !p.acceptWord("as") {
		p.failed = true
	}
	p.accept("&")
	n.kids[2] = p.expression()
	if p.accept("=>") {
		p.accept("&")
		n.kids[1], n.kids[2] = n.kids[2], p.expression()
	}
	p.expect(")")
	colon := p.isOp(":")
	n.kids[3] = p.body("endforeach")
	if colon {
		p.pos++
		p.end()
	}
	return n
}

func (p *parser) loopStatement() *node {
	word := strings.ToLower(p.peek().text)
	p.pos++
	p.skipBracket("(")
	colon := p.isOp(":")
	n := &node{kind: sLoop, kids: []*node{p.body("end" + word)}}
	if colon {
		p.pos++
		p.end()
	}
	return n
}

func (p *parser) doStatement() *node {
	p.pos++
	n := &node{kind: sBlock, kids: []*node{p.statement()}} // runs once at least
	if !p.acceptWord("while") {
		p.failed = true
	}
	p.skipBracket("(")
	p.end()
	return n
}

func (p *parser) switchStatement() *node {
	p.pos++
	n := &node{kind: sSwitch, kids: []*node{p.condition()}}
	colon := p.accept(":")
	if !colon {
		p.expect("{")
	}
	start := p.pos
	for !p.failed && p.fatal == nil {
		if colon && p.acceptWord("endswitch") {
			p.end()
			break
		}
		if !colon && p.accept("}") {
			break
		}
		item := &node{kind: nItem, kids: []*node{{kind: sBlock}}}
		switch {
		case p.acceptWord("case"):
			item.kids = append(item.kids, p.expression())
		case p.acceptWord("default"):
		default:
			p.failed = true
		}
		if !p.accept(":") {
			p.expect(";")
		}
		for !p.failed && p.fatal == nil && !p.isWord("case") && !p.isWord("default") && !p.isWord("endswitch") && !p.isOp("}") {
			if p.pos >= len(p.tokens) {
				p.fatal = p.truncated(start)
				break
			}
			item.kids[0].kids = append(item.kids[0].kids, p.statement())
		}
		n.kids = append(n.kids, item)
	}
	return n
}

// tryStatement takes the way without an exception.
func (p *parser) tryStatement() *node {
	p.pos++
	n := &node{kind: sBlock, kids: []*node{p.block()}}
	for p.acceptWord("catch") {
		p.skipBracket("(")
		p.skipBracket("{")
	}
	if p.acceptWord("finally") {
		n.kids = append(n.kids, p.block())
	}
	return n
}

func (p *parser) constStatement() *node {
	p.pos++
	list := &node{kind: sBlock}
	for {
		t := p.peek()
		if t.kind != tokName {
			p.failed = true
		}
		p.pos++
		p.expect("=")
		list.kids = append(list.kids, &node{kind: sConst, line: t.line, text: t.text, kids: []*node{p.expression()}})
		if !p.accept(",") {
			break
		}
	}
	p.end()
	return list
}

func (p *parser) echoStatement() *node {
	p.pos++
	n := &node{kind: sExpression, kids: p.list(";")}
	p.end()
	return n
}

func (p *parser) returnStatement() *node {
	p.pos++
	n := &node{kind: sReturn}
	if !p.isOp(";") {
		if p.pos < len(p.tokens) {
			n.kids = []*node{p.expression()}
		}
	}
	p.end()
	return n
}

func (p *parser) leaveStatement() *node {
	p.pos++
	if p.peek().kind == tokNumber {
		p.pos++
	}
	p.end()
	return &node{kind: sLeave}
}

func (p *parser) namespaceStatement() *node {
	p.pos++
	if p.peek().kind == tokName {
		p.pos++
	}
	if p.isOp("{") {
		return p.block()
	}
	p.end()
	return &node{kind: sNothing}
}

func (p *parser) declareStatement() *node {
	p.pos++
	p.skipBracket("(")
	if p.isOp("{") {
		return p.block()
	}
	p.end()
	return &node{kind: sNothing}
}

func (p *parser) skippedStatement() *node {
	p.skipStatement()
	return &node{kind: sNothing}
}

func (p *parser) functionStatement() *node {
	i := 1
	if t := p.peekAt(i); t.kind == tokOp && t.text == "&" {
		i++
	}
	name := p.peekAt(i)
	if name.kind != tokName { // a closure, never kept
		n := &node{kind: sExpression, kids: []*node{p.expression()}}
		p.end()
		return n
	}
	p.pos += i + 1
	p.skipBracket("(")
	for !p.failed && p.fatal == nil && !p.isOp("{") { // the return type
		if t := p.peek(); t.kind == tokEOF || t.kind == tokOp && t.text == ";" {
			p.failed = true
		}
		p.pos++
	}
	return &node{kind: sFunction, text: strings.ToLower(name.text), tokens: p.skipBracket("{")}
}

func (p *parser) classStatement() *node {
	start := p.pos
	for p.peek().kind == tokName || p.isOp(",") || p.isOp(":") {
		p.pos++
	}
	if !p.isOp("{") { // a call of a function with such a name
		p.pos = start
		n := &node{kind: sExpression, kids: []*node{p.expression()}}
		p.end()
		return n
	}
	p.skipBracket("{")
	return &node{kind: sNothing}
}

func (p *parser) unsetStatement() *node {
	p.pos++
	p.expect("(")
	n := &node{kind: sUnset, kids: p.list(")")}
	p.expect(")")
	p.end()
	return n
}

// list reads expressions separated by commas, before the end operator.
func (p *parser) list(end string) []*node {
	var list []*node
	for !p.failed && p.fatal == nil && !p.isOp(end) {
		if p.accept("...") {
			if p.isOp(end) { // first-class callable
				return append(list, &node{kind: nUnknown, text: "is a function"})
			}
			p.expression()
			list = append(list, &node{kind: nUnknown, text: "unpacks arguments"})
		} else {
			if t, next := p.peek(), p.peekAt(1); t.kind == tokName && next.kind == tokOp && next.text == ":" {
				p.pos += 2 // a named argument, taken by its place
			}
			p.accept("&")
			list = append(list, p.expression())
		}
		if !p.accept(",") {
			break
		}
	}
	return list
}

// Binding powers, weakest first; the gaps are the operators that expression handles itself.
var binaryPower = map[string]int{
	"or": 1, "xor": 2, "and": 3,
	"?": 5, "??": 6, "||": 7, "&&": 8, "|": 9, "^": 10, "&": 11,
	"==": 12, "!=": 12, "===": 12, "!==": 12, "<>": 12, "<=>": 12,
	"<": 13, "<=": 13, ">": 13, ">=": 13, ".": 14, "<<": 15, ">>": 15, "+": 16, "-": 16,
	"*": 17, "/": 17, "%": 17, "instanceof": 19, "**": 21,
}

const (
	powerAssign = 4
	powerNot    = 18
	powerUnary  = 20
)

func (p *parser) expression() *node { return p.binary(0) }

func (p *parser) binary(weakest int) *node {
	if !p.enter() {
		return &node{kind: nUnknown}
	}
	defer func() { p.depth-- }()
	left := p.unary()
	for i := 0; ; i++ {
		if i > maxChain {
			p.failed = true
		}
		t := p.peek()
		op := t.text
		switch t.kind {
		case tokOp:
		case tokName:
			op = strings.ToLower(op)
		default:
			return left
		}
		power, ok := binaryPower[op]
		if !ok || power < weakest {
			return left
		}
		p.pos++
		n := &node{kind: nBinary, line: t.line, text: op}
		switch op {
		case "?":
			n.kind = nTernary
			if p.accept(":") {
				n.kids = []*node{left, nil, p.binary(power + 1)}
				break
			}
			then := p.binary(powerAssign)
			p.expect(":")
			n.kids = []*node{left, then, p.binary(power + 1)}
		case "??":
			n.kind, n.kids = nCoalesce, []*node{left, p.binary(power)}
		case "||", "&&", "or", "and", "xor":
			n.kind, n.kids = nLogic, []*node{left, p.binary(power + 1)}
			switch op {
			case "or":
				n.text = "||"
			case "and":
				n.text = "&&"
			}
		case ".":
			right := p.binary(power + 1)
			if left.kind == nConcat && left.text == "" {
				left.kids = append(left.kids, right)
				continue
			}
			n.kind, n.text, n.kids = nConcat, "", []*node{left, right}
		case "instanceof":
			p.binary(power + 1)
			n.kind, n.text = nUnknown, "depends on a class"
		case "**":
			n.kids = []*node{left, p.binary(power)}
		default:
			n.kids = []*node{left, p.binary(power + 1)}
		}
		left = n
	}
}

var assignments = map[string]bool{
	"=": true, ".=": true, "??=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "**=": true,
	"|=": true, "&=": true, "^=": true, "<<=": true, ">>=": true,
}

var castTypes = map[string]string{
	"int": "int", "integer": "int", "bool": "bool", "boolean": "bool", "float": "float", "double": "float", "real": "float",
	"string": "string", "binary": "string", "array": "array", "object": "object", "unset": "unset",
}

func (p *parser) unary() *node {
	if !p.enter() {
		return &node{kind: nUnknown}
	}
	defer func() { p.depth-- }()
	p.skipAttributes()
	t := p.peek()
	one := func(kind nodeKind, text string, power int) *node {
		p.pos++
		return &node{kind: kind, line: t.line, text: text, kids: []*node{p.binary(power)}}
	}
	switch t.kind {
	case tokOp:
		switch t.text {
		case "!":
			return one(nUnary, "!", powerNot)
		case "-", "+", "~":
			return one(nUnary, t.text, powerUnary)
		case "@":
			return one(nUnary, "@", powerUnary)
		case "&":
			p.pos++
			return p.unary()
		case "++", "--":
			p.pos++
			target := p.unary()
			return &node{kind: nAssign, line: t.line, text: "=", kids: []*node{target, {kind: nUnknown, text: "is counted"}}}
		case "(":
			if a, b := p.peekAt(1), p.peekAt(2); a.kind == tokName && b.kind == tokOp && b.text == ")" {
				if to, ok := castTypes[strings.ToLower(a.text)]; ok {
					p.pos += 2
					return one(nCast, to, powerUnary)
				}
			}
		}
	case tokName:
		switch word := strings.ToLower(t.text); word {
		case "include", "include_once", "require", "require_once":
			return one(nInclude, word, powerAssign)
		case "print":
			return one(nUnary, "print", powerAssign)
		case "clone":
			return one(nUnary, "@", powerUnary)
		case "throw":
			n := one(nExit, "", 0)
			return n
		case "exit", "die":
			p.pos++
			if p.accept("(") {
				p.list(")")
				p.expect(")")
			}
			return &node{kind: nExit, line: t.line}
		case "yield":
			p.failed = true
		}
	}
	n := p.postfix(p.primary())
	if op := p.peek(); op.kind == tokOp && assignments[op.text] {
		switch n.kind {
		case nVariable, nIndex, nProperty, nUnknown, nArray:
		default:
			p.failed = true
		}
		p.pos++
		p.accept("&")
		return &node{kind: nAssign, line: op.line, text: op.text, kids: []*node{n, p.binary(powerAssign)}}
	}
	return n
}

func (p *parser) primary() *node {
	t := p.peek()
	p.pos++
	n := &node{line: t.line, text: t.text}
	switch t.kind {
	case tokString:
		n.kind, n.value = nLiteral, php.NewString(t.text)
	case tokNumber:
		v, ok := numberValue(t.text)
		if !ok {
			p.failed = true
		}
		n.kind, n.value = nLiteral, v
	case tokTemplate:
		n.kind = nTemplate
		for _, part := range t.parts {
			if part.tokens == nil {
				n.kids = append(n.kids, &node{kind: nLiteral, line: t.line, value: php.NewString(part.text)})
				continue
			}
			inner := &parser{tokens: part.tokens, depth: p.depth}
			kid := inner.expression()
			if inner.fatal != nil {
				p.fatal = inner.fatal
			}
			if inner.failed || inner.pos < len(inner.tokens) {
				kid = &node{kind: nUnknown, text: "contains an expression that is not understood"}
			}
			n.kids = append(n.kids, kid)
		}
	case tokVariable:
		n.kind = nVariable
	case tokOther:
		n.kind, n.text = nUnknown, "runs a command"
	case tokName:
		return p.name(t)
	case tokOp:
		switch t.text {
		case "(":
			n = p.expression()
			p.expect(")")
			if n.kind == nConcat {
				n.text = "(" // complete: not to be prolonged
			}
		case "[":
			n.kind, n.kids = nArray, p.items("]")
		case "$": // variable variable
			if p.isOp("{") {
				p.skipBracket("{")
			} else {
				p.unary()
			}
			n.kind, n.text = nUnknown, "uses a variable variable"
		default:
			p.failed = true
		}
	default:
		p.failed = true
	}
	return n
}

// name reads what starts with an identifier: a constant, a call, or one of the words that are operators.
func (p *parser) name(t token) *node {
	n := &node{kind: nConstant, line: t.line, text: strings.TrimPrefix(t.text, "\\")}
	word := strings.ToLower(n.text)
	switch word {
	case "array":
		if p.accept("(") {
			n.kind, n.kids = nArray, p.items(")")
			return n
		}
	case "list":
		p.skipBracket("(")
		return &node{kind: nUnknown, text: "takes an array apart"}
	case "isset", "empty":
		n.kind = nIsset
		if word == "empty" {
			n.kind = nEmpty
		}
		p.expect("(")
		n.kids = p.list(")")
		p.expect(")")
		return n
	case "eval":
		p.skipBracket("(")
		return &node{kind: nUnknown, line: t.line, text: "runs eval()"}
	case "new":
		class := p.peek()
		p.pos++
		if class.kind != tokName || strings.EqualFold(class.text, "class") {
			p.failed = true
			return n
		}
		n.kind, n.text = nNew, class.text
		if p.accept("(") {
			n.kids = p.list(")")
			p.expect(")")
		}
		return n
	case "static":
		if p.isWord("function") || p.isWord("fn") {
			t = p.peek()
			p.pos++
			return p.name(t)
		}
	case "function":
		p.accept("&")
		p.skipBracket("(")
		if p.acceptWord("use") {
			p.skipBracket("(")
		}
		for !p.failed && p.fatal == nil && !p.isOp("{") { // the return type
			if t := p.peek(); t.kind != tokName && !(t.kind == tokOp && strings.Contains(": ? |", t.text)) {
				p.failed = true
			}
			p.pos++
		}
		n.kind, n.tokens = nClosure, p.skipBracket("{")
		return n
	case "fn":
		p.accept("&")
		p.skipBracket("(")
		for !p.failed && !p.isOp("=>") {
			if t := p.peek(); t.kind != tokName && !(t.kind == tokOp && strings.Contains(": ? |", t.text)) {
				p.failed = true
			}
			p.pos++
		}
		p.expect("=>")
		start := p.pos
		p.binary(powerAssign)
		if p.failed || p.fatal != nil {
			return n
		}
		n.kind, n.tokens = nClosure, p.tokens[start:p.pos]
		return n
	case "match":
		if p.isOp("(") {
			p.skipBracket("(")
			p.skipBracket("{")
			return &node{kind: nUnknown, line: t.line, text: "uses match"}
		}
	}
	switch {
	case p.accept("("):
		n.kind = nCall
		n.kids = p.list(")")
		p.expect(")")
	case p.isOp("::"):
		p.pos++
		member := p.peek()
		p.pos++
		switch {
		case member.kind == tokName && p.accept("("):
			n.kind, n.text = nStatic, n.text+"::"+member.text
			n.kids = p.list(")")
			p.expect(")")
		case member.kind == tokName && strings.EqualFold(member.text, "class"):
			n.kind, n.value = nLiteral, php.NewString(n.text)
		case member.kind == tokName || member.kind == tokVariable:
			n.kind, n.text = nUnknown, "depends on a class"
		default:
			p.failed = true
		}
	}
	return n
}

func (p *parser) items(end string) []*node {
	var items []*node
	for !p.failed && p.fatal == nil && !p.accept(end) {
		item := &node{kind: nItem, line: p.peek().line}
		switch {
		case p.isOp(","): // left out, in a list of targets
			item.kids = []*node{{kind: nUnknown, text: "takes an array apart"}}
		case p.accept("..."):
			p.expression()
			item.kids = []*node{{kind: nUnknown, text: "unpacks an array"}}
		default:
			p.accept("&")
			v := p.expression()
			item.kids = []*node{v}
			if p.accept("=>") {
				p.accept("&")
				item.kids = []*node{p.expression(), v}
			}
		}
		items = append(items, item)
		if !p.accept(",") {
			p.expect(end)
			break
		}
	}
	return items
}

// postfix reads what follows a value: [key], ->property, ->method(), (arguments), ++.
func (p *parser) postfix(n *node) *node {
	for i := 0; !p.failed && p.fatal == nil; i++ {
		if i > maxChain {
			p.failed = true
		}
		line := p.peek().line
		switch {
		case p.accept("["):
			n = &node{kind: nIndex, line: line, kids: []*node{n}}
			if !p.isOp("]") {
				n.kids = append(n.kids, p.expression())
			}
			p.expect("]")
		case p.isOp("->"), p.isOp("?->"):
			p.pos++
			member := p.peek()
			switch {
			case member.kind == tokName:
				p.pos++
			case member.kind == tokVariable:
				p.pos++
				member.text = ""
			default:
				p.skipBracket("{")
				member.text = ""
			}
			if p.accept("(") {
				args := p.list(")")
				p.expect(")")
				n = &node{kind: nMethod, line: line, text: member.text, kids: append([]*node{n}, args...)}
				break
			}
			n = &node{kind: nProperty, line: line, text: member.text, kids: []*node{n}}
		case p.accept("("):
			args := p.list(")")
			p.expect(")")
			n = &node{kind: nCallValue, line: line, kids: append([]*node{n}, args...)}
		case p.isOp("::"):
			p.pos++
			p.pos++
			if p.isOp("(") {
				p.skipBracket("(")
			}
			n = &node{kind: nUnknown, line: line, text: "depends on a class"}
		case p.isOp("++"), p.isOp("--"):
			p.pos++
			n = &node{kind: nAssign, line: line, text: "=", kids: []*node{n, {kind: nUnknown, text: "is counted"}}}
		default:
			return n
		}
	}
	return n
}

func numberValue(s string) (php.Value, bool) {
	s = strings.ReplaceAll(s, "_", "")
	base, digits := 10, s
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			base, digits = 16, s[2:]
		case 'b', 'B':
			base, digits = 2, s[2:]
		case 'o', 'O':
			base, digits = 8, s[2:]
		default:
			if strings.Trim(s, "01234567") == "" {
				base, digits = 8, s[1:]
			}
		}
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return php.NewInt(n), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || base != 10 {
		return php.Value{}, false
	}
	return php.NewFloat(f), true
}
