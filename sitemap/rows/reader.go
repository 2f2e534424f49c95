package rows

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// A Reader reads the rows of a blog and decides about each. It is used once: for a full scan or for one delta.
type Reader struct {
	*seo.Rules
	Rows
	Flags      map[int64]seo.Flags   // what the plugin stores of posts
	filled     map[int64]string      // _filled, where that decides
	linksTo    map[int64]string      // _links_to, where that decides
	unwanted   map[int64]seo.Verdict // by the operator's exclusions
	Languages  map[string][]language // of translated post types, as wp.Blog.Languages
	Translated *Translated
	watched    []string        // post types whose recent posts are noted
	Since      int64           // what is older is not recent, Unix seconds
	Newest     int64           // newest publication of any published post
	Dirty      map[string]bool // post types in whose rows a delta has changed something; nil: all were read
	sizeHint   map[string]int  // about how many rows post types have
}

// NewReader returns a reader for a full scan. It notes recent posts of the types watched.
func NewReader(r *seo.Rules, watched []string) *Reader {
	return &Reader{
		Rules: r, Rows: newRows(), watched: watched, Since: r.Options.Now().Unix() - NewsWindow,
		Newest: wp.NoTime, Languages: map[string][]language{}, Translated: &Translated{},
	}
}

// Read reads all rows but those of terms and users, which are read when they are asked for. before holds the rows of the
// catalog before, which is retired by this; nil: there was none.
func (b *Reader) Read(ctx context.Context, before *Kept) error {
	if err := b.readRows(ctx, before); err != nil {
		return err
	}
	return b.speak(ctx)
}

// readMeta reads what decides about posts beside their rows; nil: of all.
func (b *Reader) readMeta(ctx context.Context, ids []int64) error {
	var err error
	if b.Flags, err = b.Settings.Posts(ctx, ids); err != nil {
		return err
	}
	if b.unwanted, err = b.ExcludedPosts(ctx, ids); err != nil {
		return err
	}
	keys := b.Blog.ExclusionMeta()
	if len(keys) == 0 {
		return nil
	}
	values, err := b.Blog.MetaByKeys(ctx, ids, keys...)
	b.filled, b.linksTo = values[wp.MetaFilled], values[wp.MetaLinksTo]
	return err
}

// DecideOne decides about one post as a full scan does about all.
func (b *Reader) DecideOne(ctx context.Context, t *registry.PostType, p *wp.TouchedPost, language string) (seo.Verdict, error) {
	if err := b.readMeta(ctx, []int64{p.ID}); err != nil {
		return seo.NotPublished, err
	}
	var err error
	if b.stranded, err = b.findStranded(ctx); err != nil {
		return seo.NotPublished, err
	}
	if b.inForums, err = b.findInForums(ctx); err != nil {
		return seo.NotPublished, err
	}
	if b.shadowed, err = b.findShadowed(ctx); err != nil {
		return seo.NotPublished, err
	}
	r, decided := b.row(t, strings.ToLower(p.Status), &p.PostRow)
	rows := []PostRow{r}
	b.Posts[t.Name] = rows
	if !decided {
		if err := b.decide(ctx, t, []int64{p.ID}); err != nil {
			return seo.NotPublished, err
		}
	}
	if languages := b.Blog.Languages(); languages != nil {
		rows[0].language = uint8(1 + slices.IndexFunc(languages, func(l wp.Language) bool { return l.Code == language }))
		b.judgeLanguages(t.Name, rows)
	}
	return rows[0].Verdict, nil
}

// DecideTerm decides about one term as a full scan does about all; nil without such a term.
func (b *Reader) DecideTerm(ctx context.Context, t *registry.Taxonomy, id int64) (*termRow, seo.Verdict, error) {
	terms, err := b.Blog.Terms(ctx, t)
	if err != nil {
		return nil, seo.Listed, err
	}
	all := b.newTermRows(t, terms)
	at := slices.IndexFunc(all.Rows, func(r termRow) bool { return r.ID == id })
	if at < 0 {
		return nil, seo.Listed, nil
	}
	one := &TermRows{Rows: []termRow{all.Rows[at]}}
	err = b.judgeTerms(ctx, t, one)
	return &one.Rows[0], one.Rows[0].Verdict, err
}
