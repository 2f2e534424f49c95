package wpconfig

import (
	"fmt"
	"path/filepath"
	"strings"
)

// flow is how a statement ends.
type flow uint8

const (
	flowOn     flow = iota
	flowLeave       // break, continue
	flowReturn      // of the file
	flowExit        // of PHP
)

// undecided runs each of the ways that a script may go and keeps what they agree on. A way that ends
// PHP is not the one of a working site. The empty way is nil.
func (ev *evaluator) undecided(line int32, why string, ways ...func() flow) flow {
	ev.journaled++
	mark := len(ev.journal)
	var outcomes []map[string]change
	for _, way := range ways {
		end := flowOn
		if way != nil {
			end = way()
		}
		outcome := map[string]change{}
		for i := len(ev.journal) - 1; i >= mark; i-- {
			c := ev.journal[i]
			if _, ok := outcome[c.name]; !ok {
				now, has := ev.names[c.name]
				outcome[c.name] = change{c.name, now, has}
			}
		}
		for i := len(ev.journal) - 1; i >= mark; i-- { // newest first, so that the oldest value remains
			if c := ev.journal[i]; c.had {
				ev.names[c.name] = c.old
			} else {
				delete(ev.names, c.name)
			}
		}
		ev.spend(len(ev.journal) - mark)
		ev.journal = ev.journal[:mark]
		if end == flowExit {
			continue
		}
		outcomes = append(outcomes, outcome)
	}
	ev.journaled--
	done := map[string]bool{}
	for _, outcome := range outcomes {
		for name := range outcome {
			if !done[name] {
				done[name] = true
				ev.merge(name, why, line, outcomes)
			}
		}
	}
	if len(outcomes) == 0 {
		return flowExit
	}
	return flowOn
}

// merge sets name to what all outcomes say of it.
func (ev *evaluator) merge(name, why string, line int32, outcomes []map[string]change) {
	before, had := ev.names[name]
	var first *binding
	missing, differ := false, false
	for _, outcome := range outcomes {
		c, ok := outcome[name]
		if !ok {
			c = change{name, before, had}
		}
		if !c.had {
			missing = true
			continue
		}
		if c.old.maybe {
			missing = true
		}
		switch {
		case first == nil:
			first = &c.old
		case !same(first.value, c.old.value):
			differ = true
		}
	}
	if first == nil {
		ev.unset(name)
		return
	}
	b := *first
	condition := fmt.Sprintf("depends on the condition at line %d, which %s", line, why)
	if differ {
		b.value = unknown(condition)
	}
	if missing && !b.maybe {
		b.maybe, b.cond = true, condition
	}
	ev.set(name, b)
}

func (ev *evaluator) block(list []*node) flow {
	for _, n := range list {
		if f := ev.statement(n); f != flowOn {
			return f
		}
	}
	return flowOn
}

func (ev *evaluator) statement(n *node) flow {
	if !ev.spend(1) {
		return flowExit
	}
	if n.line > 0 {
		ev.line = int(n.line)
	}
	switch n.kind {
	case sExpression:
		for _, kid := range n.kids {
			if kid.kind == nExit {
				return flowExit
			}
			ev.eval(kid)
		}
	case sBlock:
		return ev.block(n.kids)
	case sIf:
		return ev.ifStatement(n.kids)
	case sConst:
		v := ev.eval(n.kids[0])
		ev.line = int(n.line)
		ev.define(n.text, v)
	case sReturn:
		ev.result = value{}
		if len(n.kids) > 0 {
			ev.result = ev.eval(n.kids[0])
		}
		return flowReturn
	case sLeave:
		return flowLeave
	case sForeach:
		return ev.foreach(n)
	case sLoop:
		return ev.undecided(n.line, "is that of a loop", func() flow { return ev.statement(n.kids[0]) }, nil)
	case sSwitch:
		return ev.switchStatement(n)
	case sFunction:
		ev.functions[n.text] = n.tokens
	case sUnset:
		for _, kid := range n.kids {
			ev.store(kid, value{}, true)
		}
	case sUnread:
		ev.unread(n.tokens, "is set in code that is not understood")
	}
	return flowOn
}

func (ev *evaluator) ifStatement(kids []*node) flow {
	if len(kids) == 0 {
		return flowOn
	}
	if len(kids) == 1 {
		return ev.statement(kids[0])
	}
	cond := ev.eval(kids[0])
	if cond.known() {
		if cond.Truthy() {
			return ev.statement(kids[1])
		}
		return ev.ifStatement(kids[2:])
	}
	return ev.undecided(kids[0].line, cond.why,
		func() flow { return ev.statement(kids[1]) },
		func() flow {
			if ev.depth++; ev.depth > maxDepth {
				ev.exhausted = true
				return flowExit
			}
			defer func() { ev.depth-- }()
			return ev.ifStatement(kids[2:])
		})
}

func (ev *evaluator) switchStatement(n *node) flow {
	subject := ev.eval(n.kids[0])
	cases := n.kids[1:]
	from := func(i int) flow { // a case runs into those below it
		for _, c := range cases[i:] {
			if f := ev.block(c.kids[0].kids); f != flowOn {
				if f == flowLeave {
					return flowOn
				}
				return f
			}
		}
		return flowOn
	}
	fallback := -1
	why := subject.why
	for i, c := range cases {
		if len(c.kids) < 2 {
			fallback = i
			continue
		}
		if why != "" {
			continue
		}
		label := ev.eval(c.kids[1])
		if why = label.why; why != "" {
			continue
		}
		if order, ok := compare(subject, label); ok && order == 0 {
			return from(i)
		}
	}
	if why == "" {
		if fallback < 0 {
			return flowOn
		}
		return from(fallback)
	}
	var ways []func() flow
	for i := range cases {
		ways = append(ways, func() flow { return from(i) })
	}
	if fallback < 0 {
		ways = append(ways, nil)
	}
	return ev.undecided(n.line, why, ways...)
}

