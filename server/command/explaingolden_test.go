package command

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/explainer"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// TestExplainGolden asks, of every site that was recorded, for every address its sitemaps
// list, which has to stand in the very files that were recorded with the very date; and for
// every post, term and user in its database, which have to be in where their address was
// recorded, and out by what their rows say where it was not. The recordings are not part of
// this repository; make golden-explain runs it where they are.
func TestExplainGolden(t *testing.T) {
	eachRecording(t, "golden-explain", func(t *testing.T, g *recording) {
		f, err := os.OpenFile(g.config, os.O_APPEND|os.O_WRONLY, 0)
		wptest.Must(t, err)
		if _, err := f.WriteString("\n[defaults]\ncompat = \"plugin\"\n"); err != nil {
			t.Fatal(err)
		}
		wptest.Must(t, f.Close())
		r := readRecorded(t, g)
		t.Run("listed", func(t *testing.T) { explainListed(t, g, r) })
		if g.Plugin != "" {
			return // it is Yoast's rows that the rest reads
		}
		t.Run("everything", func(t *testing.T) { explainEverything(t, g, r) })
	})
}

// recorded is what the sitemaps of a site hold.
type recorded struct {
	places map[string]map[string]string // address → file, as host and path → lastmod
	named  map[string]bool              // files that an index names

	// Arguments of types that code registers.
	postTypes, taxonomies map[string]registered
}

type registered struct {
	Public    bool
	Queryable *bool `json:"publicly_queryable"`
}

// typeRules are the rules that may leave out a type as a whole. What is not known of it is nil.
func typeRules(kind string, known map[string]registered, name string) []string {
	t, ok := known[name]
	switch {
	case !ok:
		return nil
	case !t.Public:
		return []string{"type not public", "type not known to be public"}
	case t.Queryable != nil && !*t.Queryable && kind == "post type":
		return []string{"type not viewable"}
	}
	return []string{"type noindex", "type disabled"}
}

func readRecorded(t *testing.T, g *recording) *recorded {
	t.Helper()
	r := &recorded{places: map[string]map[string]string{}, named: map[string]bool{}}
	site := struct {
		Hosts  []string
		ByCode struct {
			PostTypes  map[string]registered `json:"post_types"`
			Taxonomies map[string]registered
		} `json:"registered_by_code"`
	}{}
	g.decode(t, "site.json", &site)
	r.postTypes, r.taxonomies = site.ByCode.PostTypes, site.ByCode.Taxonomies
	root := filepath.Join(g.dir, "expected")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".xml") {
			return err
		}
		key, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if key = filepath.ToSlash(key); len(site.Hosts) < 2 {
			key = site.Hosts[0] + "/" + key
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc := struct {
			URL []struct {
				Loc     string `xml:"loc"`
				LastMod string `xml:"lastmod"`
			} `xml:"url"`
		}{}
		if err := xml.Unmarshal(text, &doc); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.named[key] = true
		for _, u := range doc.URL {
			loc := strings.TrimSpace(u.Loc)
			if r.places[loc] == nil {
				r.places[loc] = map[string]string{}
			}
			if at, again := r.places[loc][key]; again && at != "" {
				continue // listed twice: home with its date first
			}
			r.places[loc][key] = strings.TrimSpace(u.LastMod)
		}
		return nil
	})
	wptest.Must(t, err)
	return r
}

func fileKey(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	wptest.Must(t, err)
	if q := u.Query(); q.Has("sitemap") { // without permalinks; what was recorded is named as with them
		return u.Host + u.Path + q.Get("sitemap") + "-sitemap" + q.Get("sitemap_n") + ".xml"
	}
	return u.Host + u.Path
}

func clock(t *testing.T, asOf string) func() time.Time {
	t.Helper()
	now, err := time.Parse(time.RFC3339, asOf)
	wptest.Must(t, err)
	return func() time.Time { return now }
}

// wrong is at most how many failures of a kind are told.
const wrong = 15

