package live

import "testing"

// A site that is http, and stays so, is not told to be another.
func TestHomeThatIsHTTP(t *testing.T) {
	h := HomeSeen{Home: "http://a.test", Site: "a"}
	for _, loc := range []string{"http://a.test/", "http://a.test/x/", "https://a.test.example/", "https://b.test/", "https://a.test/x/"} {
		h.See(loc)
	}
	if got := h.Advice(1); got != "" {
		t.Error(got)
	}
	if h.plain != 2 || h.safe != 1 {
		t.Errorf("%+v", h)
	}
}
