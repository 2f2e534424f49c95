package wpconfig

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds on one file. A wp-config.php has a few hundred tokens; everything far beyond is no configuration.
const (
	maxFileSize = 4 << 20 // bytes
	maxTokens   = 1 << 19
	maxNesting  = 200 // brackets, and strings within strings
)

// errorAt is a reason why PHP itself would refuse a file. It never quotes the file, which holds secrets.
type errorAt struct {
	line   int
	reason string
}

func (e *errorAt) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

type tokenKind uint8

const (
	tokEOF      tokenKind = iota
	tokOp                 // operator or punctuation
	tokName               // identifier or keyword, with its backslashes
	tokVariable           // text is the name without $
	tokNumber
	tokString   // text is the value
	tokTemplate // string with variables in it: parts
	tokOther    // backtick command, stray byte: nothing that could be evaluated
)

type token struct {
	kind  tokenKind
	line  int32
	text  string
	parts []part
}

// part is a piece of a double-quoted string or heredoc: literal text, or the tokens of an expression.
type part struct {
	text   string
	tokens []token
}

type lexer struct {
	src     string
	pos     int
	line    int
	count   *int // tokens so far, templates included
	depth   int  // of templates
	hasCode bool
	err     *errorAt
}

// scan splits a PHP file into tokens; text outside <?php … ?> is left out.
func scan(src string) ([]token, *errorAt) {
	count := 0
	l := &lexer{src: src, line: 1, count: &count}
	var tokens []token
	l.skipHTML(&tokens)
	for l.err == nil {
		t, ok := l.next(&tokens)
		if !ok {
			break
		}
		tokens = append(tokens, t)
	}
	if l.err == nil && !l.hasCode {
		l.fail(1, "there is no PHP code in it")
	}
	return tokens, l.err
}

func (l *lexer) fail(line int, reason string) {
	if l.err == nil {
		l.err = &errorAt{line, reason}
	}
}

func (l *lexer) advance(n int) {
	l.line += strings.Count(l.src[l.pos:l.pos+n], "\n")
	l.pos += n
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.src[l.pos:], prefix) }

// skipHTML goes to behind the next opening tag.
func (l *lexer) skipHTML(tokens *[]token) {
	for {
		i := strings.Index(l.src[l.pos:], "<?")
		if i < 0 {
			l.advance(len(l.src) - l.pos)
			return
		}
		l.advance(i + 2)
		rest := l.src[l.pos:]
		switch {
		case len(rest) >= 3 && strings.EqualFold(rest[:3], "php") && (len(rest) == 3 || isSpace(rest[3])):
			l.advance(3)
		case strings.HasPrefix(rest, "="):
			l.advance(1)
			*tokens = append(*tokens, token{kind: tokName, text: "echo", line: int32(l.line)})
		case rest == "" || isSpace(rest[0]): // the short form
		default:
			continue
		}
		l.hasCode = true
		return
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
func isName(c byte) bool { return isNameStart(c) || isDigit(c) }

func nameLength(s string) int {
	if s == "" || !isNameStart(s[0]) {
		return 0
	}
	i := 1
	for i < len(s) && isName(s[i]) {
		i++
	}
	return i
}

// operators, longest first; #[ starts an attribute.
var operators = []string{
	"#[", "<<<", "===", "!==", "<=>", "**=", "<<=", ">>=", "...", "??=", "?->",
	"==", "!=", "<>", "<=", ">=", "&&", "||", "??", "->", "=>", "::", "++", "--", "+=", "-=", "*=", "/=", ".=",
	"%=", "&=", "|=", "^=", "<<", ">>", "**", "|>",
}

// next reads one token; false at the end.
func (l *lexer) next(tokens *[]token) (token, bool) {
	for l.err == nil && l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isSpace(c) || c == '\v' || c == '\f':
			l.advance(1)
			continue
		case c == '#' && !l.has("#["), l.has("//"):
			l.lineComment()
			continue
		case l.has("/*"):
			i := strings.Index(l.src[l.pos+2:], "*/")
			if i < 0 {
				l.fail(l.line, "comment without end")
				return token{}, false
			}
			l.advance(i + 4)
			continue
		case l.has("?>"):
			t := token{kind: tokOp, text: ";", line: int32(l.line)}
			l.advance(2)
			if l.depth > 0 {
				return t, true
			}
			*tokens = append(*tokens, t)
			l.skipHTML(tokens)
			continue
		}
		if *l.count++; *l.count > maxTokens {
			l.fail(l.line, "too long for a configuration")
			return token{}, false
		}
		t := token{line: int32(l.line)}
		l.token(&t, c)
		return t, l.err == nil
	}
	return token{}, false
}

// lineComment ends at the line's end or, as in PHP, at a closing tag.
func (l *lexer) lineComment() {
	rest := l.src[l.pos:]
	end := strings.IndexAny(rest, "\r\n")
	if end < 0 {
		end = len(rest)
	}
	if i := strings.Index(rest[:end], "?>"); i >= 0 {
		end = i
	}
	l.advance(end)
}

