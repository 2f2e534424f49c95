package wp

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
)

// Witnesses are permalinks that PHP itself has stored: Yoast SEO keeps that of every object in yoast_indexable as WordPress returned it,
// filters of plugins included. Addresses are computed from options and rows, and compared with them. A row does not count if it is older
// than its object, was reset, is of another version, or holds no address of this site. Where all rows of a type differ, either a plugin
// filters its addresses, or the table was not rebuilt after permalinks had changed: today's rewrite rules tell which.

const (
	sqlWitnesses = `SELECT object_id, object_sub_type, SUBSTR(permalink, 1, 2048), permalink_hash, version, object_last_modified, updated_at,
blog_id FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	sqlArchiveWitnesses = `SELECT 0, object_sub_type, SUBSTR(permalink, 1, 2048), permalink_hash, version, object_last_modified, updated_at,
blog_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type IN (?)`
	sqlAddressHashes = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	// One range takes less than half the time of a thousand, where few of its rows belong to other objects.
	sqlAddressHashesBetween = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id BETWEEN ? AND ? AND object_type = ?`
	// The objects that were stored first, and those that were stored last.
	sqlFirstWitnessed = `SELECT object_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type = ? ORDER BY id LIMIT 20`
	sqlLastWitnessed  = `SELECT object_id FROM wp_yoast_indexable WHERE object_type = ? AND object_sub_type = ? ORDER BY id DESC LIMIT 20`

	mostBetween     = 3    // rows read for each that is compared
	longestAddress  = 2047 // of sitemaps.org
	neverStored     = "9"  // after every date
	witnessVersion  = 2    // of rows, as Yoast writes them since its version 18
	mostWitnessed   = 60   // types whose rows are compared
	pluginYoast     = "wordpress-seo/wp-seo.php"
	indexedPost     = "post"
	indexedTerm     = "term"
	indexedArchives = "post-type-archive"
)

// Addressing is how the addresses of a type are known. The zero value: they are computed, and nothing was there to compare.
type Addressing struct {
	Compared, Differ int    // rows that were compared, and those with another address
	Stored           bool   // they are as stored, since plugins filter them; that of an object without a row is not known
	Stale            bool   // what is stored is of before the permalinks changed
	Asked            int    // pages that the site was asked for, as nothing else told which addresses are right
	Wrong            string // what shows that the computed ones are wrong, where nothing else is known: an answer, or a stored part
	since            string // rows stored before are stale
}

// typeKey is a type as the table names it: object_type and object_sub_type, with a space between them.
type typeKey string

func keyOf(objectType, name string) typeKey { return typeKey(objectType + " " + name) }

func keyOfType(t *registry.Type) typeKey {
	if t.Taxonomy {
		return keyOf(indexedTerm, t.Name)
	}
	return keyOf(indexedPost, t.Name)
}

func (k typeKey) cut() (objectType, name string) {
	objectType, name, _ = strings.Cut(string(k), " ")
	return objectType, name
}

// witness is a row of the table. The zero value stands for no row.
type witness struct {
	name     string // object_sub_type
	address  string
	modified int64  // of the object, when the row was stored
	stored   string // updated_at
	hostile  bool   // The row names another blog, or no address.
}

// Addressing returns how the addresses of a type are known.
func (s *Blog) Addressing(t *registry.Type) Addressing { return s.addressing[keyOfType(t)] }

// StoredArchive returns the address of a post type's archive where it is as stored and not as computed; else "".
func (s *Blog) StoredArchive(postType string) string { return s.archives[postType] }

