package servertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// IndexNowKey is the key of a test site that announces its changes.
const IndexNowKey = "d41d8cd98f00b204-Test"

// Engine is a search engine that takes part in IndexNow as the protocol requires.
type Engine struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	Public   string // address at which the engine reaches the site; "": none
	Status   int    // status of every answer; 0: the protocol decides
	verified map[string]bool
	Got      map[string]int // how often each address was announced
	Requests int
	Pending  int // how many answers had status 202
}

// StartEngine starts an engine that stops at the end of the test.
func StartEngine(t *testing.T) *Engine {
	e := &Engine{t: t, verified: map[string]bool{}, Got: map[string]int{}}
	e.server = httptest.NewServer(e)
	t.Cleanup(e.server.Close)
	return e
}

// Endpoint returns the address for announcements.
func (e *Engine) Endpoint() string { return e.server.URL + "/indexnow" }

func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Requests++
	var body struct {
		Host, Key, KeyLocation string
		URLList                []string
	}
	switch err := json.NewDecoder(r.Body).Decode(&body); {
	case e.Status != 0:
		w.WriteHeader(e.Status)
		return
	case err != nil || r.Method != "POST" || r.URL.Path != "/indexnow" || len(body.URLList) == 0 || len(body.URLList) > 10_000:
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	folder := "/"
	if body.KeyLocation != "" {
		folder = strings.TrimPrefix(strings.TrimSuffix(body.KeyLocation, body.Key+".txt"), "https://"+body.Host)
	}
	for _, u := range body.URLList {
		if !strings.HasPrefix(u+"/", "https://"+body.Host+folder) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	known := e.verified[body.Host+folder]
	if !known {
		if !e.verify(body.Host, folder+body.Key+".txt", body.Key) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		e.verified[body.Host+folder] = true
	}
	for _, u := range body.URLList {
		e.Got[u]++
	}
	if !known {
		e.Pending++
		w.WriteHeader(http.StatusAccepted)
	}
}

// verify fetches the key file and reports whether it contains the key.
func (e *Engine) verify(host, path, key string) bool {
	resp, text, err := wptest.Get(e.t.Context(), http.DefaultClient, e.Public+path, host)
	return err == nil && resp.StatusCode == http.StatusOK && text == key
}

// Set calls f, which may change the engine while it runs.
func (e *Engine) Set(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// Expect waits until exactly these addresses were announced, each once. Then it forgets them.
func (e *Engine) Expect(what string, urls ...string) {
	e.t.Helper()
	slices.Sort(urls)
	var got []string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got = got[:0]
		e.Set(func() {
			for u, n := range e.Got {
				got = append(got, slices.Repeat([]string{u}, n)...)
			}
		})
		if len(got) >= len(urls) && len(got) > 0 {
			break
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, urls) {
		e.t.Errorf("%s: announced\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(urls, "\n"))
	}
	e.Set(func() { clear(e.Got) })
}
