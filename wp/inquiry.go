package wp

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// An inquiry asks the site itself whether the computed addresses of a type are right. Plugins and themes change addresses by filters, of
// which only Yoast SEO stores the result, and only when an object is saved. Of the first, the middle and the last object of each type the
// page of one is asked for, those of the others where that is not at its address, and home, which shows that the site answers at all. Where
// all three are elsewhere, the computed addresses are wrong, and the sitemap of the type is left to PHP. An error, a login or a redirect of
// all to one place proves nothing, nor do missing pages where no object of any type is found: such a site has no permalinks at all. Answers
// are remembered until plugins, the theme or permalinks change, and renewed at full scans. Inquiries take place between readings, never
// during one.

const (
	sqlPostsSince = `SELECT ID, post_date FROM wp_posts WHERE post_type = ? AND post_status = 'publish' AND post_date >= ?
ORDER BY post_date LIMIT 2`
	sqlLastPost   = `SELECT ID, post_date FROM wp_posts WHERE post_type = ? AND post_status = 'publish' ORDER BY post_date DESC LIMIT 1`
	sqlTermsSince = `SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0 AND term_taxonomy_id >= ?
ORDER BY term_taxonomy_id LIMIT 2`
	sqlLastTerm = `SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE taxonomy = ? AND count > 0
ORDER BY term_taxonomy_id DESC LIMIT 1`

	mostInquired = 30  // types of a blog
	mostSampled  = 3   // objects of a type
	mostShown    = 300 // bytes of an address that the site has answered with
)

// Response is what the site answers for an address.
type Response struct {
	Status int
	// Elsewhere is where it leads, or what the page names as canonical; "" for neither.
	Elsewhere string
}

// leads reports whether an answer leads elsewhere than to the address that was asked for. It returns both addresses, nil where one of them
// cannot be read.
func (r Response) leads(address string) (asked, to *url.URL, leads bool) {
	asked, err := url.Parse(address)
	to, bad := url.Parse(r.Elsewhere)
	if err != nil || bad != nil {
		return nil, nil, false
	}
	return asked, to, r.Elsewhere != "" && barePlace(to, asked) != barePlace(asked, asked)
}

// question is whether the addresses of a type are right.
type question struct {
	of   *registry.Type
	key  typeKey
	rows int
	hash string // of what the answer depends on
}

// Answers are what the site has said of its types.
type Answers map[typeKey]answer

// Into returns what Blog.Routed returned, with the answers.
func (a Answers) Into(before string) string {
	known := routed{}
	if json.Unmarshal([]byte(before), &known) != nil {
		return before
	}
	if known.Answers == nil {
		known.Answers = Answers{}
	}
	maps.Copy(known.Answers, a)
	text, _ := json.Marshal(known) // of plain values
	return string(text)
}

// readQuestions finds the types whose addresses no table has otherwise than computed, and leaves to PHP those of which the site has said that
// they are elsewhere.
func (s *Blog) readQuestions(e *registry.Evidence) {
	known := map[typeKey]bool{}
	if s.network.source.Ask != nil && len(e.RewriteRules) > 0 {
		with := md5.Sum(fmt.Append(nil, slices.Sorted(maps.Keys(s.set.ActivePlugins)), e.Template, e.Stylesheet, e.PermalinkStructure, e.RewriteRules))
		for _, t := range s.registry.Types() {
			seen := t.Viewable && t.Name != "attachment"
			if t.Taxonomy {
				seen = !t.Unqueryable
			}
			if !seen || !t.Public || t.URL != "" || s.Excludes(t) {
				continue
			}
			a, q := s.Addressing(t), s.typeOf(t, e)
			known[q.key] = true
			if a.Differ > 0 && !a.Stale || a.Stored || q.rows == 0 || len(s.questions) == mostInquired {
				continue
			}
			q.hash = fmt.Sprintf("%x", md5.Sum(fmt.Append(with[:], t.Slug, t.WithFront, t.QueryVar)))
			s.questions = append(s.questions, q)
		}
	}
	maps.DeleteFunc(s.answers, func(key typeKey, _ answer) bool { return !known[typeKey(strings.TrimPrefix(string(key), settledKey))] })
	for _, q := range s.questions {
		said := s.answers[q.key]
		if s.addressing == nil {
			s.addressing = map[typeKey]Addressing{}
		}
		a := s.addressing[q.key]
		a.Asked, a.Wrong = max(a.Asked, said.Asked), said.Wrong
		s.addressing[q.key] = a
		if a.Wrong != "" {
			s.leave(q, a.Wrong)
		}
	}
}

