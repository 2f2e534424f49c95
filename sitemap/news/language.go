package news

import (
	"cmp"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
)

// language returns the language code of a post. If the post has no language, language returns the code of
// the settings, or else the code of the site.
func language(r *seo.Rules, s *Settings, p *address.Post) string {
	if l, ok := r.Blog.Languages().ByCode(p.Language); ok {
		return languageOf(cmp.Or(l.Locale, l.Tag))
	}
	return cmp.Or(s.Language, languageOf(r.Blog.Settings().Locale))
}

// languageOf returns the ISO 639 code of a locale such as nl_NL, de_DE_formal or ckb. Google has two
// codes for Chinese, zh-cn and zh-tw. If the locale has no valid code, the result is "en".
func languageOf(locale string) string {
	parts := strings.FieldsFunc(strings.ToLower(locale), func(r rune) bool { return r == '_' || r == '-' })
	if len(parts) == 0 {
		return "en"
	}
	switch code := parts[0]; {
	case code == "zh":
		for _, p := range parts[1:] {
			if p == "tw" || p == "hk" || p == "mo" || p == "hant" {
				return "zh-tw"
			}
		}
		return "zh-cn"
	case code == "me": // WordPress uses this code for Montenegrin
		return "cnr"
	case (len(code) == 2 || len(code) == 3) && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") == "":
		return code
	}
	return "en"
}
