package seo_test

import (
	"slices"
	"strconv"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

// The facts that explain shows for a verdict come from the table of the subject, with the id of what decided.
func TestEvidence(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "yoast"},
		sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-ptarchive-book", true))).Rules
	below9 := "https://small.test/category/a/"
	attachment := &address.Post{ID: 8, Type: "attachment", Parent: 10}
	below := &objects.PostRow{ParentStatus: "draft"}
	public := &objects.PostRow{ParentStatus: "publish"}
	for _, tt := range []struct {
		rule string
		v    seo.Verdict
		s    seo.Subject
		want []seo.Evidence
	}{
		{"a slug that an object above lacks", seo.NoAddress, seo.Subject{Of: "page 9", Link: "/a/", Post: &address.Post{ID: 9, Name: "a", Parent: 10}},
			[]seo.Evidence{{Source: "wp_posts.post_parent", Value: "10", Of: "page 9"}, {Source: "permalink", Value: `"/a/"`, Of: "page 9"}}},
		{"no slug of its own", seo.NoAddress, seo.Subject{Of: "page 9", Post: &address.Post{ID: 9, Parent: 10}},
			[]seo.Evidence{{Source: "wp_posts.post_name", Value: `""`, Of: "page 9"}}},
		{"a parent that is gone", seo.ParentHidden, seo.Subject{Of: "attachment 8", Post: attachment, Row: &objects.PostRow{}},
			[]seo.Evidence{{Source: "wp_posts.post_parent", Value: "10", Of: "attachment 8"}}},
		{"a draft as parent", seo.ParentHidden, seo.Subject{Of: "attachment 8", Post: attachment, Row: below},
			[]seo.Evidence{{Source: "wp_posts.post_parent", Value: "10", Of: "attachment 8"},
				{Source: "wp_posts.post_status", Value: `"draft"`, Of: "post 10"}}},
		{"a parent with a password", seo.ParentHidden, seo.Subject{Of: "attachment 8", Post: attachment, Row: public},
			[]seo.Evidence{{Source: "wp_posts.post_parent", Value: "10", Of: "attachment 8"},
				{Source: "wp_posts.post_status", Value: `"publish"`, Of: "post 10"}, {Source: "wp_posts.post_password", Value: "set", Of: "post 10"}}},
		{"another object at the URL of a page", seo.Shadowed, seo.Subject{Of: "page 9", Link: "/a/", Post: &address.Post{ID: 9, Type: "page"}},
			[]seo.Evidence{{Source: "permalink", Value: `"/a/"`, Of: "page 9"}}},
		{"a page below the base of categories", seo.Shadowed, seo.Subject{Of: "page 9", Link: below9, Post: &address.Post{ID: 9, Type: "page"}},
			[]seo.Evidence{{Source: "permalink", Value: strconv.Quote(below9), Of: "page 9"}, {Source: "wp_options.rewrite_rules", Value: `"category/…"`}}},
		{"a post below that base", seo.Shadowed, seo.Subject{Of: "post 9", Link: below9, Post: &address.Post{ID: 9, Type: "post"}},
			[]seo.Evidence{{Source: "permalink", Value: strconv.Quote(below9), Of: "post 9"}}},
		{"a noindexed archive", seo.ArchiveNoindex, seo.Subject{PostType: &registry.PostType{Name: "book"}},
			[]seo.Evidence{{Source: "wp_options.wpseo_titles[noindex-ptarchive-book]", Value: "true"}}},
		{"the archive of posts", seo.ArchiveNoindex, seo.Subject{}, nil},
		{"a hidden language of a post", seo.NoLanguage, seo.Subject{Of: "post 7", Post: &address.Post{ID: 7, Language: "fr"}},
			[]seo.Evidence{{Source: "language", Value: `"fr"`, Of: "post 7"}}},
		{"a hidden language of a term", seo.NoLanguage, seo.Subject{Of: "category 7", Term: &address.Term{ID: 7, Language: "fr"}},
			[]seo.Evidence{{Source: "language", Value: `"fr"`, Of: "category 7"}}},
		{"no language", seo.NoLanguage, seo.Subject{Of: "category 7", Term: &address.Term{ID: 7}},
			[]seo.Evidence{{Source: "language", Value: "none", Of: "category 7"}}},
	} {
		tt.s.Rules = rules
		expect.List(t, tt.s.EvidenceOf(tt.v), tt.want, tt.rule)
	}
	trashed := seo.Subject{Rules: rules, Post: attachment, Row: &objects.PostRow{ParentStatus: "trash"}}
	for row, want := range map[*objects.PostRow]string{
		trashed.Row: "Attach it to a published post, or restore the one it is attached to.",
		below:       "Attach it to a published post, or publish the one it is attached to.",
		nil:         "Attach it to a published post, or publish the one it is attached to.",
	} {
		trashed.Row = row
		_, do := trashed.Words(seo.ParentHidden)
		expect.Equal(t, do, want, row)
	}
}

