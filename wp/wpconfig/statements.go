package wpconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Bounds on one Parse, all files together.
const (
	maxSteps    = 2_000_000
	maxIncludes = 10 // files within files
)

// binding is what a name stands for: a constant, a variable, an entry of Bedrock's Config, an environment variable.
type binding struct {
	value
	doubtful bool // PHP may not have set it
	file     string
	line     int
}

// Prefixes of names in interpreter.names.
const (
	constant    = "c:"
	variable    = "v:"
	bedrock     = "b:" // Config::define, not applied yet
	envVariable = "e:" // environment: .env files and putenv
	server      = "s:" // $_SERVER, assigned
)

// interpreter is what the files of one configuration share.
type interpreter struct {
	opt   Options
	files *files
	root  string // directory of WordPress as far as known: where relative includes are looked for first
	names map[string]binding

	skip     int    // not 0: what is read is not carried out
	doubt    string // why what is read may not be carried out by PHP; all that it sets is unknown
	assuming string // what was assumed to come here

	including int
	once      map[string]bool
	functions map[string][]token
	steps     int
	searched  bool // for a .env file nobody loaded
	hasDotenv bool
	warnings  []Problem
}

// reader carries out the statements of one file while it reads them, and skips those that it does not know: newer
// PHP, or a file that PHP would refuse. A simple statement is read twice, so that one that is not understood to its
// end has no effect.
type reader struct {
	*interpreter
	file   string // absolute
	tokens []token
	pos    int
	line   int
	depth  int
	failed bool     // the current statement cannot be read
	fatal  *errorAt // the file cannot be read
	ended  string   // the condition under which a return has ended the file
	result value    // of return
}

// run carries out one file; what it returns is the value.
func (in *interpreter) run(file, code string) (value, *errorAt) {
	in.once[file] = true
	tokens, err := scan(strings.TrimPrefix(code, "\ufeff"))
	if err != nil {
		return value{}, err
	}
	skip, doubt := in.skip, in.doubt
	defer func() { in.skip, in.doubt = skip, doubt }()
	r := &reader{interpreter: in, file: file, tokens: tokens, result: integer(1)}
	for r.fatal == nil && r.pos < len(r.tokens) {
		if r.isOp("}") {
			r.fatal = &errorAt{int(r.peek().line), "unexpected '}'"}
			break
		}
		r.statement()
	}
	return r.result, r.fatal
}

func (r *reader) spend(n int) bool {
	if r.steps += n; r.steps > maxSteps && r.fatal == nil {
		r.fatal = &errorAt{r.line, "too much to evaluate"}
	}
	return r.fatal == nil
}

// warn notes that something was not followed, which may have set anything.
func (r *reader) warn(name, why string) {
	p := Problem{Name: name, File: r.file, Line: r.line, Why: why}
	for _, w := range r.warnings {
		if w == p {
			return
		}
	}
	if len(r.warnings) < 100 {
		r.warnings = append(r.warnings, p)
	}
}

// assign sets a name.
func (r *reader) assign(name string, v value) {
	v.place, v.part, v.unset, v.present = "", false, false, false
	if r.doubt != "" {
		v = unknown(r.doubt)
	}
	v.note = first(v.note, r.assuming)
	r.names[name] = binding{v, r.doubt != "", r.file, r.line}
}

// define makes a constant; as in PHP the first definition stays.
func (r *reader) define(name string, v value) {
	key := constant + strings.TrimPrefix(name, "\\")
	if _, ok := r.names[key]; !ok {
		r.assign(key, v)
	}
}

// doubting reads what PHP may not carry out, since the condition at a line is not known.
func (r *reader) doubting(line int, why string, read func()) {
	doubt := r.doubt
	r.doubt = first(doubt, fmt.Sprintf("depends on the condition at line %d, which %s", line, why))
	read()
	r.doubt = first(doubt, r.ended)
}

// skipping reads something, and carries it out unless it is to be skipped.
func (r *reader) skipping(skip bool, read func()) {
	if skip {
		r.skip++
		defer func() { r.skip-- }()
	}
	read()
}

func (r *reader) peek() token { return r.peekAt(0) }

func (r *reader) peekAt(n int) token {
	if r.failed || r.fatal != nil || r.pos+n >= len(r.tokens) {
		return token{}
	}
	return r.tokens[r.pos+n]
}

func (r *reader) isOp(text string) bool { return r.peek().isOp(text) }

func (r *reader) isWord(word string) bool { return r.peek().isWord(word) }

func (r *reader) accept(op string) bool {
	if r.isOp(op) {
		r.pos++
		return true
	}
	return false
}

func (r *reader) acceptWord(word string) bool {
	if r.isWord(word) {
		r.pos++
		return true
	}
	return false
}

