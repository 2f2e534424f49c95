package address

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// visitor requests pages of the site.
type visitor struct {
	book  *Book
	pause time.Duration // between two requests
	last  time.Time     // of the last request
	asked int           // number of requests for the present question
	err   error         // why the first page that failed was not answered; no page is requested after it
	home  *bool         // whether the site has a home page; nil until it was requested
}

// ask requests a page. It waits until the last request is at least a pause ago. After an error it requests nothing
// and returns an empty answer.
func (v *visitor) ask(ctx context.Context, address string) wp.Response {
	if !v.last.IsZero() {
		timer := time.NewTimer(v.pause - time.Since(v.last))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if v.err == nil {
		v.err = ctx.Err()
	}
	if v.err != nil {
		return wp.Response{}
	}
	v.last = time.Now()
	v.asked++
	var page wp.Response
	page, v.err = v.book.Blog.Source().Ask(ctx, address)
	return page
}

// presence says whether an object has a page at an address.
type presence uint8

const (
	unclear presence = iota // the answer proves nothing
	present                 // the object has a page that names itself as canonical
	absent                  // the object has no page there
)

// visit requests an address and judges the answer.
func (v *visitor) visit(ctx context.Context, address string) (presence, wp.Response) {
	page := v.ask(ctx, address)
	asked, _, away := pointsAway(page, address)
	switch {
	case v.err != nil || asked == nil:
		return unclear, page
	case isGone(page), page.Status == 200 && away, isRedirect(page) && (away || page.Elsewhere == ""):
		return absent, page
	case page.Status == 200 && page.Elsewhere != "":
		return present, page
	}
	return unclear, page
}

// isGone reports whether the site says that it has no such page.
func isGone(page wp.Response) bool { return page.Status == 404 || page.Status == 410 }

func isRedirect(page wp.Response) bool { return page.Status/100 == 3 }

// pointsAway reports whether an answer points to another address than the one that was requested. It returns both
// addresses. They are nil if one of them cannot be parsed.
func pointsAway(page wp.Response, address string) (asked, to *url.URL, away bool) {
	asked, err := url.Parse(address)
	to, bad := url.Parse(page.Elsewhere)
	if err != nil || bad != nil {
		return nil, nil, false
	}
	return asked, to, page.Elsewhere != "" && bareAddress(to, asked) != bareAddress(asked, asked)
}

// finding is what the pages of some objects prove. The zero finding proves nothing.
type finding struct {
	right   right  // which addresses are right, for all objects
	shown   string // with rightElsewhere: the evidence
	missing bool   // with rightElsewhere: the site does not have the pages at all
}

// compare requests the computed and the stored addresses of some objects. The finding proves something only if the answers are
// clear and the same for all objects. Its evidence is the answer for the first computed address.
func (v *visitor) compare(ctx context.Context, pairs []pair) finding {
	var all finding
	for i, p := range pairs {
		one := v.comparePair(ctx, p)
		if i == 0 {
			all = one
		}
		if one.right == "" || one.right != all.right {
			return finding{}
		}
	}
	if all.right == rightElsewhere && !v.hasHome(ctx) {
		return finding{}
	}
	return all
}

// comparePair requests both addresses of one object.
func (v *visitor) comparePair(ctx context.Context, p pair) finding {
	computed, answer := v.visit(ctx, p.Computed)
	if computed == unclear {
		return finding{}
	}
	stored, _ := v.visit(ctx, p.Stored)
	switch {
	case stored == unclear, stored == present && computed == present:
		return finding{}
	case computed == present:
		return finding{right: rightComputed}
	case stored == present:
		return finding{right: rightStored}
	}
	return finding{rightElsewhere, describe(p.Computed, answer), isGone(answer)}
}

// find requests the pages of objects until one of them is at its computed address, which proves that computed addresses are
// right. If none is there, rightElsewhere is proven. An answer that proves nothing ends the search without a finding.
func (v *visitor) find(ctx context.Context, objects []object) finding {
	targets := map[string]bool{}
	shown := ""
	for _, o := range objects {
		if o.link == "" || o.link == v.book.Blog.LinksHome()+"/" { // the home page shows nothing about other objects of the type
			continue
		}
		page := v.ask(ctx, o.link)
		to, there := v.target(o, page, len(objects))
		switch {
		case there:
			return finding{right: rightComputed}
		case v.err != nil, to == "", targets[to] && to != gonePage: // a login page is the target of all objects
			return finding{}
		}
		if targets[to] = true; shown == "" {
			shown = describe(o.link, page)
		}
	}
	if shown == "" || !v.hasHome(ctx) {
		return finding{}
	}
	return finding{rightElsewhere, shown, targets[gonePage] && len(targets) == 1}
}

// gonePage is the target of a page that does not exist.
const gonePage = "404"

// target returns where an object is according to the answer for its address: another path, or gonePage. It returns ""
// if the answer proves nothing. there reports whether the object is at its address.
//
// of is the number of objects that are requested. With fewer than mostPairs of them, a canonical address proves nothing,
// because an editor may have chosen it. A redirect then proves something only if its target contains the slug or the id of
// the object.
func (v *visitor) target(o object, page wp.Response, of int) (to string, there bool) {
	asked, other, away := pointsAway(page, o.link)
	if asked == nil {
		return "", false
	}
	path, own := v.book.below(other)
	own = own && bareHost(other) == bareHost(asked)
	names := strings.Split(path, "/")
	if v.book.isPlain(page.Elsewhere, &o) { // a type without rewrite rules has such addresses
		path += "?" + other.RawQuery
		for _, values := range other.Query() {
			names = append(names, values...)
		}
	}
	switch page.Status {
	case 404, 410:
		return gonePage, false
	case 200:
		if !away {
			return "", true
		}
		if own && strings.Trim(path, "/") == "" && strings.Trim(v.book.path(o.link), "/") == "" {
			return gonePage, false // if a type is gone, WordPress shows the home page at /?flyer=one
		}
		if own && of == mostPairs {
			return path, false
		}
	case 301, 308:
		named := slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(name, php.RawURLDecode(o.slug)) || name == strconv.FormatInt(o.id, 10)
		})
		if away && own && (of == mostPairs || named) {
			return path, false
		}
	}
	return "", false
}