// typeOf is a type and the number of its posts, or of its terms in use; posts and pages are not counted.
func (s *Blog) typeOf(t *registry.Type, e *registry.Evidence) question {
	q, rows := question{of: t, key: keyOfType(t)}, e.PostTypes
	if t.Taxonomy {
		rows = e.Taxonomies
	} else if t.Name == "post" || t.Name == "page" {
		q.rows = 1
	}
	for _, r := range rows {
		if r.Name == t.Name {
			q.rows = r.Used
		}
	}
	return q
}

// leave leaves the sitemap of a type to the site.
func (s *Blog) leave(q question, why string) {
	q.of.Public, q.of.Undecided = false, true
	s.registry.Unknown = append(s.registry.Unknown, registry.Unknown{
		Kind: q.of.Kind(), Name: q.of.Name, Rows: q.rows, Elsewhere: true, ByPHP: s.filtered(q.key),
		Why: fmt.Sprintf("%s `%s` has other URLs than those computed, so that its sitemap is left to the site: %s", q.of.Kind(), q.of.Name, why),
	})
}

// inquireEvery is less than the time between full scans: each of them asks anew, and other readings of settings do not.
const inquireEvery = 9 * time.Minute

// Inquires reports whether there is something to ask the site for.
func (s *Blog) Inquires(now time.Time) bool {
	return slices.ContainsFunc(s.questions, func(q question) bool { return s.open(q, now) })
}

func (s *Blog) open(q question, now time.Time) bool { return s.answers[q.key].open(q.hash, now) }

// open reports whether something is to be asked that was answered before.
func (a answer) open(question string, now time.Time) bool {
	return a.Question != question || now.Sub(time.Unix(a.At, 0)) >= inquireEvery
}

// Inquire asks the site for the pages of objects, one after the other with a pause between. It reports whether what it said changes
// which types are left to it.
func (s *Blog) Inquire(ctx context.Context, now time.Time, pause time.Duration) (said Answers, changed bool, err error) {
	said = Answers{}
	v := visitor{blog: s, pause: pause}
	missing, there := map[typeKey]bool{}, false // types whose pages are all missing; an object of some type is at its address
	for _, q := range s.questions {
		before := s.answers[q.key]
		if !s.open(q, now) {
			there = there || before.Asked > 0 && before.Wrong == ""
			continue
		}
		objects, err := s.sampleOf(ctx, q)
		if err != nil && !db.Unreadable(err) {
			return said, changed, err
		}
		asked, wrong, gone, settled := v.elsewhere(ctx, objects)
		if ctx.Err() != nil {
			return said, changed, ctx.Err()
		}
		there = there || settled && wrong == ""
		missing[q.key] = gone
		if !settled {
			wrong = before.Wrong
		}
		said[q.key] = answer{Question: q.hash, Asked: asked, Wrong: wrong, At: now.Unix()}
	}
	for key, a := range said {
		before := s.answers[key]
		if missing[key] && !there {
			a.Wrong = before.Wrong
			said[key] = a
		}
		changed = changed || (a.Wrong == "") != (before.Wrong == "")
	}
	return said, changed, nil
}

