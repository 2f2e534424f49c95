package address

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// asking is a book of a site whose pages a function gives.
func asking(t *testing.T, answer func(address string) (wp.Response, error)) *Book {
	t.Helper()
	return openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "basic", "types"),
		Ask: func(_ context.Context, address string) (wp.Response, error) {
			return answer(address)
		}})
}

// Requests are a pause apart. After an error nothing is requested.
func TestPauseBetweenRequests(t *testing.T) {
	failing := false
	b := asking(t, func(string) (wp.Response, error) {
		if failing {
			return wp.Response{}, errors.New("timeout")
		}
		return says(200, "x"), nil
	})
	synctest.Test(t, func(t *testing.T) {
		v := &visitor{book: b, pause: time.Second}
		start := time.Now()
		v.ask(t.Context(), "a")
		expect.Equal(t, time.Since(start), 0, "before the first request")
		time.Sleep(300 * time.Millisecond)
		v.ask(t.Context(), "b")
		expect.Equal(t, time.Since(start), time.Second, "the second request begins a pause after the first")
		time.Sleep(2 * time.Second)
		v.ask(t.Context(), "c")
		expect.Equal(t, time.Since(start), 3*time.Second, "the third request need not wait")
		expect.Equal(t, v.asked, 3)
		failing = true
		v.ask(t.Context(), "d")
		page := v.ask(t.Context(), "e")
		expect.Equal(t, v.asked, 4, "requests, one of which failed")
		expect.Equal(t, page, wp.Response{}, "the answer after an error")
		expect.Equal(t, v.err != nil, true)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		v = &visitor{book: b, pause: time.Hour, last: time.Now()}
		v.ask(ended, "f")
		expect.Equal(t, errors.Is(v.err, context.Canceled), true, "after the context has ended", v.err)
		expect.Equal(t, v.asked, 0)
	})
}

// What the answer for the address of an object says of where the object is.
func TestTarget(t *testing.T) {
	const site = "https://example.test"
	v := &visitor{book: asking(t, func(string) (wp.Response, error) { return wp.Response{}, nil })}
	o := object{id: 17, slug: "d%c3%bcne", link: site + "/library/d%c3%bcne/"}
	home := object{id: 5, slug: "one", link: site + "/?flyer=one"}
	for _, tt := range []struct {
		name  string
		o     object
		page  wp.Response
		of    int
		to    string
		there bool
	}{
		{"there", o, says(200, ""), 1, "", true}, {"there, by its canonical address", o, says(200, o.link), 1, "", true},
		{"there, by another form of the address", o, says(200, "http://www.example.test/library/düne/"), 1, "", true},
		{"gone", o, says(404, ""), 1, gonePage, false}, {"gone for ever", o, says(410, ""), 1, gonePage, false},
		{"another canonical, of one object", o, says(200, site+"/other/"), 1, "", false},
		{"another canonical, of three", o, says(200, site+"/other/"), mostPairs, "/other/", false},
		{"a canonical at another host, of three", o, says(200, "https://x.test/other/"), mostPairs, "", false},
		{"the home page in place of a plain address", home, says(200, site+"/"), 1, gonePage, false},
		{"the home page in place of a path", o, says(200, site+"/"), 1, "", false},
		{"the home page of another host", home, says(200, "https://x.test/"), 1, "", false},
		{"a redirect to the slug", o, says(301, site+"/shelf/Düne/"), 1, "/shelf/Düne/", false},
		{"a redirect to the id", o, says(308, site+"/shelf/17/"), 1, "/shelf/17/", false},
		{"a redirect to a longer number", o, says(301, site+"/shelf/170/"), 1, "", false},
		{"a redirect elsewhere, of one", o, says(301, site+"/shelf/"), 1, "", false},
		{"a redirect elsewhere, of three", o, says(301, site+"/shelf/"), mostPairs, "/shelf/", false},
		{"a redirect to another host", o, says(301, "https://x.test/shelf/düne/"), mostPairs, "", false},
		{"a redirect to the same address", o, says(301, strings.Replace(o.link, "https", "http", 1)), mostPairs, "", false},
		{"a redirect to a plain address", o, says(301, site+"/?p=17"), 1, "/?p=17", false},
		{"a redirect to a query that names no object", o, says(301, site+"/?lang=17"), 1, "", false},
		{"a temporary redirect", o, says(302, site+"/shelf/düne/"), mostPairs, "", false},
		{"an error", o, says(500, ""), mostPairs, "", false},
		{"an address that cannot be read", o, says(301, "http://[::1/"), mostPairs, "", false},
	} {
		to, there := v.target(tt.o, tt.page, tt.of)
		if to != tt.to || there != tt.there {
			t.Errorf("%s: %q, %t, want %q, %t", tt.name, to, there, tt.to, tt.there)
		}
	}
}

