package php

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charset is the encoding html_entity_decode() writes.
type Charset uint8

// The charsets WordPress' plugins decode into. A text in UTF-8 that is decoded into Latin9
// (ISO 8859-15) is no UTF-8 afterwards, if anything had to be decoded.
const (
	UTF8 Charset = iota
	Latin9
)

// HTMLEntityDecode returns s as html_entity_decode( s, ENT_QUOTES, charset ) does: the
// references of HTML 4.01, &#039; among them but not &apos;, as far as the charset has the
// character. All others stay as they are.
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

// entity reads the reference that s begins with behind its ampersand; n is 0 for none. The longest name in HTML 4.01, and any
// number worth reading, has less than 15 characters.
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

// html401 reports whether a document in HTML 4.01 may hold a character.
func html401(v uint64) bool {
	return 0x20 <= v && v <= 0x7E || v == '\t' || v == '\n' || v == '\r' || 0xA0 <= v && v <= 0xD7FF || 0xE000 <= v && v <= 0x10FFFF
}

// HTML4Entity returns the character of a named reference of HTML 4.01, which does not have apos.
func HTML4Entity(name string) (c rune, ok bool) {
	c, ok = html4Entities[name]
	return c, ok
}

// html4Entities are the named character references of HTML 4.01. HTML 5 means other characters by lang and rang.
var html4Entities = compileEntities()

const (
	// latin1Entities name U+00A0 to U+00FF in order.
	latin1Entities = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
		"acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring " +
		"AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times " +
		"Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave " +
		"eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute " +
		"ucirc uuml yacute thorn yuml"
	// otherEntities are names and their characters by turns.
	otherEntities = "quot \" amp & lt < gt > OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ " +
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
	for pair := range slices.Chunk(strings.Fields(otherEntities), 2) {
		m[pair[0]], _ = utf8.DecodeRuneInString(pair[1])
	}
	return m
}
