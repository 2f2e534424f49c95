package address

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
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
//
// This file has questions and answers. What a page proves is in visitor.go.

const (
	sqlNewestPosts = `SELECT ID FROM wp_posts WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT ?`
	sqlNewestTerms = `SELECT term_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 ORDER BY term_taxonomy_id DESC LIMIT ?`

	mostInquired  = 30 // questions about types, for one blog
	mostSuspected = 50 // questions about single objects, for one blog
	mostPairs     = 3  // objects of a type that are requested
	mostHidden    = 30 // newest topics or replies that are read; more than mostPairs, because those in private forums are left out
	mostLost      = 10 // newest posts of a tree that are read; more than mostPairs, because those that WordPress does not find are left out

	inquireEvery  = 9 * time.Minute    // how often a type is asked about again: at each full scan
	suspectEvery  = 24 * time.Hour     // how often an object is asked about again
	inquiryRest   = time.Minute        // shortest time between two inquiries of a blog
	forgetAnswers = 7 * 24 * time.Hour // an answer that is older than this is dropped
)

// right says which addresses of a type or an object are right. It is "" if that is not known.
type right string

const (
	rightComputed  right = "computed"  // the computed addresses
	rightStored    right = "stored"    // the stored addresses
	rightElsewhere right = "elsewhere" // neither the computed addresses nor any that is stored
)

// answer is what the site said to a question, and when. It is stored as JSON.
type answer struct {
	Question string // the hash of the question
	Of       *pair  // the two addresses of a single object; nil for a type
	Right    right  `json:"Said"`
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
	about *registry.Type // the type; nil if the question is about a single object
	pairs []pair         // the addresses to compare, one pair for a single object; nil to request the newest objects of the type
	hash  string         // of everything that the answer depends on; another hash means that the answer is out of date
}

// inquiry holds the questions about a blog. The questions about types are known once the blog is read. A question
// about an object is added when its computed address is compared with the stored one.
type inquiry struct {
	possible bool   // there is a site to ask
	basis    string // a hash of what all answers depend on

	mu        sync.Mutex
	questions map[string]question
	suspected int       // number of questions about objects
	answers   Answers   // the last answer to each question
	rest      time.Time // no question is asked before this time
}

// newInquiry starts an inquiry with the earlier answers of the site. If the site has confirmed an object's stored
// address, newInquiry asks about that address again.
func (b *Book) newInquiry(e *registry.Evidence) *inquiry {
	now := b.Blog.Source().Time()
	maps.DeleteFunc(b.before.Answers, func(_ string, a answer) bool { return now.Sub(time.Unix(a.At, 0)) > forgetAnswers })
	i := &inquiry{possible: b.Blog.Source().Ask != nil && len(e.RewriteRules) > 0, questions: map[string]question{}, answers: Answers{}}
	maps.Copy(i.answers, b.before.Answers)
	plugins := slices.Sorted(maps.Keys(b.Blog.Settings().ActivePlugins))
	i.basis = fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, plugins, e.Template, e.Stylesheet, e.PermalinkStructure, e.RewriteRules)))
	for key, a := range b.before.Answers {
		if a.Of != nil && a.Right == rightStored {
			i.add(key, question{pairs: []pair{*a.Of}})
		}
	}
	return i
}

// add adds a question if the site can be asked and the blog has not reached its limit of questions.
func (i *inquiry) add(key string, q question) {
	if !i.possible {
		return
	}
	q.hash = i.basis
	if t := q.about; t != nil {
		q.hash = fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, i.basis, t.Slug, t.WithFront, t.QueryVar, q.pairs)))
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, known := i.questions[key]; !known {
		switch aboutTypes := len(i.questions) - i.suspected; {
		case q.about == nil && i.suspected == mostSuspected, q.about != nil && aboutTypes == mostInquired:
			return
		case q.about == nil:
			i.suspected++
		}
	}
	i.questions[key] = q
}

