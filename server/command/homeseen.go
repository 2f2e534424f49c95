package command

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"wpsitemapd/server/diff"
)

// homeSeen counts the schemes of a site's own addresses, where home is http in the database: behind a proxy that
// speaks TLS visitors may come by https all the same.
type homeSeen struct {
	home, site  string // home as we have it, without a slash at its end; name of the site in the configuration
	plain, safe int    // addresses below home: with http, and with https
}

// safeHome is home with https; ok is false where it has that already.
func (h *homeSeen) safeHome() (string, bool) {
	rest, ok := strings.CutPrefix(h.home, "http://")
	return "https://" + rest, ok
}

// see counts an address that the site lists or leads to.
func (h *homeSeen) see(loc string) {
	safe, ok := h.safeHome()
	switch {
	case !ok:
	case below(loc, h.home):
		h.plain++
	case below(loc, safe):
		h.safe++
	}
}

// inspect counts what the site answers for a listed address: a redirect to the same one with https, a canonical
// with https, or that it stays as it is.
func (h *homeSeen) inspect(loc string, a *diff.Answer, problems []diff.Problem) {
	rest, ok := strings.CutPrefix(loc, "http://")
	if !ok {
		return
	}
	named := ""
	if base, err := url.Parse(loc); err == nil {
		if to, err := base.Parse(a.Header.Get("Location")); err == nil && a.Status >= 300 && a.Status < 400 {
			named = to.String()
		}
	}
	for _, p := range problems {
		if p.Kind == diff.OtherCanonical {
			named = p.Detail
		}
	}
	switch {
	case strings.TrimSuffix(named, "/") == strings.TrimSuffix("https://"+rest, "/"):
		h.see(named)
	case named == "" && a.Status == http.StatusOK:
		h.see(loc)
	}
}

func below(loc, home string) bool {
	rest, ok := strings.CutPrefix(loc, home)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// advice says what to configure, "" where nothing is to be said. blog is 1 but for the other blogs of a network.
func (h *homeSeen) advice(blog int64) string {
	safe, ok := h.safeHome()
	if !ok || h.safe == 0 || h.safe <= h.plain {
		return ""
	}
	if blog > 1 {
		return fmt.Sprintf("home is %s in the database, but visitors come by https: set the address of blog %d to %s", h.home, blog, safe)
	}
	return fmt.Sprintf("home is %s in the database, but visitors come by https: add to [[site]] %s the line home = \"%s\"", h.home, h.site, safe)
}
