package address

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// An inquiry asks the site itself which addresses are right.
//
// If yoast_indexable stores another address for a type or an object, the inquiry requests both addresses. The right
// one answers 200 and names itself as canonical, while the other one does not.
//
// For every other type, the inquiry requests the page of the newest object, and two more pages if that object is
// elsewhere. If all three are elsewhere, a plugin changes the addresses of the type and nothing has stored them.
//
// An error, a login page, or one common target for all objects proves nothing. The questions are asked between two
// readings of the blog, and the answers are kept.

const (
	sqlNewestPosts = `SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT ?`
	sqlNewestTerms = `SELECT term_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 ORDER BY term_taxonomy_id DESC LIMIT ?`

	mostInquired  = 30  // the site is asked about so many types of a blog at most
	mostSuspected = 50  // and about so many single objects
	mostPairs     = 3   // so many objects of a type are requested at most
	mostHidden    = 30  // so many of the newest topics or replies are read, because those in private forums are left out
	mostLost      = 10  // so many of the newest posts of a tree are read, because those that WordPress does not find are left out
	mostShown     = 300 // so many bytes of an answered address are shown at most

	inquireEvery  = 9 * time.Minute    // how often a type is asked about again: at each full scan
	suspectEvery  = 24 * time.Hour     // how often an object is asked about again
	inquiryRest   = time.Minute        // shortest time between two inquiries of a blog
	forgetAnswers = 7 * 24 * time.Hour // an answer that is older than this is dropped
)

// leads reports whether an answer points to another address than the one that was requested. It returns both
// addresses. They are nil if one of them cannot be parsed.
func leads(page wp.Response, address string) (asked, to *url.URL, leads bool) {
	asked, err := url.Parse(address)
	to, bad := url.Parse(page.Elsewhere)
	if err != nil || bad != nil {
		return nil, nil, false
	}
	return asked, to, page.Elsewhere != "" && barePlace(to, asked) != barePlace(asked, asked)
}

// said is the site's answer about the addresses of a type or an object. It is "" if the answer is not clear.
type said string

const (
	saidComputed  said = "computed"  // the computed addresses are right
	saidStored    said = "stored"    // the stored addresses are right
	saidElsewhere said = "elsewhere" // the computed addresses are wrong, and no right one is stored
)

// answer is what the site said, and when.
type answer struct {
	Question string // a hash of the question and of what the answer depends on
	Of       *pair  // the two addresses of a single object; nil for a type
	Said     said
	Shown    string // the evidence that the objects are elsewhere
	Asked    int    // number of pages that were requested
	At       int64  // Unix seconds
}

// Answers are the site's answers by question. The key "post book" is about a type, "post book#17" about an object.
type Answers map[string]answer

// Into adds the answers to a text that Book.Routed returned, and returns the new text. It returns the text unchanged
// if it cannot be decoded.
func (a Answers) Into(before string) string {
	known := routed{}
	if json.Unmarshal([]byte(before), &known) != nil {
		return before
	}
	if known.Answers == nil {
		known.Answers = Answers{}
	}
	maps.Copy(known.Answers, a)
	text, _ := json.Marshal(known) // cannot fail: known has plain values only
	return string(text)
}

// pair is the computed and the stored address of an object.
type pair struct{ Computed, Stored string }

// question asks whether the addresses of a type or of an object are right.
type question struct {
	of    *registry.Type // the type; nil if the question is about a single object
	pairs []pair         // the addresses to compare; nil to request the newest objects of the type
	hash  string
}

// inquiry holds the questions about a blog. The questions about types are known once the blog is read. A question
// about an object is added when its computed address is compared with the stored one.
type inquiry struct {
	possible bool   // there is a site to ask
	basis    string // a hash of what all answers depend on

	mu        sync.Mutex
	questions map[string]question
	suspected int // number of questions about objects
	said      Answers
	rest      time.Time // no question is asked before this time
}

// newInquiry starts an inquiry with the earlier answers of the site. If the site has confirmed an object's stored
// address, newInquiry asks about that address again.
func (b *Book) newInquiry(e *registry.Evidence) *inquiry {
	now := b.Blog.Source().Time()
	maps.DeleteFunc(b.before.Answers, func(_ string, a answer) bool { return now.Sub(time.Unix(a.At, 0)) > forgetAnswers })
	q := &inquiry{possible: b.Blog.Source().Ask != nil && len(e.RewriteRules) > 0, questions: map[string]question{}, said: Answers{}}
	maps.Copy(q.said, b.before.Answers)
	plugins := slices.Sorted(maps.Keys(b.Blog.Settings().ActivePlugins))
	q.basis = fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, plugins, e.Template, e.Stylesheet, e.PermalinkStructure, e.RewriteRules)))
	for key, a := range b.before.Answers {
		if a.Of != nil && a.Said == saidStored {
			q.add(key, question{pairs: []pair{*a.Of}})
		}
	}
	return q
}

