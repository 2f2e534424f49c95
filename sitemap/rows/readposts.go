package rows

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// readRows reads the rows of the post types, and the data that decides about them.
func (b *Reader) readRows(ctx context.Context, before *Kept) error {
	var err error
	if b.Rules.Options.Keep {
		if b.marks, err = objects.ReadMarks(ctx, b.Rules.Blog); err != nil {
			return err
		}
		if before != nil {
			before.Retire() // keeps the rows of only one catalog in memory
			b.sizeHint = before.sizes
		}
	}
	if err := b.readMeta(ctx, nil); err != nil {
		return err
	}
	if err := b.FindRedirected(ctx); err != nil {
		return err
	}
	if err := b.findUnreachable(ctx); err != nil {
		return err
	}
	for _, t := range b.Rules.PostTypes() {
		if !b.Rules.Reads(t) {
			continue
		}
		if err = b.readPosts(ctx, t); err != nil {
			return err
		}
	}
	if b.Rules.Options.Keep {
		b.decided = b.decisions()
		b.inherit(before)
		if b.due, err = b.nextDue(ctx); err != nil {
			return err
		}
	}
	return nil
}

// statuses returns the statuses of a post type whose rows are read.
func (b *Reader) statuses(ctx context.Context, t *registry.PostType) ([]string, error) {
	if t.Name == "attachment" { // the parent's status decides about an attachment, not its own
		return objects.PostStatuses(ctx, b.Rules.Blog, t.Name)
	}
	return []string{"publish", "inherit"}, nil
}

