package content

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestFileURL(t *testing.T) {
	u := Uploads{Dir: "/srv/www/wp-content/uploads", URL: "https://e.example/wp-content/uploads"}
	custom := Uploads{Dir: "/srv/media", URL: "https://e.example/media"}
	unknown := Uploads{URL: "https://e.example/wp-content/uploads"}
	for _, tt := range []struct {
		name    string
		uploads Uploads
		file    string
		want    string
	}{
		{"no file", u, "", ""},
		{"zero is no file", u, "0", ""},
		{"relative", u, "2024/05/a-scaled.jpg", "https://e.example/wp-content/uploads/2024/05/a-scaled.jpg"},
		{"not encoded", u, "2024/05/é b.jpg", "https://e.example/wp-content/uploads/2024/05/é b.jpg"},
		{"in the uploads directory", u, "/srv/www/wp-content/uploads/a.jpg", "https://e.example/wp-content/uploads/a.jpg"},
		{"in a directory of its own", custom, "/srv/media/a.jpg", "https://e.example/media/a.jpg"},
		{"every mention of the directory", custom, "/srv/media/srv/media/a.jpg", "https://e.example/mediahttps://e.example/media/a.jpg"},
		{"on a former server", custom, "/home/old/wp-content/uploads/2010/a.jpg", "https://e.example/media/2010/a.jpg"},
		{"from the first mention", u, "x/wp-content/uploads/wp-content/uploads/a.jpg", "https://e.example/wp-content/uploads/wp-content/uploads/a.jpg"},
		{"directory not known", unknown, "/srv/www/wp-content/uploads/a.jpg", "https://e.example/wp-content/uploads/a.jpg"},
		{"absolute elsewhere", u, "/mnt/a.jpg", "https://e.example/wp-content/uploads//mnt/a.jpg"},
	} {
		expect.Equal(t, tt.uploads.FileURL(tt.file), tt.want, tt.name, "FileURL", tt.file, "=")
	}
}

func TestNewHome(t *testing.T) {
	for _, tt := range []struct{ name, url, host, scheme string }{
		{"host", "https://e.example", "e.example", "https"},
		{"www and path", "http://www.e.example/blog", "e.example", "http"},
		{"every www", "http://www.www.e.www.example", "e.example", "http"},
		{"inside a word", "http://mywww.example", "myexample", "http"},
		{"port and user", "http://u:p@e.example:8080/", "e.example", "http"},
		{"case stays", "HTTPS://E.Example", "E.Example", "HTTPS"},
		{"no scheme", "//e.example/a", "e.example", "http"},
		{"no host", "/a", "", "http"},
		{"empty", "", "", "http"},
		{"not an address", "http://", "", "http"},
	} {
		expect.Equal(t, NewHome(tt.url), Home{URL: tt.url, Host: tt.host, Scheme: tt.scheme}, tt.name, "NewHome", tt.url, "=")
	}
}

func TestAbsolute(t *testing.T) {
	h := NewHome("https://e.example/blog")
	for src, want := range map[string]string{
		"https://cdn.example/a.jpg": "https://cdn.example/a.jpg",
		"http-a.jpg":                "http-a.jpg",
		"HTTP://e.example/a.jpg":    "HTTP://e.example/a.jpg",
		"//cdn.example/a.jpg":       "https://cdn.example/a.jpg",
		"/a.jpg":                    "https://e.example/blog/a.jpg",
		"a.jpg":                     "a.jpg",
		"?a":                        "?a",
		"data:image/png;base64,AA":  "data:image/png;base64,AA",
		"":                          "",
		"0":                         "0",
	} {
		expect.Equal(t, h.Absolute(src), want, "Absolute", src, "=")
	}
}

func TestOwn(t *testing.T) {
	tests := []struct {
		name, src string
		want      bool
	}{
		{"home host", "http://e.example/a.jpg", true},
		{"with www", "http://www.e.example/a.jpg", true},
		{"sub-domain", "http://img.e.example/a.jpg", true},
		{"anywhere in the address", "https://i0.wp.com/e.example/a.jpg?x", true},
		{"part of another host", "https://e.example.org/a.jpg", true},
		{"other case", "http://E.example/a.jpg", false},
		{"other host", "https://cdn.example/a.jpg", false},
		{"relative", "a.jpg", false},
	}
	h := NewHome("https://www.e.example")
	for _, tt := range tests {
		expect.Equal(t, h.Own(tt.src), tt.want, tt.name, "Own", tt.src, "=")
	}
	if !NewHome("").Own("anything") {
		t.Error("without a host everything is own")
	}
}

func TestWithQuery(t *testing.T) {
	for _, tt := range []struct{ name, original, want string }{
		{"query", "https://e.example/a-300x200.jpg?w=1&h=2", "X?w=1&h=2"},
		{"fragment is not kept", "/a.jpg?w=1#b?c", "X?w=1"},
		{"no query", "https://e.example/a.jpg", "X"},
		{"empty query", "https://e.example/a.jpg?", "X"},
		{"zero", "https://e.example/a.jpg?0", "X"},
		{"relative", "a.jpg?w=1", "X?w=1"},
		{"without scheme", "//e.example/a.jpg?w=1", "X?w=1"},
		{"second question mark", "/a.jpg?b?c", "X?b?c"},
		{"control characters", "/a.jpg?a\nb\x7fc", "X?a_b_c"},
		{"impossible port", "https://e.example:99999/a.jpg?w=1", "X"},
	} {
		expect.Equal(t, WithQuery("X", tt.original), tt.want, tt.name, "WithQuery(X", tt.original, "=")
	}
	expect.Equal(t, WithQuery("", "a?b"), "?b", "without a file")
}