func (r *reader) expect(op string) {
	if !r.accept(op) {
		r.failed = true
	}
}

func (r *reader) enter() bool {
	if r.depth++; r.depth > maxNesting && r.fatal == nil {
		r.fatal = &errorAt{int(r.peek().line), "nested too deeply"}
	}
	return r.spend(1)
}

func (r *reader) leave() { r.depth-- }

// statement reads one statement; it always moves on or sets fatal.
func (r *reader) statement() {
	start := r.pos
	if r.failed || !r.enter() { // a failure is the enclosing statement's, which skips all of itself
		return
	}
	defer r.leave()
	r.line = int(r.peek().line)
	r.readStatement()
	if r.failed && r.fatal == nil {
		r.failed = false
		r.pos = min(start, len(r.tokens))
		r.unread(r.skipStatement(), "is set in code that is not understood")
	}
}

// skipStatement goes past the next semicolon or block outside brackets, but not past the end of the enclosing block.
func (r *reader) skipStatement() []token {
	start := r.pos
	depth := 0
	for ; r.pos < len(r.tokens); r.pos++ {
		t := r.tokens[r.pos]
		if t.kind != tokOp {
			continue
		}
		switch t.text {
		case "(", "[", "{", "#[":
			depth++
		case ")", "]":
			depth = max(depth-1, 0)
		case "}":
			if depth == 0 {
				return r.tokens[start:r.pos]
			}
			if depth--; depth == 0 && !r.continues() {
				r.pos++
				return r.tokens[start:r.pos]
			}
		case ";":
			if depth == 0 {
				r.pos++
				return r.tokens[start:r.pos]
			}
		}
	}
	r.truncated(start)
	return nil
}

// continues reports whether an expression goes on behind a closing brace.
func (r *reader) continues() bool {
	t := r.peekAt(1)
	if t.kind == tokOp {
		return strings.Contains(" ; ) ] , . -> ?-> :: ( ? : ?? = ", " "+t.text+" ")
	}
	return t.isWord("else") || t.isWord("elseif") || t.isWord("catch") || t.isWord("finally")
}

func (r *reader) truncated(start int) {
	if r.fatal == nil {
		r.fatal = &errorAt{int(r.tokens[min(start, len(r.tokens)-1)].line), "the file ends within what begins here"}
	}
}

