package wpconfig

import (
	"fmt"
	"regexp"
	"strings"
)

// Bounds on one file. A wp-config.php has a few hundred tokens; everything far beyond is no configuration.
const (
	maxFileSize = 4 << 20 // bytes
	maxTokens   = 1 << 17
	maxNesting  = 200 // brackets
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
	tokVariable           // text is the name without $
	tokName               // identifier or keyword, with its backslashes
	tokNumber
	tokString // text is the value
	tokOther  // nothing that could be evaluated: text says what it does
)

type token struct {
	kind tokenKind
	line int32
	size int32 // of an opening bracket: how many tokens further the closing one is
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

// scan splits a PHP file into tokens; text outside <?php … ?> is left out.
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

// pair finds the closing bracket of each opening one.
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

// scan reads tokens up to the end. Where tags may be, text between them is HTML.
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

// skipHTML goes past the next opening tag.
func (l *lexer) skipHTML() {
	m := openingTag.FindStringIndex(l.src[l.pos:])
	if m == nil {
		l.advance(len(l.src) - l.pos)
		return
	}
	l.advance(m[1])
	l.hasCode = true
}

// nameForm takes every byte beyond ASCII for a letter, as PHP does.
const nameForm = `[A-Za-z_[:^ascii:]][\w[:^ascii:]]*`

var (
	// tokenForms match the tokens that do not depend on what is around them, but for operators.
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
	// templateForm matches a text in double quotes, and partForm what in it is not itself.
	templateForm = regexp.MustCompile(`^"((?:[^"\\{]|\\[\s\S]|\{\$[^{}]*\}|\{)*)"`)
	partForm     = regexp.MustCompile(`\\[\s\S]|\{(\$[^{}]*)\}|\$(` + nameForm + `)(\[|->)?|\{\$|\$\{`)
	singleQuoted = strings.NewReplacer(`\\`, `\`, `\'`, `'`)
)

// operators, longest first; #[ starts an attribute.
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

// spaceForm matches space, a comment, or a comment up to the end of its line or, as in PHP, up to a closing tag.
var spaceForm = regexp.MustCompile(`^(?:([ \t\r\n\v\f]+|/\*[\s\S]*?\*/)|((?://|#)[^\r\n]*?)(?:\?>|[\r\n]|$))`)

// skipSpace goes past space and comments.
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

// escapes in double quotes. Those that write a character by its number are not evaluated; a backslash before anything
// else stays.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'v': "\v", 'e': "\x1b", 'f': "\f", '\\': "\\", '$': "$", '"': `"`,
}

// template adds the tokens of a text in double quotes: a text, or the parts that make it joined in brackets.
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

// heredoc reads <<<NAME, <<<"NAME" or <<<'NAME' up to the line that starts with NAME; false when <<< is no heredoc.
// Its text is not evaluated.
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
