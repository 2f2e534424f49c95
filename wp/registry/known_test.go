package registry

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/wptest/expect"
)

func TestTableOfKnownPlugins(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range knownPlugins {
		name := p.Plugin + p.Theme
		if (p.Plugin == "") == (p.Theme == "") || p.Plugin != "" && !strings.HasSuffix(p.Plugin, ".php") || seen[name] {
			t.Errorf("%q: one plugin's file or one theme's folder, once", name)
		}
		if p.Base != "" && (seen[p.Base] || !slices.Contains(KnownPlugins(), p.Base)) {
			t.Errorf("%s: the entry of an add-on stands above that of its plugin %s", name, p.Base)
		}
		seen[name] = true
		for _, x := range p.PostTypes {
			if !postTypes.valid(x.Name) || len(x.Of) > 0 || x.Nested {
				t.Errorf("%s: post type %q", name, x.Name)
			}
		}
		for _, x := range p.Taxonomies {
			if !taxonomies.valid(x.Name) || len(x.Of) == 0 || x.Archive != "" || len(x.LeftOutOf) > 0 {
				t.Errorf("%s: taxonomy %q", name, x.Name)
			}
		}
	}
}

// downloads is a site with WordPress' own sitemaps, whose database tells nothing of the types.
func downloads(change func(*Evidence)) *Registry {
	e := Evidence{
		Home: "https://a.test", PermalinkStructure: "/blog/%postname%/", Locale: "en_US",
		Plugins:    PluginTraces{Active: map[string]bool{"easy-digital-downloads/easy-digital-downloads.php": true}},
		PostTypes:  []Rows{{Name: "download", Used: 3}},
		Taxonomies: []Rows{{Name: "download_category", Used: 2}},
	}
	change(&e)
	return Decide(e)
}

func TestTableDecidesWhereNothingElseDoes(t *testing.T) {
	rules := []routes.Rule{
		{Regex: "shop/?$", Query: "index.php?post_type=download"},
		{Regex: "shop/([^/]+)(?:/([0-9]+))?/?$", Query: "index.php?download=$matches[1]&page=$matches[2]"},
		{Regex: "downloads/category/(.+?)/?$", Query: "index.php?download_category=$matches[1]"},
	}
	known := FactSource("known plugin easy-digital-downloads/easy-digital-downloads.php")
	for _, c := range []struct {
		name   string
		change func(*Evidence)
		public bool
		source FactSource // of public
		slug   string
		front  bool
	}{
		{"emptied rules", func(*Evidence) {}, true, known, "downloads", false},
		{"its rules beat the default slug", func(e *Evidence) { e.RewriteRules = rules }, true, known, "shop", false},
		{"a list without the type beats it", func(e *Evidence) {
			e.RewriteRules, e.Yoast.PostTypes = rules, []string{"post", "page"}
		}, false, "option wpseo[last_known_public_post_types]; by " + known + " it is public", "shop", false},
		{"the operator beats it", func(e *Evidence) {
			e.RewriteRules = rules
			e.Overrides.PostTypes = map[string]PostTypeOverride{"download": {Public: new(bool)}}
		}, false, sourceConfiguration, "shop", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := downloads(c.change)
			x := r.PostType("download")
			if x == nil || x.Public != c.public || x.Sources[keyPublic] != c.source || x.Slug != c.slug || x.WithFront != c.front {
				t.Fatalf("got %+v, sources %v", x, x.Sources)
			}
			if x.Public && (!x.HasArchive || x.ArchiveSlug != c.slug) {
				t.Errorf("archive %t at %q", x.HasArchive, x.ArchiveSlug)
			}
			if len(r.Unknown) > 0 {
				t.Errorf("unknown: %v", r.Unknown)
			}
		})
	}
	if r := downloads(func(e *Evidence) { e.Plugins.Active = nil }); r.PostType("download") == nil || len(r.Unknown) == 0 {
		t.Error("a plugin that is not active decides")
	}
	r := downloads(func(e *Evidence) {
		e.Plugins.Active, e.PostTypes = map[string]bool{"betterdocs/betterdocs.php": true}, []Rows{{Name: "betterdocs_faq", Used: 1}}
	})
	if x := r.PostType("betterdocs_faq"); x != nil && x.Public || len(r.Unknown) != 1 {
		t.Errorf("of what a plugin hides: %+v, unknown %v", x, r.Unknown)
	}
	r = downloads(func(e *Evidence) { e.RewriteRules = rules[2:] })
	if x := r.PostType("download"); x != nil {
		t.Errorf("a type that no rule routes is registered: %+v", x)
	}
	tax := r.Taxonomy("download_category")
	if tax == nil || !tax.Public || !tax.RewriteHierarchical || !slices.Equal(tax.ObjectTypes, []string{"download"}) {
		t.Errorf("taxonomy %+v", tax)
	}
}

