package proxy

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestViaNamesThisProcess(t *testing.T) {
	var got []string
	o := upstream(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header["Via"] })
	o.Via = "wpsitemapd-a"
	p := direct(t, o)
	for _, test := range []struct {
		came []string
		want string
	}{{nil, "1.1 wpsitemapd-a"}, {[]string{"2 cdn", "1.0 fred (Apache)"}, "2 cdn, 1.0 fred (Apache), 1.1 wpsitemapd-a"}} {
		for _, send := range []func(*http.Request){
			func(r *http.Request) { p.ServeHTTP(httptest.NewRecorder(), r) },
			func(r *http.Request) {
				if resp, err := p.Get(t.Context(), r); err != nil {
					t.Error(err)
				} else {
					resp.Body.Close()
				}
			},
		} {
			r := httptest.NewRequest("GET", "http://a.test/robots.txt", nil)
			r.Header["Via"] = test.came
			send(r)
			if len(got) != 1 || got[0] != test.want || len(r.Header["Via"]) != len(test.came) {
				t.Errorf("Via %q becomes %q, want %q", test.came, got, test.want)
			}
			r.Header["Via"] = got
			if !Passed(r, "wpsitemapd-a") || Passed(r, "wpsitemapd-b") {
				t.Errorf("%q", got)
			}
		}
	}
}
