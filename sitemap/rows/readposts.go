package rows

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// A post is judged in two steps. judgeRow judges it by its row, and by what was read about all posts before: meta, redirects and
// unreachable posts. The verdict on few posts depends on their links too. judgeLinks makes these links and judges those posts again.

// readRows reads and judges the rows of all post types.
func (b *Reader) readRows(ctx context.Context) error {
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
		if b.Rules.Reads(t) {
			if err := b.readPosts(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPosts reads and judges the rows of a post type.
func (b *Reader) readPosts(ctx context.Context, t *registry.PostType) error {
	statuses, err := b.statuses(ctx, t)
	if err != nil {
		return err
	}
	// growing the slice would need memory for old and new rows at the same time
	rows := make([]Post, 0, b.sizeHint[t.Name]+b.sizeHint[t.Name]/32)
	var linked []int64 // the posts whose verdict depends on the link
	for _, status := range statuses {
		err := objects.EachPost(ctx, b.Rules.Blog, t.Name, status, func(p objects.PostRow) error {
			r, byLink := b.judgeRow(t, &p)
			rows = append(rows, r)
			if byLink {
				linked = append(linked, p.ID)
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
	return b.judgeLinks(ctx, t, linked)
}

// statuses returns the statuses of a post type whose rows are read.
func (b *Reader) statuses(ctx context.Context, t *registry.PostType) ([]string, error) {
	if t.Name == "attachment" { // the parent's status decides about an attachment, not its own
		return objects.PostStatuses(ctx, b.Rules.Blog, t.Name)
	}
	return []string{"publish", "inherit"}, nil
}

// narrow returns the part of a row that a catalog keeps, without author and verdict.
func (b *Reader) narrow(p *objects.PostRow) Post {
	return Post{
		ID: p.ID, stamp: p.Stamp, Status: statusOf(p.Status), month: monthOf(p.Dates.Published),
		Modified: Pack(p.Dates.Changed), ModifiedGMT: Pack(b.Rules.Changed(p.Dates.ChangedGMT)), LastMod: Pack(b.Rules.PostDate(p.Dates)),
		protected: b.Rules.Decisions.Protected(p.Protected, p.NullPassword), Priority: b.Flags[p.ID].Priority,
	}
}

// judgeRow judges a post by its row. byLink reports whether the verdict depends on the post's link too; judgeLinks must then judge
// the post again.
func (b *Reader) judgeRow(t *registry.PostType, p *objects.PostRow) (r Post, byLink bool) {
	r = b.narrow(p)
	r.author = b.number(p.Author)
	r.Verdict = b.Rules.Judge(b.object(t, p, &r))
	if strings.EqualFold(p.Status, "publish") {
		b.Note(t.Name, p)
	}
	return r, r.Verdict == seo.Listed && b.needsLink(t, p.ID)
}

// object returns what the checks need to know about a post, except what depends on its link.
func (b *Reader) object(t *registry.PostType, p *objects.PostRow, r *Post) seo.Object {
	status, decisions := strings.ToLower(p.Status), b.Rules.Decisions
	o := seo.Object{
		Kind: seo.KindPost, Type: t.Name, ID: p.ID, Flags: b.Flags[p.ID], Published: status == "publish", ZeroDate: p.ZeroDate, Protected: r.protected,
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
	return o
}

// needsLink reports whether only the link of a post tells if the post is listed.
func (b *Reader) needsLink(t *registry.PostType, id int64) bool {
	return b.Flags[id].Canonical != "" || len(b.Rules.Options.Exclude.URLs) > 0 ||
		b.Rules.Book.Addressing(t).From == address.AsStored || b.Rules.Book.TermsInURLs(t) ||
		t.Name == "attachment" && b.Rules.HasDomains() || b.RedirectsPost(t, id)
}

// judgeLinks makes the addresses of some posts, judges the posts with them, and stores the verdicts in Posts, which must contain the
// rows of the posts. A listed post without an address becomes AddressUnknown.
func (b *Reader) judgeLinks(ctx context.Context, t *registry.PostType, ids []int64) error {
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