// sampleOf reads the first, the middle and the last object of a type: of posts by date, of terms by term_taxonomy_id. Where the middle
// one is the first or the last itself, the second takes its place.
func (s *Blog) sampleOf(ctx context.Context, q question) ([]object, error) {
	last, since, begin, middle := sqlLastPost, sqlPostsSince, "0001-01-01 00:00:00", middleDate
	if q.of.Taxonomy {
		last, since, begin, middle = sqlLastTerm, sqlTermsSince, "0", middleNumber
	}
	var ids []int64
	var places []string
	read := func(query string, args ...any) error {
		err := s.Query(ctx, query, append([]any{q.of.Name}, args...), db.Rows2(func(id int64, place string) {
			ids, places = append(ids, id), append(places, place)
		}))
		return s.wrap("choosing objects of "+q.of.Name, err)
	}
	err := read(last)
	if err == nil {
		err = read(since, begin)
	}
	if err == nil && len(ids) == mostSampled { // the last, the first and the second
		err = read(since, middle(places[1], places[0]))
		for _, id := range append(ids[mostSampled:], ids[2]) {
			if !slices.Contains(ids[:2], id) {
				ids = append(ids[:2], id)
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return s.objects(ctx, q.of, distinct(ids))
}

func middleDate(first, last string) string {
	return time.Unix((ParseDate(first)+ParseDate(last))/2, 0).UTC().Format(time.DateTime)
}

func middleNumber(first, last string) string {
	return strconv.FormatInt((php.NewString(first).Int()+php.NewString(last).Int())/2, 10)
}

// visitor asks the site for pages.
type visitor struct {
	blog  *Blog
	pause time.Duration
	last  time.Time
	home  *bool // the site has a home page
}

// ask asks for a page, where the one before was long enough ago.
func (v *visitor) ask(ctx context.Context, address string) (Response, error) {
	if !v.last.IsZero() {
		timer := time.NewTimer(v.pause - time.Since(v.last))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return Response{}, ctx.Err()
		}
	}
	v.last = time.Now()
	return v.blog.network.source.Ask(ctx, address)
}

// elsewhere asks for objects until one is at its address. It returns the number of pages asked for, and what shows that the addresses
// of all are wrong, "" where they are not; gone reports whether all pages are missing. settled is false where the answers prove
// neither.
func (v *visitor) elsewhere(ctx context.Context, objects []object) (asked int, wrong string, gone, settled bool) {
	targets := map[string]bool{}
	for _, o := range objects {
		if o.link == "" || o.link == v.blog.home+"/" { // which shows nothing of the others of its type
			continue
		}
		page, err := v.ask(ctx, o.link)
		asked++
		to, there := v.target(o, page, len(objects))
		switch {
		case err != nil:
			return asked, "", false, false
		case there:
			return asked, "", false, true
		case to == "", targets[to] && to != gonePage:
			return asked, "", false, false
		}
		if targets[to] = true; wrong == "" {
			wrong = describe(o.link, page)
		}
	}
	return asked, wrong, targets[gonePage] && len(targets) == 1, wrong != "" && v.answers(ctx)
}

// gonePage is the target of a page that is not there.
const gonePage = "404"

// target is where else an object is by the answer for its address, "" where that shows nothing; there: it is at its address. of is how
// many objects are asked for: of few a canonical may be somebody's setting, and a redirect counts where it names the object.
func (v *visitor) target(o object, page Response, of int) (to string, there bool) {
	asked, other, leads := page.leads(o.link)
	if asked == nil {
		return "", false
	}
	path, own := v.blog.below(other)
	own = own && bareHost(other) == bareHost(asked)
	switch page.Status {
	case 404, 410:
		return gonePage, false
	case 200:
		if !leads {
			return "", true
		}
		if own && of == mostSampled {
			return path, false
		}
	case 301, 308:
		named := slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
			return strings.EqualFold(segment, php.RawURLDecode(o.slug)) || segment == strconv.FormatInt(o.id, 10)
		})
		if leads && own && (of == mostSampled || named) {
			return path, false
		}
	}
	return "", false
}

// bareHost is the host of an address, with or without www.
func bareHost(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }

// barePlace is an address without what a server adds for itself: its scheme, www, and a query where none was asked for.
func barePlace(u, asked *url.URL) string {
	place := bareHost(u) + php.RawURLDecode(u.Path)
	if asked.RawQuery != "" {
		place += "?" + u.RawQuery
	}
	return place
}

// describe says what the site answers.
func describe(address string, page Response) string {
	elsewhere := page.Elsewhere[:min(len(page.Elsewhere), mostShown)]
	switch page.Status {
	case 200:
		return fmt.Sprintf("%s names %s as canonical", address, elsewhere)
	case 301, 308:
		return fmt.Sprintf("%s leads to %s", address, elsewhere)
	}
	return fmt.Sprintf("%s answers %d", address, page.Status)
}

// answers reports whether the site has a page at home: else it is closed, or not what is behind the upstream.
func (v *visitor) answers(ctx context.Context) bool {
	if v.home == nil {
		address := v.blog.home + "/"
		page, err := v.ask(ctx, address)
		asked, _, leads := page.leads(address)
		home := asked != nil && page.Elsewhere != "" && !leads
		there := err == nil && (page.Status == 200 || page.Status/100 == 3 && home)
		v.home = &there
	}
	return *v.home
}