// What a plugin's option switches off is private, whatever Yoast SEO has stored of it before.
func TestTableKnowsWhatIsSwitchedOff(t *testing.T) {
	for _, value := range []string{"enabled", "disabled"} {
		r := downloads(func(e *Evidence) {
			e.Plugins.Active = map[string]bool{"give/give.php": true}
			e.Plugins.Options = map[string]php.Value{"give_settings": php.NewArray(php.Pair{Key: php.Key{Str: "forms_singular", IsString: true}, Value: php.NewString(value)})}
			e.RewriteRules = []routes.Rule{{Regex: "donations/([^/]+)(?:/([0-9]+))?/?$", Query: "index.php?give_forms=$matches[1]&page=$matches[2]"}}
			e.PostTypes, e.Taxonomies = []Rows{{Name: "give_forms", Used: 1}}, nil
			e.Yoast.PostTypes = []string{"give_forms"}
		})
		if x := r.PostType("give_forms"); x == nil || x.Public != (value == "enabled") || x.Undecided || len(r.Unknown) > 0 {
			t.Errorf("%s: %+v", value, x)
		}
	}
}

func TestTableLeavesAddressesOfPHPToPHP(t *testing.T) {
	r := downloads(func(e *Evidence) {
		e.Plugins.Active = map[string]bool{"hivepress/hivepress.php": true, "sensei-lms/sensei-lms.php": true}
		e.PostTypes = []Rows{{Name: "hp_vendor", Used: 1}, {Name: "quiz", Used: 1}}
		e.Taxonomies = nil
	})
	if x := r.PostType("hp_vendor"); x == nil || x.Public || !x.Undecided || len(r.Unknown) != 1 || !r.Unknown[0].ByPHP {
		t.Errorf("vendor %+v, unknown %v", x, r.Unknown)
	}
	if x := r.PostType("quiz"); x == nil || !x.Public || !slices.Contains(x.LeftOutOf, "core") || x.Sources[keyExclude] == "" {
		t.Errorf("what a plugin takes out: %+v", x)
	}
	r = downloads(func(e *Evidence) { // whatever an SEO plugin says of publicity
		e.Plugins.Active = map[string]bool{"hivepress/hivepress.php": true}
		e.RewriteRules = []routes.Rule{{Regex: "vendor/([^/]+)/?$", Query: "index.php?hp_vendor=$matches[1]"}}
		e.PostTypes, e.Taxonomies = []Rows{{Name: "hp_vendor", Used: 1}}, nil
		e.Plugins.Noted = []Noted{{Source: "option rank-math-options-sitemap", PostTypes: []string{"hp_vendor"}}}
	})
	if x := r.PostType("hp_vendor"); x == nil || x.Public || !x.Undecided || len(r.Unknown) != 1 || !r.Unknown[0].ByPHP {
		t.Errorf("noted vendor %+v, unknown %v", x, r.Unknown)
	}
}

