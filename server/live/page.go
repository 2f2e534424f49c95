package live

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/weburl"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxPage is how many bytes of a listed page are read. What crawlers need is at the beginning of a page.
const MaxPage = 1 << 20

// Problem says why a listed address should not be in a sitemap, or why its page should change.
type Problem struct {
	Kind   ProblemKind `json:"kind"`
	Detail string      `json:"detail"`
}

func (p Problem) String() string { return problemWords[p.Kind] + p.Detail }

// ProblemKind is the kind of a problem with a listed page.
type ProblemKind string

// The kinds of problems.
const (
	badStatus      ProblemKind = "status"
	redirects      ProblemKind = "redirect"
	noindexed      ProblemKind = "noindex"
	otherCanonical ProblemKind = "canonical"
	NoAnswer       ProblemKind = "no answer"
)

var problemWords = map[ProblemKind]string{
	badStatus: "it answers ", redirects: "it redirects with ", noindexed: "it carries noindex: ", otherCanonical: "it names another canonical: ",
	NoAnswer: "no answer: ",
}

// Inspect returns the problems of the answer for a listed address. These are a status other than 200, a redirect, and noindex in
// X-Robots-Tag or in a robots meta element. Another problem is a canonical in the head that names another address.
func Inspect(loc string, a *Answer) []Problem {
	switch location := a.Header.Get("Location"); {
	case a.Status >= 300 && a.Status < 400 && location != "":
		if to, err := resolve(loc, location); err == nil {
			location = to
		}
		return []Problem{{redirects, fmt.Sprintf("%d to %s", a.Status, Shorten(location, 300))}}
	case a.Status != http.StatusOK:
		return []Problem{{badStatus, a.status()}}
	}
	var problems []Problem
	for _, v := range a.Header.Values("X-Robots-Tag") {
		if forbids(v) {
			problems = append(problems, Problem{noindexed, "X-Robots-Tag: " + Shorten(v, 200)})
		}
	}
	noindex, canonicals := a.scan()
	for _, element := range noindex {
		problems = append(problems, Problem{noindexed, element})
	}
	for i, c := range canonicals {
		to, err := resolve(loc, c)
		if err != nil {
			to = c
		}
		if slices.Contains(canonicals[:i], c) || err == nil && spelling(to) == spelling(loc) {
			continue
		}
		problems = append(problems, Problem{otherCanonical, Shorten(to, 300)})
	}
	return problems
}

// Elsewhere returns the address that an answer redirects to, or the first canonical that its page names; "" if there is neither.
func Elsewhere(loc string, a *Answer) string {
	to := ""
	if a.Status/100 == 3 {
		to = a.Header.Get("Location")
	} else if _, canonicals := a.scan(); a.Status == http.StatusOK && len(canonicals) > 0 {
		to = canonicals[0]
	}
	if to == "" {
		return ""
	}
	to, err := resolve(loc, to)
	if err != nil {
		return ""
	}
	return to
}

// forbids reports whether a list of directives keeps a page out of the index. In X-Robots-Tag, a directive may begin with the
// name of a crawler.
func forbids(directives string) bool {
	for d := range strings.SplitSeq(directives, ",") {
		if agent, rest, ok := strings.Cut(d, ":"); ok && !strings.EqualFold(strings.TrimSpace(agent), "unavailable_after") {
			d = rest
		}
		if d = strings.TrimSpace(d); strings.EqualFold(d, "noindex") || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

func hasWord(list, word string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(w string) bool { return strings.EqualFold(w, word) })
}

// robotsNames are the names of the meta elements with directives for the crawlers that matter.
var robotsNames = []string{"robots", "googlebot", "bingbot"}

// scan returns the meta elements that keep a page out of the index, as texts, and the canonical links of its head. Crawlers ignore
// canonical links in the body.
func (a *Answer) scan() (noindex, canonicals []string) {
	if t, _, err := mime.ParseMediaType(a.Header.Get("Content-Type")); err == nil && t != "text/html" && t != "application/xhtml+xml" {
		return nil, nil
	}
	inHead := true
	for z := html.NewTokenizer(bytes.NewReader(a.Body)); ; {
		kind := z.Next()
		switch kind {
		case html.ErrorToken: // the end of the page
			return noindex, canonicals
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		default:
			continue
		}
		t := z.Token()
		switch {
		case t.DataAtom == atom.Body, t.DataAtom == atom.Head && kind == html.EndTagToken:
			inHead = false
		case kind == html.EndTagToken:
		case t.DataAtom == atom.Meta:
			name, content := strings.ToLower(strings.TrimSpace(value(t, "name"))), value(t, "content")
			if slices.Contains(robotsNames, name) && forbids(content) {
				noindex = append(noindex, fmt.Sprintf("<meta name=%q content=%q>", name, Shorten(content, 200)))
			}
		case t.DataAtom == atom.Link && inHead && hasWord(value(t, "rel"), "canonical"):
			if href := strings.TrimSpace(value(t, "href")); href != "" {
				canonicals = append(canonicals, href)
			}
		}
	}
}

func value(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// spelling returns a normal form of an address. Addresses that mean the same to a crawler have the same form.
func spelling(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + weburl.HostPort(u.Host) + cmp.Or(u.Path, "/") + "?" + u.Query().Encode()
}