// readPosts reads the narrow rows of a post type and decides about each.
func (b *Reader) readPosts(ctx context.Context, t *registry.PostType) error {
	statuses, err := b.statuses(ctx, t)
	if err != nil {
		return err
	}
	rows := make([]Post, 0, b.sizeHint[t.Name]+b.sizeHint[t.Name]/32) // growing needs memory for old and new rows at the same time
	var undecided []int64
	for _, status := range statuses {
		err := objects.EachPost(ctx, b.Rules.Blog, t.Name, status, func(p objects.PostRow) error {
			r, decided := b.row(t, &p)
			rows = append(rows, r)
			if !decided {
				undecided = append(undecided, p.ID)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(x, y Post) int { return cmp.Compare(x.ID, y.ID) })
	if b.Rules.Options.Keep && cap(rows)-len(rows) > len(rows)/16 {
		rows = slices.Clone(rows) // without spare capacity
	}
	b.Posts[t.Name] = rows
	return b.decide(ctx, t, undecided)
}

// narrow returns the part of a row that a catalog keeps, without author and verdict.
func (b *Reader) narrow(p *objects.PostRow) Post {
	return Post{
		ID: p.ID, stamp: p.Stamp, Status: statusOf(p.Status), month: monthOf(p.Dates.Published),
		Modified: Pack(p.Dates.Changed), ModifiedGMT: Pack(b.Rules.Changed(p.Dates.ChangedGMT)), LastMod: Pack(b.Rules.PostDate(p.Dates)),
		protected: b.Rules.Decisions.Protected(p.Protected, p.NullPassword), Priority: b.Flags[p.ID].Priority,
	}
}

// row judges a post by its row. If its link is needed, decided is false and decide judges the post later.
func (b *Reader) row(t *registry.PostType, p *objects.PostRow) (r Post, decided bool) {
	r, status, flags, decisions := b.narrow(p), strings.ToLower(p.Status), b.Flags[p.ID], b.Rules.Decisions
	r.author = b.number(p.Author)
	o := seo.Object{
		Kind: seo.KindPost, Type: t.Name, ID: p.ID, Flags: flags, Published: status == "publish", ZeroDate: p.ZeroDate, Protected: r.protected,
	}
	o.Flags.Canonical = "" // the check compares the canonical URL with the link, which is not known yet
	if t.Name == "attachment" {
		o.Published = decisions.AttachmentOpen(b.Rules, status)
		o.ParentHidden = p.ParentStatus != "publish" || !decisions.LockedParents() && decisions.Protected(!p.ParentOpen, p.NullParentPassword)
		o.ParentHidden = o.ParentHidden && !(p.ParentStatus == "" && decisions.Unattached())
	}
	o.Filled = decisions.Filled(b.Rules.Blog.Settings(), t.Name, b.filled[p.ID])
	o.LinksTo = b.linksTo[p.ID]
	if o.Excluded = b.excluded[p.ID]; o.Excluded == seo.Listed {
		o.Excluded = b.Rules.ExcludedByType(t.Name, p.Dates.Published)
	}
	_, lost := slices.BinarySearch(b.unreachable.lost[t.Name], p.ID)
	o.NoAddress = lost || p.NoName && b.Rules.NamedInLinks(t)
	_, o.Shadowed = slices.BinarySearch(b.unreachable.shadowed, p.ID)
	_, o.InHiddenForum = slices.BinarySearch(b.unreachable.inForums, p.ID)
	o.FirstLink = t.Name == "page" && b.Rules.IsFirstLink(p.ID)
	r.Verdict = b.Rules.Judge(o)
	if status == "publish" {
		b.Note(t.Name, p)
	}
	linked := flags.Canonical != "" || len(b.Rules.Options.Exclude.URLs) > 0 ||
		b.Rules.Book.Addressing(t).From == address.AsStored || b.Rules.Book.TermsInURLs(t) ||
		t.Name == "attachment" && b.Rules.HasDomains() || b.RedirectsPost(t, p.ID)
	return r, r.Verdict != seo.Listed || !linked
}

// decide judges rows by their links.
func (b *Reader) decide(ctx context.Context, t *registry.PostType, ids []int64) error {
	rows := b.Posts[t.Name]
	for batch := range slices.Chunk(ids, seo.DefaultPageSize) {
		posts, err := b.Rules.Book.Posts(ctx, batch, nil)
		if err != nil {
			return err
		}
		for _, p := range posts {
			i, ok := FindPost(rows, p.ID)
			if !ok {
				continue
			}
			o := seo.Object{Kind: seo.KindPost, Type: t.Name, ID: p.ID, Flags: b.Flags[p.ID], Published: true, Link: p.Link}
			if b.Rules.Blog.Languages().PostTypes[t.Name] {
				o.Language = p.Language
			}
			rows[i].Verdict = b.Rules.Judge(o)
			if p.Link == "" && rows[i].Verdict == seo.Listed {
				rows[i].Verdict = seo.AddressUnknown
			}
		}
	}
	return nil
}

// NewestRow returns the newest change of any published row of a post type, including rows that are not listed.
func (b *Reader) NewestRow(postType string) int64 {
	newest := wp.NoTime
	for _, r := range b.Posts[postType] {
		if r.Status != otherwise {
			newest = max(newest, r.ModifiedGMT.Unix())
		}
	}
	return newest
}

// decisions returns, by post, a hash of the meta that decides about the post. It returns nil if there
// are too many posts to compare.
func (b *Reader) decisions() map[int64]uint64 {
	hashes := make(map[int64]uint64, len(b.Flags))
	for id, f := range b.Flags {
		f.Stamp = 0
		if f == (seo.Flags{}) {
			continue
		}
		h := Mix(uint64(f.Priority), uint64(f.Against))
		for _, set := range []bool{f.Noindex, f.Index} {
			if h = Mix(h, 0); set {
				h = Mix(h, 1)
			}
		}
		hashes[id] = MixText(h, f.Canonical)
	}
	for id, v := range b.excluded {
		hashes[id] = Mix(hashes[id]+1, uint64(v))
	}
	for seed, values := range []map[int64]string{b.filled, b.linksTo} {
		for id, v := range values {
			if v != "" {
				hashes[id] = MixText(hashes[id]+2+uint64(seed), v)
			}
		}
	}
	if len(hashes) > mostDecisions {
		return nil
	}
	return hashes
}

// nextDue returns when the next scheduled post becomes due, in Unix seconds, of the types that are
// read. It returns noDue if there is none.
func (b *Reader) nextDue(ctx context.Context) (int64, error) {
	due := noDue
	now := b.Rules.Options.Now().In(b.Rules.Blog.Settings().Core.Zone)
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), 0, time.UTC).Unix()
	for _, t := range b.Rules.PostTypes() {
		if t.Name == "attachment" || !b.Rules.Reads(t) {
			continue
		}
		next, err := objects.NextScheduled(ctx, b.Rules.Blog, t.Name, wall)
		if err != nil {
			return due, err
		}
		if next != wp.NoTime {
			due = min(due, b.Rules.Blog.UTC(next))
		}
	}
	return due, nil
}