// An add-on changes types of its plugin while both are active.
func TestTableKnowsAddOns(t *testing.T) {
	const calendar, pro = "the-events-calendar/the-events-calendar.php", "events-calendar-pro/events-calendar-pro.php"
	for _, c := range []struct {
		name          string
		active        []string
		locale        string
		rules         []routes.Rule
		public, known bool
		slug          string
	}{
		{"the plugin alone", []string{calendar}, "en_US", nil, false, true, ""},
		{"with the add-on", []string{calendar, pro}, "en_US", nil, true, true, "venue"},
		{"with the add-on and rules", []string{calendar, pro}, "de_DE", []routes.Rule{
			{Regex: "ort/([^/]+)(?:/([0-9]+))?/?$", Query: "index.php?tribe_venue=$matches[1]&page=$matches[2]"},
		}, true, true, "ort"},
		{"the add-on alone", []string{pro}, "en_US", nil, false, false, ""},
	} {
		r := downloads(func(e *Evidence) {
			e.Plugins.Active, e.Locale, e.RewriteRules = map[string]bool{}, c.locale, c.rules
			for _, file := range c.active {
				e.Plugins.Active[file] = true
			}
			e.PostTypes, e.Taxonomies = []Rows{{Name: "tribe_venue", Used: 2}}, nil
		})
		x := r.PostType("tribe_venue")
		if public := x != nil && x.Public; public != c.public || public && (x.Slug != c.slug || x.WithFront || x.HasArchive) {
			t.Errorf("%s: %+v", c.name, x)
		}
		if known := len(r.Unknown) == 0; known != c.known {
			t.Errorf("%s: unknown %v", c.name, r.Unknown)
		}
	}
}

// Term pages below a page, by rules of the plugin's own.
func TestTableLeavesAddressesBelowAPageToPHP(t *testing.T) {
	for _, pages := range []bool{false, true} {
		r := downloads(func(e *Evidence) {
			e.Plugins.Active = map[string]bool{"directorist/directorist-base.php": true}
			e.RewriteRules = []routes.Rule{
				{Regex: `places/in/([^/]+)/?$`, Query: "index.php?page_id=7&atbdp_category=$matches[1]"},
				{Regex: `at_biz_dir-category/([^/]+)/embed/?$`, Query: "index.php?at_biz_dir-category=$matches[1]&embed=true"},
				{Regex: `at_biz_dir-category/([^/]+)/?$`, Query: "index.php?at_biz_dir-category=$matches[1]"},
			}
			e.Plugins.Options = map[string]php.Value{"atbdp_option": php.NewArray(php.Element("enable_archive_template", php.NewBool(!pages)))}
			e.PostTypes, e.Taxonomies = nil, []Rows{{Name: "at_biz_dir-category", Used: 1}}
		})
		if x := r.Taxonomy("at_biz_dir-category"); x == nil || x.Public == pages || x.Undecided != pages {
			t.Errorf("pages %t: %+v", pages, x)
		}
	}
}

