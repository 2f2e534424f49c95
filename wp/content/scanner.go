package content

import "strings"

// scanner reads the tokens of HTML as libxml2 does. It does not track which elements are open.
type scanner struct {
	s   string
	pos int
}

// at returns the byte n places ahead, or 0 past the end.
func (p *scanner) at(n int) byte {
	if p.pos+n < len(p.s) {
		return p.s[p.pos+n]
	}
	return 0
}

// skipTo moves to the next byte c, or to the end of the text.
func (p *scanner) skipTo(c byte) {
	if i := strings.IndexByte(p.s[p.pos:], c); i >= 0 {
		p.pos += i
	} else {
		p.pos = len(p.s)
	}
}

// skipToEnd moves to the end tag of an element, or to the end of the text. A longer name that begins alike is read as another end tag.
func (p *scanner) skipToEnd(name string) {
	for p.skipTo('<'); p.pos < len(p.s); p.skipTo('<') {
		switch {
		case p.at(1) != '/' || !hasPrefixFold(p.s[p.pos+2:], name):
			p.pos++
		case isNameByte(p.at(2 + len(name))):
			p.skipTo('>')
		default:
			return
		}
	}
}

// comment skips a comment and reports whether there was one. Only "-->" and "--!>" after the opening "<!--" end a
// comment. A comment without an end takes the rest of the text.
func (p *scanner) comment() bool {
	if !strings.HasPrefix(p.s[p.pos:], "<!--") {
		return false
	}
	start := p.pos + len("<!--")
	for p.pos = start; p.pos < len(p.s); {
		p.skipTo('>') // ">" is rarer than a hyphen
		text := p.s[start:p.pos]
		p.pos = min(p.pos+1, len(p.s))
		if strings.HasSuffix(text, "--") || strings.HasSuffix(text, "--!") {
			break
		}
	}
	return true
}

// attributes reads the attributes of a start tag up to its end. It returns src and class as written. If several
// attributes have the same name, the first one counts.
func (p *scanner) attributes() (src, class string) {
	var gotSrc, gotClass bool
	for p.blanks(); p.pos < len(p.s) && !p.tagEnds(); p.blanks() {
		name := p.name()
		if name == "" { // this is no attribute
			p.word()
			continue
		}
		p.blanks()
		var value string
		if p.at(0) == '=' {
			p.pos++
			p.blanks()
			value = p.value()
		}
		switch {
		case !gotSrc && strings.EqualFold(name, "src"):
			src, gotSrc = value, true
		case !gotClass && strings.EqualFold(name, "class"):
			class, gotClass = value, true
		}
	}
	return src, class
}

func (p *scanner) tagEnds() bool { return p.at(0) == '>' || p.at(0) == '/' && p.at(1) == '>' }

// word skips text that cannot be an attribute, up to white space or the end of the tag.
func (p *scanner) word() {
	for p.pos < len(p.s) && !isBlank(p.s[p.pos]) && !p.tagEnds() {
		p.pos++
	}
}

// value reads the value of an attribute, with or without quotes. If the closing quote is missing, the value takes
// the rest of the text.
func (p *scanner) value() string {
	if q := p.at(0); q == '"' || q == '\'' {
		p.pos++
		start := p.pos
		p.skipTo(q)
		text := p.s[start:p.pos]
		p.pos = min(p.pos+1, len(p.s))
		return text
	}
	start := p.pos
	for p.pos < len(p.s) && p.s[p.pos] != '>' && !isBlank(p.s[p.pos]) {
		p.pos++
	}
	return p.s[start:p.pos]
}

func (p *scanner) blanks() {
	for p.pos < len(p.s) && isBlank(p.s[p.pos]) {
		p.pos++
	}
}

// name reads the name of a tag or an attribute. It returns "" if there is none.
func (p *scanner) name() string {
	start := p.pos
	if c := p.at(0); !isLetter(c) && c != '_' && c != ':' && c != '.' {
		return ""
	}
	for p.pos < len(p.s) && isNameByte(p.s[p.pos]) {
		p.pos++
	}
	return p.s[start:p.pos]
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