// skipBracket goes past a bracketed group and returns what it holds.
func (r *reader) skipBracket(open string) []token {
	start := r.pos
	if !r.isOp(open) {
		r.failed = true
		return nil
	}
	depth := 0
	for ; r.pos < len(r.tokens); r.pos++ {
		if t := r.tokens[r.pos]; t.kind == tokOp {
			switch t.text {
			case "(", "[", "{", "#[":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth == 0 {
				r.pos++
				return r.tokens[start+1 : r.pos-1]
			}
		}
	}
	r.truncated(start)
	return nil
}

// unread makes unknown whatever the tokens may set: define('NAME', …), const NAME, $name =.
func (r *reader) unread(tokens []token, why string) {
	if r.skip > 0 {
		return
	}
	r.spend(len(tokens))
	line, doubt := r.line, r.doubt
	defer func() { r.line, r.doubt = line, doubt }()
	r.doubt = first(doubt, why)
	at := func(i int) token {
		if i < len(tokens) {
			return tokens[i]
		}
		return token{}
	}
	every := false // an array is taken apart: every variable may be one that is set
	for i, t := range tokens {
		every = every || t.isOp("]") && at(i+1).isOp("=") || t.isWord("list") || t.isWord("unset")
	}
	for i, t := range tokens {
		r.line = int(t.line)
		switch {
		case t.isWord("define") && at(i+1).isOp("("):
			if at(i+2).kind == tokString {
				r.define(at(i+2).text, value{})
			} else {
				r.warn("define", "its name "+why)
			}
		case t.isWord("const") && at(i+1).kind == tokName:
			r.define(at(i+1).text, value{})
		case t.kind == tokVariable && (every || at(i+1).kind == tokOp && assignments[at(i+1).text]):
			r.assign(variable+t.text, value{})
		}
	}
}

func (r *reader) readStatement() {
	for r.isOp("#[") {
		r.skipBracket("#[")
	}
	t, next := r.peek(), r.peekAt(1)
	switch {
	case r.accept(";"):
		return
	case r.isOp("{"):
		r.block()
		return
	case t.kind == tokName && !next.isOp("::"):
		if read, ok := statements[strings.ToLower(t.text)]; ok {
			read(r)
			return
		}
	}
	r.simple(func() { r.expression() })
}

// simple reads a statement that holds no other, twice. The last one of a file may lack its end before ?>, which
// scan has made a semicolon.
func (r *reader) simple(read func()) {
	start, line := r.pos, r.line
	r.skip++
	read()
	r.expect(";")
	r.skip--
	if r.failed || r.fatal != nil || r.skip > 0 {
		return
	}
	end := r.pos
	r.pos, r.line = start, line
	read()
	r.pos = end
}

var statements map[string]func(*reader)

func init() { // breaks the cycle of statement and the table
	statements = map[string]func(*reader){
		"if": (*reader).ifStatement, "try": (*reader).tryStatement, "const": (*reader).constStatement,
		"echo": (*reader).echoStatement, "return": (*reader).returnStatement,
		"foreach": (*reader).loopStatement, "for": (*reader).loopStatement, "while": (*reader).loopStatement,
		"switch": (*reader).loopStatement, "do": (*reader).loopStatement,
		"namespace": (*reader).namespaceStatement, "declare": (*reader).namespaceStatement,
		"use": (*reader).skippedStatement, "global": (*reader).skippedStatement,
		"unset": (*reader).skippedStatement, "function": (*reader).functionStatement,
		"class": (*reader).classStatement, "abstract": (*reader).classStatement, "final": (*reader).classStatement,
		"readonly": (*reader).classStatement, "interface": (*reader).classStatement, "trait": (*reader).classStatement,
		"enum": (*reader).classStatement,
	}
}

func (r *reader) block() {
	start := r.pos
	r.expect("{")
	for !r.failed && r.fatal == nil && !r.accept("}") {
		if r.pos >= len(r.tokens) {
			r.truncated(start)
			return
		}
		r.statement()
	}
}

// body reads the statement of a control structure, or in the form with a colon the statements up to one of ends.
func (r *reader) body(ends ...string) {
	start := r.pos
	if !r.accept(":") {
		r.statement()
		return
	}
	for !r.failed && r.fatal == nil {
		for _, end := range ends {
			if r.isWord(end) {
				return
			}
		}
		if r.pos >= len(r.tokens) {
			r.truncated(start)
		}
		if r.isOp("}") {
			r.failed = true
		}
		r.statement()
	}
}

// ifStatement carries out the branch whose condition is known to hold. From the first condition on that is not known,
// all branches are in doubt.
func (r *reader) ifStatement() {
	doubt, assuming := r.doubt, r.assuming
	defer func() { r.doubt, r.assuming = first(doubt, r.ended), assuming }()
	done, colon := false, false // done: a branch was taken for sure
	branch := func() {
		r.pos++
		var c value
		line := int(r.peek().line)
		r.skipping(done, func() {
			r.expect("(")
			c = r.expression()
			r.expect(")")
		})
		skip := done || c.known() && !c.Truthy()
		if !done && !c.known() {
			r.doubt = first(r.doubt, fmt.Sprintf("depends on the condition at line %d, which %s", line, c.why))
		}
		r.assuming = first(r.assuming, r.assumption(c))
		done = done || c.known() && c.Truthy()
		colon = r.isOp(":")
		r.skipping(skip, func() { r.body("elseif", "else", "endif") })
	}
	branch()
	for !r.failed && r.fatal == nil {
		if r.isWord("elseif") {
			branch()
		} else if !r.acceptWord("else") {
			break
		} else if r.isWord("if") && !colon {
			branch()
		} else {
			colon = r.isOp(":")
			r.skipping(done, func() { r.body("endif") })
			break
		}
	}
	if colon {
		if !r.acceptWord("endif") {
			r.failed = true
		}
		r.expect(";")
	}
}

// loopStatement skips a loop or switch: what it sets is unknown.
func (r *reader) loopStatement() {
	start, line := r.pos, r.line
	word := strings.ToLower(r.peek().text)
	r.pos++
	if word != "do" {
		r.skipBracket("(")
	}
	if !r.isOp(":") {
		if r.failed || r.fatal != nil {
			return
		}
		r.skipStatement()
	} else {
		for open := 1; open > 0; r.pos++ {
			switch t := r.peek(); {
			case t.kind == tokEOF:
				r.truncated(start)
				return
			case t.isWord("end" + word):
				open--
			case t.isWord(word):
				r.pos++
				r.skipBracket("(")
				if r.pos--; r.peekAt(1).isOp(":") {
					open++
				}
			}
		}
		r.expect(";")
	}
	if !r.failed && r.fatal == nil {
		r.unread(r.tokens[start:r.pos], fmt.Sprintf("depends on the %s at line %d, which is not followed", word, line))
	}
}

// tryStatement takes the way without an exception.
func (r *reader) tryStatement() {
	r.pos++
	r.block()
	for r.acceptWord("catch") {
		r.skipBracket("(")
		r.skipBracket("{")
	}
	if r.acceptWord("finally") {
		r.block()
	}
}

func (r *reader) constStatement() {
	r.pos++
	r.simple(func() {
		for {
			t := r.peek()
			if t.kind != tokName {
				r.failed = true
			}
			r.pos++
			r.expect("=")
			v := r.expression()
			if r.skip == 0 {
				r.line = int(t.line)
				r.define(t.text, v)
			}
			if !r.accept(",") {
				return
			}
		}
	})
}

func (r *reader) echoStatement() {
	r.pos++
	r.simple(func() { r.list(";") })
}

// returnStatement ends the file, for sure or in doubt. It is read on, since it may be truncated.
func (r *reader) returnStatement() {
	r.pos++
	r.simple(func() {
		v := value{}
		if !r.isOp(";") {
			v = r.expression()
		}
		switch {
		case r.skip > 0:
		case r.doubt != "":
			r.ended, r.result = first(r.ended, r.doubt), unknown(r.doubt)
		default:
			r.result = v
			r.skip++
		}
	})
}

func (r *reader) namespaceStatement() {
	r.pos++
	if r.isOp("(") {
		r.skipBracket("(")
	} else if r.peek().kind == tokName {
		r.pos++
	}
	if r.isOp("{") {
		r.block()
		return
	}
	r.expect(";")
}

func (r *reader) skippedStatement() {
	unset := r.isWord("unset")
	if tokens := r.skipStatement(); unset {
		r.unread(tokens, "is removed with unset()")
	}
}

func (r *reader) functionStatement() {
	r.pos++
	r.accept("&")
	name := r.peek()
	r.pos++
	for r.skipBracket("("); !r.failed && r.fatal == nil && !r.isOp("{"); r.pos++ { // the type of the result
		r.failed = r.pos >= len(r.tokens) || r.isOp(";")
	}
	if body := r.skipBracket("{"); r.skip == 0 {
		r.functions[strings.ToLower(name.text)] = body
	}
}

func (r *reader) classStatement() {
	start := r.pos
	for r.peek().kind == tokName || r.isOp(",") || r.isOp(":") {
		r.pos++
	}
	if r.isOp("{") {
		r.skipBracket("{")
		return
	}
	r.pos = start // a call of a function with such a name
	r.simple(func() { r.expression() })
}

// include follows an include or require with a name that is known, within bounds.
func (r *reader) include(word string, line int, name value, path string) value {
	r.line = line
	if !name.known() {
		r.warn("include", "its file name "+name.why)
		return unknown("comes from a file that is not known")
	}
	if strings.HasSuffix(path, "vendor/autoload.php") {
		return unknown("comes from a library")
	}
	shown := path
	if name.secret {
		shown = "(its name is a secret)"
	}
	if path == "" || strings.Contains(path, "\x00") || strings.Contains(path, "://") {
		r.warn("include", "it is no file")
		return unknown("comes from a file that is not known")
	}
	file, exists, err := r.locate(path)
	if err == nil && !exists {
		r.warn("include", "there is no such file: "+shown)
		return boolean(false)
	}
	if strings.HasSuffix(word, "_once") && r.once[file] {
		return boolean(true)
	}
	if r.including >= maxIncludes {
		r.warn("include", "too many files include one another: "+shown)
		return unknown("comes from too many files")
	}
	var code []byte
	if err == nil {
		code, err = r.files.read(file)
	}
	if _, missing := os.Lstat(file); err != nil && errors.Is(missing, fs.ErrNotExist) { // for people, not for the code
		r.warn("include", "there is no such file: "+shown)
		return unknown("comes from a file that cannot be read")
	}
	if err != nil {
		r.warn("include", "cannot read "+shown+": "+reason(err))
		return unknown("comes from a file that cannot be read")
	}
	r.including++
	v, refused := r.run(file, string(code))
	r.including--
	r.line = line
	if refused != nil {
		r.warn("include", fmt.Sprintf("%s, %v", shown, refused))
		return unknown("comes from a file that is not understood")
	}
	return v
}

// locate finds a file as PHP does: an absolute name as it is, another one in the working directory, which is
// WordPress', and then, unless it starts with a dot, beside the file that includes it.
func (r *reader) locate(name string) (file string, exists bool, err error) {
	if filepath.IsAbs(name) {
		file = filepath.Clean(name)
		exists, err = r.files.exists(file)
		return file, exists, err
	}
	dirs := []string{r.root}
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		dirs = append(dirs, filepath.Dir(r.file))
	}
	for _, dir := range dirs {
		file = filepath.Join(dir, name)
		if exists, err = r.files.exists(file); exists || err != nil {
			break
		}
	}
	return file, exists, err
}
