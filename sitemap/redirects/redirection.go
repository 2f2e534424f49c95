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

// Redirection (github.com/johngodley/redirection 5.4: models/redirect/redirect.php, models/url,
// models/regex.php) reads the enabled rules whose match_url is the path, and all regular expressions.
// It ignores group and module, because disabling a group disables its rules. It tries rules by
// position, then by id.
//
// A rule may depend on more than the URL, for example on a cookie. Whether its condition holds is unknown,
// so the search for a redirect ends at such a rule.
const sqlRedirectionItems = `SELECT id, SUBSTR(url, 1, 2049), COALESCE(match_url, ''), COALESCE(match_data, ''), regex <> 0, position,
action_type, SUBSTR(COALESCE(action_data, ''), 1, 2049), match_type
FROM wp_redirection_items WHERE status = 'enabled' LIMIT 51001`

var redirectionManager = declare(manager{
	name: "Redirection", fromIn: "redirection_items.url", toIn: "redirection_items.action_data", of: "row", dialect: redirection{},
}, wp.Inputs{
	Plugins: []string{"redirection/redirection.php"}, Options: []string{"redirection_options"},
	Tables: []wp.Table{{Name: "redirection_items", Settings: true, Watched: true}},
})

// redirection implements dialect for Redirection.
type redirection struct{}

func (redirection) subject(_ *manager, q *request, _ string) (string, bool) {
	return php.RawURLDecode(q.uri), true
}
func (redirection) target(r *rule, subject string) string { return replaced(r, subject) }

// redirectionFlags say how a rule compares addresses. The options have default flags.
type redirectionFlags struct {
	Query    string `json:"flag_query"`
	Case     bool   `json:"flag_case"`
	Trailing bool   `json:"flag_trailing"`
	Regex    bool   `json:"flag_regex"`
}

// redirectionOptions returns the default flags of all rules. If the options were never saved, it
// returns the plugin's initial flags.
func redirectionOptions(stored *wp.Stored) redirectionFlags {
	if _, saved := stored.Text("redirection_options"); !saved {
		return redirectionFlags{Case: true, Trailing: true}
	}
	set := stored.Array("redirection_options")
	return redirectionFlags{
		set.Get("flag_query").Str(), set.Get("flag_case").IsTrue(), set.Get("flag_trailing").IsTrue(), set.Get("flag_regex").IsTrue(),
	}
}

type redirectionItem struct {
	rule
	position            int64
	matchURL, matchData string
	regex               bool
}

func (redirection) read(r *reading) error {
	var items []redirectionItem
	var it redirectionItem
	var action, condition string
	err := r.blog.Query(r.ctx, sqlRedirectionItems, nil, db.Row(func() {
		it.does = redirectionDoes(action, condition)
		if action == "random" {
			it.to = "(any post)"
		}
		items = append(items, it)
	}, &it.id, &it.from, &it.matchURL, &it.matchData, &it.regex, &it.position, &action, &it.to, &condition))
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(x, y redirectionItem) int {
		return cmp.Or(cmp.Compare(x.position, y.position), cmp.Compare(x.id, y.id))
	})
	options := redirectionOptions(r.stored)
	for i := range items {
		r.addItem(&items[i], options)
	}
	return nil
}

// redirectionDoes returns what a rule does, from its columns. Only the condition "url" depends on the
// address alone.
func redirectionDoes(action, condition string) does {
	switch {
	case condition != "url" && condition != "":
		return stops
	case action == "url", action == "random":
		return leads
	case action == "error":
		return gone
	}
	return stops
}

// addItem adds a rule. The rule's own flags replace those of the options.
func (r *reading) addItem(it *redirectionItem, options redirectionFlags) {
	flags := options
	var data struct{ Source json.RawMessage }
	if json.Unmarshal([]byte(it.matchData), &data) != nil || data.Source == nil || json.Unmarshal(data.Source, &flags) != nil {
		flags = options
		flags.Regex = it.regex
	}
	it.from = strings.ReplaceAll(it.from, " ", "%20")
	switch {
	case it.matchURL == "" || it.does == leads && it.to == "":
	case flags.Regex:
		modifiers := "s"
		if flags.Case {
			modifiers = "si"
		}
		if it.matchURL == "regex" {
			r.addPattern(it.rule, php.RawURLDecode(it.from), modifiers)
		}
	default:
		it.ignoreCase, it.ignoreSlash, it.ignoreQuery = flags.Case, flags.Trailing, flags.Query == "ignore" || flags.Query == "pass"
		path, query, _ := strings.Cut(it.from, "?")
		if u, ok := php.ParseURL(path); ok && u.Host != "" {
			path = u.Path
		}
		it.text = php.URLDecode(path)
		if path, ok := below(path, r.home); ok {
			r.add(it.rule, path+"?"+query)
		}
	}
}

// means compares the path, then the query.
func (redirection) means(r *rule, subject string) bool {
	source, query := r.text, r.query
	path, asked, _ := strings.Cut(subject, "?")
	path = php.URLDecode(path)
	if r.ignoreSlash {
		source, path = withoutSlash(source), withoutSlash(path)
	}
	if r.ignoreCase {
		source, path = strings.ToLower(source), strings.ToLower(path)
		query, asked = strings.ToLower(query), strings.ToLower(asked)
	}
	return source == path && sameQuery(query, asked, r.ignoreQuery)
}

func withoutSlash(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// sameQuery reports whether the query of a rule matches the requested query. If ignoreOthers is set,
// the request may have more variables. A query with lists in brackets never matches.
func sameQuery(query, asked string, ignoreOthers bool) bool {
	if strings.ContainsAny(query+asked, "[]") {
		return false
	}
	want, got := queryOf(query), queryOf(asked)
	for name, value := range want {
		if v, ok := got[name]; !ok || v != value {
			return false
		}
	}
	return ignoreOthers || len(want) == len(got)
}

func queryOf(query string) map[string]string {
	vars := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, valued := strings.Cut(pair, "=")
		if name == "" {
			continue
		}
		if !valued {
			value = "\x00" // marks a variable without a value, which differs from an empty value
		}
		vars[php.URLDecode(name)] = php.URLDecode(value)
	}
	return vars
}