// add adds a question if the site can be asked and the blog has not reached its limit of questions.
func (q *inquiry) add(key string, of question) {
	if !q.possible {
		return
	}
	if of.hash = q.basis; of.of != nil {
		of.hash = fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, q.basis, of.of.Slug, of.of.WithFront, of.of.QueryVar, of.pairs)))
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.questions[key]; !known && of.of == nil {
		if q.suspected == mostSuspected {
			return
		}
		q.suspected++
	} else if !known && len(q.questions)-q.suspected == mostInquired {
		return
	}
	q.questions[key] = of
}

// decided returns the answer about an object's two addresses that was known when the blog was read. If there is no
// answer yet, decided adds the question and returns "".
func (b *Book) decided(key string, of pair) said {
	if a, ok := b.before.Answers[key]; ok && a.Of != nil && *a.Of == of {
		return a.Said
	}
	b.inquiry.add(key, question{pairs: []pair{of}})
	return ""
}

// Inquires reports whether a question is due.
func (b *Book) Inquires(now time.Time) bool { return len(b.inquiry.open(now)) > 0 }

// open returns the questions that must be asked at the time now.
func (q *inquiry) open(now time.Time) map[string]question {
	open := map[string]question{}
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Before(q.rest) {
		return nil
	}
	for key, of := range q.questions {
		a := q.said[key]
		every, other := inquireEvery, false
		if of.of == nil {
			every, other = suspectEvery, a.Of == nil || *a.Of != of.pairs[0]
		}
		if other || a.Question != of.hash || now.Sub(time.Unix(a.At, 0)) >= every {
			open[key] = of
		}
	}
	return open
}

// answered stores the site's answers. No question is asked again before rest.
func (q *inquiry) answered(said Answers, rest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.Copy(q.said, said)
	q.rest = rest
}

// before returns the last answer to a question.
func (q *inquiry) before(key string) answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.said[key]
}

// Inquire asks the site the questions that are due. It requests one page after the other, with a pause between two. It
// returns the answers and whether they change addresses, or change which types are left to the site.
func (b *Book) Inquire(ctx context.Context, now time.Time, pause time.Duration) (Answers, bool, error) {
	v := &visitor{book: b, pause: pause}
	found := Answers{}
	// gone: the types whose pages are all missing; there: an object of some type is at its computed address
	gone, there := []string{}, false
	open := b.inquiry.open(now)
	for _, key := range slices.Sorted(maps.Keys(open)) {
		q := open[key]
		a := answer{Question: q.hash, At: now.Unix()}
		var missing bool
		switch {
		case q.pairs != nil:
			a.Said, a.Shown, missing = v.compare(ctx, q.pairs)
		default:
			objects, err := b.newest(ctx, q.of)
			if err != nil && !db.Unreadable(err) {
				return nil, false, err
			}
			a.Said, a.Shown, missing = v.elsewhere(ctx, objects)
		}
		if q.of == nil {
			a.Of = &q.pairs[0]
		} else if missing {
			gone = append(gone, key)
		}
		if v.err != nil { // the remaining questions stay open
			break
		}
		a.Asked, v.asked = v.asked, 0
		there = there || a.Said == saidComputed
		if before := b.inquiry.before(key); a.Said == "" && (a.Of == nil || before.Of != nil && *before.Of == *a.Of) {
			a.Said, a.Shown = before.Said, before.Shown
		}
		found[key] = a
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	changed := false
	for key, a := range found {
		before := b.inquiry.before(key)
		if !there && slices.Contains(gone, key) { // a site where every page is missing has no permalinks at all
			a.Said, a.Shown = before.Said, before.Shown
			found[key] = a
		}
		same := a.Said == before.Said || a.Said == saidComputed && b.addressing[typeKey(key)].From == asComputed
		if a.Of != nil {
			same = (a.Said == saidStored) == (before.Said == saidStored)
		}
		changed = changed || !same
	}
	b.inquiry.answered(found, now.Add(inquiryRest))
	return found, changed, nil
}

// newest reads the newest objects of a type that visitors may see.
func (b *Book) newest(ctx context.Context, t *registry.Type) ([]object, error) {
	query, limit, inForums, inTree := sqlNewestPosts, mostPairs, slices.Contains(objects.TypesOfForums, t.Name), !t.Taxonomy && t.Hierarchical
	switch {
	case t.Taxonomy:
		query = sqlNewestTerms
	case inForums:
		limit = mostHidden
	case inTree:
		limit = mostLost
	}
	ids, err := b.Blog.IDs(ctx, "choosing objects of "+t.Name, query, t.Name, limit)
	if err != nil {
		return nil, err
	}
	if inForums {
		hidden, err := objects.InHiddenForums(ctx, b.Blog)
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool {
			_, found := slices.BinarySearch(hidden, id)
			return found
		})
	}
	if inTree {
		if ids, err = objects.WithoutLost(ctx, b.Blog, t.Name, ids); err != nil {
			return nil, err
		}
	}
	return b.objects(ctx, t, ids[max(0, len(ids)-mostPairs):])
}

