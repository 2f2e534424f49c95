package wp

import "testing"

// Checkout and account pages alone have links to https:, where WooCommerce is told so.
func TestSecured(t *testing.T) {
	const link = "http://shop.test/checkout/"
	for _, tt := range []struct {
		force   bool
		post    Post
		secured bool
	}{
		{true, Post{ID: 5, Type: "page"}, true}, {true, Post{ID: 6, Type: "page"}, true}, {true, Post{ID: 7, Type: "page"}, false},
		{true, Post{ID: 5, Type: "post"}, false}, {false, Post{ID: 5, Type: "page"}, false},
	} {
		s := &Blog{}
		s.set.Woo = Woo{Active: true, ForceSSL: tt.force, Checkout: 5, Account: 6}
		if got := s.secured(&tt.post, link); (got == "https://shop.test/checkout/") != tt.secured || !tt.secured && got != link {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
