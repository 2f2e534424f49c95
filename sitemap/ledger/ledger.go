package ledger

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A Ledger is what has been announced to search engines of a site, as far as it takes to find out what they have not been told:
// of each object a few bytes for its id and its date, of terms, authors and archives, which have no trash, the address, too. It
// is kept in JSON.
//
// A post counts as changed when its date or the way links are made did. Of a term or an author address and name count, too. What
// the sitemaps leave out by a rule, such as noindex, is neither new nor gone: it is not announced.
type Ledger struct {
	Plugin string // whose sitemaps it is of
	Lists  []LedgerList
}

// LedgerList is a list of a Ledger.
type LedgerList struct {
	Name      string
	Marks     []byte            `json:",omitempty"` // see mark; by id
	Addresses map[int64]string  `json:",omitempty"` // of the objects of Marks, where these are terms or authors
	Links     map[string]uint32 `json:",omitempty"` // addresses that are no entries, with their marks
}

// Bounds of what is compared at a time.
const (
	// maxAddresses is how many terms and authors are read in each comparison. Of more, the taxonomies behind are compared by their
	// dates alone.
	maxAddresses = 20_000
	locateAtOnce = 1000
)

// News is what a Ledger does not know yet.
type News struct {
	URLs               []string // to be announced, valid by RFC 3986, each once
	New, Changed, Gone int      // objects behind them
	Unknown            int      // that are gone without leaving an address
	Left               int      // objects that differ, beyond those that were asked for
}

// mark is what tells whether an object has changed.
type mark struct {
	ID      int64
	sum     uint32 // hash of its date and of the form of its address; of a term or an author, of address and name
	lastmod int64
	loc     string // of a term or an author
}

// packMarks returns sums by id as Marks has them: the distance to the id before, as a varint, and the four bytes of the sum.
func packMarks(sums map[int64]uint32) []byte {
	packed := make([]byte, 0, 6*len(sums))
	before := int64(0)
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		packed = binary.AppendUvarint(packed, uint64(id-before))
		packed = binary.LittleEndian.AppendUint32(packed, sums[id])
		before = id
	}
	return packed
}

// unpackMarks is the reverse of packMarks. It ends where the rest makes no sense.
func unpackMarks(packed []byte) map[int64]uint32 {
	sums := make(map[int64]uint32, len(packed)/6)
	for id := int64(0); ; {
		step, n := binary.Uvarint(packed)
		if n <= 0 || len(packed) < n+4 || step > uint64(math.MaxInt64-id) {
			return sums
		}
		id += int64(step)
		sums[id] = binary.LittleEndian.Uint32(packed[n:])
		packed = packed[n+4:]
	}
}

// compared is a list of the next ledger: at first as before, and with what is announced as it is now.
type compared struct {
	LedgerList
	sums map[int64]uint32 // Marks
	list *catalog.List    // nil: it has nothing to list any more
}

// take takes over an object as it is now.
func (c *compared) take(m mark) {
	c.sums[m.ID] = m.sum
	if m.loc != "" {
		c.Addresses[m.ID] = m.loc
	}
}

// drop takes over that an object is gone.
func (c *compared) drop(id int64) {
	delete(c.sums, id)
	delete(c.Addresses, id)
}

// difference is an object that is new, has changed or is gone.
type difference struct {
	mark
	was, is bool
	in      int // place of its list
}

// comparison is one under way.
type comparison struct {
	*catalog.Catalog
	ctx       context.Context
	limit     int
	addresses int // of terms and authors that were read
	lists     []*compared
	different []difference
	news      News
	urls      map[string]bool
}

