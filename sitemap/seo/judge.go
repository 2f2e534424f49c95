package seo

import (
	"context"

	"wpsitemapd/wp/address"
)

// Judge is the only function that decides whether an object is listed. The first check that applies
// gives the verdict.
func (c *Rules) Judge(o Object) Verdict {
	for i := range c.checks {
		if check := &c.checks[i]; check.Applies(c, &o) {
			return check.Verdict
		}
	}
	return Listed
}

// checkOf returns the check that gives a verdict, or nil if no check does.
func (c *Rules) checkOf(v Verdict) *Check {
	for i := range c.checks {
		if c.checks[i].Verdict == v {
			return &c.checks[i]
		}
	}
	return nil
}

// Has reports whether a check gives the verdict.
func (c *Rules) Has(v Verdict) bool { return c.checkOf(v) != nil }

// JudgePage judges a page that is the front page or the posts page.
func (c *Rules) JudgePage(ctx context.Context, k ObjectKind, p *address.Post) (Verdict, error) {
	if k == KindPostsPage {
		return c.JudgeArchivePage(ctx, "post", p)
	}
	return c.judgePage(ctx, k, p, false)
}

// JudgeArchivePage judges a page that has the same address as a post type's archive.
func (c *Rules) JudgeArchivePage(ctx context.Context, postType string, p *address.Post) (Verdict, error) {
	return c.judgePage(ctx, KindPostsPage, p, c.Settings.Archive(postType) != nil)
}

func (c *Rules) judgePage(ctx context.Context, k ObjectKind, p *address.Post, archiveNoindex bool) (Verdict, error) {
	excluded, err := c.ExcludedPosts(ctx, []int64{p.ID})
	if err != nil {
		return 0, err
	}
	linksTo := ""
	if k == KindFrontPage && c.Blog.Settings().Exclusions.LinksTo { // Page Links To does not change the posts page
		linksTo = p.LinksTo()
	}
	return c.Judge(Object{
		Kind: k, Type: p.Type, ID: p.ID, Flags: c.Settings.Post(p), Published: p.Status == "publish", Protected: p.Protected,
		ArchiveNoindex: archiveNoindex, LinksTo: linksTo, Excluded: excluded[p.ID], Link: p.Link,
	}), nil
}

// JudgeTerm judges a term by its stored settings.
func (c *Rules) JudgeTerm(taxonomy string, id int64, link, language string) Verdict {
	return c.Judge(Object{
		Kind: KindTerm, Type: taxonomy, ID: id, Flags: c.Settings.Term(taxonomy, id), Link: link, Language: language,
		Excluded: c.excludedByTerm(taxonomy, id),
	})
}

// JudgeAuthor judges a user.
func (c *Rules) JudgeAuthor(a *address.Author) Verdict {
	return c.Judge(Object{Kind: KindUser, ID: a.ID, Flags: c.Settings.Author(a), NotAMember: !a.Member, Link: a.Link})
}

// JudgePart judges a later part of a listed post. link is the URL of the part. A canonical URL in flags,
// the settings of the post, also applies to the part.
func (c *Rules) JudgePart(p *address.Post, flags Flags, link string) Verdict {
	if t := c.Blog.Registry().PostType(p.Type); t != nil && t.URL != "" { // nobody knows the URLs that a separate front end gives to parts
		return AddressUnknown
	}
	return c.Judge(Object{Kind: KindPart, Type: p.Type, ID: p.ID, Flags: Flags{Canonical: flags.Canonical}, Published: true, Link: link})
}

// JudgeArchive judges the archive of a post type. If postType is "", the address belongs to no type, so no noindex of an
// archive applies.
func (c *Rules) JudgeArchive(postType, link string) Verdict {
	return c.Judge(Object{Kind: KindArchive, ArchiveNoindex: postType != "" && c.Settings.Archive(postType) != nil, Link: link})
}
