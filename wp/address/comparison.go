package address

import (
	"context"
	"fmt"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
)

const (
	sqlStoredArchives = `SELECT 0, object_sub_type, SUBSTR(permalink, 1, 2048), permalink_hash, version, object_last_modified, updated_at,
blog_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type IN (?)`
	// The next two statements read the objects that were stored first and last.
	sqlFirstStored = `SELECT object_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type = ? ORDER BY id LIMIT 20`
	sqlLastStored  = `SELECT object_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type = ? ORDER BY id DESC LIMIT 20`

	mostCompared = 60 // most types whose rows are compared
)

// readAddressing compares computed and stored addresses of some objects of each type. Then it decides for all types
// where their addresses come from.
func (b *Book) readAddressing(ctx context.Context, e *registry.Evidence) error {
	b.inquiry = b.newInquiry(e)
	x := &comparison{book: b, rules: routes.NewMatcher(e.RewriteRules), tallies: map[typeKey]*tally{}}
	if b.Blog.Settings().ActivePlugins[wp.PluginYoast] && e.Yoast.HasIndexables && !e.Yoast.RowsOfAll && !e.Yoast.Stale {
		if err := x.compareAll(ctx, e); err != nil && !db.Unreadable(err) {
			return err
		}
	}
	if x.foreign > 0 {
		b.Blog.Notice(fmt.Sprintf("%d rows of table %syoast_indexable name no address of this site, and are ignored",
			x.foreign, b.Blog.TablePrefix()))
	}
	b.decideAddresses(e, x.tallies) // must be last: the comparison needs the computed addresses
	return nil
}

// comparison compares computed addresses with stored ones.
type comparison struct {
	book    *Book
	rules   *routes.Matcher
	tallies map[typeKey]*tally
	foreign int // number of rows that hold no address of the site
}

// tally counts the compared rows of a type. The fields agree, detail and form mean the same as in clues.
type tally struct {
	agree, detail, form int
	answered            int    // the rows counted in form whose address leads to the object by a rewrite rule
	pairs               []pair // the addresses of the first rows counted in form
}

func (x *comparison) compareAll(ctx context.Context, e *registry.Evidence) error {
	err := x.compareSample(ctx, e, nil)
	for _, t := range x.book.Blog.Registry().Taxonomies {
		if err == nil {
			err = x.compareSample(ctx, e, t)
		}
	}
	if err != nil {
		return err
	}
	return x.compareArchives(ctx, e)
}

// compareSample compares some posts of all public types if t is nil. If t is a public taxonomy, it compares some terms
// of t.
func (x *comparison) compareSample(ctx context.Context, e *registry.Evidence, t *registry.Taxonomy) error {
	objectType, accept := wp.IndexedPost, func(name string) bool {
		t := x.book.Blog.Registry().PostType(name)
		// Yoast SEO stores the address of an attachment's file, not of its page
		return name != "attachment" && t != nil && t.Public && t.Viewable && t.URL == ""
	}
	if t != nil {
		objectType, accept = wp.IndexedTerm, func(name string) bool { return t.Public && t.URL == "" && name == t.Name }
	}
	ids, err := x.sample(ctx, e, objectType, accept)
	if err != nil || len(ids) == 0 {
		return err
	}
	objects, err := x.book.objects(ctx, t, ids)
	if err != nil {
		return err
	}
	rows, err := x.book.storedRows(ctx, objectType, ids)
	for _, o := range objects {
		switch w := rows[o.id]; {
		case w.foreign, x.book.mayHold(w, o) && !x.book.concerns(w, o.link):
			x.foreign++
		case x.book.mayHold(w, o):
			x.compare(w.address, o)
		}
	}
	return err
}

// sample returns the ids of some objects of the types that accept lets pass.
func (x *comparison) sample(ctx context.Context, e *registry.Evidence, objectType string, accept func(name string) bool) ([]int64, error) {
	var ids []int64
	n := 0
	for _, ix := range e.Yoast.Indexables {
		if ix.ObjectType != objectType || !accept(ix.SubType) || n == mostCompared {
			continue
		}
		n++
		for _, query := range []string{sqlFirstStored, sqlLastStored} {
			some, err := x.book.Blog.IDs(ctx, "reading stored addresses of "+ix.SubType, query, objectType, ix.SubType)
			if err != nil {
				return nil, err
			}
			ids = append(ids, some...)
		}
	}
	return wp.Distinct(ids), nil
}

// compare adds one object with its stored address to the tally of its type.
func (x *comparison) compare(stored string, o object) {
	t := x.tallies[o.key]
	if t == nil {
		t = &tally{}
		x.tallies[o.key] = t
	}
	if sameAddress(stored, o.link) {
		t.agree++
		return
	}
	match := x.rules.MatchNoPage
	if o.key == keyOf(wp.IndexedPost, "page") {
		match = x.rules.Match
	}
	there, found := match(x.book.path(stored))
	here, known := match(x.book.path(o.link))
	if found && known && there.Rule == here.Rule && !strings.Contains(stored, "?") {
		t.detail++
		return
	}
	if t.form++; found && o.answeredBy(there) {
		t.answered++
	}
	if len(t.pairs) < mostPairs {
		t.pairs = append(t.pairs, pair{o.link, stored})
	}
}

// answeredBy reports whether the match of a rewrite rule names the object.
func (o *object) answeredBy(m routes.Match) bool {
	names := []string{o.name, o.queryVar}
	switch {
	case o.key == keyOf(wp.IndexedPost, "page"):
		names = []string{"pagename", "page_id"}
	case o.key == keyOf(wp.IndexedPost, "post") && m.Vars["post_type"] == "":
		names = []string{"name", "p"}
	}
	return m.AsksForObject(names, php.RawURLDecode(o.slug), o.id)
}

// compareArchives finds the post type archives whose stored address is right. The stored address is right if the site
// said so, or if it matches a rewrite rule of the archive and the computed address matches none. Without rewrite rules,
// the decision of the last reading stays.
func (x *comparison) compareArchives(ctx context.Context, e *registry.Evidence) error {
	var names []string
	for _, ix := range e.Yoast.Indexables {
		if t := x.book.Blog.Registry().PostType(ix.SubType); ix.ObjectType == wp.IndexedArchives && t != nil && t.Public && t.HasArchive && !t.BuiltIn {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	archives, rows := map[string]string{}, map[string]storedRow{}
	read := x.book.scanStored(func(_ int64, w storedRow) { rows[w.name] = w })
	err := x.book.Blog.Query(ctx, sqlStoredArchives, []any{wp.IndexedArchives, names}, read)
	if err != nil {
		return x.book.Blog.Wrap("reading stored addresses of archives", err)
	}
	for name, w := range rows {
		t := x.book.Blog.Registry().PostType(name)
		link, err := x.book.ArchiveLink(ctx, t)
		if err != nil {
			return err
		}
		if !x.book.concerns(w, link) {
			x.foreign++
			continue
		}
		if sameAddress(w.address, link) {
			continue
		}
		ruled := func(address string) bool {
			m, ok := x.rules.MatchNoPage(x.book.path(address))
			return ok && m.AsksForArchive([]string{name, t.QueryVar})
		}
		decided := x.book.decided(string(keyOf(wp.IndexedArchives, name)), pair{link, w.address})
		byRules := decided != rightComputed && ruled(w.address) && !ruled(link)
		asBefore := len(e.RewriteRules) == 0 && x.book.before.Archives[name] == w.address
		if decided == rightStored || byRules || asBefore {
			archives[name] = w.address
		}
	}
	x.book.archives = archives
	return nil
}
