package admin

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
)

// Profiles may hold secrets: only who has the token gets them, not everybody on this machine.
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
				Log: slog.New(slog.DiscardHandler), Process: &metrics.Process{},
				Config: func() *config.Config {
					return &config.Config{Listening: config.Listening{AdminToken: config.Secret(test.token)}}
				},
			}
			r := asked(http.MethodGet, test.change)
			r.URL.Path = path
			w := httptest.NewRecorder()
			Handler(v).ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("%s, %s: %d %s", test.rule, path, w.Code, w.Body)
			}
		}
	}
}
