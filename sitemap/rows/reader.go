package rows

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// A Reader reads and judges the rows of a blog. It is used once, for a full scan or for one delta.
type Reader struct {
	Rules *seo.Rules
	Rows
	Flags      map[int64]seo.Flags   // the plugin's stored settings of posts, by id
	filled     map[int64]string      // meta _filled by post, if WP Job Manager is active
	linksTo    map[int64]string      // meta _links_to by post, if Page Links To is active
	excluded   map[int64]seo.Verdict // verdicts of the operator's exclusions, by post
	Languages  map[string][]language // by translated post type, in the order of the blog's languages
	Translated *Translated
	watched    []string        // post types whose recent posts go into Recent
	Since      int64           // posts older than this are not recent, in Unix seconds
	Newest     int64           // newest publication date of any published post
	Dirty      map[string]bool // post types whose rows a delta changed; nil for a full scan
	sizeHint   map[string]int  // approximate number of rows, by post type
}

// NewReader returns a reader for a full scan. The reader puts recent posts of the types in watched into Recent.
func NewReader(r *seo.Rules, watched []string) *Reader {
	return &Reader{
		Rules: r, Rows: newRows(), watched: watched, Since: r.Options.Now().Unix() - NewsWindow,
		Newest: wp.NoTime, Languages: map[string][]language{}, Translated: &Translated{},
	}
}

// Read reads and judges all posts. Terms and users are read later, when they are needed. before has the rows of the earlier catalog,
// or is nil. Read drops these rows from memory, see Kept.Retire.
func (b *Reader) Read(ctx context.Context, before *Kept) (err error) {
	keep := b.Rules.Options.Keep
	if keep {
		if b.marks, err = objects.ReadMarks(ctx, b.Rules.Blog); err != nil {
			return err
		}
		if before != nil {
			before.Retire() // keeps the rows of only one catalog in memory
			b.sizeHint = before.sizes
		}
	}
	if err := b.readRows(ctx); err != nil {
		return err
	}
	if keep {
		b.decided = b.decisions()
		b.inherit(before)
		if b.due, err = b.nextDue(ctx); err != nil {
			return err
		}
	}
	return b.speak(ctx)
}

// DecideOne returns the verdict on one post, as a full scan would give it.
func (b *Reader) DecideOne(ctx context.Context, t *registry.PostType, p *objects.PostRow, language string) (seo.Verdict, error) {
	if err := b.readMeta(ctx, []int64{p.ID}); err != nil {
		return seo.NotPublished, err
	}
	if err := b.findUnreachable(ctx); err != nil {
		return seo.NotPublished, err
	}
	r, byLink := b.judgeRow(t, p)
	rows := []Post{r}
	b.Posts[t.Name] = rows
	if byLink {
		if err := b.judgeLinks(ctx, t, []int64{p.ID}); err != nil {
			return seo.NotPublished, err
		}
	}
	if languages := b.Rules.Blog.Languages(); !languages.None() {
		rows[0].language = uint8(1 + languages.Index(language))
		b.judgeLanguages(t.Name, rows)
	}
	return rows[0].Verdict, nil
}

// DecideTerm returns one term with its verdict, as a full scan would give it, but without dates. It
// returns nil if the term does not exist.
func (b *Reader) DecideTerm(ctx context.Context, t *registry.Taxonomy, id int64) (*Term, error) {
	rows, _, err := objects.ReadTerms(ctx, b.Rules.Blog, t)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(r objects.TermRow) bool { return r.ID == id })
	if at < 0 {
		return nil, nil
	}
	one := newTerms(rows[at:at+1], nil)
	b.findUsed(t, one)
	term := &one.All[0]
	return term, b.judgeTerms(ctx, t, []*Term{term})
}