// explainListed asks the command for every address that was recorded.
func explainListed(t *testing.T, g *recording, r *recorded) {
	args := []string{"explain", "--config", g.config, "--as-of", g.AsOf, "--json"}
	for loc := range r.places {
		args = append(args, loc)
	}
	if len(r.places) == 0 {
		return
	}
	var stdout, stderr bytes.Buffer
	if code := Run(t.Context(), args, func(string) string { return "" }, &stdout, &stderr); code != done {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	answers, failed := 0, 0
	for d := json.NewDecoder(&stdout); d.More(); answers++ {
		var x explainer.Explained
		wptest.Must(t, d.Decode(&x))
		if why := r.differs(t, &x); why != "" {
			if failed++; failed < wrong {
				t.Errorf("%s: %s\n%s", x.URL, why, text(&x))
			}
		}
	}
	if answers != len(r.places) {
		t.Errorf("%d answers to %d addresses", answers, len(r.places))
	}
	if failed > 0 {
		t.Errorf("%d of %d wrong", failed, answers)
	}
}

// differs compares the places of an answer with those recorded for its address.
func (r *recorded) differs(t *testing.T, x *explainer.Explained) string {
	want := map[string]string{} // on this site; another one may list the address, too
	places := r.places[x.Address]
	if places == nil { // a plugin that prints addresses decoded
		places = r.places[x.URL]
	}
	for key, lastmod := range places {
		if strings.HasPrefix(key, fileKey(t, x.Home)+"/") {
			want[key] = lastmod
		}
	}
	switch {
	case !x.In:
		return "is said to be out"
	case x.Rule != "listed" || x.Object == "" || len(x.Evidence)+len(x.Places) == 0:
		return "is in without a reason"
	case fileKey(t, x.File) != fileKey(t, x.Places[0].File) || x.Page != x.Places[0].Page || x.LastMod != x.Places[0].LastMod:
		return "is not where it is first"
	}
	var got []string
	for _, p := range x.Places {
		key := fileKey(t, p.File)
		got = append(got, key)
		lastmod, there := want[key]
		switch {
		case !there:
			return "is not in " + key
		case lastmod != p.LastMod:
			return fmt.Sprintf("has lastmod %q in %s, not %q", lastmod, key, p.LastMod)
		case (p.LastMod == "") && p == x.Places[0] && x.LastModFrom != "", p.LastMod != "" && p == x.Places[0] && x.LastModFrom == "":
			return "has a date from nowhere"
		}
	}
	for key := range want {
		if !slices.Contains(got, key) {
			return "is in " + key + ", too"
		}
	}
	return ""
}

func text(x *explainer.Explained) string {
	var b strings.Builder
	printExplanation(&b, x)
	return b.String()
}

// everything asks for every object in a database by the plainest address it has.
type everything struct {
	t        *testing.T
	r        *recorded
	explain  *explainer.Offline
	db       *sql.DB
	blog     *wp.Blog
	asked    int
	failed   int
	byRule   map[string]int
	language bool
}

func explainEverything(t *testing.T, g *recording, r *recorded) {
	cfg, blogs := openBlogs(t, g.config)
	e := explainer.NewOffline(cfg, clock(t, g.AsOf), quiet(os.Stderr))
	defer e.Close()
	db, _ := wptest.DB(t, cfg.Sites[0].DSN.Reveal())
	all := &everything{t: t, r: r, explain: e, db: db, byRule: map[string]int{}}
	for _, blog := range blogs {
		all.blog = blog
		all.language = blog.Languages() != nil
		all.posts()
		all.terms()
		all.users()
	}
	if all.failed > 0 {
		t.Errorf("%d of %d wrong", all.failed, all.asked)
	}
	t.Logf("%d objects: %v", all.asked, all.byRule)
}

// rowsOf reads the rows of a query.
func rowsOf[T any](e *everything, query string, fields func(*T) []any) (all []T) {
	e.t.Helper()
	rows, err := e.db.Query(query)
	wptest.Must(e.t, err)
	defer rows.Close()
	for rows.Next() {
		var one T
		wptest.Must(e.t, rows.Scan(fields(&one)...))
		all = append(all, one)
	}
	wptest.Must(e.t, rows.Err())
	return all
}

// ask explains an object, and judges whether it is in; its own address has to tell the same.
// It returns nil for what is in.
func (e *everything) ask(object, address string) *explainer.Explained {
	e.t.Helper()
	x, err := e.explain.Explain(e.t.Context(), address, "")
	wptest.Must(e.t, err)
	e.asked++
	e.byRule[x.Rule]++
	if x.Object != object && x.Object != "home" && !x.In {
		e.wrong(x, "is said to be %q, not %s", x.Object, object)
		return nil
	}
	places := 0
	for key := range e.r.places[x.Address] {
		if strings.HasPrefix(key, fileKey(e.t, e.blog.Home())+"/") {
			places++
		}
	}
	if x.In != (places > 0) {
		other, err := e.explain.Explain(e.t.Context(), x.Address, "")
		if err == nil && other.In && other.Object != object { // another one's
			return x
		}
		e.wrong(x, "in is %v, its address is recorded in %d sitemaps", x.In, places)
		return nil
	}
	if x.In {
		whole, err := e.explain.Explain(e.t.Context(), x.Address, "") // of all objects that have the address
		wptest.Must(e.t, err)
		if why := e.r.differs(e.t, whole); why != "" {
			e.wrong(whole, "%s", why)
		}
		for _, p := range x.Places {
			if !slices.ContainsFunc(whole.Places, func(o explain.Place) bool { return o.File == p.File }) {
				e.wrong(x, "is not in %s by its address", p.File)
			}
		}
		return nil
	}
	if x.Rule == "" || x.Because == "" || len(x.Evidence) == 0 || x.Sitemap != "" || x.Page != 0 {
		e.wrong(x, "is out without a reason")
	}
	if x.Address != "" && x.Address != address {
		again, err := e.explain.Explain(e.t.Context(), x.Address, "")
		switch {
		case err != nil:
			e.t.Fatal(err)
		case again.Home != x.Home, again.In,
			slices.ContainsFunc(again.Notes, func(n string) bool { return strings.HasPrefix(n, "The same address leads to") }):
		case again.Object != x.Object || again.Rule != x.Rule:
			e.wrong(again, "by its own address it is another")
		}
	}
	return x
}

func (e *everything) wrong(x *explainer.Explained, format string, args ...any) {
	e.t.Helper()
	if e.failed++; e.failed < wrong {
		e.t.Errorf("%s: %s\n%s", x.URL, fmt.Sprintf(format, args...), text(x))
	}
}

// posts asks for all posts. What is planted in their rows has to be the reason.
func (e *everything) posts() {
	type row struct {
		id, parent                                       int64
		kind, status, date                               string
		password, name                                   bool
		noindex, canonical, parentStatus, parentPassword sql.NullString
	}
	posts, meta := e.blog.Table("posts"), e.blog.Table("postmeta")
	value := func(key string) string {
		return fmt.Sprintf("(SELECT m.meta_value FROM %s m WHERE m.post_id = p.ID AND m.meta_key = '%s' ORDER BY m.meta_id LIMIT 1)", meta, key)
	}
	all := rowsOf(e, fmt.Sprintf(`SELECT p.ID, p.post_parent, p.post_type, p.post_status, p.post_date, p.post_password <> '', p.post_name <> '',
%s, %s, up.post_status, up.post_password
		FROM %s p LEFT JOIN %s up ON up.ID = p.post_parent
WHERE p.post_type NOT IN ('revision', 'nav_menu_item', 'customize_changeset') AND p.post_status <> 'auto-draft' ORDER BY p.ID`,
		value("_yoast_wpseo_meta-robots-noindex"), value("_yoast_wpseo_canonical"), posts, posts), func(r *row) []any {
		return []any{
			&r.id, &r.parent, &r.kind, &r.status, &r.date, &r.password, &r.name, &r.noindex, &r.canonical, &r.parentStatus, &r.parentPassword,
		}
	})
	set := e.blog.Settings()
	for _, p := range all {
		x := e.ask(fmt.Sprintf("%s %d", p.kind, p.id), fmt.Sprintf("%s/?p=%d", e.blog.Home(), p.id))
		if x == nil {
			continue
		}
		recorded := e.recorded(p.kind)
		front := set.ShowOnFront == "page" && (p.id == set.PageOnFront || p.id == set.PageForPosts)
		var want []string
		switch {
		case !yoast.OptionsOf(e.blog).Active || !yoast.OptionsOf(e.blog).Sitemaps:
			want = []string{"no sitemaps"}
		case strings.HasPrefix(x.Rule, "type "):
			if recorded {
				e.wrong(x, "its type has a sitemap")
			}
			if want := typeRules("post type", e.r.postTypes, p.kind); want != nil && !slices.Contains(want, x.Rule) {
				e.wrong(x, "rule is %q; by its registration it is %q", x.Rule, want)
			}
			continue
		case e.language && (x.Rule == "no language" || x.Rule == "other language" || x.Rule == "external link"):
			continue // see translation_groups
		case p.kind == "attachment":
			want = []string{"parent hidden", "noindex"}
		case p.status != "publish" && p.status != "inherit" || p.status == "inherit":
			want = []string{"not published"}
		case strings.HasPrefix(p.date, "0000"):
			want = []string{"zero date"}
		case p.password:
			want = []string{"password protected"}
		case front && p.id == set.PageForPosts:
			want = []string{"noindex", "canonical elsewhere", "archive noindex", "empty sitemap"}
		case p.id == set.PageForPosts, p.id == set.PageOnFront:
			want = []string{"front page", "noindex", "canonical elsewhere"}
		case p.noindex.String == "1":
			want = []string{"noindex"}
		case p.canonical.String != "" && p.canonical.String != x.Address:
			want = []string{"canonical elsewhere"}
		}
		if !slices.Contains(want, x.Rule) {
			e.wrong(x, "rule is %q, the row says %q", x.Rule, want)
		}
		for rule, planted := range map[string]string{
			"not published":       fmt.Sprintf("%q", p.status),
			"noindex":             fmt.Sprintf("%q", p.noindex.String),
			"canonical elsewhere": fmt.Sprintf("%q", p.canonical.String),
		} {
			if x.Rule == rule && !slices.ContainsFunc(x.Evidence, func(v seo.Evidence) bool { return v.Value == planted }) {
				e.wrong(x, "the evidence is not %s", planted)
			}
		}
	}
}

// recorded reports whether a type or taxonomy has a recorded sitemap on the site.
func (e *everything) recorded(name string) bool {
	for key := range e.r.named {
		if rest, ok := strings.CutPrefix(key, fileKey(e.t, e.blog.Home())+"/"); ok &&
			strings.HasPrefix(strings.TrimPrefix(rest, "index.php/"), name+"-sitemap") {
			return true
		}
	}
	return false
}

// terms asks for all terms of registered taxonomies.
func (e *everything) terms() {
	type row struct {
		id, count      int64
		slug, taxonomy string
	}
	all := rowsOf(e, fmt.Sprintf(`SELECT t.term_id, tt.count, t.slug, tt.taxonomy FROM %s t JOIN %s tt ON tt.term_id = t.term_id
ORDER BY t.term_id`, e.blog.Table("terms"), e.blog.Table("term_taxonomy")), func(r *row) []any { return []any{&r.id, &r.count, &r.slug, &r.taxonomy} })
	y := yoast.OptionsOf(e.blog)
	for _, r := range all {
		if e.blog.Registry().Taxonomy(r.taxonomy) == nil {
			continue
		}
		x := e.ask(fmt.Sprintf("%s %d", r.taxonomy, r.id), fmt.Sprintf("%s/?taxonomy=%s&term=%s", e.blog.Home(), r.taxonomy, url.QueryEscape(slug(r.slug))))
		if x == nil {
			continue
		}
		var ok bool
		switch x.Rule {
		case "no sitemaps":
			ok = !y.Active || !y.Sitemaps
		case "empty term":
			ok = r.count == 0
		case "noindex":
			ok = y.TermNoindex(r.taxonomy, r.id)
		case "canonical elsewhere":
			c := y.TermCanonical(r.taxonomy, r.id)
			ok = c != "" && c != x.Address
		case "no language", "other language":
			ok = e.language
		default:
			want := typeRules("taxonomy", e.r.taxonomies, r.taxonomy)
			ok = strings.HasPrefix(x.Rule, "type ") && !e.recorded(r.taxonomy) && (want == nil || slices.Contains(want, x.Rule))
		}
		if !ok {
			e.wrong(x, "rule is %q; count %d, noindex %v", x.Rule, r.count, y.TermNoindex(r.taxonomy, r.id))
		}
	}
}

// slug is a stored slug as a browser would send it.
func slug(stored string) string {
	if plain, err := url.PathUnescape(stored); err == nil {
		return plain
	}
	return stored
}

// users asks for all users.
func (e *everything) users() {
	type row struct {
		id      int64
		noindex bool
		posts   int
	}
	all := rowsOf(e, fmt.Sprintf(`SELECT u.ID, EXISTS (SELECT 1 FROM %s m WHERE m.user_id = u.ID AND m.meta_key = 'wpseo_noindex_author' AND m.meta_value = 'on'),
		(SELECT COUNT(*) FROM %s p WHERE p.post_author = u.ID AND p.post_type = 'post' AND p.post_status = 'publish') FROM %s u ORDER BY u.ID`,
		e.blog.Table("usermeta"), e.blog.Table("posts"), e.blog.Table("users")), func(r *row) []any { return []any{&r.id, &r.noindex, &r.posts} })
	y := yoast.OptionsOf(e.blog)
	_, off := y.AuthorsDisabled()
	for _, r := range all {
		x := e.ask(fmt.Sprintf("author %d", r.id), fmt.Sprintf("%s/?author=%d", e.blog.Home(), r.id))
		if x == nil {
			continue
		}
		want := ""
		switch {
		case !y.Active || !y.Sitemaps:
			want = "no sitemaps"
		case off:
			want = "author archives off"
		case y.AuthorsNeedPosts() && r.posts == 0, x.Rule == "no published posts" && !y.AuthorsNeedPosts():
			want = "no published posts"
		case x.Rule == "not a member":
			want = x.Rule
		case r.noindex:
			want = "noindex"
		}
		if x.Rule != want {
			e.wrong(x, "rule is %q, the rows say %q", x.Rule, want)
		}
	}
}
