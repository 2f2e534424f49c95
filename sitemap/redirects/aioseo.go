package redirects

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// The add-on Redirects of All in One SEO Pro (app/Main/Redirect.php, app/Utils/Request.php) compares the path below home;
// regular expressions also see the query, and are tried only where no redirect has the path. Custom rules are conditions
// that nobody can know. Since Pro 4.9.1 the same is a part of Pro that depends on its licence, which the database does not
// tell; only the add-on counts.
const sqlAIOSEORedirects = `SELECT id, SUBSTR(source_url, 1, 2049), SUBSTR(COALESCE(target_url, ''), 1, 2049), type, query_param,
regex <> 0, ignore_slash <> 0, ignore_case <> 0, SUBSTR(COALESCE(custom_rules, ''), 1, 65536)
FROM wp_aioseo_redirects WHERE enabled = 1 LIMIT 51001`

var aioseoManager = declare(traits{
	name: "All in One SEO", fromIn: "aioseo_redirects.source_url", toIn: "aioseo_redirects.target_url", of: "row",
	below: true, passesOver: true, direct: true, means: aioseoMeans, target: onlyFilled,
	subject: func(_ *manager, _ *request, rest string) (string, bool) { return stripSlashes.Replace(rest), true },
}, wp.Inputs{
	Plugins: []string{"aioseo-redirects/aioseo-redirects.php"},
	Tables:  []wp.Table{{Name: "aioseo_redirects", Settings: true, Watched: true}},
}, readAIOSEO)

func readAIOSEO(r *reading) error {
	type row struct {
		rule
		expression bool
	}
	var all []row
	var it row
	var code int64
	var query, custom string
	err := r.blog.Query(r.ctx, sqlAIOSEORedirects, nil, db.Row(func() {
		it.from, it.to, it.does, it.ignoreQuery = strings.TrimSpace(it.from), strings.TrimSpace(it.to), leads, query != "exact"
		switch {
		case code == 0 || conditional(custom):
			it.does = stops
		case code < 300 || code > 399:
			it.does = gone
		}
		all = append(all, it)
	}, &it.id, &it.from, &it.to, &code, &query, &it.expression, &it.ignoreSlash, &it.ignoreCase, &custom))
	slices.SortFunc(all, func(x, y row) int { return cmp.Compare(y.id, x.id) })
	for _, it := range all {
		switch {
		case it.expression && it.ignoreCase:
			r.addPattern(it.rule, aioseoPattern(it.from), "i")
		case it.expression:
			r.addPattern(it.rule, aioseoPattern(it.from), "")
		case strings.HasPrefix(it.from, "/"):
			it.text, _, _ = strings.Cut(it.from, "?")
			r.add(it.rule, it.from)
		}
	}
	return err
}

// conditional reports whether custom rules hold a condition.
func conditional(custom string) bool {
	var rules []struct{ Value any }
	if json.Unmarshal([]byte(custom), &rules) != nil {
		return custom != ""
	}
	return slices.ContainsFunc(rules, func(c struct{ Value any }) bool { return c.Value != nil && c.Value != "" && c.Value != "0" })
}

// aioseoPattern is formatPattern(): every star stands for any text, and what begins with ^ begins with a slash.
func aioseoPattern(pattern string) string {
	for _, to := range [][2]string{{".*", "*"}, {"*", ".*"}, {"/", `\/`}, {`\/^`, "^"}, {`\'`, "'"}} {
		pattern = strings.ReplaceAll(pattern, to[0], to[1])
	}
	if strings.HasPrefix(pattern, "^") && !strings.HasPrefix(pattern, `^\/`) {
		pattern = strings.ReplaceAll(pattern, "^", `^\/`)
	}
	return pattern
}

func aioseoMeans(r *rule, subject string) bool {
	path, asked, _ := strings.Cut(subject, "?")
	plain := func(s string) string { return strings.TrimRight(s, `/\`) }
	switch {
	case !strings.EqualFold(php.RawURLDecode(plain(r.text)), php.RawURLDecode(plain(path))):
		return false
	case !r.ignoreSlash && strings.HasSuffix(r.text, "/") != strings.HasSuffix(path, "/"):
		return false
	case !r.ignoreCase && plain(r.text) != plain(path):
		return false
	}
	return r.query == "" || r.ignoreQuery || sameQuery(r.query, asked, false)
}
