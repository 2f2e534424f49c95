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

// Redirection (github.com/johngodley/redirection 5.4: models/redirect/redirect.php, models/url, models/regex.php) asks for
// the enabled rules whose match_url is the path, and all regular expressions, whatever their group or module: a group
// that is disabled has its rules disabled. It tries them by position and id. A rule with another condition than the
// address may hold or not, so that nothing is known of an address behind it.
const sqlRedirectionItems = `SELECT id, SUBSTR(url, 1, 2049), COALESCE(match_url, ''), COALESCE(match_data, ''), regex, position,
action_type, SUBSTR(COALESCE(action_data, ''), 1, 2049), match_type
FROM wp_redirection_items WHERE status = 'enabled' LIMIT 51001`

var redirectionManager = declare(traits{
	name: "Redirection", fromIn: "redirection_items.url", toIn: "redirection_items.action_data", of: "row",
	subject: func(_ *manager, q *request) (string, bool) { return php.RawURLDecode(q.uri), true },
	means:   redirectionMeans,
}, wp.Inputs{
	Plugins: []string{"redirection/redirection.php"}, Options: []string{"redirection_options"},
	Tables: []wp.Table{{Name: "redirection_items", Settings: true, Watched: true, Counts: true}},
}, readRedirection)

// redirectionFlags are what a rule or the options say of how to compare; nil is not said.
type redirectionFlags struct {
	Query    *string `json:"flag_query"`
	Case     *bool   `json:"flag_case"`
	Trailing *bool   `json:"flag_trailing"`
	Regex    *bool   `json:"flag_regex"`
}

// or returns the flags with those of other where they say nothing.
func (f redirectionFlags) or(other redirectionFlags) redirectionFlags {
	return redirectionFlags{
		cmp.Or(f.Query, other.Query), cmp.Or(f.Case, other.Case), cmp.Or(f.Trailing, other.Trailing), cmp.Or(f.Regex, other.Regex),
	}
}

// redirectionOptions are the flags of all rules. A site that never saved its options has those of a new one.
func redirectionOptions(stored *wp.Stored) redirectionFlags {
	var f redirectionFlags
	yes := true
	if _, saved := stored.Text("redirection_options"); !saved {
		return redirectionFlags{Case: &yes, Trailing: &yes}
	}
	set := stored.Array("redirection_options")
	for key, to := range map[string]**bool{"flag_case": &f.Case, "flag_trailing": &f.Trailing, "flag_regex": &f.Regex} {
		if set.Get(key).IsTrue() {
			*to = &yes
		}
	}
	query := set.Get("flag_query").Str()
	f.Query = &query
	return f
}

type redirectionItem struct {
	rule
	position            int64
	matchURL, matchData string
	regex               bool
}

func readRedirection(r *reading) error {
	var items []redirectionItem
	var it redirectionItem
	var regex int64
	var action, condition string
	err := r.query(sqlRedirectionItems, db.Row(func() {
		it.regex = regex != 0
		it.does = redirectionDoes(action, condition)
		if action == "random" {
			it.to = "(any post)"
		}
		items = append(items, it)
	}, &it.id, &it.from, &it.matchURL, &it.matchData, &regex, &it.position, &action, &it.to, &condition))
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

// redirectionDoes says what a rule does by its columns. Only the condition "url" depends on the address alone.
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

func (r *reading) addItem(it *redirectionItem, options redirectionFlags) {
	flags := options
	flags.Regex = &it.regex
	var data struct{ Source *redirectionFlags }
	if json.Unmarshal([]byte(it.matchData), &data) == nil && data.Source != nil {
		flags = data.Source.or(options)
	}
	is := func(b *bool) bool { return b != nil && *b }
	it.from = strings.ReplaceAll(it.from, " ", "%20")
	switch {
	case it.matchURL == "" || it.does == leads && it.to == "":
	case is(flags.Regex):
		modifiers := "s"
		if is(flags.Case) {
			modifiers = "si"
		}
		if it.matchURL == "regex" {
			r.addPattern(it.rule, php.RawURLDecode(it.from), modifiers)
		}
	default:
		if is(flags.Case) {
			it.flags |= ignoreCase
		}
		if is(flags.Trailing) {
			it.flags |= ignoreSlash
		}
		if flags.Query != nil && (*flags.Query == "ignore" || *flags.Query == "pass") {
			it.flags |= ignoreQuery
		}
		it.text, it.query, _ = strings.Cut(it.from, "?")
		if _, rest, ok := strings.Cut(it.text, "://"); ok {
			_, it.text = cutHost(rest)
		}
		if path, ok := below(it.text, r.home); ok {
			it.text = php.URLDecode(it.text)
			r.add(it.rule, path)
		}
	}
}

// redirectionMeans compares the path and then the query.
func redirectionMeans(_ *manager, r *rule, subject string) bool {
	source, query := r.text, r.query
	path, asked, _ := strings.Cut(subject, "?")
	path = php.URLDecode(path)
	if r.flags.has(ignoreSlash) {
		source, path = withoutSlash(source), withoutSlash(path)
	}
	if r.flags.has(ignoreCase) {
		source, path = strings.ToLower(source), strings.ToLower(path)
		query, asked = strings.ToLower(query), strings.ToLower(asked)
	}
	return source == path && sameQuery(query, asked, r.flags.has(ignoreQuery))
}

func withoutSlash(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// sameQuery reports whether the variables of a rule's query are those that were asked for, or some of them where others
// are ignored. Lists in queries are not compared.
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
		name, value, is := strings.Cut(pair, "=")
		if name == "" {
			continue
		}
		if !is {
			value = "\x00" // no value is another than an empty one
		}
		vars[php.URLDecode(name)] = php.URLDecode(value)
	}
	return vars
}