// readWitnesses compares the addresses of some objects of each type with those that are stored.
func (s *Blog) readWitnesses(ctx context.Context, e *registry.Evidence) error {
	if !s.set.ActivePlugins[pluginYoast] || !e.HasIndexables || e.RowsOfAll {
		return nil
	}
	found := map[typeKey]Addressing{}
	for _, key := range s.storedBefore {
		t := s.registered(key)
		if objectType, _ := key.cut(); objectType != indexedArchives && (t == nil || t.URL == "") {
			found[key] = Addressing{Stored: true, since: neverStored} // until rows tell otherwise
		}
	}
	x := &examination{Blog: s, rules: routes.NewMatcher(e.RewriteRules), tallies: map[typeKey]*tally{}}
	if !e.IndexableStale && !e.DynamicPermalinks {
		err := x.compareAll(ctx, e, nil)
		for _, t := range s.registry.Taxonomies {
			if err == nil {
				err = x.compareAll(ctx, e, t)
			}
		}
		if err == nil {
			err = x.postArchives(ctx, e)
		}
		if err != nil && !db.Unreadable(err) {
			return err
		}
	}
	answers := maps.Clone(s.answers)
	for key, t := range x.tallies {
		a := t.decide()
		if part := t.inPart(a, s.filtered(key)); part != "" {
			found[key] = Addressing{Compared: a.Compared, Differ: a.Differ, Wrong: "Yoast SEO has stored but a part of them, as " + part}
			continue
		}
		asks := len(e.RewriteRules) > 0 && s.network.source.Ask != nil
		filteredSince := a.Stored && a.since != ""
		switch {
		case asks && filteredSince:
			s.settle(ctx, &a, key, t.agreed, answers)
		case asks && a.Stale && a.Differ == a.Compared:
			s.settle(ctx, &a, key, t.doubts, answers)
		}
		if filteredSince && a.Asked == 0 && a.Differ == 1 { // which may be an exception
			a.Stored, a.Stale = false, true
		}
		if a.Stale && a.Asked == 0 && len(e.RewriteRules) == 0 && slices.Contains(s.storedBefore, key) { // there are no rules now to tell
			a = Addressing{Compared: a.Compared, Differ: a.Differ, Stored: true}
		}
		if a.Stale && a.Asked == 0 && a.Differ == a.Compared && s.filtered(key) {
			a.Stored, a.Stale = true, false
		}
		found[key] = a
	}
	if x.hostile > 0 {
		s.warn(fmt.Sprintf("%d rows of table %syoast_indexable name no address of this site, and count for nothing", x.hostile, s.prefix))
	}
	s.addressing = found // not before: what is compared is computed
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if why := found[key].Wrong; why != "" {
			s.leave(s.typeOf(s.registered(key), e), why)
		}
	}
	return nil
}

// filtered reports whether a known plugin changes the addresses of a type by a filter.
func (s *Blog) filtered(key typeKey) bool {
	t := s.registered(key)
	return t != nil && t.Filtered
}

// registered is the post type or the taxonomy of a key, nil where there is none.
func (s *Blog) registered(key typeKey) *registry.Type {
	switch objectType, name := key.cut(); objectType {
	case indexedPost:
		return s.registry.PostType(name)
	case indexedTerm:
		return s.registry.Taxonomy(name)
	}
	return nil
}

// storedTypes are the types whose addresses are as stored.
func (s *Blog) storedTypes() []typeKey {
	var keys []typeKey
	for key, a := range s.addressing {
		if a.Stored {
			keys = append(keys, key)
		}
	}
	for name := range s.archives {
		keys = append(keys, keyOf(indexedArchives, name))
	}
	slices.Sort(keys)
	return keys
}

// hashAddressing adds to a fingerprint what addresses depend on.
func (s *Blog) hashAddressing(w io.Writer) {
	for _, key := range slices.Sorted(maps.Keys(s.addressing)) {
		if a := s.addressing[key]; a.Stored || a.Stale {
			fmt.Fprintln(w, key, a.Stored, a.since)
		}
	}
	fmt.Fprintln(w, s.archives)
}

// examination compares what is computed with what is stored.
type examination struct {
	*Blog
	rules   *routes.Matcher
	tallies map[typeKey]*tally
	hostile int // rows that name no address of the site
}

