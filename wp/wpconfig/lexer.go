package wpconfig

import (
	"fmt"
	"regexp"
	"strings"
)

// Limits for one file. A wp-config.php has a few hundred tokens, and a far larger file is no configuration.
const (
	maxFileSize = 4 << 20 // bytes
	maxTokens   = 1 << 17
	maxNesting  = 200 // depth of brackets
)

// errorAt is a reason why PHP itself would refuse a file. It never quotes the file, because the file holds secrets.
type errorAt struct {
	line   int
	reason string
}

func (e *errorAt) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

type tokenKind uint8

const (
	tokEOF      tokenKind = iota
	tokOp                 // operator or punctuation
	tokVariable           // text is the name without $
	tokName               // identifier or keyword, with its backslashes
	tokNumber
	tokString // text is the value
	tokOther  // not evaluated; text says what the code does
)

type token struct {
	kind tokenKind
	line int32
	size int32 // for an opening bracket: distance to the closing bracket, in tokens
	text string
}

func (t token) isOp(text string) bool { return t.kind == tokOp && t.text == text }

func (t token) opens() bool { return t.isOp("(") || t.isOp("[") || t.isOp("{") || t.isOp("#[") }

func (t token) closes() bool { return t.isOp(")") || t.isOp("]") || t.isOp("}") }

func (t token) isWord(word string) bool { return t.kind == tokName && strings.EqualFold(t.text, word) }

type lexer struct {
	src     string
	pos     int
	line    int
	hasCode bool
	tokens  []token
	err     *errorAt
}

// scan splits a PHP file into tokens. It skips text outside of <?php … ?>.
func scan(src string) ([]token, *errorAt) {
	l := &lexer{src: src, line: 1}
	l.skipHTML()
	l.scan(true)
	if !l.hasCode {
		l.fail(1, "there is no PHP code in it")
	}
	if l.err == nil {
		l.pair()
	}
	return l.tokens, l.err
}

// pair sets the size of each opening bracket.
func (l *lexer) pair() {
	var open []int
	for i, t := range l.tokens {
		last := len(open) - 1
		switch {
		case t.opens():
			open = append(open, i)
		case !t.closes():
		case last < 0 || closing[l.tokens[open[last]].text] != t.text:
			l.fail(int(t.line), "unexpected '"+t.text+"'")
			return
		default:
			l.tokens[open[last]].size = int32(i - open[last])
			open = open[:last]
		}
		if len(open) > maxNesting {
			l.fail(int(t.line), "nested too deeply")
		}
	}
	if len(open) > 0 {
		l.fail(int(l.tokens[open[0]].line), "the file ends within what begins here")
	}
}

var closing = map[string]string{"(": ")", "[": "]", "#[": "]", "{": "}"}

// scan reads all tokens. If tags is set, text after a closing tag is HTML and is skipped.
func (l *lexer) scan(tags bool) {
	for l.skipSpace(); l.err == nil && l.pos < len(l.src); l.skipSpace() {
		switch {
		case len(l.tokens) >= maxTokens:
			l.fail(l.line, "too long for a configuration")
		case l.has("?>"):
			l.add(tokOp, ";")
			l.advance(2)
			if tags {
				l.skipHTML()
			}
		case l.has("<<<") && l.heredoc():
		default:
			l.next()
		}
	}
}

func (l *lexer) fail(line int, reason string) {
	if l.err == nil {
		l.err = &errorAt{line, reason}
	}
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, line: int32(l.line), text: text})
}

func (l *lexer) advance(n int) {
	l.line += strings.Count(l.src[l.pos:l.pos+n], "\n")
	l.pos += n
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.src[l.pos:], prefix) }

var openingTag = regexp.MustCompile(`<\?(?:(?i:php)(?:\s|$)|=|\s|$)`)

// skipHTML moves behind the next opening tag.
func (l *lexer) skipHTML() {
	m := openingTag.FindStringIndex(l.src[l.pos:])
	if m == nil {
		l.advance(len(l.src) - l.pos)
		return
	}
	l.advance(m[1])
	l.hasCode = true
}

// nameForm treats every byte beyond ASCII as a letter, as PHP does.
const nameForm = `[A-Za-z_[:^ascii:]][\w[:^ascii:]]*`

