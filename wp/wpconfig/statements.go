package wpconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on one Parse, all files together.
const (
	maxSteps    = 2_000_000
	maxIncludes = 10 // files within files
	maxWarnings = 100
)

// binding is the value of a name: of a constant, a variable, an environment variable.
type binding struct {
	value
	doubtful   bool // PHP may not have set it
	configured bool // by Bedrock's Config::define
	file       string
	line       int
}

// Prefixes of names in interpreter.names.
const (
	constant    = "c:"
	variable    = "v:"
	envVariable = "e:" // environment: .env files
	server      = "s:" // $_SERVER, assigned
)

// interpreter is what the files of one configuration share.
type interpreter struct {
	opt   Options
	files *files
	root  string // directory of WordPress as far as known: where relative includes are looked for first
	names map[string]binding

	skip     int    // not 0: what is read has no effect
	doubt    string // why PHP may not carry out what is read; all that it sets is unknown
	assuming string // the assumption under which it is read

	including  int
	once       map[string]bool
	functions  map[string][]token // bodies
	steps      int
	searched   bool // for a .env file that no statement loads
	hasDotenv  bool
	unreadable string             // a .env file that cannot be read, and why
	perhaps    map[string]binding // what PHP sets instead where a variable of the environment is set that is not here
	warnings   []Problem
}

// reader evaluates the statements of one file while it reads them. It skips a statement that it does not know, as of
// a newer PHP: whatever that seems to set is unknown.
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

// run evaluates one file and returns its result.
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

// warn notes code that was not followed and may have set anything.
func (r *reader) warn(name, why string) {
	p := Problem{Name: name, File: r.file, Line: r.line, Why: why}
	if len(r.warnings) < maxWarnings && !slices.Contains(r.warnings, p) {
		r.warnings = append(r.warnings, p)
	}
}

// assign sets a name.
func (r *reader) assign(name string, v value) {
	v.place, v.part, v.unset, v.present = "", false, false, false
	if r.doubt != "" {
		v = unknown(r.doubt)
	}
	v.note = cmp.Or(v.note, r.assuming)
	r.names[name] = binding{value: v, doubtful: r.doubt != "", file: r.file, line: r.line}
}

// define makes a constant; as in PHP the first definition stays.
func (r *reader) define(name string, v value) {
	key := constant + strings.TrimPrefix(name, "\\")
	if _, ok := r.names[key]; !ok {
		r.assign(key, v)
	}
}

// skipping reads something, without effect if it is to be skipped.
func (r *reader) skipping(skip bool, read func()) {
	if skip {
		r.skip++
		defer func() { r.skip-- }()
	}
	read()
}

func (r *reader) peek() token { return r.peekAt(0) }

func (r *reader) peekAt(n int) token {
	if r.failed || r.fatal != nil {
		return token{}
	}
	return tokenAt(r.tokens, r.pos+n)
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
	if r.failed || !r.enter() {
		return
	}
	defer r.leave()
	r.line = int(r.peek().line)
	r.readStatement()
	if r.failed && r.fatal == nil {
		r.failed = false
		r.pos = min(start, len(r.tokens))
		r.skipStatement("is set in code that is not understood")
	}
}

func (r *reader) readStatement() {
	for r.isOp("#[") {
		r.skipBracket("#[")
	}
	word := ""
	if t := r.peek(); t.kind == tokName && !r.peekAt(1).isOp("::") {
		word = strings.ToLower(t.text)
	}
	switch word {
	case "if":
		r.ifStatement()
		return
	case "for", "foreach", "while", "do", "switch", "try":
		r.skipStatement(fmt.Sprintf("depends on the %s at line %d, which is not followed", word, r.line))
		return
	case "function", "class", "abstract", "final", "readonly", "interface", "trait", "enum":
		r.declaration(word == "function")
		return
	case "const":
		r.constStatement()
	case "return":
		r.returnStatement()
	default:
		if r.isOp("{") {
			r.block()
			return
		}
		if !r.isOp(";") {
			r.expression()
		}
	}
	r.expect(";") // the last statement of a file may lack it before ?>, which scan has made a semicolon
}