// Compare returns what the catalog holds and a ledger does not, and returns the ledger as it is once that has been announced. Of
// objects it returns limit at most, the newest first; the ledger it returns knows no more than that, and the rest comes with the
// next comparison. A nil ledger knows everything, and so does one of another plugin's sitemaps.
//
// What is switched off as a whole stays as it was in the ledger: the site, a type, or one that is not registered while its plugin
// is updated. When it comes back, only what has changed is announced. A site that was never public has an empty ledger, so that
// its launch is news.
//
// It reads the addresses of what differs, and those of all terms and authors: a query or three for every thousand.
func Compare(ctx context.Context, c *catalog.Catalog, known *Ledger, limit int) (*Ledger, News, error) {
	next := &Ledger{Plugin: c.Plugin()}
	switch private := c.Hidden() || c.Blog.Settings().Environment != ""; {
	case !c.Active(), private && known != nil:
		return known, News{}, nil
	case private:
		return next, News{}, nil
	}
	n := &comparison{Catalog: c, ctx: ctx, limit: limit, urls: map[string]bool{}}
	before := map[string]LedgerList{}
	begin := known == nil || known.Plugin != c.Plugin()
	if !begin {
		for _, l := range known.Lists {
			before[l.Name] = l
		}
	}
	for _, l := range c.Everything() {
		marks, err := n.marks(l)
		if err != nil {
			return nil, News{}, err
		}
		old, was := before[l.Name]
		delete(before, l.Name)
		one := n.add(old, l)
		one.Name, one.Links = l.Name, linkMarks(l)
		if !begin {
			n.compareLinks(one, old.Links)
		}
		located := len(marks) > 0 && marks[0].loc != ""
		if begin || was && located != (len(old.Addresses) > 0) { // it has become too long to keep its addresses, or short enough
			clear(one.sums)
			clear(one.Addresses)
			for _, m := range marks {
				one.take(m)
			}
			continue
		}
		n.compareMarks(one, marks)
	}
	off := c.Off()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, of := n.of(name); !c.Owned[name] || slices.Contains(off, of) {
			next.Lists = append(next.Lists, before[name])
			continue
		}
		one := n.add(before[name], nil) // the type is there, and has nothing to list
		one.Links = nil
		n.compareLinks(one, before[name].Links)
		n.compareMarks(one, nil)
	}
	if err := n.announce(); err != nil {
		return nil, News{}, err
	}
	for _, l := range n.lists {
		if l.Marks = packMarks(l.sums); len(l.Marks)+len(l.Links) > 0 {
			next.Lists = append(next.Lists, l.LedgerList)
		}
	}
	return next, n.news, nil
}

// add adds a list, as it is in the ledger.
func (n *comparison) add(old LedgerList, list *catalog.List) *compared {
	c := &compared{LedgerList: old, sums: unpackMarks(old.Marks), list: list}
	c.Addresses = map[int64]string{}
	maps.Copy(c.Addresses, old.Addresses)
	n.lists = append(n.lists, c)
	return c
}