// compareAll compares a sample of the posts of all public types; with a taxonomy, a sample of its terms if it is public.
func (x *examination) compareAll(ctx context.Context, e *registry.Evidence, t *registry.Taxonomy) error {
	objectType, accept := indexedPost, func(name string) bool {
		t := x.registry.PostType(name)
		return name != "attachment" && t != nil && t.Public && t.Viewable && t.URL == "" // the page of an attachment has no row, its file has
	}
	if t != nil {
		objectType, accept = indexedTerm, func(name string) bool { return t.Public && t.URL == "" && name == t.Name }
	}
	ids, err := x.sample(ctx, e, objectType, accept)
	if err != nil || len(ids) == 0 {
		return err
	}
	objects, err := x.objects(ctx, t, ids)
	if err != nil {
		return err
	}
	rows, err := x.witnesses(ctx, objectType, ids)
	for _, o := range objects {
		switch w := rows[o.id]; {
		case w.hostile, x.attests(w, o) && !x.concerns(w, o.link):
			x.hostile++
		case x.attests(w, o):
			x.compare(w, o)
		}
	}
	return err
}

// object is a post or a term with its address as it is computed.
type object struct {
	key        typeKey
	name       string // of its type
	queryVar   string // of its type
	id         int64
	slug, link string
	modified   int64 // rows of before are no witnesses
	translated bool  // its address shows its language
	// past reports whether a stored address may be of before a change of other objects on which the computed one depends, as Yoast does not
	// always follow those; nil: it depends on none.
	past func(stored, computed string) bool
}

// objects reads published posts, or with a taxonomy terms of it, by id.
func (s *Blog) objects(ctx context.Context, t *registry.Type, ids []int64) ([]object, error) {
	if t == nil || !t.Taxonomy {
		posts, err := s.Posts(ctx, ids, nil)
		return s.postObjects(posts), err
	}
	terms, err := s.TermsByID(ctx, t, ids)
	return s.termObjects(t, terms), err
}

// postObjects returns the published ones of some posts as objects.
func (s *Blog) postObjects(posts []*Post) []object {
	all := make([]object, 0, len(posts))
	b := s.links()
	for _, p := range posts {
		t := s.registry.PostType(p.Type)
		if t == nil || p.Status != "publish" {
			continue
		}
		o := object{
			key: keyOf(indexedPost, p.Type), name: p.Type, queryVar: t.QueryVar, id: p.ID, slug: p.Name, link: p.Link, modified: p.ModifiedGMT,
			translated: p.Type == "page" || s.TranslatesPostType(p.Type),
		}
		_, category, brand := s.productTokens(t)
		switch {
		case category, brand, p.Type == "post" && b.Needs("category"):
			o.past = sameEnd
		case t.Hierarchical, p.Type == "post" && b.Needs("author"):
			o.past = sameForm
		}
		all = append(all, o)
	}
	return all
}

// termObjects returns terms of a taxonomy as objects.
func (s *Blog) termObjects(t *registry.Taxonomy, terms []*Term) []object {
	all := make([]object, len(terms))
	for i, term := range terms {
		all[i] = object{
			key: keyOf(indexedTerm, t.Name), name: t.Name, queryVar: t.QueryVar, id: term.ID, slug: term.Slug, link: term.Link, modified: NoTime,
			translated: s.TranslatesTaxonomy(t.Name),
		}
		if t.RewriteHierarchical {
			all[i].past = sameForm
		}
	}
	return all
}

