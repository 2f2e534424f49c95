package admin

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp/wptest/expect"
)

const token = "4f6c1d0b7a9e8c35d2"

// asked returns a request from this machine to one of its names. change may be nil or change the request.
func asked(method string, change func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:9090/", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	if change != nil {
		change(r)
	}
	return r
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func overSocket(r *http.Request) {
	r.RemoteAddr = "@"
	*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "/run/w.sock", Net: "unix"}))
}

func all(changes ...func(*http.Request)) func(*http.Request) {
	return func(r *http.Request) {
		for _, c := range changes {
			c(r)
		}
	}
}

type gateTest struct {
	rule   string
	token  string
	change func(*http.Request)
	see    int // status of the answer to GET
	post   int
}

func TestGate(t *testing.T) {
	remote := func(r *http.Request) { r.RemoteAddr, r.Host = "192.0.2.7:4711", "status.example:9090" }
	basic := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("anybody", password) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	tests := []gateTest{
		{"this machine", "", nil, 200, 200},
		{"by localhost", "", host("localhost:9090"), 200, 200},
		{"by localhost with a dot", "", host("LOCALHOST.:9090"), 200, 200},
		{"by [::1]", "", all(host("[::1]:9090"), func(r *http.Request) { r.RemoteAddr = "[::1]:4711" }), 200, 200},
		{"by another loopback address", "", host("127.8.8.8"), 200, 200},
		{"over a Unix socket", "", all(overSocket, host("localhost")), 200, 200},
		{"another machine", "", remote, 403, 403},
		{"another machine that names this one", "", all(remote, host("127.0.0.1")), 403, 403},
		{"a name that somebody made point here", "", host("evil.test:9090"), 403, 403},
		{"a name that begins like one of ours", "", host("localhost.evil.test"), 403, 403},
		{"a name that begins like an address of ours", "", host("127.0.0.1.evil.test"), 403, 403},
		{"no name at all", "", host(""), 403, 403},
		{"over a Unix socket, by another name", "", all(overSocket, host("evil.test")), 403, 403},
		{"through nginx as it comes", "", func(r *http.Request) { r.Proto, r.ProtoMinor = "HTTP/1.0", 0 }, 403, 403},
		{"what a collector of metrics sends", "", header("X-Prometheus-Scrape-Timeout-Seconds", "10"), 200, 200},
		{"what a browser sends", "", all(header("Upgrade-Insecure-Requests", "1"), header("Sec-Fetch-Site", "none"),
			header("Priority", "u=0, i"), header("Sec-Ch-Ua-Platform", "x")), 200, 200},
		{"over a Unix socket through a proxy", "", all(overSocket, host("localhost"), header("X-Forwarded-For", "192.0.2.7")), 403, 403},
		{"another page's form", "", header("Origin", "https://evil.test"), 200, 403},
		{"another page's form, as the browser says", "", header("Sec-Fetch-Site", "cross-site"), 200, 403},
		{"a page of another port", "", header("Sec-Fetch-Site", "same-site"), 200, 403},
		{"a page without an origin", "", header("Origin", "null"), 200, 403},
		{"its own form", "", header("Origin", "http://127.0.0.1:9090"), 200, 200},

		{"without the token", token, nil, 401, 401},
		{"as a bearer", token, header("Authorization", "Bearer "+token), 200, 200},
		{"as a bearer in small letters", token, header("Authorization", "bearer "+token), 200, 200},
		{"as a password", token, basic(token), 200, 200},
		{"from another machine", token, all(remote, basic(token)), 200, 200},
		{"another token", token, basic("4f6c1d0b7a9e8c35d3"), 401, 401},
		{"a part of it", token, basic(token[:10]), 401, 401},
		{"more than it", token, basic(token + "0"), 401, 401},
		{"no password", token, basic(""), 401, 401},
		{"as a name", token, func(r *http.Request) { r.SetBasicAuth(token, "") }, 401, 401},
		{"in the address", token, func(r *http.Request) { r.URL.RawQuery = "token=" + token + "&access_token=" + token }, 401, 401},
		{"in a cookie", token, header("Cookie", "token="+token), 401, 401},
		{"through nginx it may be seen, not changed", token, all(basic(token), func(r *http.Request) { r.Proto, r.ProtoMinor = "HTTP/1.0", 0 }), 200, 403},
		{"through a proxy it may be seen, not changed", token, all(basic(token), header("X-Forwarded-For", "192.0.2.7")), 200, 403},
		{"another page with the browser's memory of it", token, all(basic(token), header("Sec-Fetch-Site", "cross-site")), 200, 403},
		{"an empty bearer where none is set", "", header("Authorization", "Bearer "), 200, 200},
	}
	for name := range strings.FieldsSeq("X-Forwarded-For X-Forwarded-Proto Forwarded Via X-Real-IP CF-Connecting-IP Fastly-Client-IP True-Client-IP Client-IP " +
		"x_client_ip X-Cluster-Client-IP X-Azure-ClientIP Fly-Client-IP X-Coming-From X-NginX-Proxy X-Scheme WL-Proxy-Client-IP X-Envoy-External-Address X-Vercel-Forwarded-For") {
		tests = append(tests, gateTest{"through a proxy with " + name, "", header(name, "x"), 403, 403})
	}
	for _, test := range tests {
		refused := 0
		g := gate{token: func() string { return test.token }, refused: func(*http.Request, int) { refused++ }}
		for _, try := range []struct {
			method string
			may    func(http.ResponseWriter, *http.Request) bool
			want   int
		}{{"GET", g.may, test.see}, {"POST", g.mayChange, test.post}} {
			rec := httptest.NewRecorder()
			before := refused
			ok := try.may(rec, asked(try.method, test.change))
			expect.Equal(t, ok, try.want == 200, test.rule, try.method)
			expect.Equal(t, rec.Code, try.want, test.rule, try.method)
			if (refused > before) == ok {
				t.Errorf("%s: %s is answered %v, and %d refusals are counted", test.rule, try.method, ok, refused-before)
			}
			expect.Equal(t, rec.Header().Get("WWW-Authenticate") != "", try.want == 401, test.rule, "challenge", rec.Code)
		}
	}
}

func TestOnlyPostChanges(t *testing.T) {
	g := gate{token: func() string { return "" }, refused: func(*http.Request, int) {}}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		rec := httptest.NewRecorder()
		if g.mayChange(rec, asked(method, nil)) || rec.Code != 405 || rec.Header().Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", method, rec.Code, rec.Header().Get("Allow"))
		}
	}
}

// Profiles may contain secrets. So they need the token, and being on this machine is not enough.
func TestProfilesNeedTheToken(t *testing.T) {
	for _, test := range []struct {
		rule, token string
		change      func(*http.Request)
		want        int
	}{
		{"none is set", "", nil, http.StatusForbidden},
		{"without it", token, nil, http.StatusUnauthorized},
		{"with it", token, header("Authorization", "Bearer "+token), http.StatusOK},
	} {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap"} {
			v := &View{
				Log: slog.New(slog.DiscardHandler), Process: metrics.NewProcess(),
				Config: func() *config.Config {
					return &config.Config{Listening: config.Listening{AdminToken: config.Secret(test.token)}}
				},
			}
			r := asked(http.MethodGet, test.change)
			r.URL.Path = path
			w := httptest.NewRecorder()
			Handler(v).ServeHTTP(w, r)
			expect.Equal(t, w.Code, test.want, test.rule, path, w.Body)
		}
	}
}