func (l *lexer) token(t *token, c byte) {
	rest := l.src[l.pos:]
	switch {
	case c == '\'':
		t.kind = tokString
		t.text = l.singleQuoted()
	case c == '"':
		l.advance(1)
		l.template(t, '"', 0)
	case c == '`':
		t.kind = tokOther
		i := strings.IndexByte(rest[1:], '`')
		if i < 0 {
			l.fail(l.line, "command without end")
			return
		}
		l.advance(i + 2)
	case c == '$' && nameLength(rest[1:]) > 0:
		n := nameLength(rest[1:])
		t.kind, t.text = tokVariable, rest[1:1+n]
		l.advance(1 + n)
	case isNameStart(c) || c == '\\' && nameLength(rest[1:]) > 0:
		n := 0
		for n < len(rest) && (rest[n] == '\\' && nameLength(rest[n+1:]) > 0 || n == 0 || isName(rest[n])) {
			n++
		}
		t.kind, t.text = tokName, rest[:n]
		l.advance(n)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		t.kind, t.text = tokNumber, number(rest)
		l.advance(len(t.text))
	default:
		if strings.HasPrefix(rest, "<<<") && l.heredoc(t) {
			return
		}
		t.kind, t.text = tokOp, rest[:1]
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				t.text = op
				break
			}
		}
		if c < ' ' || c == 0x7f {
			t.kind = tokOther
		}
		l.advance(len(t.text))
	}
}

// number is the prefix of s that spells a number.
func number(s string) string {
	if len(s) > 1 && s[0] == '0' && strings.IndexByte("xXbBoO", s[1]) >= 0 {
		n := 2
		for n < len(s) && (isDigit(s[n]) || s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'f') {
			n++
		}
		return s[:n]
	}
	n := 0
	digits := func() {
		for n < len(s) && (isDigit(s[n]) || s[n] == '_') {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if m < len(s) && isDigit(s[m]) {
			n = m
			digits()
		}
	}
	return s[:n]
}

// singleQuoted knows two escapes: \' and \\.
func (l *lexer) singleQuoted() string {
	start := l.line
	l.advance(1)
	var b strings.Builder
	rest := l.src[l.pos:]
	from := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			if i+1 < len(rest) && (rest[i+1] == '\'' || rest[i+1] == '\\') {
				b.WriteString(rest[from:i])
				from = i + 1
				i++
			}
		case '\'':
			l.advance(i + 1)
			if b.Len() == 0 && from == 0 {
				return rest[:i]
			}
			b.WriteString(rest[from:i])
			return b.String()
		}
	}
	l.fail(start, "string without end")
	return ""
}

// template reads the rest of a string in which variables count. A double-quoted one ends at quote; a heredoc has
// quote 0 and ends where l.src does, each line losing indent columns.
func (l *lexer) template(t *token, quote byte, indent int) {
	start := l.line
	if l.depth++; l.depth > maxNesting/10 {
		l.fail(start, "strings nested too deeply")
		return
	}
	defer func() { l.depth-- }()
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			t.parts = append(t.parts, part{text: text.String()})
			text.Reset()
		}
	}
	expression := func(tokens []token) {
		flush()
		t.parts = append(t.parts, part{tokens: tokens})
	}
	lineStart := quote == 0
	for {
		if l.err != nil {
			return
		}
		if lineStart {
			lineStart = false
			for n := 0; n < indent && l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t'); n++ {
				l.pos++
			}
		}
		if l.pos >= len(l.src) {
			if quote != 0 {
				l.fail(start, "string without end")
			}
			break
		}
		c := l.src[l.pos]
		rest := l.src[l.pos:]
		switch {
		case c == quote && quote != 0:
			l.advance(1)
			flush()
			t.finish()
			return
		case c == '\\' && len(rest) > 1:
			value, n := escape(rest, quote)
			text.WriteString(value)
			l.advance(n)
		case c == '$' && nameLength(rest[1:]) > 0:
			expression(l.simpleVariable())
		case strings.HasPrefix(rest, "{$"):
			l.advance(1)
			expression(l.until())
		case strings.HasPrefix(rest, "${"):
			l.advance(2)
			tokens := l.until()
			if len(tokens) > 0 && tokens[0].kind == tokName {
				tokens[0].kind = tokVariable
			} else {
				tokens = []token{{kind: tokOther, line: int32(l.line)}}
			}
			expression(tokens)
		default:
			text.WriteByte(c)
			lineStart = c == '\n' && quote == 0
			l.advance(1)
		}
	}
	flush()
	t.finish()
}

// finish makes a plain string of a template without variables.
func (t *token) finish() {
	t.kind = tokTemplate
	switch {
	case len(t.parts) == 0:
		t.kind = tokString
	case len(t.parts) == 1 && t.parts[0].tokens == nil:
		t.kind, t.text, t.parts = tokString, t.parts[0].text, nil
	}
}