// postArchives takes the stored addresses of archives that today's rewrite rules answer.
func (x *examination) postArchives(ctx context.Context, e *registry.Evidence) error {
	var names []string
	for _, ix := range e.Indexables {
		if t := x.registry.PostType(ix.SubType); ix.ObjectType == indexedArchives && t != nil && t.Public && t.HasArchive && !t.BuiltIn {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	x.archives = map[string]string{}
	rows := map[string]witness{}
	err := x.Query(ctx, sqlArchiveWitnesses, []any{indexedArchives, names}, x.scanWitnesses(func(_ int64, w witness) { rows[w.name] = w }))
	if err != nil {
		return x.wrap("reading stored addresses of archives", err)
	}
	for name, w := range rows {
		t := x.registry.PostType(name)
		link, err := x.ArchiveLink(ctx, t)
		if err != nil {
			return err
		}
		if !x.concerns(w, link) {
			x.hostile++
			continue
		}
		if sameAddress(w.address, link) {
			continue
		}
		m, ok := x.rules.Match(x.path(w.address), false)
		if len(e.RewriteRules) == 0 && slices.Contains(x.storedBefore, keyOf(indexedArchives, name)) || ok && m.Names([]string{name, t.QueryVar}, "", 0) {
			x.archives[name] = w.address
		}
	}
	return nil
}

// sample returns ids of objects of the types that are accepted.
func (x *examination) sample(ctx context.Context, e *registry.Evidence, objectType string, accept func(name string) bool) ([]int64, error) {
	var ids []int64
	n := 0
	for _, ix := range e.Indexables {
		if ix.ObjectType != objectType || !accept(ix.SubType) || n == mostWitnessed {
			continue
		}
		n++
		for _, query := range []string{sqlFirstWitnessed, sqlLastWitnessed} {
			some, err := x.ids(ctx, "reading stored addresses of "+ix.SubType, query, objectType, ix.SubType)
			if err != nil {
				return nil, err
			}
			ids = append(ids, some...)
		}
	}
	return distinct(ids), nil
}

// witnesses reads the rows of objects that are witnesses, the one stored last of each.
func (s *Blog) witnesses(ctx context.Context, objectType string, ids []int64) (map[int64]witness, error) {
	rows := make(map[int64]witness, len(ids))
	err := s.byID(ctx, "reading stored addresses", sqlWitnesses, ids, s.scanWitnesses(func(id int64, w witness) {
		if w.stored >= rows[id].stored {
			rows[id] = w
		}
	}), objectType)
	if objectType == indexedPost && s.set.ShowOnFront == "page" {
		delete(rows, s.set.PageOnFront) // its address is home; the row may be of before
	}
	return rows, err
}

// scanWitnesses calls fn for rows that are current and whose address may be one.
func (s *Blog) scanWitnesses(fn func(id int64, w witness)) func(*sql.Rows) error {
	var w witness
	var id, version, blog int64
	var hash, modified string
	return db.Row(func() {
		switch {
		case w.address == "" || version != witnessVersion: // it is to be stored anew
		case blog != s.row.ID || !plausible(w.address):
			fn(id, witness{name: w.name, hostile: true})
		case hash == addressHash(w.address):
			w.modified = ParseDate(modified)
			fn(id, w)
		}
	}, &id, &w.name, &w.address, &hash, &version, &modified, &w.stored, &blog)
}

// plausible reports whether a text can be listed as an address.
func plausible(address string) bool {
	return len(address) <= longestAddress && utf8.ValidString(address) &&
		!strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// attests reports whether a row is a witness of an object as it is now. Yoast does not follow an object's language: an address in
// another one, or in none, is of before.
func (s *Blog) attests(w witness, o object) bool {
	if o.translated && !s.languages.none() && !sameAddress(w.address, o.link) {
		if links := s.languages.Links; sameAddress(links.Switch(w.address, ""), links.Switch(o.link, "")) {
			return false
		}
	}
	return w.address != "" && w.name == o.name && w.modified >= o.modified
}

// concerns reports whether a stored address is at the host of the computed one, below home.
func (s *Blog) concerns(w witness, link string) bool {
	stored, err := url.Parse(w.address)
	computed, other := url.Parse(link)
	if err != nil || other != nil || stored.Scheme != computed.Scheme || stored.Host != computed.Host || stored.User != nil {
		return false
	}
	_, ok := s.below(stored)
	return ok
}

// below returns the path of an address below home.
func (s *Blog) below(u *url.URL) (string, bool) {
	home, err := url.Parse(s.home)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(u.Path, strings.TrimRight(home.Path, "/"))
	return path, ok && (path == "" || path[0] == '/')
}

func (s *Blog) path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path, _ := s.below(u)
	return path
}

// inPart reports whether an address is visibly not all of one: Yoast takes all behind "#" for a fragment and leaves it out, also
// behind the first "&" where a plugin has written it as HTML, "&#038;".
func inPart(address string) bool { return strings.HasSuffix(address, "&") }

// sameAddress reports whether two addresses are equal but for the escapes in them.
func sameAddress(a, b string) bool { return a == b || php.RawURLDecode(a) == php.RawURLDecode(b) }

// disagreement is why a stored address is another than the computed one.
type disagreement uint8

const (
	byFilter  disagreement = iota // today's rewrite rules answer it with the object
	byHand                        // it has neither slug nor id of the object, or is not all of it
	byRelated                     // it is of the same form: a category, author or parent is another
	byPast                        // it has the object's slug where no rule looks for it: permalinks were others
)

// tally counts the rows of a type.
type tally struct {
	agree                   int
	differ                  [byPast + 1]int
	firstAgree, lastAgree   string // when rows were stored
	firstDiffer, lastDiffer string
	doubts, agreed          []doubt         // the first of both
	differing               map[string]bool // stored addresses
	part, shared            string          // one that is visibly not all of an address, and one that several objects have
}

// doubt is an object with two addresses; stored is "" where both are the same.
type doubt struct{ computed, stored string }

// answer is what the site has said of the addresses of a type.
type answer struct {
	Question string // a hash of what was asked, and of what the answer depends on
	Asked    int    // pages; 0: the answers settled nothing
	Stored   bool   // those that are stored are there, and not those computed; else the other way round
	Wrong    string // what shows that those computed are wrong, where none are stored
	At       int64  // Unix seconds
}

const (
	mostDoubts = 3          // objects of a type that the site is asked for
	settledKey = "settled " // begins the keys of what settle asks, as Inquire may ask about a type, too
)

// settle asks the site which addresses of some objects are there: at each full scan, as plugins may filter them from one day to the
// other. What it has said before holds where it settles nothing now.
func (s *Blog) settle(ctx context.Context, a *Addressing, key typeKey, doubts []doubt, before Answers) {
	plugins := slices.Sorted(maps.Keys(s.set.ActivePlugins))
	question := fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, doubts, a.since, plugins, s.set.Permalinks.Structure)))
	said, now := before[settledKey+key], s.network.source.now()
	if said.open(question, now) {
		stored, asked := s.ask(ctx, doubts)
		if said.Question != question || asked > 0 {
			said.Stored, said.Asked = stored, asked
		}
		said.Question, said.At = question, now.Unix()
	}
	if s.answers == nil {
		s.answers = Answers{}
	}
	s.answers[settledKey+key] = said
	if said.Asked > 0 {
		a.Asked, a.Stored, a.Stale = said.Asked, said.Stored, !said.Stored
	}
}