// skipStatement goes past the next semicolon or block outside brackets, but not past the end of the enclosing block.
// What the statement seems to set is unknown.
func (r *reader) skipStatement(why string) {
	start, colons := r.pos, 0 // of statements with a colon that are open
	for ; r.pos < len(r.tokens) && r.spend(1); r.pos++ {
		t, ends := r.tokens[r.pos], false
		switch {
		case t.opens():
			if t.end == 0 {
				r.truncated(start)
				return
			}
			r.pos = int(t.end)
			ends = t.text == "{" && colons == 0 && !r.continues()
		case t.isOp("}"):
			r.unread(r.tokens[start:r.pos], why)
			return
		case t.isOp(";"):
			ends = colons == 0
		case t.kind != tokName:
		case endsColon[strings.ToLower(t.text)]:
			colons = max(colons-1, 0)
		case r.opensColon(t):
			colons++
		}
		if ends {
			r.pos++
			r.unread(r.tokens[start:r.pos], why)
			return
		}
	}
	r.truncated(start)
}

// endsColon are the words that end a statement such as if (…): … endif;
var endsColon = map[string]bool{"endif": true, "endfor": true, "endforeach": true, "endwhile": true, "endswitch": true}

// opensColon reports whether a statement that begins at the current token has its body behind a colon.
func (r *reader) opensColon(t token) bool {
	condition := tokenAt(r.tokens, r.pos+1)
	return endsColon["end"+strings.ToLower(t.text)] && condition.isOp("(") && condition.end > 0 &&
		tokenAt(r.tokens, int(condition.end)+1).isOp(":")
}

// continues reports whether a statement goes on behind a closing brace.
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
	end := int(r.peek().end)
	if end == 0 {
		r.truncated(start)
		return nil
	}
	r.pos = end + 1
	return r.tokens[start+1 : end]
}

// unread makes unknown whatever the tokens may set. It notes an include.
func (r *reader) unread(tokens []token, why string) {
	if r.skip > 0 || !r.spend(len(tokens)) {
		return
	}
	line, doubt := r.line, r.doubt
	defer func() { r.line, r.doubt = line, doubt }()
	r.doubt = cmp.Or(doubt, why)
	every := false // every variable may be one that is set
	for i, t := range tokens {
		r.line = int(t.line)
		switch name := setAt(tokens, i); {
		case name == constant:
			r.warn("define", "its name "+why)
		case strings.HasPrefix(name, constant):
			r.define(name[len(constant):], value{})
		case name != "":
			r.assign(name, value{})
		case t.isWord("include"), t.isWord("include_once"), t.isWord("require"), t.isWord("require_once"):
			r.warn("include", "it is part of a statement that is not followed")
		case !every && (t.isWord("list") || t.isWord("unset") || t.isOp("]") && tokenAt(tokens, i+1).isOp("=")):
			every = true
			for _, t := range tokens {
				if t.kind == tokVariable {
					r.assign(variable+t.text, value{})
				}
			}
		}
	}
}

// setAt returns the name that the token at i begins to set, by define('NAME', …), const NAME or $name =; the prefix alone where it
// is not known.
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
	case t.kind == tokVariable && (next.kind == tokOp && assignments[next.text] ||
		tokenAt(tokens, i-1).isOp("++") || tokenAt(tokens, i-1).isOp("--")):
		return variable + t.text
	}
	return ""
}

func tokenAt(tokens []token, i int) token {
	if i < 0 || i >= len(tokens) {
		return token{}
	}
	return tokens[i]
}

func (r *reader) block() {
	start := r.pos
	r.expect("{")
	r.statements(start, func() bool { return r.accept("}") })
}

// colonBlock reads the statements of if (…): up to elseif, else or endif.
func (r *reader) colonBlock() {
	r.statements(r.pos, func() bool { return r.isWord("elseif") || r.isWord("else") || r.isWord("endif") })
}

// statements reads what begins at start up to its end.
func (r *reader) statements(start int, ended func() bool) {
	for !r.failed && r.fatal == nil && !ended() {
		if r.pos >= len(r.tokens) {
			r.truncated(start)
			return
		}
		r.statement()
	}
}

// ifStatement evaluates the branch whose condition is known to hold. From the first condition on that is not known,
// all branches are in doubt.
func (r *reader) ifStatement() {
	doubt, assuming := r.doubt, r.assuming
	defer func() { r.doubt, r.assuming = cmp.Or(doubt, r.ended), assuming }()
	for done := false; ; { // done: a branch was taken for sure
		r.pos++
		var c value
		line := int(r.peek().line)
		r.skipping(done, func() {
			r.expect("(")
			c = r.expression()
			r.expect(")")
		})
		if r.failed {
			return
		}
		body := r.statement
		if colon := r.accept(":"); colon {
			body = r.colonBlock
		}
		skip := done || c.known() && !c.Truthy()
		if !done && !c.known() {
			r.doubt = cmp.Or(r.doubt, undecided(line, c.why))
		}
		r.assuming = cmp.Or(r.assuming, r.assumption(c))
		done = done || c.known() && c.Truthy()
		start := r.pos
		r.skipping(skip, body)
		if why := r.assumption(c); skip && !done && r.skip == 0 && why != "" {
			r.mayset(r.tokens[start:min(r.pos, len(r.tokens))], why)
		}
		switch {
		case r.isWord("else") && r.peekAt(1).isWord("if"):
			r.pos++
		case r.isWord("elseif"):
		case r.acceptWord("else"):
			if r.accept(":") {
				body = r.colonBlock
			}
			r.skipping(done, body)
			r.endif()
			return
		default:
			r.endif()
			return
		}
	}
}