// until reads the tokens up to the brace that closes an expression in a string.
func (l *lexer) until() []token {
	start := l.line
	var tokens []token
	for depth := 1; ; {
		t, ok := l.next(&tokens)
		if !ok {
			l.fail(start, "string without end")
			return nil
		}
		if t.kind == tokOp {
			switch t.text {
			case "{":
				depth++
			case "}":
				depth--
			}
			if depth == 0 {
				return tokens
			}
		}
		tokens = append(tokens, t)
	}
}

// simpleVariable reads $name, $name[key] or $name->property within a string; keys are not quoted there.
func (l *lexer) simpleVariable() []token {
	rest := l.src[l.pos:]
	line := int32(l.line)
	n := 1 + nameLength(rest[1:])
	tokens := []token{{kind: tokVariable, text: rest[1:n], line: line}}
	op := func(s string) { tokens = append(tokens, token{kind: tokOp, text: s, line: line}) }
	if strings.HasPrefix(rest[n:], "->") && nameLength(rest[n+2:]) > 0 {
		m := n + 2 + nameLength(rest[n+2:])
		op("->")
		tokens = append(tokens, token{kind: tokName, text: rest[n+2 : m], line: line})
		n = m
	} else if strings.HasPrefix(rest[n:], "[") {
		key := rest[n+1:]
		if i := strings.IndexByte(key[:min(len(key), 200)], ']'); i > 0 {
			key = key[:i]
			t := token{kind: tokString, text: key, line: line}
			if key[0] == '$' {
				t.kind, t.text = tokVariable, key[1:]
			}
			op("[")
			tokens = append(tokens, t)
			op("]")
			n += 1 + i + 1
		}
	}
	l.advance(n)
	return tokens
}

// escape decodes the escape at the start of s and tells its length. A backslash that starts none stays.
func escape(s string, quote byte) (string, int) {
	switch c := s[1]; c {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case 'v':
		return "\v", 2
	case 'e':
		return "\x1b", 2
	case 'f':
		return "\f", 2
	case '\\', '$':
		return s[1:2], 2
	case 'x':
		n := 2
		for n < len(s) && n < 4 && isHex(s[n]) {
			n++
		}
		if n > 2 {
			v, _ := strconv.ParseUint(s[2:n], 16, 8)
			return string([]byte{byte(v)}), n
		}
	case 'u':
		end := strings.IndexByte(s[:min(len(s), 12)], '}')
		if len(s) > 2 && s[2] == '{' && end > 3 {
			if v, err := strconv.ParseUint(s[3:end], 16, 32); err == nil && v <= utf8.MaxRune {
				return string(rune(v)), end + 1
			}
		}
	default:
		if c == quote && quote != 0 {
			return s[1:2], 2
		}
		if c >= '0' && c <= '7' {
			n := 1
			v := 0
			for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7' {
				v = v*8 + int(s[n]-'0')
				n++
			}
			return string([]byte{byte(v)}), n
		}
	}
	return s[:1], 1
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// heredoc reads <<<NAME, <<<"NAME" or <<<'NAME' up to the line that starts with NAME; false when <<< is no heredoc.
// The indentation of that line is taken off every line.
func (l *lexer) heredoc(t *token) bool {
	start := l.line
	head := strings.TrimLeft(l.src[l.pos+3:], " \t")
	var quote byte
	if head != "" && (head[0] == '\'' || head[0] == '"') {
		quote = head[0]
		head = head[1:]
	}
	n := nameLength(head)
	if n == 0 {
		return false
	}
	name := head[:n]
	head = head[n:]
	if quote != 0 {
		if head == "" || head[0] != quote {
			return false
		}
		head = head[1:]
	}
	head, isLine := strings.CutPrefix(head, "\r")
	rest, hasLF := strings.CutPrefix(head, "\n")
	if !isLine && !hasLF {
		return false
	}
	bodyStart := len(l.src) - len(rest)
	// Find the closing line.
	for at := bodyStart; ; {
		line := l.src[at:]
		inner := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(inner, name) && (len(inner) == n || !isName(inner[n])) {
			indent := len(line) - len(inner)
			body := l.src[bodyStart:at]
			body = strings.TrimSuffix(body, "\n")
			body = strings.TrimSuffix(body, "\r")
			l.advance(bodyStart - l.pos)
			if quote == '\'' {
				t.kind, t.text = tokString, outdent(body, indent)
				l.advance(at + indent + n - l.pos)
				return true
			}
			inside := &lexer{src: l.src[:bodyStart+len(body)], pos: bodyStart, line: l.line, count: l.count, depth: l.depth}
			inside.template(t, 0, indent)
			if inside.err != nil {
				l.err = inside.err
				return true
			}
			l.advance(at + indent + n - l.pos)
			return true
		}
		i := strings.IndexByte(line, '\n')
		if i < 0 {
			l.fail(start, "heredoc without end")
			return true
		}
		at += i + 1
	}
}

func outdent(body string, indent int) string {
	if indent == 0 {
		return body
	}
	lines := strings.SplitAfter(body, "\n")
	for i, line := range lines {
		n := 0
		for n < indent && n < len(line) && (line[n] == ' ' || line[n] == '\t') {
			n++
		}
		lines[i] = line[n:]
	}
	return strings.Join(lines, "")
}