// Tutor LMS registers three types with the same slug: the rule of the archive is that of the last.
func TestTableKnowsArchivesWhoseRuleAnotherTypeHas(t *testing.T) {
	r := downloads(func(e *Evidence) {
		e.Plugins.Active = map[string]bool{"tutor/tutor.php": true}
		e.Yoast.PostTypes = []string{"post", "page", "courses", "lesson", "tutor_quiz"}
		e.PostTypes, e.Taxonomies = []Rows{{Name: "lesson", Used: 1}, {Name: "tutor_quiz", Used: 1}}, nil
		e.RewriteRules = []routes.Rule{
			{Regex: "lesson/?$", Query: "index.php?post_type=tutor_assignments"},
			{Regex: "courses/(.+?)/lessons/(.+?)/?$", Query: "index.php?post_type=lesson&name=$matches[2]"},
			{Regex: "courses/(.+?)/quizzes/(.+?)/?$", Query: "index.php?post_type=tutor_quiz&name=$matches[2]"},
		}
	})
	for _, name := range []string{"lesson", "tutor_quiz"} {
		if x := r.PostType(name); x == nil || !x.HasArchive || x.ArchiveSlug != "lesson" {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// GeoDirectory's places have a structure of its own where one is chosen, which is left to PHP.
func TestTableLeavesChosenStructuresToPHP(t *testing.T) {
	for structure, public := range map[string]bool{"": true, "/%country%/%postname%/": false} {
		r := downloads(func(e *Evidence) {
			e.Plugins.Active = map[string]bool{"geodirectory/geodirectory.php": true}
			e.PostTypes, e.Taxonomies = []Rows{{Name: "gd_place", Used: 1}}, nil
			e.Plugins.Options = map[string]php.Value{"geodir_settings": php.NewArray(php.Element("permalink_structure", php.NewString(structure)))}
		})
		if x := r.PostType("gd_place"); x == nil || x.Public != public || x.Filtered == public || x.Undecided == public {
			t.Errorf("%q: %+v", structure, x)
		}
	}
}

func TestTableFillsTemplates(t *testing.T) {
	stored := func(text string) php.Value {
		v, err := php.MaybeUnserialize(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	options := map[string]php.Value{
		"tribe_events_calendar_options": stored(`a:1:{s:10:"eventsSlug";s:10:"/calendar/";}`),
		"jetpack_portfolio":             stored("1"),
	}
	for _, c := range []struct {
		template, locale, want string
		from                   FactSource
		ok                     bool
	}{
		{"{tribe_events_calendar_options@eventsSlug|~events}", "de_DE", "calendar", "option tribe_events_calendar_options[eventsSlug]", true},
		{"{tribe_events_calendar_options@eventsSlug|~events}/{|~category}", "en_GB", "calendar/category", "option tribe_events_calendar_options[eventsSlug]", true},
		{"{tribe_events_calendar_options@singleEventSlug|~event}", "en_US", "event", "", true},
		{"{tribe_events_calendar_options@singleEventSlug|~event}", "de_DE", "event", "", false},
		{"downloads/tag", "de_DE", "downloads/tag", "", true},
		{"{wpsl_settings@permalink_slug|?}", "en_US", "?", "", false},
		{"", "", "", "", true},
	} {
		d := &decider{e: Evidence{Plugins: PluginTraces{Options: options}, Locale: c.locale}}
		if got, from, ok := d.fill(c.template); got != c.want || from != c.from || ok != c.ok {
			t.Errorf("%s in %s: got %q, %q, %t", c.template, c.locale, got, from, ok)
		}
	}
	d := &decider{e: Evidence{Plugins: PluginTraces{Options: options}}}
	for condition, want := range map[string]bool{"": true, "jetpack_portfolio=1": true, "jetpack_testimonial=1": false, "give_settings@forms_singular!=disabled": true} {
		expect.Equal(t, d.holds(condition), want, condition)
	}
	if names := KnownOptions(); !slices.Contains(names, "tribe_events_calendar_options") || !slices.Contains(names, "give_settings") ||
		!slices.Contains(names, "dbem_events_page") || slices.ContainsFunc(names, func(n string) bool { return strings.Trim(n, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" }) {
		t.Errorf("options %q", names)
	}
}

// Guest authors of Co-Authors Plus, and the terms by which posts name them, are known not to be public.
func TestTableKnowsGuestAuthors(t *testing.T) {
	e := Evidence{
		PermalinkStructure: "/%postname%/", RewriteRules: []routes.Rule{{Regex: "author/([^/]+)/?$", Query: "index.php?author_name=$matches[1]"}},
		Plugins:   PluginTraces{Active: map[string]bool{"co-authors-plus/co-authors-plus.php": true}},
		PostTypes: []Rows{{Name: "guest-author", Used: 3}}, Taxonomies: []Rows{{Name: "author", Used: 5}},
	}
	r := Decide(e)
	guest, terms := r.PostType("guest-author"), r.Taxonomy("author")
	if len(r.Unknown) > 0 || guest != nil && (guest.Public || guest.Undecided) || terms != nil && (terms.Public || terms.Undecided) {
		t.Errorf("%+v %+v, unknown %v", guest, terms, r.Unknown)
	}
}