func (ev *evaluator) foreach(n *node) flow {
	subject := ev.eval(n.kids[0])
	if !subject.known() {
		return ev.undecided(n.line, subject.why, func() flow {
			ev.store(n.kids[2], subject, false)
			if n.kids[1] != nil {
				ev.store(n.kids[1], subject, false)
			}
			return ev.statement(n.kids[3])
		}, nil)
	}
	for _, e := range subject.elems {
		ev.store(n.kids[2], e.value, false)
		if n.kids[1] != nil {
			k := integer(e.key.Int)
			if e.key.IsString {
				k = text(e.key.Str)
			}
			ev.store(n.kids[1], k, false)
		}
		switch f := ev.statement(n.kids[3]); f {
		case flowReturn, flowExit:
			return f
		}
		if ev.exhausted {
			return flowExit
		}
	}
	return flowOn
}

// unread makes unknown whatever the tokens may set: define('NAME', …), const NAME, $name =.
func (ev *evaluator) unread(tokens []token, why string) {
	ev.spend(len(tokens))
	for i, t := range tokens {
		next := func(n int) token {
			if i+n < len(tokens) {
				return tokens[i+n]
			}
			return token{}
		}
		key := ""
		switch {
		case t.kind == tokName && strings.EqualFold(strings.TrimPrefix(t.text, "\\"), "define") && next(2).kind == tokString:
			key = constant + next(2).text
		case t.kind == tokName && strings.EqualFold(t.text, "const") && next(1).kind == tokName:
			key = constant + next(1).text
		case t.kind == tokVariable && next(1).kind == tokOp && assignments[next(1).text]:
			key = variable + t.text
		default:
			continue
		}
		if old, ok := ev.names[key]; ok && !old.maybe && strings.HasPrefix(key, constant) {
			continue
		}
		ev.set(key, binding{value: unknown(why), file: ev.file, line: int(t.line)})
	}
}

// include follows an include or require with a name that is known, within bounds.
func (ev *evaluator) include(n *node) value {
	line := ev.line
	if loadsWordPress(n.kids[0]) {
		return unknown("comes from WordPress")
	}
	p := ev.eval(n.kids[0])
	ev.line = line
	if !p.known() {
		ev.warn("include", "its file name "+p.why)
		return unknown("comes from a file that is not known")
	}
	name := p.Str()
	slash := filepath.ToSlash(name)
	switch {
	case name == "" || strings.Contains(name, "\x00") || strings.Contains(name, "://"):
		ev.warn("include", "it is no file")
		return unknown("comes from a file that is not known")
	case strings.HasSuffix(slash, "vendor/autoload.php"):
		return unknown("comes from a library")
	}
	file, ok := ev.locate(name)
	if !ok {
		ev.warn("include", "there is no such file: "+name)
		return boolean(false)
	}
	if strings.HasSuffix(n.text, "_once") && ev.once[file] {
		return boolean(true)
	}
	if ev.including >= maxIncludes || ev.files >= maxFiles {
		ev.warn("include", "too many files include one another: "+name)
		return unknown("comes from too many files")
	}
	code, err := ev.opt.ReadFile(file)
	if err != nil {
		ev.warn("include", "cannot read "+file+": "+reason(err))
		return unknown("comes from a file that cannot be read")
	}
	if ev.bytes += len(code); ev.bytes > maxFileSize {
		ev.warn("include", "too much to read: "+name)
		return unknown("comes from a file that is too large")
	}
	saved := ev.file
	ev.including++
	ran := ev.run(file, string(code))
	ev.including--
	ev.file, ev.line = saved, line
	if ran != nil {
		ev.warn("include", fmt.Sprintf("%s, %v", file, ran))
		return unknown("comes from a file that is not understood")
	}
	return ev.result
}

// loadsWordPress recognises 'wp-settings.php' and ABSPATH . 'wp-settings.php', wherever ABSPATH may be.
func loadsWordPress(n *node) bool {
	if n.kind == nConcat {
		n = n.kids[len(n.kids)-1]
	}
	return n.kind == nLiteral && strings.HasSuffix(n.value.Str(), "wp-settings.php")
}

// locate finds a file as PHP does: an absolute name as it is, another one in the working directory, which is
// WordPress', and then, unless it starts with a dot, beside the file that includes it.
func (ev *evaluator) locate(name string) (string, bool) {
	if filepath.IsAbs(name) {
		name = filepath.Clean(name)
		return name, ev.opt.Exists(name)
	}
	dirs := []string{ev.root}
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		dirs = append(dirs, filepath.Dir(ev.file))
	}
	for _, dir := range dirs {
		if file := filepath.Join(dir, name); ev.opt.Exists(file) {
			return file, true
		}
	}
	return "", false
}

// run evaluates one file; what it returns is in ev.result.
func (ev *evaluator) run(file, code string) error {
	ev.files++
	ev.once[file] = true
	list, err := parse(code)
	if err != nil {
		return err
	}
	ev.file = file
	for _, n := range list {
		// A site that works does not end here: where it seems to, the condition was taken for another one than
		// PHP's, as with defined('ABSPATH') in a file that only WordPress may load.
		if f := ev.statement(n); f == flowReturn {
			return nil
		}
	}
	ev.result = integer(1)
	return nil
}