// A site has a home page if home answers 200, or leads to itself in another form.
func TestHasHome(t *testing.T) {
	for _, tt := range []struct {
		name string
		page wp.Response
		err  error
		want bool
	}{
		{"a page", says(200, ""), nil, true}, {"another form of home", says(301, "https://www.example.test/"), nil, true},
		{"a login", says(302, "https://example.test/login/"), nil, false}, {"another host", says(301, "https://x.test/"), nil, false},
		{"a redirect to nowhere", says(301, ""), nil, false}, {"an address that cannot be read", says(301, "http://[::1/"), nil, false},
		{"missing", says(404, ""), nil, false}, {"no answer", wp.Response{}, errors.New("timeout"), false},
	} {
		asked := 0
		v := &visitor{book: asking(t, func(string) (wp.Response, error) { asked++; return tt.page, tt.err })}
		for range 2 {
			expect.Equal(t, v.hasHome(t.Context()), tt.want, tt.name)
		}
		expect.Equal(t, asked, 1, tt.name, "requests")
	}
}

// Two addresses of an object are compared by the pages that the site gives for them.
func TestCompare(t *testing.T) {
	const site = "https://example.test"
	pages := map[string]wp.Response{
		site + "/": says(200, ""), site + "/yes": says(200, site+"/yes"), site + "/yes2": says(200, site+"/yes2"), site + "/no": says(404, ""),
		site + "/no2":  says(410, ""),
		site + "/away": says(301, site+"/else"), site + "/odd": says(500, ""),
	}
	b := asking(t, func(address string) (wp.Response, error) { return pages[address], nil })
	at := func(computed, stored string) pair { return pair{site + "/" + computed, site + "/" + stored} }
	for _, tt := range []struct {
		name    string
		pairs   []pair
		right   right
		missing bool
	}{
		{"the computed one", []pair{at("yes", "no")}, rightComputed, false}, {"the stored one", []pair{at("no", "yes")}, rightStored, false},
		{"both", []pair{at("yes", "yes2")}, "", false}, {"unclear", []pair{at("odd", "yes")}, "", false},
		{"the stored one is unclear", []pair{at("no", "odd")}, "", false},
		{"neither", []pair{at("no", "no2")}, rightElsewhere, true}, {"neither, and it leads away", []pair{at("away", "no")}, rightElsewhere, false},
		{"the same of two", []pair{at("yes", "no"), at("yes2", "no")}, rightComputed, false},
		{"one of each", []pair{at("yes", "no"), at("no", "yes")}, "", false},
		{"one that proves nothing", []pair{at("yes", "no"), at("odd", "no")}, "", false},
	} {
		got := (&visitor{book: b}).compare(t.Context(), tt.pairs)
		expect.Equal(t, got.right, tt.right, tt.name)
		expect.Equal(t, got.missing, tt.missing, tt.name, "the pages are missing")
		expect.Equal(t, got.shown != "", tt.right == rightElsewhere, tt.name, "there is evidence", got.shown)
	}
	pages[site+"/"] = says(404, "")
	expect.Equal(t, (&visitor{book: b}).compare(t.Context(), []pair{at("no", "no2")}), finding{}, "a site without a home page")
}

// A clause says how the site answers.
func TestDescribe(t *testing.T) {
	for _, tt := range []struct {
		page wp.Response
		want string
	}{
		{says(200, "b"), "a names b as canonical"}, {says(301, "b"), "a leads to b"}, {says(308, "b"), "a leads to b"}, {says(404, ""), "a answers 404"},
		{says(301, strings.Repeat("x", mostShown+5)), "a leads to " + strings.Repeat("x", mostShown)},
	} {
		expect.Equal(t, describe("a", tt.page), tt.want)
	}
}

