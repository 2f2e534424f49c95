package rows

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/objects"
)

// Author is a user who may have an author archive.
type Author struct {
	Stamp   int64 // value of seo.Flags.Stamp
	Verdict seo.Verdict
}

// AuthorDates returns the newest date of each author's published posts, by user id. of returns the date
// of one post. If types is empty, the types that make a user an author count, or "post" if there are none.
func (b *Reader) AuthorDates(of func(*Post) int64, types ...string) map[int64]int64 {
	if types == nil {
		types = b.Rules.Settings.AuthorTypes()
	}
	if types == nil {
		types = []string{"post"}
	}
	dates := map[int64]int64{}
	for _, name := range types {
		for i := range b.Posts[name] {
			r := &b.Posts[name][i]
			if r.Status != Published {
				continue
			}
			if newest, wrote := dates[b.users[r.author]]; !wrote || of(r) > newest {
				dates[b.users[r.author]] = of(r)
			}
		}
	}
	return dates
}

// OpenAuthors returns the authors of published posts without a password, of any type that is read.
func (b *Reader) OpenAuthors() map[int64]bool {
	wrote := map[int64]bool{}
	for _, rows := range b.Posts {
		for i := range rows {
			if r := &rows[i]; r.Status == Published && !r.protected {
				wrote[b.users[r.author]] = true
			}
		}
	}
	return wrote
}

// EligibleAuthors returns the users that have an archive worth listing. They are the authors of published posts, or all users
// who may be authors if the site also lists users without posts.
func (b *Reader) EligibleAuthors(ctx context.Context, dates map[int64]int64) ([]int64, error) {
	if b.Rules.Settings.AuthorTypes() == nil {
		if b.editors == nil {
			editors, err := b.Rules.Decisions.FreeAuthors(ctx, b.Rules.Blog)
			if err != nil {
				return nil, err
			}
			b.editors = editors
		}
		return slices.Clone(b.editors), nil
	}
	return slices.Collect(maps.Keys(dates)), nil
}

// IsEligible reports whether EligibleAuthors contains a user. It does not read the posts of other users.
func (b *Reader) IsEligible(ctx context.Context, user int64) (bool, error) {
	if types := b.Rules.Settings.AuthorTypes(); types != nil {
		return objects.HasPosts(ctx, b.Rules.Blog, user, types)
	}
	free, err := b.EligibleAuthors(ctx, nil)
	return slices.Contains(free, user), err
}

// ReadAuthors reads and judges the users in ids that were not read yet. It forgets users that are not in ids.
func (b *Reader) ReadAuthors(ctx context.Context, ids []int64) error {
	before := b.Authors
	b.Authors = make(map[int64]Author, len(ids))
	var unknown []int64
	for _, id := range ids {
		if row, ok := before[id]; ok {
			b.Authors[id] = row
		} else {
			unknown = append(unknown, id)
		}
	}
	authors, err := b.Rules.Book.Authors(ctx, unknown)
	for _, a := range authors {
		b.Authors[a.ID] = Author{b.Rules.Settings.Author(a).Stamp, b.Rules.JudgeAuthor(a)}
	}
	return err
}