// decided returns which of an object's two addresses is right, as the site had answered before the blog was read. If
// there is no answer yet, decided adds the question and returns "".
func (b *Book) decided(key string, of pair) right {
	if a, ok := b.before.Answers[key]; ok && a.Of != nil && *a.Of == of {
		return a.Right
	}
	b.inquiry.add(key, question{pairs: []pair{of}})
	return ""
}

// Inquires reports whether a question is due.
func (b *Book) Inquires(now time.Time) bool { return len(b.inquiry.due(now)) > 0 }

// due returns the questions that must be asked at the time now.
func (i *inquiry) due(now time.Time) map[string]question {
	i.mu.Lock()
	defer i.mu.Unlock()
	if now.Before(i.rest) {
		return nil
	}
	due := map[string]question{}
	for key, q := range i.questions {
		if q.due(i.answers[key], now) {
			due[key] = q
		}
	}
	return due
}

// due reports whether a question must be asked, because its last answer is old or about something else.
func (q *question) due(last answer, now time.Time) bool {
	every := inquireEvery
	if q.about == nil {
		every = suspectEvery
		if last.Of == nil || *last.Of != q.pairs[0] {
			return true
		}
	}
	return last.Question != q.hash || now.Sub(time.Unix(last.At, 0)) >= every
}

// keep stores the site's answers. No question is asked again before rest.
func (i *inquiry) keep(answers Answers, rest time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.Copy(i.answers, answers)
	i.rest = rest
}

// last returns the last answer to a question.
func (i *inquiry) last(key string) answer {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.answers[key]
}

// Inquire asks the site the questions that are due. It requests one page after the other, with a pause between two. It
// returns the answers and whether they change addresses, or change which types are left to the site.
func (b *Book) Inquire(ctx context.Context, now time.Time, pause time.Duration) (Answers, bool, error) {
	v := &visitor{book: b, pause: pause}
	answers := Answers{}
	var gone []string // the types whose pages are all missing
	anyThere := false // an object of some type is at its computed address
	due := b.inquiry.due(now)
	for _, key := range slices.Sorted(maps.Keys(due)) {
		a, missing, err := b.ask(ctx, v, due[key])
		if err != nil {
			return nil, false, err
		}
		if v.err != nil { // the remaining questions stay open
			break
		}
		a.At = now.Unix()
		if missing && a.Of == nil {
			gone = append(gone, key)
		}
		anyThere = anyThere || a.Right == rightComputed
		if last := b.inquiry.last(key); a.Right == "" && (a.Of == nil || last.Of != nil && *last.Of == *a.Of) {
			a.Right, a.Shown = last.Right, last.Shown
		}
		answers[key] = a
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if !anyThere { // a site where every page is missing has no permalinks at all, which proves nothing about a type
		for _, key := range gone {
			a, last := answers[key], b.inquiry.last(key)
			a.Right, a.Shown = last.Right, last.Shown
			answers[key] = a
		}
	}
	changed := false
	for key, a := range answers {
		changed = changed || b.changes(key, a)
	}
	b.inquiry.keep(answers, now.Add(inquiryRest))
	return answers, changed, nil
}

// ask asks the site one question. missing reports whether all requested pages are missing.
func (b *Book) ask(ctx context.Context, v *visitor, q question) (a answer, missing bool, err error) {
	a.Question = q.hash
	v.asked = 0
	if q.pairs != nil {
		a.Right, a.Shown, missing = v.compare(ctx, q.pairs)
	} else {
		objects, err := b.newest(ctx, q.about)
		if err != nil && !db.Unreadable(err) {
			return a, false, err
		}
		a.Right, a.Shown, missing = v.find(ctx, objects)
	}
	if q.about == nil {
		a.Of = &q.pairs[0]
	}
	a.Asked = v.asked
	return a, missing, nil
}

// changes reports whether an answer changes addresses, or whether a type is left to the site.
func (b *Book) changes(key string, a answer) bool {
	last := b.inquiry.last(key)
	if a.Of != nil { // the computed address of an object holds unless the stored one is right
		return (a.Right == rightStored) != (last.Right == rightStored)
	}
	confirmed := a.Right == rightComputed && b.addressing[typeKey(key)].From == asComputed
	return a.Right != last.Right && !confirmed
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