// bareHost returns the host of an address in lower case, without www.
func bareHost(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }

// bareAddress returns an address without what servers add: the scheme, www, and a query if the requested address has
// none.
func bareAddress(u, asked *url.URL) string {
	bare := bareHost(u) + php.RawURLDecode(u.Path)
	if asked.RawQuery != "" {
		bare += "?" + u.RawQuery
	}
	return bare
}

// mostShown is how many bytes of an address describe shows.
const mostShown = 300

// describe returns a clause that says how the site answers for an address.
func describe(address string, page wp.Response) string {
	elsewhere := page.Elsewhere[:min(len(page.Elsewhere), mostShown)]
	switch page.Status {
	case 200:
		return fmt.Sprintf("%s names %s as canonical", address, elsewhere)
	case 301, 308:
		return fmt.Sprintf("%s leads to %s", address, elsewhere)
	}
	return fmt.Sprintf("%s answers %d", address, page.Status)
}

// hasHome reports whether the site has a home page. If it has none, the site is closed, or the upstream serves another
// site.
func (v *visitor) hasHome(ctx context.Context) bool {
	if v.home == nil {
		address := v.book.Blog.LinksHome() + "/"
		page := v.ask(ctx, address)
		asked, _, away := pointsAway(page, address)
		home := asked != nil && page.Elsewhere != "" && !away
		there := v.err == nil && (page.Status == 200 || isRedirect(page) && home)
		v.home = &there
	}
	return *v.home
}