// of returns what a list is of, as catalog.List has it; KindOther where nothing is registered for it.
func (n *comparison) of(list string) (seo.ObjectKind, string) {
	for _, t := range n.Blog.Registry().Types() {
		if k := seo.KindOf(t); n.Scheme.Name(k, t.Name) == list {
			return k, t.Name
		}
	}
	if n.Scheme.Name(seo.KindUser, "") == list {
		return seo.KindUser, "author"
	}
	return seo.KindOther, ""
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

func (n *comparison) compareLinks(c *compared, before map[string]uint32) {
	for loc, sum := range c.Links {
		switch old, was := before[loc]; {
		case !was:
			n.news.New++
			n.url(loc)
		case old != sum:
			n.news.Changed++
			n.url(loc)
		}
	}
	if kind, of := n.of(c.Name); kind != seo.KindPost || of == "post" || of == "page" || n.Settings.Archive(of) != nil {
		return // home is never gone
	}
	for loc := range before {
		if _, is := c.Links[loc]; !is {
			n.news.Gone++
			n.url(loc)
		}
	}
}

// marks returns the marks of the objects of a list by id, each once: those of terms and authors with their addresses, as long as
// these are not too many.
func (n *comparison) marks(l *catalog.List) ([]mark, error) {
	var marks []mark
	if l.Kind != seo.KindPost && n.addresses+len(l.Entries) <= maxAddresses {
		n.addresses += len(l.Entries)
		for batch := range slices.Chunk(catalog.ListedEntries(l.Entries), locateAtOnce) {
			found, err := l.Locate(n.ctx, batch)
			if err != nil {
				return nil, err
			}
			names, err := l.Titles(n.ctx, catalog.EntryIDs(batch))
			if err != nil {
				return nil, err
			}
			for _, u := range found.URLs {
				sum := rows.MixText(rows.MixText(rows.Mix(11, uint64(u.LastMod)), u.Loc), names[u.Object])
				marks = append(marks, mark{u.Object, uint32(sum >> 32), u.LastMod, u.Loc})
			}
		}
	} else {
		form := n.linkForm(l)
		for it := range l.Items() {
			if id, ok := it.Object(); ok && id > 0 {
				marks = append(marks, mark{ID: id, sum: uint32(rows.Mix(rows.Mix(form, uint64(it.LastMod())), 13) >> 32), lastmod: it.LastMod()})
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(marks, func(a, b mark) bool { return a.ID == b.ID }), nil
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

// compareMarks notes what differs on the last list; now is by id.
func (n *comparison) compareMarks(c *compared, now []mark) {
	in := len(n.lists) - 1
	for _, m := range now {
		if sum, was := c.sums[m.ID]; !was || sum != m.sum {
			n.different = append(n.different, difference{m, was, true, in})
		}
	}
	for id := range c.sums {
		if _, is := slices.BinarySearchFunc(now, id, func(m mark, id int64) int { return cmp.Compare(m.ID, id) }); !is {
			n.different = append(n.different, difference{mark{ID: id, lastmod: math.MinInt64}, true, false, in}) // behind all others
		}
	}
}

// announce finds the addresses of what differs: of as much as is asked for, the newest first.
func (n *comparison) announce() error {
	slices.SortFunc(n.different, func(a, b difference) int {
		return cmp.Or(cmp.Compare(b.lastmod, a.lastmod), cmp.Compare(a.in, b.in), cmp.Compare(b.ID, a.ID))
	})
	n.news.Left = max(0, len(n.different)-n.limit)
	n.different = n.different[:min(len(n.different), n.limit)]
	var gone []int64 // posts
	for i, c := range n.lists {
		var moved []catalog.Entry     // whose addresses have to be read
		members := map[int64]string{} // terms or authors that are not listed any more, with their addresses
		for _, d := range n.different {
			if d.in != i {
				continue
			}
			before := c.Addresses[d.ID]
			if !d.is {
				if c.drop(d.ID); before != "" {
					members[d.ID] = before
				} else {
					gone = append(gone, d.ID)
				}
				continue
			}
			c.take(d.mark)
			if d.loc != "" {
				n.url(before)
				n.url(d.loc)
			} else {
				moved = append(moved, catalog.NewEntry(d.ID, d.lastmod, seo.Listed))
			}
			if d.was {
				n.news.Changed++
			} else {
				n.news.New++
			}
		}
		for batch := range slices.Chunk(moved, locateAtOnce) {
			found, err := c.list.Locate(n.ctx, batch)
			if err != nil {
				return err
			}
			for _, u := range found.URLs {
				n.url(u.Loc)
			}
		}
		ids := slices.Sorted(maps.Keys(members))
		excluded, err := n.excluded(c.Name, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !excluded[id] {
				n.news.Gone++
				n.url(members[id])
			}
		}
	}
	return n.announceGone(gone)
}

// excluded returns the terms or authors that a list does not name any more though they are there: a rule leaves them out.
func (n *comparison) excluded(list string, ids []int64) (map[int64]bool, error) {
	excluded := map[int64]bool{}
	decide := func(id int64, v seo.Verdict) { excluded[id] = v != seo.Listed && v != seo.NotAMember }
	kind, of := n.of(list)
	for batch := range slices.Chunk(ids, locateAtOnce) {
		switch kind {
		case seo.KindUser:
			authors, err := n.Blog.Authors(n.ctx, batch)
			if err != nil {
				return nil, err
			}
			for _, a := range authors {
				decide(a.ID, n.JudgeAuthor(a))
			}
		case seo.KindTerm:
			terms, err := n.Blog.TermsByID(n.ctx, n.Blog.Registry().Taxonomy(of), batch)
			if err != nil {
				return nil, err
			}
			for _, term := range terms {
				decide(term.ID, n.JudgeTerm(of, term.ID, term.Link, ""))
			}
		}
	}
	return excluded, nil
}

// announceGone notes posts that are not published any more. One that is, and is not listed, is left out by a rule, or is in another
// list now.
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
		count += len(list.Links) + len(unpackMarks(list.Marks))
	}
	return count
}