func (r *reader) endif() {
	if r.acceptWord("endif") {
		r.expect(";")
	}
}

// mayset notes what is set where a variable of the environment is set, which is not here.
func (r *reader) mayset(tokens []token, why string) {
	if !r.spend(len(tokens)) {
		return
	}
	for i, t := range tokens {
		name := setAt(tokens, i)
		if _, known := r.perhaps[name]; name != "" && !known {
			r.perhaps[name] = binding{value: unknown(why), file: r.file, line: int(t.line)}
		}
	}
}

func undecided(line int, why string) string {
	return fmt.Sprintf("depends on the condition at line %d, which %s", line, why)
}

func (r *reader) constStatement() {
	for r.pos++; !r.failed && r.fatal == nil; r.pos++ {
		t := r.peek()
		r.pos++
		r.expect("=")
		v := r.expression()
		if r.failed = r.failed || t.kind != tokName || !r.isOp(",") && !r.isOp(";"); !r.failed && r.skip == 0 {
			r.line = int(t.line)
			r.define(t.text, v)
		}
		if !r.isOp(",") {
			return
		}
	}
}

// returnStatement ends the file, for sure or in doubt. The rest is read without effect, since it may be truncated.
func (r *reader) returnStatement() {
	r.pos++
	v := value{}
	if !r.isOp(";") {
		v = r.expression()
	}
	switch {
	case r.skip > 0 || !r.isOp(";"):
	case r.doubt != "":
		r.ended, r.result = cmp.Or(r.ended, r.doubt), unknown(r.doubt)
	default:
		r.result = v
		r.skip++
	}
}

// declaration goes past a class or a function. The body of a function counts when it is called.
func (r *reader) declaration(isFunction bool) {
	r.pos++
	r.accept("&")
	name := r.peek()
	for ; !r.failed && !r.isOp("{"); r.pos++ {
		r.failed = r.peek().kind == tokEOF || r.isOp(";") || r.isOp("}")
	}
	if body := r.skipBracket("{"); isFunction && r.skip == 0 {
		r.functions[strings.ToLower(name.text)] = body
	}
}

// include follows an include or require of a file whose name is known, within bounds.
func (r *reader) include(word string, name value) value {
	path := name.Str()
	refuse := func(why, comesFrom string) value {
		r.warn("include", why)
		return unknown("comes from " + comesFrom)
	}
	shown := path
	if name.secret {
		shown = "(its name is a secret)"
	}
	switch {
	case !name.known():
		return refuse("its file name "+name.why, "a file that is not known")
	case strings.HasSuffix(path, "vendor/autoload.php"):
		return unknown("comes from a library")
	case path == "" || strings.Contains(path, "\x00") || strings.Contains(path, "://"):
		return refuse("it is no file", "a file that is not known")
	}
	file, exists, err := r.locate(path)
	switch {
	case err == nil && !exists:
		r.warn("include", "there is no such file: "+shown)
		return boolean(false)
	case strings.HasSuffix(word, "_once") && r.once[file]:
		return boolean(true)
	case r.including >= maxIncludes:
		return refuse("too many files include one another: "+shown, "too many files")
	}
	var code []byte
	if err == nil {
		code, err = r.files.read(file)
	}
	if _, missing := os.Lstat(file); err != nil && errors.Is(missing, fs.ErrNotExist) { // for people, not for the code
		return refuse("there is no such file: "+shown, "a file that cannot be read")
	}
	if err != nil {
		return refuse("cannot read "+shown+": "+reason(err).Error(), "a file that cannot be read")
	}
	line := r.line
	r.including++
	v, refused := r.run(file, string(code))
	r.including--
	r.line = line
	if refused != nil {
		return refuse(fmt.Sprintf("%s, %v", shown, refused), "a file that is not understood")
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
