package redirects

import (
	"cmp"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// 301 Redirects (plugin eps-301-redirects 2.3 to 2.7: EPS_Redirects::do_redirect(), format_from_url(), get_url()) compares
// path and query, decoded, in lower case and without slashes at the end. A target that is a number is the id of a post.
const sqlEPSRedirects = `SELECT id, SUBSTR(url_from, 1, 2049), SUBSTR(url_to, 1, 2049) FROM wp_redirects
WHERE status IN ('301', '302', '307') LIMIT 51001`

var epsManager = declare(manager{
	name: "301 Redirects", fromIn: "redirects.url_from", toIn: "redirects.url_to", of: "row", toPosts: true,
	subject: func(_ *manager, _ *request, rest string) (string, bool) {
		return strings.TrimRight(strings.TrimSpace(lowerASCII(php.URLDecode(rest))), "/"), true
	},
}, wp.Inputs{
	Plugins: []string{"eps-301-redirects/eps-301-redirects.php"},
	Tables:  []wp.Table{{Name: "redirects", Settings: true, Watched: true}},
}, readEPS)

func readEPS(r *reading) error {
	var all []rule
	err := r.blog.Query(r.ctx, sqlEPSRedirects, nil, db.Rows3(func(id int64, from, to string) { all = append(all, rule{id: id, from: from, to: to}) }))
	slices.SortFunc(all, func(x, y rule) int { return cmp.Compare(x.id, y.id) })
	for _, it := range all {
		it.text = strings.TrimRight("/"+lowerASCII(strings.TrimSpace(php.URLDecode(it.from))), "/")
		r.add(it, it.from)
	}
	return err
}
