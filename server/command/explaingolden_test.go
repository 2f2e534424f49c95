package command

import (
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

	"wpsitemapd/server/admin"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/offline"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// TestExplainGolden explains the URLs of recorded sites. Every listed address must be in the recorded file with the
// recorded date. Every post, term and user of the database must be in if its address was recorded, else out with a
// reason. Thousands of posts that differ only in their number are tried as drawn says. The recordings are not part of
// this repository; make golden-explain runs the test where they are.
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

// recorded is what the sitemaps of a site contain.
type recorded struct {
	places    map[string]map[string]string // address → file, as host and path → lastmod
	asked     map[string]bool              // the addresses to explain
	explained map[string]*admin.Explained  // the answers for these addresses
}

func readRecorded(t *testing.T, g *recording) *recorded {
	t.Helper()
	r := &recorded{places: map[string]map[string]string{}, asked: map[string]bool{}, explained: map[string]*admin.Explained{}}
	site := struct{ Hosts []string }{}
	g.decode(t, "site.json", &site)
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
		for i, u := range doc.URL {
			loc := strings.TrimSpace(u.Loc)
			if drawn(i, len(doc.URL)) {
				r.asked[loc] = true
			}
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

// drawn reports whether the i-th of n addresses or objects is tried: all of few, and of many those at both
// ends and each eleventh, because generated posts differ by periods of ten.
func drawn(i, n int) bool { return n <= 200 || i < 10 || i >= n-10 || i%11 == 0 }

func fileKey(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	wptest.Must(t, err)
	if q := u.Query(); q.Has("sitemap") { // without permalinks; the recording uses the names with permalinks
		return u.Host + u.Path + q.Get("sitemap") + "-sitemap" + q.Get("sitemap_n") + ".xml"
	}
	return u.Host + u.Path
}

func clock(t *testing.T, asOf string) time.Time {
	t.Helper()
	now, err := time.Parse(time.RFC3339, asOf)
	wptest.Must(t, err)
	return now
}

// wrong bounds how many failures of a kind are reported.
const wrong = 15

// explainListed explains the addresses that were recorded.
func explainListed(t *testing.T, g *recording, r *recorded) {
	args := []string{"explain", "--config", g.config, "--as-of", g.AsOf, "--json"}
	for loc := range r.asked {
		args = append(args, loc)
	}
	if len(r.asked) == 0 {
		return
	}
	code, stdout, stderr := runCommand(t, args...)
	expect.Equal(t, code, done, "exit code", stderr)
	answers, failed := 0, 0
	for d := json.NewDecoder(strings.NewReader(stdout)); d.More(); answers++ {
		var x admin.Explained
		wptest.Must(t, d.Decode(&x))
		r.explained[x.URL] = &x
		if why := r.differs(t, &x); why != "" {
			if failed++; failed < wrong {
				t.Errorf("%s: %s\n%s", x.URL, why, text(&x))
			}
		}
	}
	expect.Equal(t, answers, len(r.asked), "answers to", "addresses")
	if failed > 0 {
		t.Errorf("%d of %d wrong", failed, answers)
	}
}

// differs returns how the places in an answer differ from those recorded for its address.
func (r *recorded) differs(t *testing.T, x *admin.Explained) string {
	want := map[string]string{} // only those on this site; another site may list the address too
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
		}
	}
	for key := range want {
		if !slices.Contains(got, key) {
			return "is in " + key + ", too"
		}
	}
	return ""
}

func text(x *admin.Explained) string {
	var b strings.Builder
	printExplanation(&b, x)
	return b.String()
}

// everything explains every object in a database at the plainest address it has.
type everything struct {
	t       *testing.T
	r       *recorded
	explain *offline.Explainer
	db      *sql.DB
	blog    *wp.Blog
	asked   int
	failed  int
	byRule  map[string]int
}

func explainEverything(t *testing.T, g *recording, r *recorded) {
	cfg, blogs := sitetest.OpenBlogs(t, g.config)
	e := offline.New(cfg, clock(t, g.AsOf), quiet(os.Stderr))
	defer e.Close()
	db, _ := wptest.DB(t, cfg.Sites[0].DSN.Reveal())
	all := &everything{t: t, r: r, explain: e, db: db, byRule: map[string]int{}}
	for _, blog := range blogs {
		all.blog = blog.Blog
		all.each(fmt.Sprintf(`SELECT ID, post_type, '' FROM %s WHERE post_type NOT IN ('revision', 'nav_menu_item', 'customize_changeset')
			AND post_status <> 'auto-draft' ORDER BY ID`, blog.Blog.Table("posts")),
			func(id int64, _, _ string) string { return fmt.Sprintf("/?p=%d", id) })
		all.each(fmt.Sprintf(`SELECT t.term_id, tt.taxonomy, t.slug FROM %s t JOIN %s tt ON tt.term_id = t.term_id ORDER BY t.term_id`,
			blog.Blog.Table("terms"), blog.Blog.Table("term_taxonomy")), func(_ int64, taxonomy, slug string) string {
			if blog.Blog.Registry().Taxonomy(taxonomy) == nil {
				return ""
			}
			if plain, err := url.PathUnescape(slug); err == nil {
				slug = plain // as a browser would send it
			}
			return fmt.Sprintf("/?taxonomy=%s&term=%s", taxonomy, url.QueryEscape(slug))
		})
		all.each(fmt.Sprintf(`SELECT ID, 'author', '' FROM %s ORDER BY ID`, blog.Blog.Table("users")),
			func(id int64, _, _ string) string { return fmt.Sprintf("/?author=%d", id) })
	}
	if all.failed > 0 {
		t.Errorf("%d of %d wrong", all.failed, all.asked)
	}
	t.Logf("%d objects: %v", all.asked, all.byRule)
}

// each explains the objects of a query, which returns an id, a type and a slug. address returns the address of such an
// object; "" skips it.
func (e *everything) each(query string, address func(id int64, of, slug string) string) {
	e.t.Helper()
	rows, err := e.db.Query(query)
	wptest.Must(e.t, err)
	defer rows.Close()
	addresses := map[string][][2]string{} // by type, each after the name of its object
	for rows.Next() {
		var id int64
		var of, slug string
		wptest.Must(e.t, rows.Scan(&id, &of, &slug))
		if at := address(id, of, slug); at != "" {
			addresses[of] = append(addresses[of], [2]string{fmt.Sprintf("%s %d", of, id), e.blog.Home() + at})
		}
	}
	wptest.Must(e.t, rows.Err())
	for _, all := range addresses {
		for i, one := range all {
			if drawn(i, len(all)) {
				e.ask(one[0], one[1])
			}
		}
	}
}

// ask explains an object and checks whether it is in or out as recorded. Its own address must give the same answer.
func (e *everything) ask(object, address string) {
	e.t.Helper()
	of := func(address string) *admin.Explained {
		if x := e.r.explained[address]; x != nil {
			return x
		}
		x, err := e.explain.Explain(e.t.Context(), address, "")
		wptest.Must(e.t, err)
		return x
	}
	x := of(address)
	e.asked++
	e.byRule[x.Rule]++
	places := 0
	for key := range e.r.places[x.Address] {
		if strings.HasPrefix(key, fileKey(e.t, e.blog.Home())+"/") {
			places++
		}
	}
	switch {
	case x.Object != object && x.Object != "home" && !x.In:
		e.wrong(x, "is said to be %q, not %s", x.Object, object)
	case x.In && places > 0:
		whole := of(x.Address) // of all objects that have the address
		if why := e.r.differs(e.t, whole); why != "" {
			e.wrong(whole, "%s", why)
		}
		for _, p := range x.Places {
			if !slices.ContainsFunc(whole.Places, func(o explain.Place) bool { return o.File == p.File }) {
				e.wrong(x, "is not in %s by its address", p.File)
			}
		}
	case x.In:
		e.wrong(x, "is in, and its address is not recorded")
	case places > 0:
		if whole := of(x.Address); !whole.In || whole.Object == object { // it is not another one's
			e.wrong(x, "is out, and its address is recorded in %d sitemaps", places)
		}
	case x.Rule == "" || x.Because == "" || len(x.Evidence) == 0 || x.Sitemap != "" || x.Page != 0:
		e.wrong(x, "is out without a reason")
	case x.Address != "" && x.Address != address:
		whole := of(x.Address)
		shared := slices.ContainsFunc(whole.Notes, func(n string) bool { return strings.HasSuffix(n, " has the same URL.") })
		if whole.Home == x.Home && !whole.In && !shared && (whole.Object != x.Object || whole.Rule != x.Rule) {
			e.wrong(whole, "by its own address it is another")
		}
	}
}

func (e *everything) wrong(x *admin.Explained, format string, args ...any) {
	e.t.Helper()
	if e.failed++; e.failed < wrong {
		e.t.Errorf("%s: %s\n%s", x.URL, fmt.Sprintf(format, args...), text(x))
	}
}
