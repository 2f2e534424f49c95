package content

import "strings"

// parser walks HTML the way the HTML 4 parser of libxml2 2.9 does, token by token, and builds nothing.
//
// One would like to look at img tags only. What hides an img, though, is a script or style element, and where that
// ends depends on what is open around it: libxml2 stops at the first "</letter" and, when the name is that of an
// open element, closes everything up to it. A post whose script writes "</div>" into a div is common enough. So the
// names of the open elements are kept, which is all the state there is; the same list gives the depth at which
// libxml2 gives up.
//
// Zero bytes are the other thing that ends a document: where a token would start, not inside text.
type parser struct {
	scanner

	open    [maxDepth]element
	n       int  // elements open
	head    bool // a head or body was opened, given or implied
	body    bool // a body was opened
	ignored int  // html, head and body tags left out whose end tags are to be left out too
}

// scanner is a place in the text, and reads the tokens that look the same whatever is open.
type scanner struct {
	s   string
	nul bool // s contains a zero byte
	pos int
}

// element is an open element: its name as written, and the number of a name that the rules know.
type element struct {
	name string
	id   nameID
}

const (
	maxDepth = 257 // xmlParserMaxDepth, and the one more that nodePush lets in
	maxName  = 100 // HTML_PARSER_BUFFER_SIZE: what follows belongs to the next name
)

// at returns the byte n places ahead, 0 past the end: libxml2's input ends with a zero byte as well.
func (p *scanner) at(n int) byte {
	if p.pos+n < len(p.s) {
		return p.s[p.pos+n]
	}
	return 0
}

func (p *parser) top() nameID {
	if p.n == 0 {
		return none
	}
	return p.open[p.n-1].id
}

// push opens an element. Too deep, and the document ends without it.
func (p *parser) push(name string, id nameID) bool {
	if p.n == maxDepth {
		p.pos = len(p.s)
		return false
	}
	switch id {
	case head:
		p.head = true
	case body:
		p.head, p.body = true, true
	}
	p.open[p.n] = element{name, id}
	p.n++
	return true
}

func (p *parser) pop() {
	if p.n > 0 {
		p.n--
	}
}

// prologue reads the comments, processing instructions and document type before the first element. It differs from
// what follows in skipping the white space between them.
func (p *parser) prologue() {
	p.blanks()
	for p.comment() || p.instruction() {
		p.blanks()
	}
	if p.doctype() {
		p.blanks()
		for p.comment() || p.instruction() {
			p.blanks()
		}
	}
}

// nextImage reads on to the next img element and returns its attributes as written, or false at the end.
func (p *parser) nextImage() (src, class string, ok bool) {
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c == 0 {
			break
		}
		if c == '<' && p.at(1) == '/' {
			p.endTag()
			continue
		}
		if c == '<' {
			p.peek()
		}
		if p.inRawText() {
			p.rawText()
			continue
		}
		if c != '<' {
			p.text()
			continue
		}
		if p.doctype() && p.at(0) != '<' {
			continue
		}
		switch {
		case p.comment(), p.instruction():
		case isLetter(p.at(1)):
			if src, class, ok = p.startTag(); ok {
				return src, class, true
			}
		default:
			p.pos++ // a lone "<" is text
		}
	}
	p.pos = len(p.s)
	return "", "", false
}

func (p *parser) inRawText() bool {
	t := p.top()
	return t == script || t == style
}

// peek lets a coming start tag close elements before it is known to be one. That matters in a script or style element,
// which hides it otherwise, and for a name with a dot, which counts up to the dot here but not in startTag.
func (p *parser) peek() {
	name := nameAt(p.s, p.pos+1)
	name, _, dotted := strings.Cut(name, ".")
	if dotted || p.inRawText() {
		p.autoClose(lookupName(name))
	}
}

// text reads character data and references up to the next tag. Outside of the body it opens a paragraph.
func (p *parser) text() {
	start := p.pos
	switch {
	case !p.nul:
		p.skipTo(strings.IndexByte(p.s[p.pos:], '<'))
	case p.s[p.pos] == '&':
		_, n := reference(p.s[p.pos:])
		p.pos += n
	default:
		p.skipTo(strings.IndexAny(p.s[p.pos:], "<&"))
	}
	switch p.top() {
	case none, html, head:
		if !isAllBlank(p.s[start:p.pos]) {
			p.autoClose(para)
			p.imply(para)
			p.push("p", para)
		}
	}
}

