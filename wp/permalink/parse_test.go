package permalink

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		rule, structure, path string
		want                  Fields
		ok                    bool
	}{
		{"a name", "/%postname%/", "hello/", Fields{Name: "hello"}, true},
		{"a name with a suffix", "/%postname%.html", "hello.html", Fields{Name: "hello"}, true},
		{"not the suffix", "/%postname%.html", "hello", Fields{}, false},
		{"a front", "/archives/%post_id%", "archives/123", Fields{ID: 123}, true},
		{"another front", "/archives/%post_id%", "blog/123", Fields{}, false},
		{"index.php", "/index.php/%postname%/", "index.php/hello/", Fields{Name: "hello"}, true},
		{"something behind it", "/%postname%/", "hello/photo/", Fields{Name: "hello"}, true},
		{"a number behind it", "/%year%/%postname%/", "2024/hello/2/", Fields{Name: "hello", From: "2024-01-01 00:00:00", To: "2024-12-31 23:59:59"}, true},
		{"tokens without anything between them", "/%author%/%post_id%/%hour%%minute%%second%/", "anna/17/102030/", Fields{ID: 17}, true},
		{"an id behind digits of fixed width", "/%hour%%minute%%post_id%", "032042", Fields{ID: 42}, true},
		{
			"a whole date", "/%year%/%monthnum%/%day%/%hour%%minute%%second%", "2024/5/01/102030",
			Fields{From: "2024-05-01 10:20:30", To: "2024-05-01 10:20:30"}, true,
		},
		{"categories of any depth", "/%category%/%postname%/", "news/sport/hello/", Fields{Name: "sport"}, true},
		{"plain links have no paths", "", "hello", Fields{}, false},
		{"an id beyond all", "/archives/%post_id%", "archives/99999999999999999999", Fields{ID: 9223372036854775807}, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, ok := site(c.structure).Parse(c.path)
			expect.Equal(t, got, c.want)
			expect.Equal(t, ok, c.ok)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("/%year%/%postname%/", "2024/hello")
	f.Add("%category%%", "\xff/(")
	f.Fuzz(func(_ *testing.T, structure, path string) { site(structure).Parse(path) })
}