// ask asks the site for the addresses of objects. It returns whether it has pages at those that are stored alone, or at the
// computed ones alone, and the number of pages asked for: 0 where it is neither, or the site did not say.
func (s *Blog) ask(ctx context.Context, doubts []doubt) (stored bool, asked int) {
	for i, d := range doubts {
		atComputed, ok := s.there(ctx, d.computed)
		atStored := !atComputed
		asked++
		if ok && d.stored != "" {
			atStored, ok = s.there(ctx, d.stored)
			asked++
		}
		if !ok || atComputed == atStored || i > 0 && atStored != stored {
			return false, 0
		}
		stored = atStored
	}
	return stored, asked
}

// there reports whether the site has a page at an address, by the page itself; ok is false where it did not say.
func (s *Blog) there(ctx context.Context, address string) (there, ok bool) {
	page, err := s.network.source.Ask(ctx, address)
	switch page.Status {
	case 200, 301, 302, 303, 307, 308, 404, 410:
		_, _, leads := page.leads(address)
		return page.Status == 200 && !leads, err == nil
	}
	return false, false
}

// compare counts a row.
func (x *examination) compare(w witness, o object) {
	t := x.tallies[o.key]
	if t == nil {
		t = &tally{differing: map[string]bool{}}
		x.tallies[o.key] = t
	}
	first, last := &t.firstAgree, &t.lastAgree
	if sameAddress(w.address, o.link) {
		if t.agree++; len(t.agreed) < mostDoubts {
			t.agreed = append(t.agreed, doubt{computed: o.link})
		}
	} else {
		first, last = &t.firstDiffer, &t.lastDiffer
		t.differ[x.why(w.address, o)]++
		if len(t.doubts) < mostDoubts {
			t.doubts = append(t.doubts, doubt{o.link, w.address})
		}
		if inPart(w.address) {
			t.part = w.address
		}
		if t.differing[w.address] {
			t.shared = w.address
		}
		t.differing[w.address] = true
	}
	if *first == "" || w.stored < *first {
		*first = w.stored
	}
	*last = max(*last, w.stored)
}

