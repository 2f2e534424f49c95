package redirects

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// SEOPress (github.com/wp-seopress/wp-seopress-public 9: inc/functions/options-redirections.php)
// redirects single posts and terms by their meta.
//
// SEOPress PRO (inc/functions/redirections.php, src/Services/Redirection.php) stores redirects as
// posts of the type seopress_404. The title is the decoded path without its first slash. MySQL
// compares it and ignores case.
//
// A redirect is not used if the address has a query or if home is in a folder, because versions of SEOPress
// treat these cases differently. Redirects for logged-in visitors do not apply to crawlers.
const (
	sqlSEOPressEnabled = `SELECT post_id FROM wp_postmeta
WHERE meta_key = '_seopress_redirections_enabled' AND meta_value = 'yes' LIMIT 51001`
	sqlSEOPressPosts = `SELECT ID, post_type, post_status, SUBSTR(post_title, 1, 2049) FROM wp_posts WHERE ID IN (?)`
)

const (
	pluginSEOPress    = "wp-seopress/seopress.php"
	pluginSEOPressPro = "wp-seopress-pro/seopress-pro.php"
	typeSEOPress      = "seopress_404"

	seopressEnabled = "_seopress_redirections_enabled"
	seopressRegex   = "_seopress_redirections_enabled_regex"
	seopressLogged  = "_seopress_redirections_logged_status"
	seopressType    = "_seopress_redirections_type"
	seopressValue   = "_seopress_redirections_value"
)

var (
	seopressKeys     = []string{seopressRegex, seopressLogged, seopressType, seopressValue}
	seopressTermKeys = []string{seopressEnabled, seopressLogged, seopressType, seopressValue}
)

var seopressManager = declare(manager{
	name: "SEOPress", fromIn: "posts.post_title", toIn: "postmeta." + seopressValue, of: "post", dialect: seopress{},
}, wp.Inputs{
	Plugins: []string{pluginSEOPress, pluginSEOPressPro}, Options: []string{"seopress_toggle"},
	PostMeta: append([]string{seopressEnabled}, seopressKeys...), SettingMeta: []string{seopressEnabled},
	TermMeta: seopressTermKeys, Tables: []wp.Table{wp.TermMetaTable},
})

// seopress implements dialect for SEOPress.
type seopress struct{}

func (seopress) read(r *reading) error {
	active := r.blog.Settings().ActivePlugins
	if !active[pluginSEOPress] {
		return nil
	}
	if err := r.addTerms(); err != nil {
		return err
	}
	var ids []int64
	err := r.blog.Query(r.ctx, sqlSEOPressEnabled, nil, db.Rows1(func(id int64) { ids = append(ids, id) }))
	if err != nil || len(ids) == 0 {
		return err
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	meta, err := r.blog.MetaOf(r.ctx, ids, seopressKeys...)
	if err != nil {
		return err
	}
	pro := active[pluginSEOPressPro] && r.stored.Array("seopress_toggle").Get("toggle-404").Str() == "1"
	return r.blog.ByID(r.ctx, "reading redirects of SEOPress", sqlSEOPressPosts, ids, db.Rows4(func(id int64, kind, status, title string) {
		switch {
		case kind != typeSEOPress:
			r.addObject(object{post: id}, rule{id: id}, meta)
		case pro && status == "publish":
			r.addTitled(id, title, meta)
		}
	}))
}

// seopressStatus returns the HTTP status of a redirect, or 0 if the redirect does not apply.
func seopressStatus(id int64, meta map[string]map[int64]string) int {
	status, _ := strconv.Atoi(meta[seopressType][id])
	switch {
	case meta[seopressLogged][id] == "only_logged_in":
		return 0
	case status == 410 || status == 451, status >= 300 && status <= 399:
		return status
	}
	return 0
}

// addObject adds the redirect of a single post or term.
func (r *reading) addObject(of object, it rule, meta map[string]map[int64]string) {
	status := seopressStatus(it.id, meta)
	if it.to = meta[seopressValue][it.id]; status >= 300 && status <= 399 && it.to != "" && r.fits(&it) {
		r.objects[of] = it
	}
}

// addTerms adds the redirects of terms. If the account may not read term meta, addTerms adds none and
// returns no error: the site has already logged a warning.
func (r *reading) addTerms() error {
	meta, err := r.blog.TermMeta(r.ctx, seopressTermKeys...)
	if db.Unreadable(err) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(meta[seopressEnabled])) {
		if meta[seopressEnabled][id] == "yes" {
			r.addObject(object{term: id}, rule{id: id, in: "termmeta." + seopressValue}, meta)
		}
	}
	return err
}

// addTitled adds a redirect of SEOPress PRO.
func (r *reading) addTitled(id int64, title string, meta map[string]map[int64]string) {
	it := rule{id: id, from: title, to: meta[seopressValue][id]}
	switch status := seopressStatus(id, meta); {
	case status > 399:
		it.does = gone
	case status == 0 || it.to == "":
		return
	}
	switch {
	case meta[seopressRegex][id] != "yes":
		it.text, _, _ = strings.Cut(it.from, "?")
		r.add(it, it.from)
	case meta[seopressLogged][id] == "": // SEOPress does not apply such a redirect until it is saved
	case strings.Contains(it.from, `\/`): // the plugin escapes the slash a second time
		r.wrong(&it, `have a regular expression with \/, which the plugin does not take`)
	default:
		r.addPattern(it, it.from, "i")
	}
}

func (seopress) subject(m *manager, q *request, _ string) (string, bool) {
	path := "/" + strings.Trim(php.RawURLDecode(q.path), "/")
	return path, m.home == "" && q.query == "" && path != "/"
}

func (seopress) means(r *rule, subject string) bool {
	return r.query == "" && strings.EqualFold(strings.TrimSuffix(r.text, "/"), subject[1:])
}

func (seopress) target(r *rule, subject string) string { return onlyFilled(r, subject) }