// visitor requests pages of the site.
type visitor struct {
	book  *Book
	pause time.Duration
	last  time.Time
	asked int
	err   error // why the first page that failed was not answered
	home  *bool // whether the site has a home page; nil until it was requested
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

// place says whether an object has a page at an address.
type place uint8

const (
	unclear place = iota // the answer proves nothing
	here                 // the object has a page that names itself as canonical
	absent               // the object has no page there
)

// place requests an address and judges the answer.
func (v *visitor) place(ctx context.Context, address string) (place, wp.Response) {
	page := v.ask(ctx, address)
	asked, _, leads := leads(page, address)
	switch {
	case v.err != nil || asked == nil:
	case page.Status == 404, page.Status == 410, page.Status == 200 && leads, page.Status/100 == 3 && (leads || page.Elsewhere == ""):
		return absent, page
	case page.Status == 200 && page.Elsewhere != "":
		return here, page
	}
	return unclear, page
}

// compare requests both addresses of some objects. If the answer is clear and the same for all objects, compare
// returns it, and otherwise "". shown is the evidence that neither address is right. missing reports whether the
// first computed address then answers 404 or 410.
func (v *visitor) compare(ctx context.Context, pairs []pair) (all said, shown string, missing bool) {
	for i, p := range pairs {
		computed, answer := v.place(ctx, p.Computed)
		if computed == unclear {
			return "", "", false
		}
		stored, _ := v.place(ctx, p.Stored)
		one := saidComputed
		switch {
		case computed == absent && stored == absent:
			one = saidElsewhere
		case computed == absent:
			one = saidStored
		}
		if stored == unclear || stored == here && computed == here || i > 0 && one != all {
			return "", "", false
		}
		if all = one; one == saidElsewhere && i == 0 {
			shown, missing = describe(p.Computed, answer), answer.Status == 404 || answer.Status == 410
		}
	}
	if all == saidElsewhere && !v.answers(ctx) {
		return "", "", false
	}
	return all, shown, missing
}

// elsewhere requests the pages of objects until one of them is at its computed address, and then returns
// saidComputed. If none is there, elsewhere returns saidElsewhere with the evidence. It returns "" if an answer
// proves nothing. missing reports whether the site has none of the pages.
func (v *visitor) elsewhere(ctx context.Context, objects []object) (what said, shown string, missing bool) {
	targets := map[string]bool{}
	for _, o := range objects {
		if o.link == "" || o.link == v.book.Blog.LinksHome()+"/" { // the home page shows nothing about other objects of the type
			continue
		}
		page := v.ask(ctx, o.link)
		to, there := v.target(o, page, len(objects))
		switch {
		case there:
			return saidComputed, "", false
		case v.err != nil, to == "", targets[to] && to != gonePage:
			return "", "", false
		}
		if targets[to] = true; shown == "" {
			shown = describe(o.link, page)
		}
	}
	if shown == "" || !v.answers(ctx) {
		return "", "", false
	}
	return saidElsewhere, shown, targets[gonePage] && len(targets) == 1
}

// gonePage is the target of a page that does not exist.
const gonePage = "404"

// target returns where an object is according to the answer for its address: another path, or gonePage. It returns ""
// if the answer proves nothing. there reports whether the object is at its address.
//
// of is how many objects are requested. If of is less than mostPairs, a canonical address may be an editor's choice
// and does not count. A redirect then counts only if its target contains the slug or the id of the object.
func (v *visitor) target(o object, page wp.Response, of int) (to string, there bool) {
	asked, other, leads := leads(page, o.link)
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
		if !leads {
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
		if leads && own && (of == mostPairs || named) {
			return path, false
		}
	}
	return "", false
}

// bareHost returns the host of an address in lower case, without www.
func bareHost(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }

// barePlace returns an address without what servers add: the scheme, www, and a query if the requested address has
// none.
func barePlace(u, asked *url.URL) string {
	place := bareHost(u) + php.RawURLDecode(u.Path)
	if asked.RawQuery != "" {
		place += "?" + u.RawQuery
	}
	return place
}

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

// answers reports whether the site has a home page. If it has none, the site is closed, or the upstream serves another
// site.
func (v *visitor) answers(ctx context.Context) bool {
	if v.home == nil {
		address := v.book.Blog.LinksHome() + "/"
		page := v.ask(ctx, address)
		asked, _, leads := leads(page, address)
		home := asked != nil && page.Elsewhere != "" && !leads
		there := v.err == nil && (page.Status == 200 || page.Status/100 == 3 && home)
		v.home = &there
	}
	return *v.home
}