// why finds out why a stored address differs.
func (x *examination) why(stored string, o object) disagreement {
	if inPart(stored) {
		return byHand
	}
	path := x.path(stored)
	if strings.Trim(path, "/") == "" { // ?genre=novels, as WordPress made it before there were rules
		return byPast
	}
	page := o.key == keyOf(indexedPost, "page")
	if m, ok := x.rules.Match(path, page); ok && o.answeredBy(m) {
		now, _ := x.rules.Match(x.path(o.link), page)
		if _, query, _ := strings.Cut(stored, "?"); query != "" || now.Rule != m.Rule {
			return byFilter
		}
		return byRelated
	}
	id := strconv.FormatInt(o.id, 10)
	for segment := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(segment, php.RawURLDecode(o.slug)) || segment == id {
			return byPast
		}
	}
	return byHand
}

// answeredBy reports whether a rewrite rule leads to the object.
func (o *object) answeredBy(m routes.Match) bool {
	names := []string{o.name, o.queryVar}
	switch {
	case o.key == keyOf(indexedPost, "page"):
		names = []string{"pagename", "page_id"}
	case o.key == keyOf(indexedPost, "post") && m.Vars["post_type"] == "":
		names = []string{"name", "p"}
	}
	return m.Names(names, php.RawURLDecode(o.slug), o.id)
}

// decide tells how the addresses of a type are known.
func (t *tally) decide() Addressing {
	a := Addressing{Compared: t.agree}
	for _, n := range t.differ {
		a.Differ += n
	}
	a.Compared += a.Differ
	switch {
	case a.Differ == 0:
	case t.agree == 0:
		a.Stored = t.differ[byFilter]+t.differ[byHand] > 0
		a.Stale = !a.Stored
	case t.differ[byPast] == a.Differ: // whenever they were stored: an import has one date for all
		a.Stale, a.since = true, neverStored
	case t.differ[byHand] == 0 && t.lastDiffer < t.firstAgree: // permalinks are as they are since then
		a.Stale, a.since = true, t.firstAgree
	case t.firstDiffer > t.lastAgree && t.differ[byFilter] > 0: // plugins filter them since then
		a.Stored, a.since = true, t.firstDiffer
	}
	return a
}

// inPart returns a stored address that shows that those of the type are not stored as a whole, "" where none does: one of which the end
// is missing, unless it may be an exception, or one that several objects have, where all differ and plugins filter them.
func (t *tally) inPart(a Addressing, filtered bool) string {
	switch {
	case t.agree == 0 && t.part == "" && (a.Stored || filtered):
		return t.shared
	case t.agree == 0, a.Differ > 1 && t.firstDiffer > t.lastAgree:
		return t.part
	}
	return ""
}

// asks reports whether rows have a say on addresses.
func (a *Addressing) asks() bool { return a.Stored || a.Compared > a.Differ }

// choose returns the address of an object, "" where it is not known.
func (a *Addressing) choose(w witness, o object) string {
	switch {
	case a.Stored && w.stored >= a.since && !inPart(w.address):
		return w.address
	case a.Stored:
		return ""
	case w.address == "" || w.stored < a.since || sameAddress(w.address, o.link),
		o.past != nil && o.past(w.address, o.link):
		return o.link
	case inPart(w.address):
		return ""
	}
	return w.address
}

