package wpconfig

import (
	"fmt"
	"regexp"
	"strings"
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
	tokOther    // nothing that could be evaluated: text says what it does
)

type token struct {
	kind  tokenKind
	line  int32
	text  string
	parts []part
}

func (t token) isOp(text string) bool { return t.kind == tokOp && t.text == text }

func (t token) isWord(word string) bool { return t.kind == tokName && strings.EqualFold(t.text, word) }

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
		l.template(t)
	case c == '`':
		t.kind, t.text = tokOther, "runs a command"
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
		t.kind, t.text = tokNumber, spelled(rest)
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
		l.advance(len(t.text))
	}
}

// spelled is the prefix of s that spells a number.
func spelled(s string) string {
	n := 0
	for n < len(s) && (isName(s[n]) || s[n] == '.' || (s[n] == '+' || s[n] == '-') && s[n-1]|0x20 == 'e' && !strings.HasPrefix(s, "0x")) {
		n++
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

// template reads the rest of a double-quoted string, in which variables count.
func (l *lexer) template(t *token) {
	start := l.line
	if l.depth++; l.depth > maxNesting/10 {
		l.fail(start, "strings nested too deeply")
		return
	}
	defer func() { l.depth-- }()
	var text strings.Builder
	flush := func(tokens []token) {
		if text.Len() > 0 {
			t.parts = append(t.parts, part{text: text.String()})
			text.Reset()
		}
		if tokens != nil {
			t.parts = append(t.parts, part{tokens: tokens})
		}
	}
	other := func(why string) { flush([]token{{kind: tokOther, line: int32(l.line), text: why}}) }
	for l.err == nil {
		rest := l.src[l.pos:]
		switch {
		case rest == "":
			l.fail(start, "string without end")
		case rest[0] == '"':
			l.advance(1)
			flush(nil)
			t.finish()
			return
		case rest[0] == '\\' && len(rest) > 1:
			value, ok := escape(rest)
			text.WriteString(value)
			if !ok {
				other("has a character that is written by its number")
			}
			l.advance(2)
		case rest[0] == '$' && nameLength(rest[1:]) > 0:
			n := 1 + nameLength(rest[1:])
			if strings.HasPrefix(rest[n:], "[") || strings.HasPrefix(rest[n:], "->") {
				other("contains an expression that is not understood")
			} else {
				flush([]token{{kind: tokVariable, text: rest[1:n], line: int32(l.line)}})
			}
			l.advance(n)
		case strings.HasPrefix(rest, "{$"):
			l.advance(1)
			flush(l.until())
		case strings.HasPrefix(rest, "${"):
			l.advance(2)
			l.until()
			other("contains an expression that is not understood")
		default:
			text.WriteByte(rest[0])
			l.advance(1)
		}
	}
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

// escape decodes the escape at the start of s, which is two bytes long; a backslash that starts none stays. It is not ok
// for the escapes that write a character by its number.
func escape(s string) (value string, ok bool) {
	switch c := s[1]; c {
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'r':
		return "\r", true
	case 'v':
		return "\v", true
	case 'e':
		return "\x1b", true
	case 'f':
		return "\f", true
	case '\\', '$', '"':
		return s[1:2], true
	default:
		return s[:2], !strings.ContainsRune("xu01234567", rune(c))
	}
}

var heredocHead = regexp.MustCompile(`^<<<[ \t]*(['"]?)([A-Za-z_]\w*)(['"]?)\r?\n`)

// heredoc goes past <<<NAME, <<<"NAME" or <<<'NAME' up to the line that starts with NAME; false when <<< is no heredoc.
// Its text is not evaluated.
func (l *lexer) heredoc(t *token) bool {
	m := heredocHead.FindStringSubmatch(l.src[l.pos:])
	if m == nil || m[1] != m[3] {
		return false
	}
	t.kind, t.text = tokOther, "is a heredoc"
	start := l.line
	l.advance(len(m[0]))
	for at := l.pos; ; {
		line, _, more := strings.Cut(l.src[at:], "\n")
		inner := strings.TrimLeft(line, " \t")
		if rest, ends := strings.CutPrefix(inner, m[2]); ends && (rest == "" || !isName(rest[0])) {
			l.advance(at + len(line) - len(rest) - l.pos)
			return true
		}
		if !more {
			l.fail(start, "heredoc without end")
			return true
		}
		at += len(line) + 1
	}
}
