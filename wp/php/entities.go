package php

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charset is the encoding that html_entity_decode() writes.
type Charset uint8

// The charsets that WordPress' plugins use. Text that was decoded into Latin9 (ISO 8859-15) may no longer be valid UTF-8.
const (
	UTF8 Charset = iota
	Latin9
)

// HTMLEntityDecode returns the result of html_entity_decode( s, ENT_QUOTES, charset ). It decodes the references of HTML 4.01
// whose character the charset has. &#039; is one of them, &apos; is not. Other references stay as they are.
func HTMLEntityDecode(s string, charset Charset) string {
	before, rest, found := strings.Cut(s, "&")
	if !found {
		return s
	}
	out := append(make([]byte, 0, len(s)), before...)
	for found {
		c, n := entity(rest)
		if charset == Latin9 && n > 0 {
			b, ok := charmap.ISO8859_15.EncodeRune(c)
			if !ok {
				n = 0
			} else {
				out = append(out, b)
			}
		} else if n > 0 {
			out = utf8.AppendRune(out, c)
		}
		if n == 0 {
			out = append(out, '&')
		}
		before, rest, found = strings.Cut(rest[n:], "&")
		out = append(out, before...)
	}
	return string(out)
}

// entity reads the reference whose name or number s begins with, after the ampersand. n is its length, 0 if there is none. The
// longest name of HTML 4.01 and every valid number have fewer than 15 characters.
func entity(s string) (c rune, n int) {
	body, _, ok := strings.Cut(s[:min(len(s), 15)], ";")
	if !ok || body == "" {
		return 0, 0
	}
	n = len(body) + 1
	if number, isNumber := strings.CutPrefix(body, "#"); isNumber {
		base := 10
		if number != "" && number[0]|0x20 == 'x' {
			number, base = number[1:], 16
		}
		v, err := strconv.ParseUint(number, base, 32)
		if err != nil || !html401(v) {
			return 0, 0
		}
		return rune(v), n
	}
	c, ok = HTML4Entity(body)
	if !ok {
		return 0, 0
	}
	return c, n
}

// html401 reports whether a document in HTML 4.01 may contain the character v.
func html401(v uint64) bool {
	return 0x20 <= v && v <= 0x7E || v == '\t' || v == '\n' || v == '\r' || 0xA0 <= v && v <= 0xD7FF || 0xE000 <= v && v <= 0x10FFFF
}

// HTML4Entity returns the character of a named reference of HTML 4.01, which does not include apos.
func HTML4Entity(name string) (c rune, ok bool) {
	switch {
	case name == "lang": // HTML 5 assigns another character
		return 0x2329, true
	case name == "rang":
		return 0x232A, true
	case !html4Entities[name]:
		return 0, false
	}
	c, _ = utf8.DecodeRuneInString(html.UnescapeString("&" + name + ";"))
	return c, true
}

// html4Entities is the set of the names of HTML 4.01, without lang and rang.
var html4Entities = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(html4Names) {
		m[name] = true
	}
	return m
}()

const html4Names = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
	"middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
	"Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
	"Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc " +
	"iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml quot amp lt gt " +
	"OElig oelig Scaron scaron Yuml fnof circ tilde Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi " +
	"Omicron Pi Rho Sigma Tau Upsilon Phi Chi Psi Omega alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu " +
	"nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega thetasym upsih piv ndash mdash lsquo rsquo sbquo ldquo " +
	"rdquo bdquo dagger Dagger bull hellip permil prime Prime lsaquo rsaquo oline frasl euro image weierp real trade alefsym " +
	"larr uarr rarr darr harr crarr lArr uArr rArr dArr hArr forall part exist empty nabla isin notin ni prod sum minus " +
	"lowast radic prop infin ang and or cap cup int there4 sim cong asymp ne equiv le ge sub sup nsub sube supe oplus otimes " +
	"perp sdot lceil rceil lfloor rfloor loz spades clubs hearts diams ensp emsp thinsp zwnj zwj lrm rlm"
