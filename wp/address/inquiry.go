package address

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

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
// This file holds the questions and the answers. asking.go asks, and visitor.go says what a page proves.

const (
	mostInquired  = 30 // questions about types, for one blog
	mostSuspected = 50 // questions about single objects, for one blog

	inquireEvery  = 9 * time.Minute    // how often a type is asked about again: at each full scan
	suspectEvery  = 24 * time.Hour     // how often an object is asked about again
	forgetAnswers = 7 * 24 * time.Hour // an answer that is older than this is dropped
)

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

// The answers of a site are stored as JSON, with what the last reading found (Book.Routed). So a daemon that starts need not ask again,
// and the names of the fields must stay.

// Answers says whether the site answers at the addresses that it was asked for. The key "post book" stands for the post type book, the
// key "post book#17" for the post 17 of that type.
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

// answer is what the site said to a question, and when.
type answer struct {
	Question string // the hash of the question
	Of       *pair  // the two addresses of a single object; nil for a type
	Right    right  `json:"Said"`
	Shown    string // the evidence that the objects are elsewhere
	Asked    int    // number of pages that were requested
	At       int64  // Unix seconds
}

// pair is the computed and the stored address of an object.
type pair struct{ Computed, Stored string }

// right says which addresses of a type or an object are right. It is "" if that is not known.
type right string

const (
	rightComputed  right = "computed"  // the computed addresses
	rightStored    right = "stored"    // the stored addresses
	rightElsewhere right = "elsewhere" // neither the computed addresses nor any that is stored
)
