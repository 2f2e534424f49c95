package config

import (
	"errors"
	"regexp"

	"wpsitemapd/sitemap/seo"
)

// languageForm is a language as the news protocol takes it: ISO 639, or one of two scripts of Chinese.
var languageForm = regexp.MustCompile(`^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

// publicationForm is the name of a newspaper in one line.
var publicationForm = regexp.MustCompile(`^[^\pC]{0,200}$`)

// decodeNews reads [site.news].
func decodeNews(t *table, n *seo.News) {
	t.section += " [news]"
	t.addOn("enabled", &n.Enabled)
	t.string("publication", &n.Publication)
	if !publicationForm.MatchString(n.Publication) {
		t.fail("publication", n.Publication, "must be a name in one line, of at most 200 characters")
		n.Publication = ""
	}
	t.string("language", &n.Language)
	if n.Language != "" && !languageForm.MatchString(n.Language) {
		t.fail("language", n.Language, `must be a language by ISO 639, such as "en", or "zh-cn" or "zh-tw"`)
		n.Language = ""
	}
	t.postTypes("post_types", &n.PostTypes)
	t.ids("exclude_terms", &n.ExcludeTerms)
	t.finish()
}

// decodeVideo reads [site.video].
func decodeVideo(t *table, v *seo.Video) {
	t.section += " [video]"
	t.addOn("enabled", &v.Enabled)
	t.postTypes("post_types", &v.PostTypes)
	t.finish()
}

// addOn reads what an add-on decides unless the operator does.
func (t *table) addOn(key string, dst *seo.Switch) {
	v, ok := t.take(key)
	switch {
	case !ok:
	case v == "auto":
		*dst = seo.Auto
	case v == true:
		*dst = seo.SwitchedOn
	case v == false:
		*dst = seo.SwitchedOff
	default:
		t.fail(key, v, `must be true, false or "auto"`)
	}
}

// postTypes reads names of post types, one at least.
func (t *table) postTypes(key string, dst *[]string) {
	if l, ok := t.values[key].([]any); ok && len(l) == 0 {
		t.fail(key, nil, "must not be empty: leave the key out, or set enabled = false")
	}
	t.texts(key, func() { *dst = []string{} }, func(name string) error {
		if !postTypeForm.MatchString(name) {
			return errors.New("must hold names of post types")
		}
		*dst = append(*dst, name)
		return nil
	})
}
