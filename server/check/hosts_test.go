package check

import (
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest/expect"
)

func TestHostsThatCannotBeRight(t *testing.T) {
	for _, test := range []struct {
		rule    string
		hosts   []config.Host
		homes   []string
		trouble string
		warning string
	}{
		{"none are set", nil, []string{"https://a.test"}, "", ""},
		{"home's and another", []config.Host{"b.test", "a.test"}, []string{"https://a.test"}, "", ""},
		{"not home's", []config.Host{"b.test"}, []string{"https://a.test"},
			`home is https://a.test: the sitemaps list URLs of a.test. For a copy of that site set home = "https://b.test"; else add "a.test" to hosts`, ""},
		{"not that of a network in folders", []config.Host{"b.test"}, []string{"https://a.test", "https://a.test/x"}, `add "a.test" to hosts`, ""},
		{"some of a network", []config.Host{"b.test"}, []string{"https://a.test", "https://b.test"}, "", "no host of 1 blog of the network"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := &SiteReport{OK: true}
			for _, home := range test.homes {
				r.Blogs = append(r.Blogs, &BlogReport{Home: home, hosts: []string{strings.TrimPrefix(home, "https://")}})
			}
			r.noteHosts(&config.Site{Hosts: test.hosts})
			trouble, warning := strings.Join(r.Errors, "\n"), strings.Join(r.Warnings, "\n")
			if r.OK != (test.trouble == "") || !strings.Contains(trouble, test.trouble) || (test.warning == "") != (warning == "") ||
				!strings.Contains(warning, test.warning) {
				t.Errorf("trouble %q, warning %q", trouble, warning)
			}
		})
	}
}

func TestHomeThatDiffersFromWordPressItself(t *testing.T) {
	for _, test := range []struct {
		rule, home, siteURL string
		warns               bool
	}{
		{"one address", "https://a.test", "https://a.test", false},
		{"WordPress in a folder", "https://a.test", "https://a.test/wp", false},
		{"another host", "https://a.test", "https://cms.b.test", false},
		{"the scheme", "http://a.test", "https://a.test/wp", true},
		{"www", "https://a.test", "https://www.a.test", true},
		{"no address", "https://a.test", "", false},
	} {
		expect.Equal(t, homeWarning(test.home, test.siteURL) != "", test.warns, test.rule)
	}
}
