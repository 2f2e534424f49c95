package rows

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Translated holds the objects that the sitemaps at the domains of other languages list. A page here
// names such an object as an alternate only if Translated holds it.
type Translated struct {
	Alternates bool               // entries name their translations (hreflang)
	Posts      []int64            // posts that the sites of other languages' domains list, ascending
	Terms      map[string][]int64 // terms that those sites list, by taxonomy
}

// language describes the posts of one type in one language.
type language struct {
	Listed bool  // at least one post is listed
	Newest int64 // the newest lastmod of the listed posts
}

// speak sets the language of every post. It leaves out posts without a language, and posts that belong
// to the sitemaps of another language's domain.
func (b *Reader) speak(ctx context.Context) error {
	languages := b.Rules.Blog.Languages()
	if languages.None() {
		return nil
	}
	b.Translated.Alternates = b.Rules.Options.Hreflang && b.Rules.Decisions.Alternates()
	b.Translated.Terms = map[string][]int64{}
	found := func(postType string) func(id int64, language int) {
		return func(id int64, language int) {
			if i, ok := FindPost(b.Posts[postType], id); ok && language < 255 {
				if r := &b.Posts[postType][i]; r.language == 0 || int(r.language) > language+1 {
					r.language = uint8(language + 1)
				}
			}
		}
	}
	if languages.AllTypes {
		err := languages.Plugin.EachPost(ctx, "", func(id int64, language int) {
			for name := range b.Posts {
				found(name)(id, language)
			}
		})
		if err != nil {
			return err
		}
	}
	for name, rows := range b.Posts {
		if languages.PostTypes[name] && !languages.AllTypes {
			if err := languages.Plugin.EachPost(ctx, name, found(name)); err != nil {
				return err
			}
		}
		b.judgeLanguages(name, rows)
	}
	slices.Sort(b.Translated.Posts)
	return nil
}

// judgeLanguages judges the rows of a type by their language.
func (b *Reader) judgeLanguages(postType string, rows []Post) {
	if languages := b.Rules.Blog.Languages(); languages.PostTypes[postType] {
		b.Languages[postType] = b.sortLanguages(rows)
	} else if b.Rules.IsForeign() && postType != "attachment" { // attachments were judged by their links
		for i := range rows {
			rows[i].leave(seo.ExternalLink)
		}
	}
}

// sortLanguages judges the rows of a translated type by their language.
func (b *Reader) sortLanguages(rows []Post) []language {
	blog, every := b.Rules.Blog.Languages(), b.Rules.Decisions.EveryLanguage()
	languages := blog.All
	of := make([]language, len(languages))
	for i := range of {
		of[i].Newest = wp.NoTime
	}
	for i := range rows {
		r := &rows[i]
		n := int(r.language) - 1
		switch {
		case !every && (n < 0 && !blog.ListsWithoutLanguage() || n >= 0 && !languages[n].Active):
			r.leave(seo.NoLanguage)
			continue
		case r.Verdict == seo.Listed && n >= 0:
			of[n].Listed = true
			of[n].Newest = max(of[n].Newest, r.LastMod.Unix())
		}
		if b.Rules.HasDomains() && !every && (n < 0 && b.Rules.IsForeign() || n >= 0 && languages[n].Code != blog.OfDomain()) {
			if r.Verdict == seo.Listed && b.Translated.Alternates {
				b.Translated.Posts = append(b.Translated.Posts, r.ID)
			}
			r.leave(seo.OtherLanguage)
		}
	}
	return of
}

// leave sets a verdict that the plugin's SQL applies. It replaces a verdict that the plugin applies after its SQL
// query, but no earlier verdict of the SQL itself.
func (r *Post) leave(rule seo.Verdict) {
	if r.Verdict.Late() {
		r.Verdict = rule
	}
}

// termLanguages returns a function for terms. The function returns the language of a term and the
// verdict that leaves the term out because of its language, or Listed.
func (b *Reader) termLanguages(ctx context.Context, t *registry.Taxonomy, terms []objects.TermRow) (func(id int64) (string, seo.Verdict), error) {
	blog, every := b.Rules.Blog.Languages(), b.Rules.Decisions.EveryLanguage()
	languages := blog.All
	if languages == nil {
		return func(int64) (string, seo.Verdict) { return "", seo.Listed }, nil
	}
	if !blog.Taxonomies[t.Name] {
		rule := seo.Listed
		if b.Rules.IsForeign() {
			rule = b.Rules.Decisions.UntranslatedTerm()
		}
		return func(int64) (string, seo.Verdict) { return "", rule }, nil
	}
	byTerm, err := objects.TermLanguages(ctx, b.Rules.Blog, t.Name, terms)
	inactive := slices.ContainsFunc(languages, func(l wp.Language) bool { return !l.Active })
	return func(id int64) (string, seo.Verdict) {
		n, ok := byTerm[id]
		switch {
		case every && ok:
			return languages[n].Code, seo.Listed
		case every:
			return "", seo.Listed
		case !ok && blog.ListsWithoutLanguage() && !b.Rules.IsForeign():
			return "", seo.Listed
		case !ok && (b.Rules.HasDomains() || inactive), ok && !languages[n].Active:
			return "", seo.NoLanguage
		case !ok:
			return "", seo.Listed
		case b.Rules.HasDomains() && languages[n].Code != blog.OfDomain():
			return languages[n].Code, seo.OtherLanguage
		}
		return languages[n].Code, seo.Listed
	}, err
}

// queried reports whether the plugin finds a post when it queries the newest post of a taxonomy's terms. If the taxonomy is not
// translated but one of its post types is, the query finds only posts of the current language.
func (b *Reader) queried(t *registry.Taxonomy, r Post) bool {
	languages := b.Rules.Blog.Languages()
	if r.language == 0 && languages.None() || languages.Taxonomies[t.Name] || !languages.TranslatesAny(t.ObjectTypes) {
		return true
	}
	current, known := languages.Asked()
	return !known || r.language > 0 && languages.All[r.language-1].Code == current.Code
}
