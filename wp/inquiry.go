package wp

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

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// An inquiry asks the site itself which addresses are right. Of a type or an object that yoast_indexable knows at another address, both are
// asked for: right is the one that answers 200 and names itself as canonical, while the other does not. Of every other type the newest object
// is asked for, and two more if that one is elsewhere: where all are, a plugin filters the addresses and nothing has stored them. An error,
// a login, or one place for all proves nothing. Questions are asked between readings, and answers are remembered.

const (
	sqlNewestPosts = `SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT ?`
	sqlNewestTerms = `SELECT term_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 ORDER BY term_taxonomy_id DESC LIMIT ?`

	mostInquired  = 30  // types of a blog
	mostSuspected = 50  // single objects of a blog
	mostPairs     = 3   // objects of a type
	mostHidden    = 30  // newest topics or replies that are looked at, as those of private forums are not asked for
	mostShown     = 300 // bytes of an address that the site has answered with

	inquireEvery  = 9 * time.Minute    // a type is asked about again: at each full scan
	suspectEvery  = 24 * time.Hour     // an object is
	inquiryRest   = time.Minute        // between inquiries of a blog
	forgetAnswers = 7 * 24 * time.Hour // those that are not asked for again
)

// Response is what the site answers for an address.
type Response struct {
	Status int
	// Elsewhere is where it leads, or what the page names as canonical; "" for neither.
	Elsewhere string
}

// leads reports whether an answer leads elsewhere than to the address that was asked for. It returns both addresses, nil if one of them
// cannot be read.
func (r Response) leads(address string) (asked, to *url.URL, leads bool) {
	asked, err := url.Parse(address)
	to, bad := url.Parse(r.Elsewhere)
	if err != nil || bad != nil {
		return nil, nil, false
	}
	return asked, to, r.Elsewhere != "" && barePlace(to, asked) != barePlace(asked, asked)
}

// said is what the site has said of the addresses of a type or an object; "": nothing clear.
type said string

const (
	saidComputed  said = "computed"  // those computed are right
	saidStored    said = "stored"    // those stored are right
	saidElsewhere said = "elsewhere" // those computed are wrong, and none are stored
)

// answer is what the site has said, and when.
type answer struct {
	Question string // a hash of what was asked, and of what the answer depends on
	Of       *pair  // the addresses of a single object; nil for a type
	Said     said
	Shown    string // what shows that the objects are elsewhere
	Asked    int    // pages
	At       int64  // Unix seconds
}

// Answers are what the site has said, by question: "post book" is about a type, "post book#17" about an object.
type Answers map[string]answer

// Into returns what Blog.Routed returned, with the answers.
func (a Answers) Into(before string) string {
	known := routed{}
	if json.Unmarshal([]byte(before), &known) != nil {
		return before
	}
	if known.Answers == nil {
		known.Answers = Answers{}
	}
	maps.Copy(known.Answers, a)
	text, _ := json.Marshal(known) // of plain values
	return string(text)
}

// pair is an object's two addresses.
type pair struct{ Computed, Stored string }

// question is whether addresses are right.
type question struct {
	of    *registry.Type // nil: it is about a single object
	pairs []pair         // none: about the newest objects of the type
	hash  string
}

// inquiry has the questions of a blog. Those about types are known once it is read; those about objects come up as their addresses are
// compared with what is stored.
type inquiry struct {
	possible bool   // There is a site to ask.
	basis    string // a hash of what all answers depend on

	mu        sync.Mutex
	questions map[string]question
	suspected int // questions about objects
	said      Answers
	rest      time.Time // no question is asked before
}

