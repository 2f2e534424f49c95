package wpconfig

import (
	"cmp"
	"fmt"
	"strings"
)

// checkEnd returns an error if a file ends within a statement.
func checkEnd(tokens []token) *errorAt {
	for len(tokens) > 0 {
		n, ended := statementLength(tokens)
		if !ended {
			return &errorAt{int(tokens[0].line), "the file ends within what begins here"}
		}
		tokens = tokens[n:]
	}
	return nil
}

// statementLength returns how many tokens the first statement has, up to its semicolon or block. ended is false if it
// has no end.
func statementLength(tokens []token) (n int, ended bool) {
	colons := 0 // open statements that have their body behind a colon
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		next := tokenAt(tokens, i+1)
		switch {
		case t.opens():
			i += int(t.size)
			if t.text == "{" && colons == 0 && !continues(tokenAt(tokens, i+1)) {
				return i + 1, true
			}
		case t.isOp(";"):
			if colons == 0 && !(tokens[0].isWord("if") && (next.isWord("else") || next.isWord("elseif"))) {
				return i + 1, true
			}
		case t.kind != tokName:
		case endsColon[strings.ToLower(t.text)]:
			colons--
		case opensColon(tokens[i:]):
			colons++
		}
	}
	return len(tokens), false
}

// endsColon are the words that end a statement such as if (…): … endif;
var endsColon = map[string]bool{"endif": true, "endfor": true, "endforeach": true, "endwhile": true, "endswitch": true}

// opensColon reports whether the tokens begin with a statement such as if (…): whose body follows a colon.
func opensColon(tokens []token) bool {
	condition := tokenAt(tokens, 1)
	return endsColon["end"+strings.ToLower(tokens[0].text)] && condition.isOp("(") && tokenAt(tokens, int(condition.size)+2).isOp(":")
}

// continues reports whether a token after a closing brace belongs to the statement that the brace seems to end.
func continues(t token) bool {
	if t.kind == tokOp {
		return strings.Contains(" ; ) ] , . -> ?-> :: ( ? : ?? = ", " "+t.text+" ")
	}
	return t.isWord("else") || t.isWord("elseif") || t.isWord("catch") || t.isWord("finally")
}

func tokenAt(tokens []token, i int) token {
	if i < 0 || i >= len(tokens) {
		return token{}
	}
	return tokens[i]
}

// statements evaluates statements in their order.
func (in *interpreter) statements(tokens []token) {
	for len(tokens) > 0 && !in.now.returned && in.enter() {
		n, _ := statementLength(tokens)
		in.statement(tokens[:n])
		tokens = tokens[n:]
		in.depth--
	}
}

func (in *interpreter) statement(tokens []token) {
	first := tokens[0]
	in.now.line = int(first.line)
	if first.isOp("#[") {
		if rest := tokens[first.size+1:]; len(rest) > 0 {
			in.statement(rest)
		}
		return
	}
	word := ""
	if first.kind == tokName && !tokenAt(tokens, 1).isOp("::") {
		word = strings.ToLower(first.text)
	}
	switch word {
	case "if":
		in.ifStatement(tokens)
		return
	case "for", "foreach", "while", "do", "switch", "try":
		in.skip(tokens, fmt.Sprintf("depends on the %s at line %d, which is not followed", word, in.now.line))
		return
	case "function":
		in.functions[strings.ToLower(tokenAt(tokens, 1).text)] = body(tokens)
		return
	case "class", "abstract", "final", "readonly", "interface", "trait", "enum":
		return
	}
	if first.isOp("{") {
		in.statements(tokens[1:first.size])
		return
	}
	if last := len(tokens) - 1; tokens[last].isOp(";") {
		tokens = tokens[:last]
	}
	switch {
	case len(tokens) == 0:
	case word == "const":
		for _, c := range split(tokens[1:], ",") {
			in.now.line = int(c[0].line)
			if tokenAt(c, 1).isOp("=") {
				in.define(c[0].text, in.eval(c[2:]))
			}
		}
	case word == "return":
		in.returnStatement(tokens[1:])
	default:
		in.eval(tokens)
	}
}

// body returns the tokens of the first block.
func body(tokens []token) []token {
	for i, t := range tokens {
		if t.isOp("{") {
			return tokens[i : i+int(t.size)]
		}
	}
	return nil
}