// Questions are kept up to their bounds, those about types apart from those about objects.
func TestBoundsOfQuestions(t *testing.T) {
	i := &inquiry{possible: true, questions: map[string]question{}, answers: Answers{}}
	for n := range mostInquired + mostSuspected {
		key := strings.Repeat("x", n+1)
		i.add("t"+key, question{about: &registry.Type{Name: key}})
		i.add("o"+key, question{pairs: []pair{{key, key}}})
	}
	expect.Equal(t, i.suspected, mostSuspected, "questions about objects")
	expect.Equal(t, len(i.questions), mostInquired+mostSuspected, "questions")
	i.add("tx", question{about: &registry.Type{Name: "x", Slug: "new"}})
	expect.Equal(t, i.questions["tx"].about.Slug, "new", "a known question is replaced")
	none := &inquiry{questions: map[string]question{}}
	none.add("t", question{about: &registry.Type{}})
	expect.Equal(t, len(none.questions), 0, "questions about a site that cannot be asked")
}

// A question is asked again if its answer is old, or about something else.
func TestDueQuestions(t *testing.T) {
	now, of := time.Unix(1e9, 0), pair{"a", "b"}
	ago := func(d time.Duration) int64 { return now.Add(-d).Unix() }
	ofType, ofObject := question{about: &registry.Type{}, hash: "h"}, question{pairs: []pair{of}, hash: "h"}
	for _, tt := range []struct {
		name string
		q    question
		last answer
		want bool
	}{
		{"never asked", ofType, answer{}, true}, {"asked now", ofType, answer{Question: "h", At: ago(0)}, false},
		{"asked a while ago", ofType, answer{Question: "h", At: ago(inquireEvery - time.Second)}, false},
		{"asked long ago", ofType, answer{Question: "h", At: ago(inquireEvery)}, true},
		{"another question", ofType, answer{Question: "x", At: ago(0)}, true},
		{"an object", ofObject, answer{Question: "h", Of: &of, At: ago(inquireEvery)}, false},
		{"an object, long ago", ofObject, answer{Question: "h", Of: &of, At: ago(suspectEvery)}, true},
		{"other addresses of an object", ofObject, answer{Question: "h", Of: &pair{"a", "c"}, At: ago(0)}, true},
		{"an object that was never asked about", ofObject, answer{Question: "h", At: ago(0)}, true},
	} {
		expect.Equal(t, tt.q.due(tt.last, now), tt.want, tt.name)
		i := &inquiry{questions: map[string]question{"q": tt.q}, answers: Answers{"q": tt.last}}
		expect.Equal(t, len(i.due(now)) == 1, tt.want, tt.name)
		i.keep(Answers{"q": {Question: "new"}}, now.Add(time.Second))
		expect.Equal(t, i.last("q").Question, "new", "the last answer")
		expect.Equal(t, len(i.due(now)), 0, tt.name, "during the rest after an inquiry")
	}
}

// Answers are added to a text of what is known. A text that cannot be read stays as it is.
func TestAnswersInto(t *testing.T) {
	text := Answers{"a": {Right: rightStored}}.Into(`{"Structure":"/%postname%/"}`)
	expect.Contains(t, text, `"Structure":"/%postname%/"`)
	text = Answers{"b": {Right: rightComputed}}.Into(text)
	expect.Parts(t, text, `"a":{`, `"b":{`, `"Said":"stored"`, `"Said":"computed"`)
	expect.Equal(t, Answers{"a": {}}.Into("x"), "x")
}

// Answers that are older than a week are forgotten.
func TestOldAnswersAreForgotten(t *testing.T) {
	now := time.Unix(1.7e9, 0)
	dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
	n := open(t, wp.Source{DSN: dsn, Now: func() time.Time { return now },
		Ask: func(context.Context, string) (wp.Response, error) { return wp.Response{}, nil }})
	n.RouteAs(func(int64) string {
		return Answers{"post old": {At: now.Add(-forgetAnswers - time.Second).Unix()},
			"post new": {At: now.Add(-forgetAnswers + time.Second).Unix()}}.Into("{}")
	})
	books, err := ReadAll(t.Context(), n)
	wptest.Must(t, err)
	var kept []string
	for key := range books[0].inquiry.answers {
		kept = append(kept, key)
	}
	expect.List(t, kept, []string{"post new"})
	_, about := books[0].inquiry.questions["post flyer"]
	expect.Equal(t, about, true, "the site is asked about a type with posts")
	_, about = books[0].inquiry.questions["post artist"]
	expect.Equal(t, about, true, "the site is asked about a type with posts")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'draft' WHERE post_type = 'artist'")
	books, err = ReadAll(t.Context(), n)
	wptest.Must(t, err)
	_, about = books[0].inquiry.questions["post artist"]
	expect.Equal(t, about, false, "the site is asked about a type without posts")
}
