package admin

import (
	"encoding/json"
	"fmt"
	"testing"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// In JSON, the key "in" is null if nobody knows whether the URL is listed. What is read again is the same. A URL is not escaped.
func TestExplainedJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x           explain.Explanation
		in, listing string
	}{
		{explain.Explanation{URL: "https://a.test/?a=1&b=2", In: true}, "true", "in"},
		{explain.Explanation{URL: "https://a.test/?a=1&b=2"}, "false", "out"},
		{explain.Explanation{URL: "https://a.test/?a=1&b=2", Unknown: true}, "null", "unknown"},
	} {
		x := Explained{Site: "a", Explanation: &tt.x}
		text, err := x.MarshalJSON()
		wptest.Must(t, err)
		expect.Parts(t, string(text), `"in":`+tt.in, `"url":"https://a.test/?a=1&b=2"`)
		var again Explained
		wptest.Must(t, json.Unmarshal(text, &again))
		expect.Equal(t, fmt.Sprint(again.Site, again.In, again.Unknown, again.URL), fmt.Sprint("a", tt.x.In, tt.x.Unknown, tt.x.URL), tt.listing)
		expect.Equal(t, again.Listing(), tt.listing)
	}
	var none Explained
	wptest.Must(t, json.Unmarshal([]byte(`{"site":"a"}`), &none))
	expect.Equal(t, none.Explanation == nil, true, "there is no explanation:")
	text, err := none.MarshalJSON()
	wptest.Must(t, err)
	expect.Equal(t, string(text), `{"site":"a","blog":0}`)
}
