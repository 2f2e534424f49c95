package admin

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// What to do about a listed URL that visitors do not get depends on the answer of the site.
func TestWhyVisitFailed(t *testing.T) {
	t.Parallel()
	const redirect, refused, missing, broken = "redirects", "refuses to show", "does not exist", "with an error"
	for status, want := range map[int]string{
		301: redirect, 302: redirect, 399: redirect, 400: broken, 401: refused, 403: refused, 404: missing, 410: missing, 429: broken, 500: broken, 503: broken,
	} {
		because, do := whyFailed(status)
		expect.Contains(t, because, want, status)
		expect.Equal(t, do != "", true, status)
	}
}
