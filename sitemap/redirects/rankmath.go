package redirects

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// Rank Math (github.com/rankmath/seo-by-rank-math 1.0.27x: includes/modules/redirections/class-db.php,
// class-redirector.php) compares the decoded path below home, without outer slashes and without the
// query. It tries active redirections, the newest first. It never redirects home.
const sqlRankMathRedirections = `SELECT id, SUBSTR(sources, 1, 65537), SUBSTR(url_to, 1, 2049), header_code, updated
FROM wp_rank_math_redirections WHERE status = 'active' LIMIT 51001`

const maxSources = 65_536 // maximum length in bytes of the sources of one redirection

var rankmathManager = declare(manager{
	name: "Rank Math", fromIn: "rank_math_redirections.sources", toIn: "rank_math_redirections.url_to", of: "row", dialect: rankMath{},
}, wp.Inputs{
	Plugins: []string{"seo-by-rank-math/rank-math.php"}, Options: []string{"rank_math_modules"},
	Tables: []wp.Table{{Name: "rank_math_redirections", Settings: true, Watched: true}},
})

// rankMath implements dialect for Rank Math.
type rankMath struct{}

type rankMathRow struct {
	rule
	sources, updated string
}

func (rankMath) read(r *reading) error {
	if !slices.Contains(r.stored.Array("rank_math_modules").Strings(), "redirections") {
		return nil
	}
	var all []rankMathRow
	var row rankMathRow
	var code int64
	err := r.blog.Query(r.ctx, sqlRankMathRedirections, nil, db.Row(func() {
		row.does = leads
		if code == 410 || code == 451 {
			row.does = gone
		}
		all = append(all, row)
	}, &row.id, &row.sources, &row.to, &code, &row.updated))
	slices.SortFunc(all, func(x, y rankMathRow) int { return cmp.Or(cmp.Compare(y.updated, x.updated), cmp.Compare(x.id, y.id)) })
	for i := range all {
		r.addSources(&all[i])
	}
	return err
}

// addSources adds one rule for each source of a redirection.
func (r *reading) addSources(row *rankMathRow) {
	sources, err := php.MaybeUnserialize(row.sources)
	if err != nil || sources.Kind != php.Array || len(row.sources) > maxSources {
		r.wrong(&row.rule, "have sources that cannot be read")
		return
	}
	if row.does == leads && row.to == "" {
		return
	}
	for _, p := range sources.Pairs() {
		it := row.rule
		it.from = p.Value.Get("pattern").Str()
		switch how := p.Value.Get("comparison").Str(); how {
		case "exact":
			it.text, it.ignoreCase = strings.Trim(it.from, "/"), p.Value.Get("ignore").Str() == "case"
			r.add(it, it.from)
		case "regex":
			if pattern := stripSlashes.Replace(it.from); strings.Contains(pattern, "@") { // the plugin uses @ as the delimiter
				r.wrong(&it, "have a regular expression with an @, which the plugin does not take")
			} else {
				r.addPattern(it, pattern, "")
			}
		case "contains", "start", "end":
			if part := regexp.QuoteMeta(strings.TrimRight(it.from, `/\`)); part != "" || how != "contains" {
				r.addPattern(it, map[string]string{"contains": "^.*" + part + ".*$", "start": "^" + part + ".*$", "end": "^.*" + part + "$"}[how], "s")
			}
		}
	}
}

func (rankMath) subject(m *manager, q *request, _ string) (string, bool) {
	uri := php.URLDecode(q.uri)
	if folder := strings.TrimLeft(m.home, "/"); folder != "" {
		uri = strings.ReplaceAll(uri, folder+"/", "") // the plugin removes the folder wherever it occurs
	}
	path, _, _ := strings.Cut(strings.Trim(uri, "/"), "?")
	path = strings.Trim(path, "/")
	return path, path != "" && path != "0"
}

func (rankMath) means(r *rule, subject string) bool {
	return r.text == subject || r.ignoreCase && lowerASCII(r.from) == lowerASCII(subject)
}

func (rankMath) target(r *rule, subject string) string { return replaced(r, subject) }

// stripSlashes does what PHP's stripslashes() does.
var stripSlashes = strings.NewReplacer(`\\`, `\`, `\0`, "\x00", `\`, "")
