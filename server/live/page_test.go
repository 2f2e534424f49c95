package live

import (
	"net/http"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestInspect(t *testing.T) {
	const loc = "https://a.test/caf%C3%A9/?b=1&a=2"
	html := func(head string) string {
		return "<!DOCTYPE html><html><head>" + head + "</head><body><p>x</body></html>"
	}
	for _, test := range []struct {
		rule   string
		status int
		header []string // name, value, …
		body   string
		want   []Problem
	}{
		{
			"all is well", 200, nil,
			html(`<link rel="canonical" href="` + loc + `"><meta name="robots" content="index, follow, max-image-preview:large">`), nil,
		},
		{"404", 404, nil, html(`<meta name="robots" content="noindex">`), []Problem{{badStatus, "404 Not Found"}}},
		{"500", 500, nil, "", []Problem{{badStatus, "500 Internal Server Error"}}},
		{"a redirect", 301, []string{"Location", "/b/"}, "", []Problem{{redirects, "301 to https://a.test/b/"}}},
		{"304 without a place to go", 304, nil, "", []Problem{{badStatus, "304 Not Modified"}}},
		{"noindex in a header", 200, []string{"X-Robots-Tag", "noindex, follow"}, "", []Problem{{noindexed, "X-Robots-Tag: noindex, follow"}}},
		{
			"for one crawler", 200, []string{"X-Robots-Tag", "googlebot: noarchive, NoIndex"}, "",
			[]Problem{{noindexed, "X-Robots-Tag: googlebot: noarchive, NoIndex"}},
		},
		{"none means noindex", 200, []string{"X-Robots-Tag", "none"}, "", []Problem{{noindexed, "X-Robots-Tag: none"}}},
		{"noindex as part of a word", 200, []string{"X-Robots-Tag", "noindexes, nofollow, noimageindex"}, "", nil},
		{"a meta element", 200, nil, html(`<META CONTENT='NOINDEX' NAME='Robots'>`), []Problem{{noindexed, `<meta name="robots" content="NOINDEX">`}}},
		{"for Bing", 200, nil, html(`<meta name="bingbot" content="none"/>`), []Problem{{noindexed, `<meta name="bingbot" content="none">`}}},
		{
			"crawlers heed it in the body too", 200, nil, `<body><meta name="robots" content="noindex">`,
			[]Problem{{noindexed, `<meta name="robots" content="noindex">`}},
		},
		{"other names say nothing", 200, nil, html(`<meta name="description" content="noindex">`), nil},
		{
			"in a comment or a script it says nothing", 200, nil,
			html(`<!-- <meta name="robots" content="noindex"> --><script>'<meta name="robots" content="noindex">'</script>`), nil,
		},
		{"another canonical", 200, nil, html(`<link href="https://b.test/" rel="canonical">`), []Problem{{otherCanonical, "https://b.test/"}}},
		{"a relative one", 200, nil, html(`<link rel="canonical" href="/b/">`), []Problem{{otherCanonical, "https://a.test/b/"}}},
		{
			"without the query it is another one", 200, nil, html(`<link rel="canonical" href="https://a.test/caf%C3%A9/">`),
			[]Problem{{otherCanonical, "https://a.test/caf%C3%A9/"}},
		},
		{
			"the scheme counts", 200, nil, html(`<link rel="canonical" href="http://a.test/caf%C3%A9/?b=1&amp;a=2">`),
			[]Problem{{otherCanonical, "http://a.test/caf%C3%A9/?b=1&a=2"}},
		},
		{"the same in another spelling", 200, nil, html(`<link rel="canonical" href="HTTPS://A.test/café/?a=2&amp;b=1">`), nil},
		{"crawlers do not believe one in the body", 200, nil, `<head></head><body><link rel="canonical" href="https://b.test/">`, nil},
		{
			"the same one twice", 200, nil, html(`<link rel="canonical" href="https://b.test/"><link rel="canonical" href="https://b.test/">`),
			[]Problem{{otherCanonical, "https://b.test/"}},
		},
		{"a file that is no page", 200, []string{"Content-Type", "application/pdf"}, html(`<meta name="robots" content="noindex">`), nil},
		{"everything at once", 200, []string{"X-Robots-Tag", "noindex"}, html(`<meta name="robots" content="noindex"><link rel="canonical" href="/b/">`),
			[]Problem{{noindexed, "X-Robots-Tag: noindex"}, {noindexed, `<meta name="robots" content="noindex">`}, {otherCanonical, "https://a.test/b/"}}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			a := &Answer{Status: test.status, Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}, Body: []byte(test.body)}
			for i := 0; i < len(test.header); i += 2 {
				a.Header.Set(test.header[i], test.header[i+1])
			}
			expect.List(t, Inspect(loc, a), test.want)
		})
	}
}
