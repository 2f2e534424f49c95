package permalink

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestDateArchives(t *testing.T) {
	for structure, want := range map[string][2]string{
		"":                                    {"https://a.test/?m=2024", "https://a.test/?m=202403"},
		"/%postname%/":                        {"https://a.test/2024/", "https://a.test/2024/03/"},
		"/blog/%postname%":                    {"https://a.test/blog/2024", "https://a.test/blog/2024/03"},
		"/index.php/%year%/%postname%/":       {"https://a.test/index.php/2024/", "https://a.test/index.php/2024/03/"},
		"/archives/%post_id%":                 {"https://a.test/archives/date/2024", "https://a.test/archives/date/2024/03"},
		"/%category%/%author%/%post_id%/":     {"https://a.test/date/2024/", "https://a.test/date/2024/03/"},
		"/%day%/%monthnum%/%year%/%post_id%/": {"https://a.test/2024/", "https://a.test/03/2024/"},
	} {
		b := New(Settings{Home: "https://a.test", Structure: structure})
		expect.Equal(t, [2]string{b.Date(2024, 0), b.Date(2024, 3)}, want, structure)
	}
}
