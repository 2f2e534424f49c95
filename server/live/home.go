package live

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// HomeSeen counts the schemes of a site's own addresses, where home is http in the database: behind a proxy that
// speaks TLS visitors may come by https all the same.
type HomeSeen struct {
	Home, Site  string // home as we have it, without a slash at its end; name of the site in the configuration
	plain, safe int    // addresses below home: with http, and with https
}

// safeHome is home with https; ok is false where it has that already.
func (h *HomeSeen) safeHome() (string, bool) {
	rest, ok := strings.CutPrefix(h.Home, "http://")
	return "https://" + rest, ok
}

// See counts an address that the site lists or leads to.
func (h *HomeSeen) See(loc string) {
	safe, ok := h.safeHome()
	switch {
	case !ok:
	case below(loc, h.Home):
		h.plain++
	case below(loc, safe):
		h.safe++
	}
}

// Inspect counts what the site answers for a listed address: a redirect to the same one with https, a canonical
// with https, or that it stays as it is.
func (h *HomeSeen) Inspect(loc string, a *Answer, problems []Problem) {
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
		if p.Kind == OtherCanonical {
			named = p.Detail
		}
	}
	switch {
	case strings.TrimSuffix(named, "/") == strings.TrimSuffix("https://"+rest, "/"):
		h.See(named)
	case named == "" && a.Status == http.StatusOK:
		h.See(loc)
	}
}

func below(loc, home string) bool {
	rest, ok := strings.CutPrefix(loc, home)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// Advice says what to configure, "" where nothing is to be said. blog is 1 but for the other blogs of a network.
func (h *HomeSeen) Advice(blog int64) string {
	safe, ok := h.safeHome()
	if !ok || h.safe == 0 || h.safe <= h.plain {
		return ""
	}
	if blog > 1 {
		return fmt.Sprintf("home is %s in the database, but visitors come by https: set the URL of blog %d to %s", h.Home, blog, safe)
	}
	return fmt.Sprintf("home is %s in the database, but visitors come by https: add to [[site]] %s the line home = \"%s\"", h.Home, h.Site, safe)
}