var (
	// tokenForms match tokens that do not depend on their surroundings, except operators.
	tokenForms = [...]struct {
		kind tokenKind
		form *regexp.Regexp
	}{
		{tokVariable, regexp.MustCompile(`^\$(` + nameForm + `)`)},
		{tokName, regexp.MustCompile(`^(\\?` + nameForm + `(?:\\` + nameForm + `)*)`)},
		{tokString, regexp.MustCompile(`^'((?:[^'\\]|\\[\s\S])*)'`)},
		{tokNumber, regexp.MustCompile(`^(\.?[0-9](?:[eE][+-]|[\w.])*)`)},
		{tokOther, regexp.MustCompile("^`([^`]*)`")},
	}
	// templateForm matches a text in double quotes. partForm matches the parts of it that are not literal.
	templateForm = regexp.MustCompile(`^"((?:[^"\\{]|\\[\s\S]|\{\$[^{}]*\}|\{)*)"`)
	partForm     = regexp.MustCompile(`\\[\s\S]|\{(\$[^{}]*)\}|\$(` + nameForm + `)(\[|->)?|\{\$|\$\{`)
	singleQuoted = strings.NewReplacer(`\\`, `\`, `\'`, `'`)
)

// operators are listed with the longest first. #[ starts an attribute.
var operators = strings.Fields(`
	#[ <<< === !== <=> **= <<= >>= ... ??= ?->
	== != <> <= >= && || ?? -> => :: ++ -- += -= *= /= .= %= &= |= ^= << >> ** |>`)

func (l *lexer) next() {
	rest := l.src[l.pos:]
	if m := templateForm.FindStringSubmatch(rest); m != nil {
		l.template(m[1])
		l.advance(len(m[0]))
		return
	}
	for _, f := range tokenForms {
		m := f.form.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		text := m[1]
		switch f.kind {
		case tokString:
			text = singleQuoted.Replace(text)
		case tokOther:
			text = "runs a command"
		}
		l.add(f.kind, text)
		l.advance(len(m[0]))
		return
	}
	op := rest[:1]
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			op = o
			break
		}
	}
	if strings.Contains("'\"`", op) {
		l.fail(l.line, "string without end")
	}
	l.add(tokOp, op)
	l.advance(len(op))
}

// spaceForm matches white space or a comment. A comment of one line ends at the end of the line or, as in PHP, at a
// closing tag.
var spaceForm = regexp.MustCompile(`^(?:([ \t\r\n\v\f]+|/\*[\s\S]*?\*/)|((?://|#)[^\r\n]*?)(?:\?>|[\r\n]|$))`)

// skipSpace moves behind white space and comments.
func (l *lexer) skipSpace() {
	for !l.has("#[") {
		m := spaceForm.FindStringSubmatch(l.src[l.pos:])
		if m == nil {
			break
		}
		l.advance(len(m[1]) + len(m[2]))
	}
	if l.has("/*") {
		l.fail(l.line, "comment without end")
	}
}

// escapes are the escapes in double quotes. Escapes that give a character by its number are not evaluated. Before any
// other character, a backslash stays.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'v': "\v", 'e': "\x1b", 'f': "\f", '\\': "\\", '$': "$", '"': `"`,
}

// template adds the tokens of a text in double quotes: one text, or a bracket that joins its parts.
func (l *lexer) template(body string) {
	open := len(l.tokens)
	l.add(tokOp, "(")
	text, at := "", 0
	flush := func() {
		l.add(tokString, text)
		l.add(tokOp, ".")
		text = ""
	}
	for _, m := range partForm.FindAllStringSubmatchIndex(body, -1) {
		text += body[at:m[0]]
		at = m[1]
		if body[m[0]] == '\\' {
			c := body[m[0]+1]
			value, ok := escapes[c]
			if !ok {
				value = body[m[0]:m[1]]
			}
			text += value
			if strings.IndexByte("xu01234567", c) < 0 {
				continue
			}
		}
		flush()
		switch {
		case body[m[0]] == '\\':
			l.add(tokOther, "has a character that is written by its number")
		case m[2] >= 0:
			inner := &lexer{src: body[m[2]:m[3]], line: l.line}
			inner.scan(false)
			l.add(tokOp, "(")
			l.tokens = append(l.tokens, inner.tokens...)
			l.add(tokOp, ")")
		case m[4] >= 0 && m[6] < 0:
			l.add(tokVariable, body[m[4]:m[5]])
		default:
			l.add(tokOther, "contains an expression that is not understood")
		}
		l.add(tokOp, ".")
	}
	if text += body[at:]; len(l.tokens) == open+1 {
		l.tokens = l.tokens[:open]
		l.add(tokString, text)
		return
	}
	l.add(tokString, text)
	l.add(tokOp, ")")
}

var nameByte = regexp.MustCompile(`^[\w[:^ascii:]]`)

var heredocHead = regexp.MustCompile(`^<<<[ \t]*(['"]?)([A-Za-z_]\w*)(['"]?)\r?\n`)

// heredoc skips <<<NAME, <<<"NAME" or <<<'NAME' up to the line that starts with NAME. It returns false if <<< starts
// no heredoc. The text is not evaluated.
func (l *lexer) heredoc() bool {
	m := heredocHead.FindStringSubmatch(l.src[l.pos:])
	if m == nil || m[1] != m[3] {
		return false
	}
	start := l.line
	l.add(tokOther, "is a heredoc")
	l.advance(len(m[0]))
	for l.pos < len(l.src) {
		line, _, _ := strings.Cut(l.src[l.pos:], "\n")
		if rest, ends := strings.CutPrefix(strings.TrimLeft(line, " \t"), m[2]); ends && !nameByte.MatchString(rest) {
			l.advance(len(line) - len(rest))
			return true
		}
		l.advance(min(len(line)+1, len(l.src)-l.pos))
	}
	l.fail(start, "heredoc without end")
	return true
}
