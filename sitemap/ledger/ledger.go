package ledger

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// A Ledger is what has been announced to search engines of a site, as far as it takes to find out
// what they have not: of a post a few bytes for its id and its date, of terms, authors and
// archives, which have no trash, the address itself. It is kept in JSON.
//
// A post counts as changed when its date or the way links are made did. Of a term or an author
// address and name count, too. What the sitemaps leave out by a rule, such as noindex, is
// neither new nor gone: it is not announced.
type Ledger struct {
	Plugin string // whose sitemaps it is of
	Lists  []LedgerList
}

// LedgerList is a list of a Ledger.
type LedgerList struct {
	Name      string
	Marks     []byte                 `json:",omitempty"` // see mark; by id
	Addresses map[int64]LedgerMember `json:",omitempty"` // instead of Marks, by id
	Links     map[string]uint32      `json:",omitempty"` // addresses that are no entries, with their marks
}

// LedgerMember is a term or an author.
type LedgerMember struct {
	Loc  string
	Mark uint32
}

// Bounds of what is compared at a time.
const (
	// maxAddresses is how many terms and authors are read in each comparison. Of more,
	// the taxonomies behind are compared by their dates alone.
	maxAddresses = 20_000
	locateAtOnce = 1000
)

// News is what a Ledger does not know yet.
type News struct {
	URLs               []string // to be announced, valid by RFC 3986, each once
	New, Changed, Gone int      // objects behind them
	Unknown            int      // that are gone without leaving an address
	More               bool     // there is more than what was asked for
}

// mark is one entry of Marks: the distance to the id before, as a varint, and four bytes that
// are a hash of its date and the form of its address.
type mark struct {
	ID      int64
	sum     uint32
	lastmod int64 // of marks that were not read
}

func appendMark(marks []byte, before int64, m mark) []byte {
	marks = binary.AppendUvarint(marks, uint64(m.ID-before))
	return binary.LittleEndian.AppendUint32(marks, m.sum)
}

// nextMark reads a mark. It is false at the end, and where the rest makes no sense.
func nextMark(marks []byte, before int64) (m mark, rest []byte, ok bool) {
	step, n := binary.Uvarint(marks)
	if n <= 0 || len(marks) < n+4 || step > math.MaxInt64-uint64(max(before, 0)) {
		return mark{}, nil, false
	}
	return mark{ID: before + int64(step), sum: binary.LittleEndian.Uint32(marks[n:])}, marks[n+4:], true
}

// pair is what two lists of marks have of one id.
type pair struct {
	old, now mark
	was, is  bool // which of them there are
}

