package redirects

import (
	"fmt"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// Yoast SEO Premium (classes/redirect/redirect-handler.php) first compares the decoded path below
// home, without outer slashes, with plain redirects. Then it compares the requested path with the
// regular expressions.
//
// The plugin redirects nothing if the option wpseo_redirect was never saved, or if the option leaves
// redirects to the web server, whose rules are not in the database.
var yoastManager = declare(manager{
	name: "Yoast SEO Premium", below: true, passesOver: true, dialect: yoastPremium{},
}, wp.Inputs{
	Plugins: []string{"wordpress-seo-premium/wp-seo-premium.php"},
	Options: []string{"wpseo_redirect", optionYoastPlain, optionYoastRegex},
})

// yoastPremium implements dialect for Yoast SEO Premium.
type yoastPremium struct{}

const (
	optionYoastPlain = "wpseo-premium-redirects-export-plain"
	optionYoastRegex = "wpseo-premium-redirects-export-regex"
)

func (yoastPremium) read(r *reading) error {
	_, saved := r.stored.Text("wpseo_redirect")
	if !saved || r.stored.Array("wpseo_redirect").Get("disable_php_redirect").Str() == "on" {
		return nil
	}
	for _, option := range []string{optionYoastPlain, optionYoastRegex} {
		for _, p := range r.stored.Array(option).Pairs() {
			it := rule{from: p.Key.String(), to: p.Value.Get("url").Str(), in: fmt.Sprintf("options.%s[%s]", option, p.Key.String())}
			code := p.Value.Get("type").Int()
			switch {
			case code == 410 || code == 451:
				it.does = gone
			case code < 300 || code > 399:
				r.wrong(&it, "have a status other than 3xx, 410 or 451")
				continue
			}
			if option == optionYoastRegex {
				r.addPattern(it, it.from, "")
				continue
			}
			it.text = php.RawURLDecode(it.from)
			r.add(it, it.from)
		}
	}
	return nil
}

func (yoastPremium) subject(_ *manager, _ *request, rest string) (string, bool) {
	return php.RawURLDecode(rest), true
}

func (yoastPremium) target(r *rule, subject string) string { return onlyFilled(r, subject) }

func (yoastPremium) means(r *rule, subject string) bool {
	plain := strings.Trim(subject, "/")
	return r.text == plain || r.text == plain+"/"
}