// ifStatement evaluates the branch whose condition holds. From the first unknown condition on, all branches are in
// doubt.
func (in *interpreter) ifStatement(tokens []token) {
	doubt, assuming := in.now.doubt, in.now.assuming // not all of in.now: a branch may return
	defer func() { in.now.doubt, in.now.assuming = doubt, assuming }()
	for len(tokens) > 0 && !tokens[0].isWord("endif") {
		c, line := boolean(true), int(tokens[0].line)
		isElse := tokens[0].isWord("else")
		if tokens = tokens[1:]; isElse && tokenAt(tokens, 0).isWord("if") {
			tokens, isElse = tokens[1:], false
		}
		if !isElse {
			if !tokenAt(tokens, 0).isOp("(") {
				in.skip(tokens, notUnderstood)
				return
			}
			line = int(tokens[0].line)
			c = in.eval(tokens[1:tokens[0].size])
			tokens = tokens[tokens[0].size+1:]
		}
		var body []token
		body, tokens = branch(tokens)
		why := in.assumption(c)
		in.now.assuming = cmp.Or(in.now.assuming, why)
		switch {
		case !c.known():
			in.now.doubt = cmp.Or(in.now.doubt, undecided(line, c.why))
			in.statements(body)
		case c.Truthy():
			in.statements(body)
			return
		case why != "":
			in.maySet(body, why)
		}
	}
}

// branch splits tokens into the body of a branch and the rest. The body is one statement. After a colon it is several
// statements, up to elseif, else or endif.
func branch(tokens []token) (body, rest []token) {
	first := tokenAt(tokens, 0)
	n := int(first.size) + 1
	switch {
	case first.isOp(":"):
		for colons := 0; n < len(tokens); n++ {
			t := tokens[n]
			switch {
			case colons == 0 && (t.isWord("elseif") || t.isWord("else") || t.isWord("endif")):
				return tokens[1:n], tokens[n:]
			case t.opens():
				n += int(t.size)
			case endsColon[strings.ToLower(t.text)]:
				colons--
			case opensColon(tokens[n:]):
				colons++
			}
		}
		return tokens[1:], nil
	case !first.isOp("{"):
		n, _ = statementLength(tokens)
	}
	return tokens[:n], tokens[n:]
}

// returnStatement evaluates return. The file ends, or it may have ended if the statement is in doubt.
func (in *interpreter) returnStatement(result []token) {
	v := value{}
	if len(result) > 0 {
		v = in.eval(result)
	}
	if doubt := in.now.unsure(); doubt != "" {
		in.now.ended, in.now.result = doubt, unknown(doubt)
		return
	}
	in.now.returned, in.now.result = true, v
}

const notUnderstood = "is set in code that is not understood"

// skip passes over code that is not followed. It makes all names unknown that the code may set. why is the reason, for
// messages. If the code contains an include, skip warns about it.
func (in *interpreter) skip(tokens []token, why string) {
	if !in.spend(len(tokens)) {
		return
	}
	line, doubt := in.now.line, in.now.doubt
	defer func() { in.now.line, in.now.doubt = line, doubt }()
	in.now.doubt = cmp.Or(in.now.unsure(), why)
	every := false // every variable in the tokens counts as set
	for i, t := range tokens {
		in.now.line = int(t.line)
		switch name := setAt(tokens, i); {
		case name == constant:
			in.warn("define", "its name "+why)
		case strings.HasPrefix(name, constant):
			in.define(name[len(constant):], value{})
		case name != "":
			in.assign(name, value{})
		case isInclude(t):
			in.warn("include", "it is in code that the daemon does not evaluate, such as a loop or a function")
		case !every && (t.isWord("list") || t.isWord("unset") || t.isOp("]") && tokenAt(tokens, i+1).isOp("=")):
			every = true
			for _, t := range tokens {
				if t.kind == tokVariable {
					in.assign(variable+t.text, value{})
				}
			}
		}
	}
}

// maySet records the names that the tokens set. PHP executes the tokens only if the web server has set an environment
// variable that is not set here. why is a clause about this variable, for messages.
func (in *interpreter) maySet(tokens []token, why string) {
	if !in.spend(len(tokens)) {
		return
	}
	for i, t := range tokens {
		name := setAt(tokens, i)
		if _, known := in.perhaps[name]; name != "" && !known {
			in.perhaps[name] = binding{value: unknown(why), file: in.now.file, line: int(t.line)}
		}
	}
}

// setAt returns the name that is set from the token at i on, by define('NAME', …), const NAME or $name =. It returns
// the prefix alone if the name of a constant is not known, and "" if nothing is set.
func setAt(tokens []token, i int) string {
	t, next := tokens[i], tokenAt(tokens, i+1)
	switch name := tokenAt(tokens, i+2); {
	case t.isWord("define") && next.isOp("("):
		if name.kind == tokString {
			return constant + name.text
		}
		return constant
	case t.isWord("const") && next.kind == tokName:
		return constant + next.text
	case t.kind == tokVariable && (next.kind == tokOp && powers[next.text] == powerAssign ||
		tokenAt(tokens, i-1).isOp("++") || tokenAt(tokens, i-1).isOp("--")):
		return variable + t.text
	}
	return ""
}

func isInclude(t token) bool {
	return t.isWord("include") || t.isWord("include_once") || t.isWord("require") || t.isWord("require_once")
}