// sameEnd reports whether two addresses have the same last segment, as those of a post have with other categories: each comes
// with all that are above it.
func sameEnd(a, b string) bool {
	a, b = strings.Trim(a, "/"), strings.Trim(b, "/")
	return sameAddress(a[strings.LastIndexByte(a, '/')+1:], b[strings.LastIndexByte(b, '/')+1:])
}

// sameForm reports whether they also have equally many segments.
func sameForm(a, b string) bool {
	return sameEnd(a, b) && strings.Count(strings.Trim(a, "/"), "/") == strings.Count(strings.Trim(b, "/"), "/")
}

// witnessesAgainst reads the rows of objects whose stored address is not the one computed of them, and those of others.
func (s *Blog) witnessesAgainst(ctx context.Context, objectType string, computed map[int64]string, others []int64) (map[int64]witness, error) {
	scan := db.Rows2(func(id int64, hash sql.RawBytes) {
		if link, ok := computed[id]; ok && len(hash) > 0 && string(hash) != addressHash(link) {
			others = append(others, id)
		}
	})
	err := db.Batches(slices.Sorted(maps.Keys(computed)), func(ids []int64) error {
		if first, last := ids[0], ids[len(ids)-1]; last-first < mostBetween*int64(len(ids)) {
			return s.Query(ctx, sqlAddressHashesBetween, []any{first, last, objectType}, scan)
		}
		return s.Query(ctx, sqlAddressHashes, []any{ids, objectType}, scan)
	})
	err = s.wrap("comparing stored addresses", err)
	var found map[int64]witness
	if err == nil && len(others) > 0 {
		found, err = s.witnesses(ctx, objectType, others)
	}
	if db.Unreadable(err) { // since the site was read
		return nil, nil
	}
	return found, err
}

// corrected returns the addresses, by id, of those objects of a kind whose computed one is wrong, or is not known to be right.
func (s *Blog) corrected(ctx context.Context, objectType string, objects []object) (map[int64]string, error) {
	var stored []int64
	computed := map[int64]string{}
	for _, o := range objects {
		switch a := s.addressing[o.key]; {
		case !a.asks():
		case a.Stored:
			stored = append(stored, o.id)
		default:
			computed[o.id] = o.link
		}
	}
	rows, err := s.witnessesAgainst(ctx, objectType, computed, stored)
	if err != nil {
		return nil, err
	}
	links := map[int64]string{}
	for _, o := range objects {
		w, differs := rows[o.id]
		a := s.addressing[o.key]
		if !a.asks() || !differs && !a.Stored {
			continue
		}
		if !s.attests(w, o) || !s.concerns(w, o.link) {
			w = witness{}
		}
		links[o.id] = a.choose(w, o)
	}
	return links, nil
}

// correct puts the stored addresses of posts into the place of the computed ones, where these are wrong.
func (s *Blog) correct(ctx context.Context, posts []*Post) error {
	if len(s.addressing) == 0 {
		return nil
	}
	links, err := s.corrected(ctx, indexedPost, s.postObjects(posts))
	for _, p := range posts {
		if link, ok := links[p.ID]; ok {
			p.Link, p.LinkStored = link, link != p.Link
		}
	}
	return err
}

const sqlStoredAt = `SELECT object_id FROM wp_yoast_indexable WHERE permalink_hash IN (?) AND object_type = 'post'`

// PostsStoredAt returns the posts whose stored address is one of some.
func (s *Blog) PostsStoredAt(ctx context.Context, addresses ...string) (ids []int64, err error) {
	if len(s.addressing) == 0 {
		return nil, nil
	}
	hashes := make([]string, len(addresses))
	for i, a := range addresses {
		hashes[i] = addressHash(a)
	}
	if ids, err = s.ids(ctx, "looking for a stored address", sqlStoredAt, hashes); db.Unreadable(err) {
		return nil, nil
	}
	return ids, err
}

// addressHash is the column permalink_hash.
func addressHash(address string) string {
	sum := md5.Sum([]byte(address))
	return string(hex.AppendEncode(append(strconv.AppendInt(nil, int64(len(address)), 10), ':'), sum[:]))
}
