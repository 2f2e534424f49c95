package video

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
)

// This file makes the list by Google's rules. posts.go reads the videos of posts.

// list makes the list by Google's rules: every listed post with a complete video, by id. It reads
// posts for which the add-on has stored data, and posts with a sign of a video in the content.
func (p Provider) list(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error) {
	types := s.Types(b.Rules, b.Rules.ListsTypeNamed)
	c := NewReader(b.Rules, p.AddOn, types)
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Past: catalog.PastHidden, Extensions: urlset.Videos, Encoding: new(urlset.Strict),
		Elsewhere: s.Elsewhere, Content: c, Explained: catalog.Explained{Why: p.AddOn.Is().Says(b.Rules)},
	})
	candidates, err := c.candidates(ctx, b)
	if err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(candidates, seo.DefaultPageSize) {
		posts, err := c.posts(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			if p.none() {
				continue
			}
			verdict := b.Rules.Judge(p.object())
			if verdict == seo.Listed {
				l.Places = append(l.Places, catalog.NewPlace(p.ID, b.Rules.Latest(p.Dates), seo.Listed))
			}
			if verdict != seo.Listed && !p.lacks(verdict) { // a check leaves out the whole post, not only its videos
				b.Leave(verdict, seo.Left{Kind: seo.KindPost, ID: p.ID})
				continue
			}
			for _, v := range p.incomplete {
				b.Leave(v.lacks, seo.Left{Kind: seo.KindPost, ID: p.ID})
			}
		}
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = l.PageDates()
	return l, nil
}

// candidates returns the listed posts of the reader's types that may have a video, sorted by id.
func (c *Reader) candidates(ctx context.Context, b *provider.Build) ([]int64, error) {
	var listed []int64
	for _, l := range b.Catalog.Lists {
		if l.Kind != seo.KindPost || !slices.Contains(c.types, l.Of) {
			continue
		}
		for _, f := range l.First {
			if f.PostID > 0 {
				listed = append(listed, f.PostID)
			}
		}
		for e := range l.Places.Listed() {
			listed = append(listed, e.ID)
		}
	}
	slices.Sort(listed)
	listed = slices.Compact(listed)
	candidates, err := objects.VideoMentions(ctx, c.Rules.Blog, listed)
	if err != nil {
		return nil, err
	}
	stored, err := c.addOn.Posts(ctx, c.Rules, c.types)
	if err != nil {
		return nil, err
	}
	for _, id := range stored {
		if _, ok := slices.BinarySearch(listed, id); ok {
			candidates = append(candidates, id)
		}
	}
	slices.Sort(candidates)
	return slices.Compact(candidates), nil
}

// none reports whether a post has no video at all, neither a complete one nor one that is left out.
func (p *post) none() bool {
	return len(p.videos) == 0 && len(p.incomplete) == 0 && p.stored.Against == seo.Listed
}

// lacks reports whether verdict is the reason why no video of the post is complete.
func (p *post) lacks(verdict seo.Verdict) bool {
	return len(p.videos) == 0 && len(p.incomplete) > 0 && verdict == p.incomplete[0].lacks
}

// object returns the seo.Object by which the checks on videos judge the post. The checks have nothing against a post without videos.
func (p *post) object() seo.Object {
	o := seo.Object{Kind: seo.KindVideo, ID: p.ID, Flags: seo.Flags{Against: p.stored.Against}}
	switch {
	case o.Flags.Against != seo.Listed:
	case p.Protected:
		o.Flags.Against = seo.VideoProtected
	case len(p.videos) == 0 && len(p.incomplete) > 0:
		o.Flags.Against = p.incomplete[0].lacks
	}
	return o
}

// Absent implements catalog.Repeated. It returns "" if the post has no video.
func (c *Reader) Absent(ctx context.Context, p *address.Post, standing catalog.Standing) (string, error) {
	if standing == catalog.Unlisted || !slices.Contains(c.types, p.Type) {
		return "", nil
	}
	found, err := c.posts(ctx, []int64{p.ID})
	if err != nil || len(found) == 0 || found[0].none() {
		return "", err
	}
	if verdict := c.Rules.Judge(found[0].object()); verdict != seo.Listed && !found[0].lacks(verdict) {
		sentence, _ := (&seo.Subject{Rules: c.Rules}).Words(verdict)
		return lower(sentence), nil
	}
	return found[0].lack(), nil
}

// lack says what the first incomplete video of a post lacks.
func (p *post) lack() string {
	for _, n := range needs {
		if len(p.incomplete) > 0 && p.incomplete[0].lacks == n.verdict {
			return fmt.Sprintf("its video %s has no %s", p.incomplete[0].address, n.what)
		}
	}
	return ""
}

// lower returns a sentence without capital and full stop, for use inside another sentence.
func lower(sentence string) string {
	return strings.ToLower(sentence[:min(1, len(sentence))]) + strings.TrimSuffix(sentence[min(1, len(sentence)):], ".")
}

func (c *Reader) Render(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	lastmod := places.Dates()
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(places))}
	posts, err := c.posts(ctx, places.IDs())
	if err != nil {
		return catalog.Rendered{}, err
	}
	for _, p := range posts {
		hidden, behind := c.Rules.MovedSinceListing(&p.Post, c.Rules.Latest(p.Dates), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden && len(p.videos) > 0 && !p.Protected { // the content may no longer have a video, or a password may protect it
			r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Videos: p.videos})
		}
	}
	return r, nil
}
