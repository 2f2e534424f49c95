package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// translated is what a catalog keeps of a multilingual site, so that a page names only those
// alternates that are listed somewhere.
type translated struct {
	alternates bool               // hreflang is written
	posts      []int64            // listed by the sites of other languages' domains, ascending
	terms      map[string][]int64 // the same by taxonomy
}

// language is what a build knows of a post type in one language.
type language struct {
	listed bool  // a post of it is listed, here or at the language's domain
	newest int64 // lastmod of those
}

// speak finds out the language of every post, and leaves out those that have none or stand in
// the sitemaps of another domain.
func (b *Reader) speak(ctx context.Context) error {
	languages := b.site.Languages()
	if languages == nil {
		return nil
	}
	b.translated.alternates = b.opt.Hreflang && b.Alternates
	b.translated.terms = map[string][]int64{}
	b.languages = map[string][]language{}
	found := func(postType string) func(id int64, language int) {
		return func(id int64, language int) {
			if i, ok := findPost(b.posts[postType], id); ok && language < 255 {
				if r := &b.posts[postType][i]; r.language == 0 || int(r.language) > language+1 {
					r.language = uint8(language + 1)
				}
			}
		}
	}
	if b.site.LanguagesOfAllPosts() {
		err := b.site.EachPostLanguage(ctx, "", func(id int64, language int) {
			for name := range b.posts {
				found(name)(id, language)
			}
		})
		if err != nil {
			return err
		}
	}
	for name, rows := range b.posts {
		if !b.site.TranslatesPostType(name) {
			b.judgeUntranslated(name, rows)
			continue
		}
		if !b.site.LanguagesOfAllPosts() {
			if err := b.site.EachPostLanguage(ctx, name, found(name)); err != nil {
				return err
			}
		}
		b.languages[name] = b.sortLanguages(rows, languages)
	}
	slices.Sort(b.translated.posts)
	return nil
}

// judgeUntranslated judges the rows of a type without languages.
func (b *Reader) judgeUntranslated(postType string, rows []postRow) {
	if b.foreign() && postType != "attachment" { // those were judged by their links
		for i := range rows {
			rows[i].leave(ExternalLink)
		}
	}
}

// sortLanguages judges the rows of a translated type by their language.
func (b *Reader) sortLanguages(rows []postRow, languages []wp.Language) []language {
	of := make([]language, len(languages))
	for i := range of {
		of[i].newest = wp.NoTime
	}
	for i := range rows {
		r := &rows[i]
		n := int(r.language) - 1
		switch {
		case n < 0 && !b.site.ListsWithoutLanguage(), n >= 0 && !languages[n].Active:
			r.leave(NoLanguage)
			continue
		case r.rule == Listed && n >= 0:
			of[n].listed = true
			of[n].newest = max(of[n].newest, r.lastmod.unix())
		}
		if b.hasDomains() && (n < 0 && b.foreign() || n >= 0 && languages[n].Code != b.site.Language()) {
			if r.rule == Listed && b.translated.alternates {
				b.translated.posts = append(b.translated.posts, r.id)
			}
			r.leave(OtherLanguage)
		}
	}
	return of
}

// leave takes a row out of the pages for a reason that the plugin's SQL knows.
func (r *postRow) leave(rule Verdict) {
	if r.rule.late() {
		r.rule = rule
	}
}

// termLanguage returns what decides about the terms of a translated taxonomy: for each its
// language, and the rule that leaves it out, Listed for none.
func (b *Reader) termLanguages(ctx context.Context, t *registry.Taxonomy, terms []wp.TermRow) (func(id int64) (string, Verdict), error) {
	languages := b.site.Languages()
	if languages == nil {
		return func(int64) (string, Verdict) { return "", Listed }, nil
	}
	if !b.site.TranslatesTaxonomy(t.Name) {
		rule := Listed
		if b.foreign() {
			rule = b.UntranslatedTerm
		}
		return func(int64) (string, Verdict) { return "", rule }, nil
	}
	byTerm, err := b.site.TermLanguages(ctx, t.Name, terms)
	inactive := slices.ContainsFunc(languages, func(l wp.Language) bool { return !l.Active })
	return func(id int64) (string, Verdict) {
		n, ok := byTerm[id]
		switch {
		case !ok && b.site.ListsWithoutLanguage() && !b.foreign():
			return "", Listed
		case !ok && (b.hasDomains() || inactive), ok && !languages[n].Active:
			return "", NoLanguage
		case !ok:
			return "", Listed
		case b.hasDomains() && languages[n].Code != b.site.Language():
			return languages[n].Code, OtherLanguage
		}
		return languages[n].Code, Listed
	}, err
}

// queried reports whether the plugin sees a post when it looks for the newest one of a taxonomy's terms: where
// the taxonomy has no languages and a type of it has, only posts of the current language.
func (b *Reader) queried(t *registry.Taxonomy, r postRow) bool {
	if r.language == 0 && b.site.Languages() == nil || b.site.TranslatesTaxonomy(t.Name) || !slices.ContainsFunc(t.ObjectTypes, b.site.TranslatesPostType) {
		return true
	}
	current, known := b.site.CurrentLanguage()
	return !known || r.language > 0 && b.site.Languages()[r.language-1].Code == current.Code
}
