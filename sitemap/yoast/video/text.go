package video

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// maxVideoText bounds a value of a stored record, in bytes. A longer one is no title and no
// address, and cleaning takes time that grows with its square.
const maxVideoText = 16 << 10

// phpSpace is what PHP's trim() takes away.
const phpSpace = " \t\n\r\x00\v"

// videoText turns a value of a record into the text the plugin prints, escaped for HTML, or "" for none: it takes shortcodes and
// references out, which are decoded, first into ISO 8859-15 and then into UTF-8. Titles, descriptions, categories and tags are
// prose; replace puts values in the place of variables such as %%sitename%%.
func videoText(s string, prose bool, replace func(string) string) string {
	if len(s) > maxVideoText {
		return ""
	}
	s = formatting.StripShortcodes(strings.Trim(s, phpSpace))
	s = formatting.SpecialChars(php.HTMLEntityDecode(php.HTMLEntityDecode(s, php.Latin9), php.UTF8), false)
	if prose {
		s = formatting.EscHTML(s)
	}
	if s == "" || s == "0" {
		return ""
	}
	s = strings.Trim(s, phpSpace)
	if strings.Contains(s, "%%") && utf8.ValidString(s) {
		s = replace(s)
	}
	s = standardSpace.Replace(s)
	s = strings.Trim(strings.ReplaceAll(s, "  ", " "), phpSpace)
	return formatting.SpecialChars(php.HTMLEntityDecode(s, php.UTF8), false)
}

var standardSpace = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\f", " ")

// variables returns what stands for %%name%% in the texts of one post or term, as in Yoast's replacement variables; HTML, as
// those texts.
type variables func(name string) string

// variable is %%name%%; Yoast reads a single % at the end as well, and replaces nothing then.
var variable = regexp.MustCompile(`%%([^%]+(?:%%single)?)%%?`)

// replace puts the values of variables into a text. A name without a value is taken out.
func (v variables) replace(s string) string {
	names := variable.FindAllStringSubmatch(s, -1)
	for _, n := range names {
		if value := v(n[1]); value != "" {
			s = strings.ReplaceAll(s, "%%"+n[1]+"%%", value)
		}
	}
	for _, n := range names {
		s = strings.ReplaceAll(s, "%%"+n[1]+"%%", "")
	}
	return s
}

// variablesWith are the values that a text of a post or a term may name, from what the object itself has.
func variablesWith(r *seo.Rules, own map[string]string) variables {
	set := r.Blog.Settings()
	return func(name string) string {
		switch name {
		case "sep":
			return yoast.OptionsOf(r.Blog).Separator()
		case "sitename":
			return formatting.PlainText(set.Title)
		case "sitedesc":
			return formatting.PlainText(set.Tagline)
		case "currentyear":
			return r.Options.Now().In(set.Core.Zone).Format("2006")
		}
		return own[name]
	}
}

func postVariables(r *seo.Rules, p *wp.FullPost) variables {
	own := map[string]string{
		"title": p.Title, "name": p.AuthorName, "category": strings.Join(p.Categories, ", "), "primary_category": p.Primary,
		"tag": strings.Join(p.Tags, ", "),
	}
	if !p.Protected {
		own["excerpt"] = formatting.PlainText(p.Excerpt)
		own["excerpt_only"] = own["excerpt"]
	}
	return variablesWith(r, own)
}

func termVariables(r *seo.Rules, t *wp.NamedTerm) variables {
	return variablesWith(r, map[string]string{"term_title": t.Name, "term_description": formatting.PlainText(t.Description)})
}
