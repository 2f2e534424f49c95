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

// part is a piece of a double-quoted string: literal text, or the tokens of an expression.
type part struct {
	text   string
	tokens []token
}

type lexer struct {
	src     string
	pos     int
	line    int
	count   int // tokens so far, those in strings included
	depth   int // of strings within strings
	hasCode bool
	err     *errorAt
}

// scan splits a PHP file into tokens; text outside <?php … ?> is left out.
func scan(src string) ([]token, *errorAt) {
	l := &lexer{src: src, line: 1}
	var tokens []token
	l.skipHTML()
	for l.err == nil {
		t, ok := l.next()
		if !ok {
			break
		}
		tokens = append(tokens, t)
	}
	if !l.hasCode {
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

// tokenForms match the tokens that do not depend on what is around them, but for operators.
var tokenForms = [...]struct {
	kind tokenKind
	form *regexp.Regexp
}{
	{tokVariable, regexp.MustCompile(`^\$(` + nameForm + `)`)},
	{tokName, regexp.MustCompile(`^(\\?` + nameForm + `(?:\\` + nameForm + `)*)`)},
	{tokString, regexp.MustCompile(`^'((?:[^'\\]|\\[\s\S])*)'`)},
	{tokNumber, regexp.MustCompile(`^(\.?[0-9](?:[eE][+-]|[\w.])*)`)},
	{tokOther, regexp.MustCompile("^`([^`]*)`")},
}

// operators, longest first; #[ starts an attribute.
var operators = strings.Fields(`
	#[ <<< === !== <=> **= <<= >>= ... ??= ?->
	== != <> <= >= && || ?? -> => :: ++ -- += -= *= /= .= %= &= |= ^= << >> ** |>`)

var singleQuoted = strings.NewReplacer(`\\`, `\`, `\'`, `'`)

// next reads one token; false at the end.
func (l *lexer) next() (token, bool) {
	if !l.skipSpace() || l.err != nil || l.pos == len(l.src) {
		return token{}, false
	}
	if l.count++; l.count > maxTokens {
		l.fail(l.line, "too long for a configuration")
	}
	t := token{kind: tokOp, line: int32(l.line)}
	switch {
	case l.has("?>"):
		t.text = ";"
		l.advance(2)
		if l.depth == 0 {
			l.skipHTML()
		}
	case l.has(`"`):
		l.advance(1)
		l.template(&t)
	case l.has("<<<") && l.heredoc():
		t.kind, t.text = tokOther, "is a heredoc"
	default:
		l.simple(&t)
	}
	return t, l.err == nil
}

func (l *lexer) simple(t *token) {
	rest := l.src[l.pos:]
	for _, f := range tokenForms {
		m := f.form.FindStringSubmatchIndex(rest)
		if m == nil {
			continue
		}
		t.kind, t.text = f.kind, rest[m[2]:m[3]]
		switch {
		case t.kind == tokString && strings.Contains(t.text, `\`):
			t.text = singleQuoted.Replace(t.text)
		case t.kind == tokOther:
			t.text = "runs a command"
		}
		l.advance(m[1])
		return
	}
	t.text = rest[:1]
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			t.text = op
			break
		}
	}
	if t.text == "'" || t.text == "`" {
		l.fail(l.line, "string without end")
	}
	l.advance(len(t.text))
}

// skipSpace goes past space and comments. A line comment ends at the line's end or, as in PHP, at a closing tag.
func (l *lexer) skipSpace() bool {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		n := len(rest) - len(strings.TrimLeft(rest, " \t\r\n\v\f"))
		switch {
		case n > 0:
		case l.has("//"), l.has("#") && !l.has("#["):
			n = len(rest)
			for _, end := range []string{"\n", "\r", "?>"} {
				if i := strings.Index(rest[:n], end); i >= 0 {
					n = i
				}
			}
		case l.has("/*"):
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				l.fail(l.line, "comment without end")
				return false
			}
			n = i + 4
		default:
			return true
		}
		l.advance(n)
	}
	return true
}

// escapes in double quotes. Those that write a character by its number are not evaluated; a backslash before anything
// else stays.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", 'v': "\v", 'e': "\x1b", 'f': "\f", '\\': "\\", '$': "$", '"': `"`,
}

var variableForm = regexp.MustCompile(`^\$(` + nameForm + `)(\[|->)?`)

// template reads the rest of a double-quoted string, in which variables count.
func (l *lexer) template(t *token) {
	start := l.line
	if l.depth++; l.depth > maxNesting/10 {
		l.fail(start, "strings nested too deeply")
		return
	}
	defer func() { l.depth-- }()
	var text strings.Builder
	flush := func(tokens ...token) {
		if text.Len() > 0 {
			t.parts = append(t.parts, part{text: text.String()})
			text.Reset()
		}
		if tokens != nil {
			t.parts = append(t.parts, part{tokens: tokens})
		}
	}
	other := func(why string) { flush(token{kind: tokOther, line: int32(l.line), text: why}) }
	const notUnderstood = "contains an expression that is not understood"
	for l.err == nil {
		rest := l.src[l.pos:]
		plain := strings.IndexAny(rest, "\"\\${")
		if plain < 0 || plain == len(rest)-1 && rest[plain] != '"' {
			l.fail(start, "string without end")
			return
		}
		text.WriteString(rest[:plain])
		l.advance(plain)
		rest = rest[plain:]
		var m []string
		if rest[0] == '$' {
			m = variableForm.FindStringSubmatch(rest)
		}
		switch {
		case rest[0] == '"':
			l.advance(1)
			flush()
			t.kind = tokTemplate
			if len(t.parts) == 0 {
				t.kind = tokString
			} else if len(t.parts) == 1 && t.parts[0].tokens == nil {
				t.kind, t.text, t.parts = tokString, t.parts[0].text, nil
			}
			return
		case rest[0] == '\\':
			value, ok := escapes[rest[1]]
			if !ok {
				value = rest[:2]
			}
			text.WriteString(value)
			if strings.IndexByte("xu01234567", rest[1]) >= 0 {
				other("has a character that is written by its number")
			}
			l.advance(2)
		case m != nil && m[2] != "":
			other(notUnderstood)
			l.advance(1 + len(m[1]))
		case m != nil:
			flush(token{kind: tokVariable, text: m[1], line: int32(l.line)})
			l.advance(1 + len(m[1]))
		case strings.HasPrefix(rest, "{$"):
			l.advance(1)
			flush(l.until()...)
		case strings.HasPrefix(rest, "${"):
			l.advance(2)
			l.until()
			other(notUnderstood)
		default:
			text.WriteByte(rest[0])
			l.advance(1)
		}
	}
}

// until reads the tokens up to the brace that closes an expression in a string.
func (l *lexer) until() []token {
	start := l.line
	var tokens []token
	for depth := 1; ; {
		t, ok := l.next()
		switch {
		case !ok:
			l.fail(start, "string without end")
			return nil
		case t.isOp("{"):
			depth++
		case t.isOp("}"):
			depth--
		}
		if depth == 0 {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

var nameByte = regexp.MustCompile(`^[\w[:^ascii:]]`)

var heredocHead = regexp.MustCompile(`^<<<[ \t]*(['"]?)([A-Za-z_]\w*)(['"]?)\r?\n`)

// heredoc goes past <<<NAME, <<<"NAME" or <<<'NAME' up to the line that starts with NAME; false when <<< is no heredoc.
// Its text is not evaluated.
func (l *lexer) heredoc() bool {
	m := heredocHead.FindStringSubmatch(l.src[l.pos:])
	if m == nil || m[1] != m[3] {
		return false
	}
	start := l.line
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
