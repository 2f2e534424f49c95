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

// Safe Redirect Manager (github.com/10up/safe-redirect-manager 2.1: inc/classes/class-srm-redirect.php) compares the path below
// home without a slash at its end and without letter case; the query only with a rule that has one. It takes no more than
// 1,000 rules, by menu_order and ID. Percent-encoded characters get lost on its way, so that nothing is known of addresses
// that have some.
const (
	sqlSafeRules = `SELECT ID, menu_order FROM wp_posts WHERE post_type = 'redirect_rule' AND post_status = 'publish' LIMIT 51001`

	maxSafeRules = 1000 // srm_get_max_redirects()

	safeFrom   = "_redirect_rule_from"
	safeTo     = "_redirect_rule_to"
	safeStatus = "_redirect_rule_status_code"
	safeRegex  = "_redirect_rule_from_regex"
)

var safeKeys = []string{safeFrom, safeTo, safeStatus, safeRegex}

var safeManager = declare(manager{
	name: "Safe Redirect Manager", fromIn: "postmeta." + safeFrom, toIn: "postmeta." + safeTo, of: "post",
	subject: safeSubject, means: safeMeans, target: safeTarget,
}, wp.Inputs{
	Plugins: []string{"safe-redirect-manager/safe-redirect-manager.php"}, PostMeta: safeKeys, SettingMeta: []string{safeFrom},
}, readSafe)

func readSafe(r *reading) error {
	type place struct{ order, id int64 }
	var all []place
	err := r.blog.Query(r.ctx, sqlSafeRules, nil, db.Rows2(func(id, order int64) { all = append(all, place{order, id}) }))
	if err != nil || len(all) == 0 {
		return err
	}
	slices.SortFunc(all, func(x, y place) int { return cmp.Or(cmp.Compare(x.order, y.order), cmp.Compare(x.id, y.id)) })
	all = all[:min(len(all), maxSafeRules)]
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].id
	}
	meta, err := r.blog.MetaOf(r.ctx, ids, safeKeys...)
	for _, id := range ids {
		r.addSafe(id, meta)
	}
	return err
}

func (r *reading) addSafe(id int64, meta map[string]map[int64]string) {
	it, isPattern := rule{id: id, from: meta[safeFrom][id], to: meta[safeTo][id]}, php.NewString(meta[safeRegex][id]).Truthy()
	switch status := php.NewString(meta[safeStatus][id]).Int(); {
	case status == 403 || status == 404 || status == 410:
		it.does = gone
	case it.to == "":
		return
	}
	from := cmp.Or(strings.TrimRight(it.from, `/\`), "/")
	switch {
	case isPattern && strings.Contains(from, "@"):
		r.wrong(&it, "have a regular expression with an @, which the plugin does not take")
	case isPattern:
		r.addPattern(it, from, "i")
	case strings.HasSuffix(from, "*"):
		folder, is := strings.CutSuffix(strings.TrimSuffix(from, "*"), "/")
		pattern := "^" + regexp.QuoteMeta(folder)
		if is {
			pattern += "(?:/|$)"
		}
		r.addPattern(it, pattern+".*$", "is")
	default:
		it.text = lowerASCII(from)
		r.add(it, from)
	}
}

func safeSubject(_ *manager, _ *request, rest string) (string, bool) {
	return cmp.Or(strings.TrimRight(rest, `/\`), "/"), !strings.Contains(rest, "%")
}

func safeMeans(r *rule, subject string) bool {
	subject = lowerASCII(subject)
	path, _, _ := strings.Cut(subject, "?")
	if path = strings.TrimRight(path, `/\`); path == "" || strings.IndexByte(r.text, '?') > 0 {
		path = subject
	}
	return r.text == path
}

// safeTarget fills the groups in, unless the target is a whole address.
func safeTarget(r *rule, subject string) string {
	if php.ValidURL(r.to) {
		return r.to
	}
	return "/" + strings.TrimLeft(replaced(r, subject), "/")
}
