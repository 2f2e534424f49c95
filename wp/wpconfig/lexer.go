package wpconfig

import (
	"fmt"
	"regexp"
	"strings"
)

// This file splits a PHP file into tokens. Start reading at tokenize. A token that cannot be evaluated is of kind tokOther: what a
// setting is made of it is then unknown, and the operator is told why. Only a file that PHP itself would refuse is an error.

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
	tokOther  // not evaluated; text is the end of the sentence for the operator, such as "runs a command"
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

// A lexer reads a source from its start to its end, and stops at the first error.
type lexer struct {
	src     string
	pos     int // the next byte of src
	line    int // of pos
	hasCode bool
	tokens  []token
	err     *errorAt
}

// tokenize splits a PHP file into tokens. It skips text outside of <?php … ?>.
func tokenize(src string) ([]token, *errorAt) {
	l := &lexer{src: src, line: 1}
	l.skipHTML()
	l.readCode(true)
	if !l.hasCode {
		l.fail(1, "there is no PHP code in it")
	}
	if l.err == nil {
		l.pairBrackets()
	}
	return l.tokens, l.err
}

// pairBrackets sets the size of each opening bracket. It fails if a bracket has no counterpart.
func (l *lexer) pairBrackets() {
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

// readCode reads tokens up to the end of src. A closing tag ends a statement, as a semicolon does. If tags is set, the text after the
// tag is HTML and is skipped. tags is not set for an expression within a text, which has no HTML.
func (l *lexer) readCode(tags bool) {
	for l.skipSpace(); l.err == nil && l.pos < len(l.src); l.skipSpace() {
		switch {
		case l.has("?>"):
			l.add(tokOp, ";")
			l.advance(2)
			if tags {
				l.skipHTML()
			}
		case l.has("<<<") && l.heredoc():
		default:
			l.readToken()
		}
	}
}

// fail records an error. The first one counts.
func (l *lexer) fail(line int, reason string) {
	if l.err == nil {
		l.err = &errorAt{line, reason}
	}
}

// add adds a token. It fails if the file has too many tokens.
func (l *lexer) add(kind tokenKind, text string) {
	if len(l.tokens) >= maxTokens {
		l.fail(l.line, "too long for a configuration")
		return
	}
	l.tokens = append(l.tokens, token{kind: kind, line: int32(l.line), text: text})
}

// advance moves pos by n bytes, and counts their lines.
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
	// tokenForms match tokens at the start of a text. The group is the text of the token, without quotes or $. Operators and texts in
	// double quotes have no form here.
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
	// templateForm matches a text in double quotes, such as "a\tb {$host}/$path". A brace in {$…} cannot hold another one.
	templateForm = regexp.MustCompile(`^"((?:[^"\\{]|\\[\s\S]|\{\$[^{}]*\}|\{)*)"`)
	// partForm matches the start of a text that is not literal. Group 1 is the expression of {$expression}. Group 2 is the name of
	// $name, and group 3 is [ or -> behind the name. All groups are empty for the start of an expression that is not understood.
	partForm     = regexp.MustCompile(`^(?:\{(\$[^{}]*)\}|\$(` + nameForm + `)(\[|->)?|\{\$|\$\{)`)
	singleQuoted = strings.NewReplacer(`\\`, `\`, `\'`, `'`)
)

// operators are listed with the longest first. #[ starts an attribute.
var operators = strings.Fields(`
	#[ <<< === !== <=> **= <<= >>= ... ??= ?->
	== != <> <= >= && || ?? -> => :: ++ -- += -= *= /= .= %= &= |= ^= << >> ** |>`)

// readToken reads one token, which does not begin with white space.
func (l *lexer) readToken() {
	rest := l.src[l.pos:]
	if m := templateForm.FindStringSubmatch(rest); m != nil {
		l.addTemplate(m[1])
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

// addTemplate adds the tokens of a text in double quotes. A text without variables is one token. Any other text becomes an
// expression, so that the interpreter needs no rule for it:
//
//	"a $b"  is  ('a ' . $b . '')
func (l *lexer) addTemplate(body string) {
	open := len(l.tokens)
	l.add(tokOp, "(")
	var text strings.Builder // the literal text since the last variable
	flush := func() {
		l.add(tokString, text.String())
		l.add(tokOp, ".")
		text.Reset()
	}
	for l.err == nil {
		at := strings.IndexAny(body, `\{$`)
		if at < 0 {
			break
		}
		text.WriteString(body[:at])
		body = body[at:]
		if body[0] == '\\' {
			value, ok := escapes[body[1]]
			if !ok {
				value = body[:2]
			}
			text.WriteString(value)
			if strings.IndexByte("xu01234567", body[1]) >= 0 {
				flush()
				l.add(tokOther, "has a character that is written by its number") // such a number is not evaluated
				l.add(tokOp, ".")
			}
			body = body[2:]
			continue
		}
		m := partForm.FindStringSubmatch(body)
		if m == nil {
			text.WriteByte(body[0])
			body = body[1:]
			continue
		}
		flush()
		switch {
		case m[1] != "":
			l.add(tokOp, "(")
			inner := &lexer{src: m[1], line: l.line, tokens: l.tokens, err: l.err}
			inner.readCode(false)
			l.tokens, l.err = inner.tokens, inner.err
			l.add(tokOp, ")")
		case m[2] != "" && m[3] == "":
			l.add(tokVariable, m[2])
		default:
			l.add(tokOther, "contains an expression that is not understood")
		}
		l.add(tokOp, ".")
		body = body[len(m[0]):]
	}
	text.WriteString(body)
	if len(l.tokens) == open+1 {
		l.tokens = l.tokens[:open]
		l.add(tokString, text.String())
		return
	}
	l.add(tokString, text.String())
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
