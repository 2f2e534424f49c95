package explain

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestLike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, asked, own string
		want             likeness
	}{
		{"equal", "https://a.test/one/?p=1", "https://a.test/one/?p=1", same},
		{"percent-encoding", "https://a.test/%c3%A9t%C3%A9/", "https://a.test/été/", same},
		{"default port, upper-case host and fragment", "HTTPS://A.test:443/one/#more", "https://a.test/one/", same},
		{"order of variables", "https://a.test/?b=2&a=1", "https://a.test/?a=1&b=2", same},
		{"scheme", "http://a.test/one/", "https://a.test/one/", alike},
		{"host", "https://www.a.test/one/", "https://a.test/one/", alike},
		{"letter case", "https://a.test/One/", "https://a.test/one/", alike},
		{"final slash", "https://a.test/one", "https://a.test/one/", alike},
		{"index.php", "https://a.test/index.php", "https://a.test/", alike},
		{"letter case of a value", "https://a.test/?flyer=Blue", "https://a.test/?flyer=blue", alike},
		{"variable that WordPress does not use", "https://a.test/one/?utm_source=x", "https://a.test/one/", alike},
		{"variable that WordPress uses", "https://a.test/one/?p=1", "https://a.test/one/", unlike},
		{"other value", "https://a.test/?flyer=red", "https://a.test/?flyer=blue", unlike},
		{"variable is missing", "https://a.test/", "https://a.test/?flyer=blue", unlike},
		{"other path", "https://a.test/two/", "https://a.test/one/", unlike},
		{"path below", "https://a.test/one/two/", "https://a.test/one/", unlike},
		{"path after index.php", "https://a.test/index.php/one/", "https://a.test/one/", unlike},
	} {
		asked, err := spell(c.asked)
		expect.Equal(t, err, nil, c.name)
		own, err := spell(c.own)
		expect.Equal(t, err, nil, c.name)
		used := func(name string) bool { return name == "p" || name == "flyer" }
		expect.Equal(t, asked.like(&own, used), c.want, c.name)
	}
}

func TestDistances(t *testing.T) {
	t.Parallel()
	const dissimilar = -1
	for _, c := range []struct {
		name, slug, stored string
		want               int
	}{
		{"equal", "about-us", "about-us", 0},
		{"one letter more", "about-uss", "about-us", 1},
		{"two letters exchanged", "abuot-us", "about-us", 2},
		{"three letters", "about-you", "about-us", dissimilar},
		{"a character that is not ASCII counts once", "%d0%bf%d1%80%d0%b8%d0%b2%d0%b5", "%d0%bf%d1%80%d0%b8%d0%b2%d0%b5%d1%82", 1},
		{"stored raw", "%d0%bf%d1%80%d0%b8%d0%b2%d0%b5", "привет", 1},
		{"the requested name is too short", "abou", "about", dissimilar},
		{"the stored name is too short", "about", "abou", dissimilar},
		{"long enough", "about", "abort", 1},
	} {
		got, ok := distances(c.slug, []string{c.stored})[c.stored]
		if !ok {
			got = dissimilar
		}
		expect.Equal(t, got, c.want, c.name)
	}
}
