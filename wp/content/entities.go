package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// entities are the named entities of HTML 4, and apos: what libxml2 decodes. Values differ from HTML 5 (lang, rang).
var entities = compileEntities()

const (
	// latin1Entities name U+00A0 to U+00FF in order.
	latin1Entities = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
		"acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring " +
		"AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times " +
		"Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave " +
		"eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute " +
		"ucirc uuml yacute thorn yuml"
	// otherEntities are names and their characters by turns.
	otherEntities = "quot \" amp & apos ' lt < gt > OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ " +
		"Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο " +
		"Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ " +
		"eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ " +
		"phi φ chi χ psi ψ omega ω thetasym ϑ upsih ϒ piv ϖ ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” " +
		"bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € " +
		"image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ " +
		"dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ " +
		"radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ " +
		"ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ " +
		"lang \u2329 rang \u232A loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦"
)

func compileEntities() map[string]rune {
	m := map[string]rune{
		"ensp": 0x2002, "emsp": 0x2003, "thinsp": 0x2009, "zwnj": 0x200C, "zwj": 0x200D, "lrm": 0x200E, "rlm": 0x200F,
	}
	for i, name := range strings.Fields(latin1Entities) {
		m[name] = 0xA0 + rune(i)
	}
	pairs := strings.Fields(otherEntities)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]], _ = utf8.DecodeRuneInString(pairs[i+1])
	}
	return m
}

// unescape decodes the references of an attribute value. A named one needs its semicolon, a numeric one does not.
// A number that stands for no XML character ends the value: libxml2 writes a zero byte, and C strings end there.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		r, n := reference(s)
		switch {
		case r == 0:
			return b.String()
		case r > 0:
			b.WriteRune(r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// reference reads what follows the ampersand s starts with. It returns the character and the bytes consumed. The
// character is 0 for an impossible number and negative when the bytes are to be taken as they are.
func reference(s string) (r rune, n int) {
	if len(s) > 1 && s[1] == '#' {
		return charRef(s)
	}
	n = 1 + entityName(s[1:])
	if n < len(s) && s[n] == ';' {
		if r, ok := entities[s[1:n]]; ok {
			return r, n + 1
		}
	}
	return -1, n
}

func charRef(s string) (r rune, n int) {
	radix := rune(10)
	n = 2
	if len(s) > 2 && s[2]|0x20 == 'x' {
		radix, n = 16, 3
	}
	for ; n < len(s); n++ {
		var digit rune
		switch c := s[n]; {
		case isDigit(c):
			digit = rune(c - '0')
		case radix == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = rune(c|0x20-'a') + 10
		default:
			digit = -1
		}
		if digit < 0 {
			break
		}
		if r <= unicode.MaxRune {
			r = r*radix + digit
		}
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	if !isChar(r) {
		return 0, n
	}
	return r, n
}

// isChar reports whether r is a character of XML 1.0.
func isChar(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0xD800:
		return true
	default:
		return 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= unicode.MaxRune
	}
}

// entityName is the length of the ASCII name s starts with.
func entityName(s string) int {
	if s == "" || !isLetter(s[0]) && s[0] != '_' && s[0] != ':' {
		return 0
	}
	n := 1
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	return n
}

// startsWithLetter reports whether s starts with a letter outside of ASCII.
func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= utf8.RuneSelf && r != utf8.RuneError && unicode.IsLetter(r)
}
