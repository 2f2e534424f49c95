package check

import (
	"fmt"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
)

// This file holds the rules by which check judges what it has found.

// trouble adds a text to the errors of the site, unless the text is "".
func (r *SiteReport) trouble(text string) {
	if text != "" {
		r.OK, r.Errors = false, append(r.Errors, text)
	}
}

// rank returns 2 for a site with trouble, 1 for one with warnings and 0 for a good one.
func (r *SiteReport) rank() int {
	switch {
	case !r.OK:
		return 2
	case r.warnings() > 0:
		return 1
	}
	return 0
}

func (r *SiteReport) warnings() int {
	n := len(r.Warnings)
	for _, b := range r.Blogs {
		n += len(b.Warnings)
	}
	return n
}

// good reports whether nothing is wrong with the blog.
func (b *BlogReport) good() bool {
	return b.Error == "" && len(b.Unknown) == 0 && len(b.Troubles) == 0 &&
		(b.Fetch == nil || len(b.Fetch.Bad) == 0) && (b.Public == nil || len(b.Public.Problems) == 0)
}

// noteNews records which articles each news sitemap holds. It warns if most of them are too old for Google.
func (b *BlogReport) noteNews(found *sitemap.Catalog, now int64) {
	for i := range b.Sitemaps {
		s := &b.Sitemaps[i]
		l := found.List(s.Name)
		if l == nil || l.Explained.Holds == "" {
			continue
		}
		s.Holds = l.Explained.Holds
		if older, all := l.Older(now); 2*older > all {
			b.Warnings = append(b.Warnings, fmt.Sprintf("most articles of the sitemap %s (%d of %d) are listed because they were "+
				"changed. They were published more than two days ago, and Google counts only the date of publication. To leave "+
				"them out, set window = \"published\" in [site.news]", s.Name, older, all))
		}
	}
}

// linesToAdd returns the lines for the configuration that settle an unknown type.
func linesToAdd(u registry.Unknown) string {
	text := fmt.Sprintf("[site.%s.%s]\npublic = true # or false, if visitors cannot see this %s",
		strings.ReplaceAll(u.Kind, " ", "_"), config.Key(u.Name), u.Kind)
	if u.Kind == "taxonomy" {
		types := u.ObjectTypes
		if len(types) == 0 {
			types = []string{"post"}
		}
		text += fmt.Sprintf("\nobject_types = [%s] # the post types it belongs to", `"`+strings.Join(types, `", "`)+`"`)
	}
	if u.Slug != "" {
		text += fmt.Sprintf("\nslug = %s # or what else its URLs begin with", config.Quote(u.Slug))
	}
	return text
}

// noteAddressing records where the URLs of a type come from, and why.
func (t *typeReport) noteAddressing(a address.Addressing) {
	switch {
	case a.From == address.ByPHP:
		t.Addresses = "they differ from those computed, so the site itself serves this sitemap"
	case !t.Public:
		return
	case a.From == address.AsStored:
		t.Addresses = "from yoast_indexable: " + a.Why
	case a.Why != "" || a.Compared+a.Asked > 0:
		t.Addresses = "computed"
		if a.Why != "" {
			t.Addresses += ": " + a.Why
		}
		if a.Compared > 0 {
			t.Addresses += fmt.Sprintf("; yoast_indexable has the same for %s of the %s compared",
				report.Number(a.Compared-a.Differ), report.Number(a.Compared))
		}
		if a.Differ > 0 {
			t.Addresses += ", and others may differ, too"
		}
	}
	if a.Asked > 0 {
		t.Addresses += "; asked the site for " + report.Count(a.Asked, "page")
	}
}