// newInquiry takes over what the site has said before, and asks again for what that has changed.
func (s *Blog) newInquiry(e *registry.Evidence) *inquiry {
	now := s.network.source.now()
	maps.DeleteFunc(s.before.Answers, func(_ string, a answer) bool { return now.Sub(time.Unix(a.At, 0)) > forgetAnswers })
	q := &inquiry{possible: s.network.source.Ask != nil && len(e.RewriteRules) > 0, questions: map[string]question{}, said: maps.Clone(s.before.Answers)}
	if q.said == nil {
		q.said = Answers{}
	}
	q.basis = fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, slices.Sorted(maps.Keys(s.set.ActivePlugins)), e.Template, e.Stylesheet, e.PermalinkStructure,
		e.RewriteRules)))
	for key, a := range s.before.Answers {
		if a.Of != nil && a.Said == saidStored {
			q.add(key, question{pairs: []pair{*a.Of}})
		}
	}
	return q
}

// add adds a question, within bounds.
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

// decided returns what the site had said of an object's addresses when the blog was read; if it has said nothing, it is going to be asked.
func (s *Blog) decided(key string, of pair) said {
	if a, ok := s.before.Answers[key]; ok && a.Of != nil && *a.Of == of {
		return a.Said
	}
	s.inquiry.add(key, question{pairs: []pair{of}})
	return ""
}

// Inquires reports whether there is something to ask the site for.
func (s *Blog) Inquires(now time.Time) bool { return len(s.inquiry.open(now)) > 0 }

// open returns the questions that are to be asked.
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

// answered notes what the site has said.
func (q *inquiry) answered(said Answers, rest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.Copy(q.said, said)
	q.rest = rest
}

// before returns what the site has said of a question.
func (q *inquiry) before(key string) answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.said[key]
}

// Inquire asks the site for the pages of objects, one after the other with a pause between. It reports whether what it said changes
// addresses, or which types are left to it.
func (s *Blog) Inquire(ctx context.Context, now time.Time, pause time.Duration) (Answers, bool, error) {
	v := &visitor{blog: s, pause: pause}
	found := Answers{}
	gone, there := []string{}, false // types whose pages are all missing; an object of some type is at its address
	open := s.inquiry.open(now)
	for _, key := range slices.Sorted(maps.Keys(open)) {
		q := open[key]
		a := answer{Question: q.hash, At: now.Unix()}
		var missing bool
		switch {
		case q.pairs != nil:
			a.Said, a.Shown, missing = v.compare(ctx, q.pairs)
		default:
			objects, err := s.newest(ctx, q.of)
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
		if v.err != nil { // of those that remain nothing is known
			break
		}
		a.Asked, v.asked = v.asked, 0
		there = there || a.Said == saidComputed
		if before := s.inquiry.before(key); a.Said == "" && (a.Of == nil || before.Of != nil && *before.Of == *a.Of) {
			a.Said, a.Shown = before.Said, before.Shown
		}
		found[key] = a
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	changed := false
	for key, a := range found {
		before := s.inquiry.before(key)
		if !there && slices.Contains(gone, key) { // such a site has no permalinks at all
			a.Said, a.Shown = before.Said, before.Shown
			found[key] = a
		}
		same := a.Said == before.Said || a.Said == saidComputed && s.addressing[typeKey(key)].From == AsComputed
		if a.Of != nil {
			same = (a.Said == saidStored) == (before.Said == saidStored)
		}
		changed = changed || !same
	}
	s.inquiry.answered(found, now.Add(inquiryRest))
	return found, changed, nil
}

// newest reads the newest objects of a type that visitors may see.
func (s *Blog) newest(ctx context.Context, t *registry.Type) ([]object, error) {
	query, limit, inForums := sqlNewestPosts, mostPairs, slices.Contains(typesOfForums, t.Name)
	switch {
	case t.Taxonomy:
		query = sqlNewestTerms
	case inForums:
		limit = mostHidden
	}
	ids, err := s.IDs(ctx, "choosing objects of "+t.Name, query, t.Name, limit)
	if err != nil {
		return nil, err
	}
	if inForums {
		hidden, err := s.InHiddenForums(ctx)
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool {
			_, found := slices.BinarySearch(hidden, id)
			return found
		})
	}
	return s.objects(ctx, t, ids[max(0, len(ids)-mostPairs):])
}

// visitor asks the site for pages.
type visitor struct {
	blog  *Blog
	pause time.Duration
	last  time.Time
	asked int
	err   error // of the first page that was not answered
	home  *bool // the site has a home page
}

// ask asks for a page, with a pause after the one before.
func (v *visitor) ask(ctx context.Context, address string) Response {
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
		return Response{}
	}
	v.last = time.Now()
	v.asked++
	var page Response
	page, v.err = v.blog.network.source.Ask(ctx, address)
	return page
}