// The sentence about a canonical URL names the URL of the object, if that is known.
func TestCanonicalInWords(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "yoast"}, sitemaptest.SetOption("wpseo_taxonomy_meta",
		sitemaptest.Array("category", sitemaptest.Array(7, sitemaptest.Array("wpseo_canonical", "https://y.test/"))))).Rules
	category := &registry.Taxonomy{Name: "category"}
	for sentence, s := range map[string]seo.Subject{
		"Its canonical URL is https://x.test/.": {Post: new(address.Post), Canonical: "https://x.test/"},
		"Its canonical URL is https://y.test/.": {Term: &address.Term{ID: 7}, Taxonomy: category},
		"Its canonical URL is another URL.":     {Term: &address.Term{ID: 8}, Taxonomy: category},
	} {
		s.Rules = rules
		got, _ := s.Words(seo.CanonicalElsewhere)
		expect.Equal(t, got, sentence)
	}
}

// What an editor does about an unpublished post depends on its status.
func TestUnpublishedInWords(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}).Rules
	for status, want := range map[string]string{
		"draft": "Publish it.", "pending": "Review it and publish it.", "future": "Wait for that date, or publish it now.",
		"trash": "Restore it, and publish it if it is a draft then.", "private": "Set its visibility to public.", "other": "Publish it.",
	} {
		_, do := (&seo.Subject{Rules: rules, Post: &address.Post{Status: status}}).Words(seo.NotPublished)
		expect.Equal(t, do, want, status)
	}
	_, do := (&seo.Subject{Rules: rules}).Words(seo.NotPublished)
	expect.Equal(t, do, "Publish it.", "without a post")
}

// A subject is what its fields say. Its meta are in the table of its kind.
func TestKindOfSubject(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{}).Rules
	for _, tt := range []struct {
		s    seo.Subject
		kind seo.ObjectKind
		of   string
		meta string
	}{
		{seo.Subject{Post: &address.Post{Type: "page"}}, seo.KindPost, "page", "wp_postmeta.key"},
		{seo.Subject{Term: &address.Term{}, Taxonomy: &registry.Taxonomy{Name: "genre"}}, seo.KindTerm, "genre", "wp_termmeta.key"},
		{seo.Subject{Author: &address.Author{}}, seo.KindUser, "", "wp_usermeta.key"},
		{seo.Subject{PostType: &registry.PostType{Name: "book"}}, seo.KindArchive, "", "wp_postmeta.key"},
	} {
		tt.s.Rules = rules
		kind, of := tt.s.Kind()
		expect.Equal(t, kind, tt.kind, tt.meta)
		expect.Equal(t, of, tt.of, tt.meta)
		expect.Equal(t, tt.s.Meta("key", "value").Source, tt.meta)
	}
}

// The operator's ids leave out the objects of their own kind only.
func TestExcludesByID(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{}).Rules
	rules.Options.Exclude = seo.Exclude{PostIDs: []int64{1}, TermIDs: []int64{2}, UserIDs: []int64{3}}
	for id, kinds := range map[int64][]seo.ObjectKind{
		1: {seo.KindPost, seo.KindFrontPage, seo.KindPostsPage, seo.KindVideo}, 2: {seo.KindTerm}, 3: {seo.KindUser},
	} {
		for kind := range seo.KindOther + 1 {
			expect.Equal(t, rules.Excludes(seo.Object{Kind: kind, ID: id}), slices.Contains(kinds, kind), "kind", kind, "id", id)
		}
	}
	term := seo.Subject{Rules: rules, Of: "category 2", Term: &address.Term{ID: 2}}
	expect.List(t, term.EvidenceOf(seo.Excluded), []seo.Evidence{{Source: "[site.exclude] term_ids", Value: "2", Of: "category 2"}})
}

// The sitemap of an add-on has the usual name, unless a post type has that name.
func TestAddOn(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}).Rules
	for _, tt := range []struct {
		rule   string
		addOn  seo.AddOn
		name   string
		absent []string // all names that the sitemap might have
		source string   // of the evidence that enables it
	}{
		{"the usual name", seo.AddOn{Usual: "news", Plugin: "wpseo-news", Prefix: "yoast-"},
			"news", []string{"news", "yoast-news"}, "wp_options.active_plugins"},
		{"a post type has it", seo.AddOn{Usual: "post", Plugin: "x", Prefix: "yoast-"},
			"yoast-post", []string{"post", "yoast-post"}, "wp_options.active_plugins"},
		{"no prefix of its own", seo.AddOn{Usual: "post"}, "google-post", []string{"google-post", "post"}, "[site.post] enabled"},
	} {
		expect.Equal(t, tt.addOn.NameOf(rules), tt.name, tt.rule)
		absent := tt.addOn.Absent(rules)
		var names []string
		for name, why := range absent {
			names = append(names, name)
			expect.Equal(t, why.Rule, seo.RuleNoPlugin, tt.rule)
			expect.Equal(t, len(why.Evidence) == 2, tt.addOn.Plugin != "", tt.rule, "says that the plugin is not active")
		}
		slices.Sort(names)
		expect.List(t, names, tt.absent, tt.rule)
		expect.Equal(t, tt.addOn.Says(rules)[0].Source, tt.source, tt.rule)
		expect.Equal(t, tt.addOn.MakesOwn(rules), true, tt.rule)
	}
	news := seo.AddOn{Usual: "news", Plugin: "wpseo-news"}
	rules.Options.News.Enabled = seo.SwitchedOff
	expect.Equal(t, news.Absent(rules)["news"].Rule, seo.RuleSwitchedOff)
	rules.Options.News.Enabled = seo.SwitchedOn
	expect.Equal(t, news.Says(rules)[0].Source, "[site.news] enabled")
	expect.Equal(t, news.MakesOwn(rules), false, "the operator has switched it on")
}
