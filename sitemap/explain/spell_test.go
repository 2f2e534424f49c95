package explain

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestIsDate(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"2024": true, "2024/1": true, "2024/12/31": true, "0001/01/01": true,
		"": false, "224": false, "20240": false, "0000": false, "about": false,
		"2024/0": false, "2024/13": false, "2024/12/32": false, "2024/00012": false, "2024/12/31/1": false,
	} {
		expect.Equal(t, isDate(strings.Split(path, "/")), want, path)
	}
}

func FuzzSpell(f *testing.F) {
	f.Add("https://a.test/x/?p=1#y", "https://a.test/")
	f.Add("http://a.test:80/%e6%97/page/2/feed", "https://[::1]/")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, err := spell(a)
		home, err2 := spell(b)
		if err != nil || err2 != nil {
			return
		}
		expect.Equal(t, s.like(&s, func(string) bool { return true }), same, a, "is not the same as itself")
		s.below(&home)
		s.cutView()
	})
}