// place is what an answer says of an object's address.
type place uint8

const (
	unclear place = iota
	here          // it has a page that names itself as canonical
	absent        // it has none
)

func (v *visitor) place(ctx context.Context, address string) (place, Response) {
	page := v.ask(ctx, address)
	asked, _, leads := page.leads(address)
	switch {
	case v.err != nil || asked == nil:
	case page.Status == 404, page.Status == 410, page.Status == 200 && leads, page.Status/100 == 3 && (leads || page.Elsewhere == ""):
		return absent, page
	case page.Status == 200 && page.Elsewhere != "":
		return here, page
	}
	return unclear, page
}

// compare asks for both addresses of objects, and returns which are right of all; missing: it has a page at neither.
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

// elsewhere asks for objects until one is at its address. It returns what shows that the addresses of all are wrong; missing: all pages
// are missing.
func (v *visitor) elsewhere(ctx context.Context, objects []object) (what said, shown string, missing bool) {
	targets := map[string]bool{}
	for _, o := range objects {
		if o.link == "" || o.link == v.blog.home+"/" { // which shows nothing of the others of its type
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

// gonePage is the target of a page that is not there.
const gonePage = "404"

// target is where else an object is by the answer for its address, "" if that shows nothing; there: it is at its address. of is how
// many objects are asked for: of few a canonical may be somebody's setting, and a redirect counts if it names the object.
func (v *visitor) target(o object, page Response, of int) (to string, there bool) {
	asked, other, leads := page.leads(o.link)
	if asked == nil {
		return "", false
	}
	path, own := v.blog.below(other)
	own = own && bareHost(other) == bareHost(asked)
	names := strings.Split(path, "/")
	if v.blog.isPlain(page.Elsewhere, &o) { // as those of a type without rewriting
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
		if own && strings.Trim(path, "/") == "" && strings.Trim(v.blog.path(o.link), "/") == "" {
			return gonePage, false // of /?flyer=one WordPress shows home once the type is gone
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

// bareHost is the host of an address, with or without www.
func bareHost(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }

// barePlace is an address without what a server adds for itself: its scheme, www, and a query if none was asked for.
func barePlace(u, asked *url.URL) string {
	place := bareHost(u) + php.RawURLDecode(u.Path)
	if asked.RawQuery != "" {
		place += "?" + u.RawQuery
	}
	return place
}

// describe says what the site answers.
func describe(address string, page Response) string {
	elsewhere := page.Elsewhere[:min(len(page.Elsewhere), mostShown)]
	switch page.Status {
	case 200:
		return fmt.Sprintf("%s names %s as canonical", address, elsewhere)
	case 301, 308:
		return fmt.Sprintf("%s leads to %s", address, elsewhere)
	}
	return fmt.Sprintf("%s answers %d", address, page.Status)
}

// answers reports whether the site has a page at home: if not, it is closed, or another one is behind the upstream.
func (v *visitor) answers(ctx context.Context) bool {
	if v.home == nil {
		address := v.blog.home + "/"
		page := v.ask(ctx, address)
		asked, _, leads := page.leads(address)
		home := asked != nil && page.Elsewhere != "" && !leads
		there := v.err == nil && (page.Status == 200 || page.Status/100 == 3 && home)
		v.home = &there
	}
	return *v.home
}