// skipTo moves n bytes ahead, or to the end when n is negative: the result of an Index function.
func (p *scanner) skipTo(n int) {
	if n < 0 {
		p.pos = len(p.s)
		return
	}
	p.pos += n
}

// rawText reads the text of a script or style element, to its own end tag or any other.
func (p *parser) rawText() {
	for {
		i := strings.Index(p.s[p.pos:], "</")
		if i < 0 {
			p.pos = len(p.s)
			return
		}
		p.pos += i
		if isLetter(p.at(2)) {
			return
		}
		p.pos += 2
	}
}

// comment reads a comment. Only "-->" and "--!>" after the opening four bytes end it; without them it takes the rest.
func (p *scanner) comment() bool {
	if !strings.HasPrefix(p.s[p.pos:], "<!--") {
		return false
	}
	p.pos += 4
	for start := p.pos; ; {
		i := strings.IndexByte(p.s[p.pos:], '>') // rarer than a hyphen
		if i < 0 {
			p.pos = len(p.s)
			return true
		}
		p.pos += i + 1
		text := p.s[start : p.pos-1]
		if strings.HasSuffix(text, "--") || strings.HasSuffix(text, "--!") {
			return true
		}
	}
}

// instruction reads a processing instruction, such as PHP code: it ends at the first ">". With no name at its
// start it is text.
func (p *scanner) instruction() bool {
	if p.at(0) != '<' || p.at(1) != '?' {
		return false
	}
	p.pos += 2
	if n := entityName(p.s[p.pos:]); n == 0 && !startsWithLetter(p.s[p.pos:]) || p.pos+n == len(p.s) {
		return true
	}
	i := strings.IndexByte(p.s[p.pos:], '>')
	if i < 0 {
		p.pos = len(p.s)
		return true
	}
	p.pos += i + 1
	return true
}

// doctype reads a document type declaration, wherever it is. A ">" in its quoted parts does not end it.
func (p *scanner) doctype() bool {
	const open = "<!DOCTYPE"
	if p.at(1) != '!' || !hasPrefixFold(p.s[p.pos:], open) {
		return false
	}
	p.pos += len(open)
	p.blanks()
	p.pos += entityName(p.s[p.pos:])
	p.blanks()
	if hasPrefixFold(p.s[p.pos:], "SYSTEM") {
		p.pos += len("SYSTEM")
		p.blanks()
		p.literal()
	} else if hasPrefixFold(p.s[p.pos:], "PUBLIC") {
		p.pos += len("PUBLIC")
		p.blanks()
		p.literal()
		p.blanks()
		p.literal()
	}
	p.blanks()
	p.tagEnd()
	return true
}

// literal reads a quoted string, if there is one here, and returns what is between the quotes. Where the closing one
// is missing it takes the rest.
func (p *scanner) literal() (text string, quoted bool) {
	q := p.at(0)
	if q != '"' && q != '\'' {
		return "", false
	}
	p.pos++
	text = p.s[p.pos : p.pos+p.until(q)]
	p.pos += len(text)
	if p.at(0) == q {
		p.pos++
	}
	return text, true
}

// tagEnd skips to behind the next ">".
func (p *scanner) tagEnd() {
	p.pos += p.until('>')
	if p.at(0) == '>' {
		p.pos++
	}
}

// endTag reads an end tag and closes its element, and those inside it, unless an element of higher rank is between.
func (p *parser) endTag() {
	p.pos += 2
	name := nameAt(p.s, p.pos)
	if name == "" {
		return
	}
	p.pos += len(name)
	p.blanks()
	p.tagEnd()
	id := lookupName(name)
	if p.ignored > 0 && (id == html || id == head || id == body) {
		p.ignored--
		return
	}
	rank := rankOf(id)
	for i := p.n - 1; i >= 0; i-- {
		e := &p.open[i]
		if e.id == id && (id != other || strings.EqualFold(e.name, name)) {
			p.n = i
			return
		}
		if rankOf(e.id) > rank {
			return
		}
	}
}

