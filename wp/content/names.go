package content

import "strings"

// nameID is the number of an element name that the rules below treat specially.
type nameID uint8

const (
	other nameID = iota // any name the rules do not know
	none                // no element at all
	html                // from here on in the order of compileNames
	head
	body
	base
	frame
	frameset
	img
	link
	meta
	noframes
	para // p
	script
	style
	title
	firstOther // the names that only occur in the tables
)

// closedBy lists the start tags that end an open element when it is the innermost one. This table, voidElements and
// rankOf are the facts of libxml2's HTML 4 tables (htmlStartClose, html40ElementTable, htmlEndPriority in
// HTMLparser.c of 2.9.14, MIT licence).
var closedBy = map[string]string{
	"a":        "a fieldset table td th",
	"address":  "dd dl dt form li ul",
	"b":        "center p td th",
	"big":      "p",
	"caption":  "col colgroup tbody tfoot thead tr",
	"col":      "col colgroup tbody tfoot thead tr",
	"colgroup": "colgroup tbody tfoot thead tr",
	"dd":       "dt",
	"dir":      "dd dl dt form ul",
	"dl":       "form li",
	"dt":       "dd dl",
	"font":     "center td th",
	"form":     "form",
	"h1":       "fieldset form li p table",
	"h2":       "fieldset form li p table",
	"h3":       "fieldset form li p table",
	"h4":       "fieldset form li p table",
	"h5":       "fieldset form li p table",
	"h6":       "fieldset form li p table",
	"head": "a abbr acronym address b bdo big blockquote body br center cite code dd dfn dir div dl dt em fieldset font " +
		"form frameset h1 h2 h3 h4 h5 h6 hr i iframe img kbd li listing map menu ol p pre q s samp small span strike " +
		"strong sub sup table tt u ul var xmp",
	"hr":      "form",
	"i":       "center p td th",
	"legend":  "fieldset",
	"li":      "li",
	"link":    "body frameset",
	"listing": "dd dl dt fieldset form li table ul",
	"menu":    "dd dl dt form ul",
	"ol":      "form ul",
	"option":  "optgroup option",
	"p": "address blockquote body caption center col colgroup dd dir div dl dt fieldset form frameset h1 h2 h3 h4 h5 h6 " +
		"head hr li listing menu ol p pre table tbody td tfoot th title tr ul xmp",
	"pre":    "dd dl dt fieldset form li table ul",
	"s":      "p",
	"script": "noscript",
	"small":  "p",
	"span":   "td th",
	"strike": "p",
	"style":  "body frameset",
	"tbody":  "tbody tfoot",
	"td":     "tbody td tfoot th tr",
	"tfoot":  "tbody",
	"th":     "tbody td tfoot th tr",
	"thead":  "tbody tfoot",
	"title":  "body frameset",
	"tr":     "tbody tfoot tr",
	"tt":     "p",
	"u":      "p td th",
	"ul":     "address form menu ol pre",
	"xmp":    "dd dl dt fieldset form li table ul",
}

// voidElements have no content and no end tag. HTML 5's source, track, wbr and embed are not among them: HTML 4 opens
// them as it does any unknown element.
const voidElements = "area base basefont br col frame hr img input isindex link meta param"

// ranks of elements that an end tag of lower rank cannot close; all others have rank 0.
var ranks = map[string]uint8{
	"div": 1, "td": 2, "th": 2, "tr": 3, "thead": 4, "tbody": 4, "tfoot": 4, "table": 5, "head": 6, "body": 6, "html": 7,
}

// rule says how an element name is parsed.
type rule struct {
	closedBy [2]uint64 // set of nameIDs
	void     bool
	rank     uint8
}

var nameIDs, rules = compileNames()

func compileNames() (map[uint64]nameID, []rule) {
	ids := make(map[uint64]nameID)
	rules := make([]rule, firstOther)
	for i, name := range strings.Fields("html head body base frame frameset img link meta noframes p script style title") {
		key, _ := packName(name)
		ids[key] = html + nameID(i)
	}
	id := func(name string) nameID {
		key, _ := packName(name)
		n, ok := ids[key]
		if !ok {
			n = nameID(len(rules))
			ids[key] = n
			rules = append(rules, rule{})
		}
		return n
	}
	for old, starts := range closedBy {
		for name := range strings.FieldsSeq(starts) {
			n, o := id(name), id(old)
			rules[o].closedBy[n/64] |= 1 << (n % 64)
		}
	}
	for name := range strings.FieldsSeq(voidElements) {
		n := id(name)
		rules[n].void = true
	}
	for name, rank := range ranks {
		n := id(name)
		rules[n].rank = rank
	}
	return ids, rules
}

// lookupName finds the id of an element name in any case.
func lookupName(name string) nameID {
	key, ok := packName(name)
	if !ok {
		return other
	}
	return nameIDs[key]
}

// packName writes a name of up to ten letters and digits as a number, which makes a faster map key than a string. The
// longest name the rules know is blockquote.
func packName(name string) (key uint64, ok bool) {
	if len(name) > 10 {
		return 0, false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case isLetter(c):
			c = c | 0x20 - 'a' + 11
		case isDigit(c):
			c = c - '0' + 1
		default:
			return 0, false
		}
		key = key<<6 | uint64(c)
	}
	return key, true
}

// closes reports whether the start of an element ends the open one.
func closes(open, start nameID) bool {
	return rules[open].closedBy[start/64]&(1<<(start%64)) != 0
}

func isVoid(id nameID) bool  { return rules[id].void }
func rankOf(id nameID) uint8 { return rules[id].rank }