// pairs yields what a packed list has and what there is now, both by id.
func pairs(before []byte, now []mark) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		old, rest, ok := nextMark(before, 0)
		for ok || len(now) > 0 {
			p := pair{was: ok && (len(now) == 0 || old.ID <= now[0].ID), is: len(now) > 0 && (!ok || now[0].ID <= old.ID)}
			if p.is {
				p.now, now = now[0], now[1:]
			}
			if p.was {
				p.old = old
				old, rest, ok = nextMark(rest, old.ID)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// difference is a post that differs.
type difference struct {
	list int // of those of the next ledger
	mark mark
	kind differenceKind
}

type differenceKind uint8

const (
	isNew differenceKind = iota
	isChanged
	isGone
)

// comparison is one under way.
type comparison struct {
	*catalog.Catalog
	ctx   context.Context
	limit int
	known map[string]LedgerList
	news  News
	urls  map[string]bool
	next  *Ledger
}

// Compare returns what the catalog holds and a ledger does not, and returns the ledger as it is
// once that has been announced. Of posts it returns limit at most, the newest first; the ledger it
// returns knows no more than that, and the rest comes with the next comparison. A nil ledger
// knows everything, and so does one of the other kind of sitemaps, Yoast's or WordPress' own.
//
// What is switched off as a whole stays as it was in the ledger: the site, a type, or one that
// is not registered while its plugin is updated. When it comes back, only what has changed is
// announced. A site that was never public has an empty ledger, so that its launch is news.
//
// It reads the addresses of what differs, and those of all terms and authors: a query or three
// for every thousand.
func Compare(ctx context.Context, c *catalog.Catalog, known *Ledger, limit int) (*Ledger, News, error) {
	n := &comparison{
		Catalog: c, ctx: ctx, limit: limit, known: map[string]LedgerList{}, urls: map[string]bool{}, next: &Ledger{Plugin: c.Plugin()},
	}
	begin := known == nil || known.Plugin != c.Plugin()
	if !begin {
		for _, l := range known.Lists {
			n.known[l.Name] = l
		}
	}
	switch private := c.Hidden() || c.Blog.Settings().Environment != ""; {
	case !c.Active(), private && known != nil:
		return known, n.news, nil
	case private:
		return n.next, n.news, nil
	}
	lists := c.Everything()
	var different []difference
	var current [][]mark // of lists of posts
	addresses := 0
	for _, l := range lists {
		out := LedgerList{Name: l.Name}
		before, was := n.known[l.Name]
		out.Links = linkMarks(l)
		if !begin {
			n.compareLinks(l.Name, before.Links, out.Links)
		}
		var marks []mark
		if l.Kind != seo.KindPost && addresses+len(l.Entries) <= maxAddresses {
			addresses += len(l.Entries)
			members, err := n.members(l)
			if err != nil {
				return nil, News{}, err
			}
			out.Addresses = members
			if was && before.Addresses != nil || !begin && !was {
				if err := n.compareMembers(l.Name, before.Addresses, members); err != nil {
					return nil, News{}, err
				}
			}
		} else {
			marks = n.postMarks(l)
			switch {
			case begin, was && before.Addresses != nil: // it has become too long to keep its addresses
				out.Marks = packMarks(marks)
			default:
				different = n.compareMarks(different, len(n.next.Lists), before.Marks, marks)
			}
		}
		current = append(current, marks)
		n.next.Lists = append(n.next.Lists, out)
	}
	off := c.Off()
	for _, name := range slices.Sorted(maps.Keys(n.known)) {
		if slices.ContainsFunc(lists, func(l *catalog.List) bool { return l.Name == name }) {
			continue
		}
		before := n.known[name]
		if !c.Owned[name] || slices.Contains(off, n.of(name)) {
			current = append(current, nil)
			n.next.Lists = append(n.next.Lists, before)
			continue
		}
		// the type is there, and has nothing to list
		n.compareLinks(name, before.Links, nil)
		if before.Addresses != nil {
			if err := n.compareMembers(name, before.Addresses, nil); err != nil {
				return nil, News{}, err
			}
		}
		if len(before.Marks) > 0 {
			different = n.compareMarks(different, len(n.next.Lists), before.Marks, nil)
			current = append(current, nil)
			n.next.Lists = append(n.next.Lists, LedgerList{Name: name})
		}
	}
	if err := n.announce(lists, different, current); err != nil {
		return nil, News{}, err
	}
	return n.next, n.news, nil
}

// of returns the post type or taxonomy that a list is of, "" for others.
func (n *comparison) of(name string) string {
	if t := n.postType(name); t != nil {
		return t.Name
	}
	if t := n.taxonomy(name); t != nil {
		return t.Name
	}
	if n.Catalog.Scheme.Name(seo.KindUser, "") == name {
		return "author"
	}
	return ""
}

// postType returns the post type that a list is of, nil for none.
func (n *comparison) postType(list string) *registry.PostType {
	for _, t := range n.Blog.Registry().PostTypes {
		if n.Catalog.Scheme.Name(seo.KindPost, t.Name) == list {
			return t
		}
	}
	return nil
}

// taxonomy returns the taxonomy that a list is of, nil for none.
func (n *comparison) taxonomy(list string) *registry.Taxonomy {
	for _, t := range n.Blog.Registry().Taxonomies {
		if n.Catalog.Scheme.Name(seo.KindTerm, t.Name) == list {
			return t
		}
	}
	return nil
}

// linkMarks are the addresses of a list that are no entries.
func linkMarks(l *catalog.List) map[string]uint32 {
	links := map[string]uint32{}
	for _, f := range slices.Concat(l.First, l.After) {
		if f.PostID == 0 {
			links[f.Loc] = uint32(rows.Mix(7, uint64(f.LastMod)) >> 32)
		}
	}
	return links
}

func (n *comparison) compareLinks(name string, before, now map[string]uint32) {
	for loc, sum := range now {
		switch old, was := before[loc]; {
		case !was:
			n.news.New++
			n.url(loc)
		case old != sum:
			n.news.Changed++
			n.url(loc)
		}
	}
	t := n.postType(name)
	if t == nil || t.Name == "post" || t.Name == "page" || n.Settings.Archive(t.Name) != nil {
		return // home is never gone
	}
	for loc := range before {
		if _, is := now[loc]; !is {
			n.news.Gone++
			n.url(loc)
		}
	}
}

// members reads the addresses and names of terms and authors.
func (n *comparison) members(l *catalog.List) (map[int64]LedgerMember, error) {
	members := make(map[int64]LedgerMember, len(l.Entries))
	for batch := range slices.Chunk(catalog.ListedEntries(l.Entries), locateAtOnce) {
		found, err := l.Locate(n.ctx, batch)
		if err != nil {
			return nil, err
		}
		names, err := l.Titles(n.ctx, catalog.EntryIDs(batch))
		if err != nil {
			return nil, err
		}
		lastmod := catalog.Lastmods(batch)
		for _, f := range found {
			sum := rows.MixText(rows.MixText(rows.Mix(11, uint64(lastmod[f.ID])), f.Loc), names[f.ID])
			members[f.ID] = LedgerMember{f.Loc, uint32(sum >> 32)}
		}
	}
	return members, nil
}

func (n *comparison) compareMembers(name string, before, now map[int64]LedgerMember) error {
	for id, m := range now {
		old, was := before[id]
		switch {
		case !was:
			n.news.New++
		case old.Mark != m.Mark:
			n.news.Changed++
			if old.Loc != m.Loc {
				n.url(old.Loc)
			}
		default:
			continue
		}
		n.url(m.Loc)
	}
	var gone []int64
	for id := range before {
		if _, is := now[id]; !is {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	excluded, err := n.excludedMembers(name, gone)
	if err != nil {
		return err
	}
	for _, id := range gone {
		if !excluded[id] {
			n.news.Gone++
			n.url(before[id].Loc)
		}
	}
	return nil
}

// excludedMembers returns the terms or authors that a list does not name any more though they are
// there: a rule leaves them out.
func (n *comparison) excludedMembers(name string, ids []int64) (map[int64]bool, error) {
	excluded := map[int64]bool{}
	decide := func(id int64, v seo.Verdict) {
		if v != seo.Listed && v != seo.NotAMember {
			excluded[id] = true
		}
	}
	t := n.taxonomy(name)
	for batch := range slices.Chunk(ids, locateAtOnce) {
		if t == nil {
			authors, err := n.Blog.Authors(n.ctx, batch)
			if err != nil {
				return nil, err
			}
			for _, a := range authors {
				decide(a.ID, n.JudgeAuthor(a))
			}
			continue
		}
		terms, err := n.Blog.TermsByID(n.ctx, t, batch)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			decide(term.ID, n.JudgeTerm(t.Name, term.ID, term.Link, ""))
		}
	}
	return excluded, nil
}

// postMarks returns the marks of the posts of a list by id, each once.
func (n *comparison) postMarks(l *catalog.List) []mark {
	form := n.linkForm(l)
	marks := make([]mark, 0, len(l.Entries)+1)
	for it := range l.Items() {
		if id, ok := it.Object(); ok && id > 0 {
			marks = append(marks, mark{id, uint32(rows.Mix(rows.Mix(form, uint64(it.LastMod())), 13) >> 32), it.LastMod()})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(marks, func(a, b mark) bool { return a.ID == b.ID })
}

// linkForm is a number for the settings that the addresses of a list's posts are made by.
func (n *comparison) linkForm(l *catalog.List) uint64 {
	set := n.Blog.Settings().Permalinks
	form := fmt.Sprintf("%s %q", n.Blog.Home(), set.Structure)
	if t := n.Blog.Registry().PostType(l.Of); l.Kind == seo.KindPost && t != nil {
		form += fmt.Sprintf(" %q %v %v %v %q", t.Slug, t.WithFront, t.Rewrite, t.Hierarchical, t.QueryVar)
	}
	return rows.MixText(17, form)
}

func packMarks(marks []mark) []byte {
	packed := make([]byte, 0, 6*len(marks))
	before := int64(0)
	for _, m := range marks {
		packed = appendMark(packed, before, m)
		before = m.ID
	}
	return packed
}

// compareMarks adds what differs between the marks of a list and those it has now. It keeps the
// newest differences only, a few times as many as are asked for.
func (n *comparison) compareMarks(all []difference, list int, before []byte, now []mark) []difference {
	add := func(m mark, kind differenceKind) {
		all = append(all, difference{list, m, kind})
		if len(all) > 4*n.limit+locateAtOnce {
			all = n.newest(all)
		}
	}
	for p := range pairs(before, now) {
		switch {
		case !p.was:
			add(p.now, isNew)
		case !p.is:
			p.old.lastmod = math.MinInt64 // what is new comes first
			add(p.old, isGone)
		case p.old.sum != p.now.sum:
			add(p.now, isChanged)
		}
	}
	return all
}

// newest returns as many as are asked for.
func (n *comparison) newest(all []difference) []difference {
	slices.SortFunc(all, func(a, b difference) int {
		return cmp.Or(cmp.Compare(b.mark.lastmod, a.mark.lastmod), cmp.Compare(a.list, b.list), cmp.Compare(b.mark.ID, a.mark.ID))
	})
	n.news.More = n.news.More || len(all) > n.limit
	return all[:min(len(all), n.limit)]
}

// announce reads the addresses of posts that differ, and notes in the next ledger that they are announced.
func (n *comparison) announce(lists []*catalog.List, different []difference, current [][]mark) error {
	different = n.newest(different)
	announced := map[int]map[int64]differenceKind{} // by list
	for _, d := range different {
		if announced[d.list] == nil {
			announced[d.list] = map[int64]differenceKind{}
		}
		announced[d.list][d.mark.ID] = d.kind
	}
	var gone []int64
	for _, d := range different {
		switch d.kind {
		case isNew:
			n.news.New++
		case isChanged:
			n.news.Changed++
		case isGone:
			gone = append(gone, d.mark.ID)
		}
	}
	for i := range n.next.Lists {
		if len(announced[i]) == 0 {
			if name := n.next.Lists[i].Name; current[i] != nil && n.next.Lists[i].Marks == nil {
				n.next.Lists[i].Marks = n.known[name].Marks
			}
			continue
		}
		n.next.Lists[i].Marks = mergeMarks(n.known[n.next.Lists[i].Name].Marks, current[i], announced[i])
		var entries []catalog.Entry
		for _, d := range different {
			if d.list == i && d.kind != isGone {
				entries = append(entries, catalog.NewEntry(d.mark.ID, d.mark.lastmod, seo.Listed))
			}
		}
		for batch := range slices.Chunk(entries, locateAtOnce) {
			found, err := lists[i].Locate(n.ctx, batch)
			if err != nil {
				return err
			}
			for _, f := range found {
				n.url(f.Loc)
			}
		}
	}
	return n.announceGone(gone)
}

// announceGone notes posts that are not published any more. One that is, and is not listed, is
// left out by a rule, or is in another list now.
func (n *comparison) announceGone(ids []int64) error {
	for batch := range slices.Chunk(ids, locateAtOnce) {
		links, err := n.Blog.FormerLinks(n.ctx, batch)
		if err != nil {
			return err
		}
		for _, l := range links {
			if !n.Excluded(seo.Object{Kind: seo.KindPost, ID: l.ID, Link: l.Link}) {
				n.news.Gone++
				n.url(l.Link)
			}
		}
		left := 0
		err = n.Blog.PostRows(n.ctx, batch, func(wp.TouchedPost) { left++ })
		if err != nil {
			return err
		}
		n.news.Unknown += len(batch) - left
	}
	return nil
}

// mergeMarks are the marks of before, with those that were announced as they are now.
func mergeMarks(before []byte, now []mark, announced map[int64]differenceKind) []byte {
	kept := make([]mark, 0, len(now)+len(announced))
	for p := range pairs(before, now) {
		m, there := p.old, p.was
		if _, is := announced[max(p.old.ID, p.now.ID)]; is {
			m, there = p.now, p.is
		}
		if there {
			kept = append(kept, m)
		}
	}
	return packMarks(kept)
}

// url adds an address, as it is in sitemaps of level spec.
func (n *comparison) url(loc string) {
	plain, ok := urlset.Strict.AppendPlain(nil, loc)
	if text := string(plain); ok && !n.urls[text] {
		n.urls[text] = true
		n.news.URLs = append(n.news.URLs, text)
	}
}

// Objects counts what a ledger knows.
func (l *Ledger) Objects() int {
	count := 0
	for _, list := range l.Lists {
		count += len(list.Addresses) + len(list.Links)
		for range pairs(list.Marks, nil) {
			count++
		}
	}
	return count
}