// startTag reads a start tag with its attributes. It reports whether an img element came of it.
func (p *parser) startTag() (src, class string, ok bool) {
	p.pos++
	name := nameAt(p.s, p.pos)
	p.pos += len(name)
	id := lookupName(name)
	p.autoClose(id)
	p.imply(id)
	discard := false
	switch id {
	case html:
		discard = p.n > 0
	case head:
		discard = p.n != 1
	case body:
		for i := range p.n {
			if p.open[i].id == body {
				discard = true
			}
		}
	}

	isImg := id == img || isImage(name)
	src, class = p.attributes(isImg)
	if discard {
		p.ignored++
	} else if !p.push(name, id) {
		return "", "", false
	}

	// What is closed here is the innermost element, even when the tag was left out: libxml2 confuses the two.
	switch {
	case p.at(0) == '>':
		p.pos++
		if isVoid(p.top()) {
			p.pop()
		}
	case p.at(0) == '/':
		p.pos += 2
		p.pop()
	default:
		p.pop() // the document ends inside the tag
	}
	return src, class, isImg
}

// isImage reports whether the name of an unknown element is img behind a name space prefix.
func isImage(name string) bool {
	i := strings.IndexByte(name, ':')
	return i > 0 && strings.EqualFold(name[i+1:], "img")
}

// attributes reads the attributes of a start tag up to its end. Values are returned, when wanted, as written; of
// several attributes of one name the first counts.
func (p *scanner) attributes(want bool) (src, class string) {
	var gotSrc, gotClass bool
	p.blanks()
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c == 0 || c == '>' || c == '/' && p.at(1) == '>' {
			return src, class
		}
		name := nameAt(p.s, p.pos)
		if name == "" {
			p.bogus()
			p.blanks()
			continue
		}
		p.pos += len(name)
		p.blanks()
		var value string
		if p.at(0) == '=' {
			p.pos++
			p.blanks()
			value = p.value()
		}
		switch {
		case !want:
		case !gotSrc && strings.EqualFold(name, "src"):
			src, gotSrc = value, true
		case !gotClass && strings.EqualFold(name, "class"):
			class, gotClass = value, true
		}
		p.blanks()
	}
	return src, class
}

// bogus skips what cannot be an attribute, up to white space or the end of the tag.
func (p *scanner) bogus() {
	for ; p.pos < len(p.s); p.pos++ {
		c := p.s[p.pos]
		if c == 0 || c == '>' || isBlank(c) || c == '/' && p.at(1) == '>' {
			return
		}
	}
}

// value reads an attribute value.
func (p *scanner) value() string {
	if text, ok := p.literal(); ok {
		return text
	}
	start := p.pos
	for p.pos < len(p.s) {
		if c := p.s[p.pos]; c == 0 || c == '>' || isBlank(c) {
			break
		}
		p.pos++
	}
	return p.s[start:p.pos]
}

func (p *scanner) blanks() {
	for p.pos < len(p.s) && isBlank(p.s[p.pos]) {
		p.pos++
	}
}

// autoClose closes the elements that the start of another one ends, such as a p before a div.
func (p *parser) autoClose(id nameID) {
	for p.n > 0 && closes(p.open[p.n-1].id, id) {
		p.n--
	}
}

// imply opens the html, head and body elements that a start tag takes for granted.
func (p *parser) imply(id nameID) {
	if id == html {
		return
	}
	if p.n == 0 {
		p.push("html", html)
	}
	switch id {
	case head, body:
		return
	case script, style, meta, link, title, base:
		if p.n <= 1 {
			if !p.head {
				p.push("head", head)
			}
			return
		}
	case noframes, frame, frameset:
		return
	}
	if p.body {
		return
	}
	for i := range p.n {
		if p.open[i].id == head || p.open[i].id == body {
			return
		}
	}
	p.push("body", body)
}

// until is the number of bytes before the next c or zero byte, or before the end.
func (p *scanner) until(c byte) int {
	rest := p.s[p.pos:]
	if i := strings.IndexByte(rest, c); i >= 0 {
		rest = rest[:i]
	}
	if p.nul {
		if i := strings.IndexByte(rest, 0); i >= 0 {
			rest = rest[:i]
		}
	}
	return len(rest)
}

// nameAt is the tag or attribute name at s[i:], "" without one.
func nameAt(s string, i int) string {
	if i >= len(s) || !isLetter(s[i]) && s[i] != '_' && s[i] != ':' && s[i] != '.' {
		return ""
	}
	j := i + 1
	for j < len(s) && j < i+maxName && isNameByte(s[j]) {
		j++
	}
	return s[i:j]
}

// isAllBlank reports whether s is white space and control characters, which libxml2 drops.
func isAllBlank(s string) bool {
	for i := range len(s) {
		if s[i] > ' ' {
			return false
		}
	}
	return true
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == ':' || c == '_' || c == '.'
}
