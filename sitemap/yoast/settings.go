package yoast

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// settings holds the settings of Yoast SEO. Of values that the plugin never writes its comparisons decide; taken plainly,
// they mean what they say, so that a switch that is 1 is on.
type settings struct {
	blog    *wp.Blog
	yoast   *options.Yoast
	plainly bool
}

func NewSettings(blog *wp.Blog, level seo.Level) seo.PluginSettings {
	return &settings{blog, options.Of(blog), level == seo.SpecLevel}
}

// Load implements Settings: what is stored of terms is an option.
func (s *settings) Load(context.Context) error { return nil }
func (s *settings) Faults() seo.Faults         { return seo.Faults{} }

// PostType implements Settings: disabled or noindexed in Yoast's settings.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	switch {
	case s.yoast.PostTypeDisabled(t.Name):
		return s.reason(seo.RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-"+t.Name, doMedia)
	case s.yoast.PostTypeNoindex(t.Name):
		return s.reason(seo.RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-"+t.Name, doType)
	}
	return nil
}

// neverTaxonomies are public by registration and yet have no sitemap.
var neverTaxonomies = []string{"link_category", "nav_menu", "wp_pattern_category"}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	switch {
	case t.Name == "post_format" && s.yoast.FormatsDisabled():
		return s.reason(seo.RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-post_format", doFormats)
	case s.yoast.TaxonomyNoindex(t.Name, s.plainly):
		do := doType
		if t.Name == "post_format" {
			do = doFormat
		}
		return s.reason(seo.RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-tax-"+t.Name, do)
	case slices.Contains(neverTaxonomies, t.Name):
		return &seo.Reason{
			Rule: seo.RuleNever, Sentence: "This type never has a sitemap.",
			Evidence: []seo.Evidence{{Source: "Yoast SEO", Value: "no sitemap of this taxonomy", Of: "taxonomy " + t.Name}},
		}
	}
	return nil
}

func (s *settings) Authors() *seo.Reason {
	if key, off := s.yoast.AuthorsDisabled(); off {
		return s.reason(seo.RuleAuthorsOff, "Author archives are off or set to noindex in Yoast SEO.", key, doAuthors)
	}
	return nil
}

func (s *settings) AuthorTypes() []string {
	if s.yoast.AuthorsNeedPosts() {
		return []string{"post"}
	}
	return nil
}

func (s *settings) Archive(postType string) *seo.Reason {
	if s.yoast.ArchiveNoindex(postType) {
		return s.reason(seo.ArchiveNoindex.String(), archiveSentence, "noindex-ptarchive-"+postType, doArchive)
	}
	return nil
}

func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	var values map[string]map[int64]string
	var err error
	if ids == nil {
		values, err = s.blog.MetaByKeys(ctx, metaNoindex, metaCanonical)
	} else {
		values, err = s.blog.MetaOf(ctx, ids, metaNoindex, metaCanonical)
	}
	flags := map[int64]seo.Flags{}
	for id, v := range values[metaNoindex] {
		if v == noindexed {
			flags[id] = seo.Flags{Noindex: true}
		}
	}
	for id, v := range values[metaCanonical] {
		if v = text(v); v != "" {
			flags[id] = seo.Flags{Noindex: flags[id].Noindex, Canonical: v}
		}
	}
	return flags, err
}

// Meta keys of posts and users. Those of users carry no blog's prefix: on a network all blogs share them.
const (
	metaNoindex        = "_yoast_wpseo_meta-robots-noindex"
	metaCanonical      = "_yoast_wpseo_canonical"
	metaProfileUpdated = "_yoast_wpseo_profile_updated"
	metaNoindexAuthor  = "wpseo_noindex_author"
)

// text is a value of a post's meta as WPSEO_Meta::get_value gives it: one that looks serialized counts as missing.
func text(value string) string {
	if php.IsSerialized(value) {
		return ""
	}
	return value
}

func plain(p *wp.Post, key string) string { return text(p.Meta(key)) }

// pluginWooCommerce is Yoast WooCommerce SEO, which takes the pages of the shop out of the sitemaps.
const pluginWooCommerce = "wpseo-woocommerce/wpseo-woocommerce.php"

// noindexed is the value of metaNoindex that says so; 2 says the opposite.
const noindexed = "1"

func (s *settings) Post(p *wp.Post) seo.Flags {
	return seo.Flags{Noindex: plain(p, metaNoindex) == noindexed, Canonical: plain(p, metaCanonical)}
}

func (s *settings) PostEvidence(p *wp.Post) []seo.Evidence {
	subject := &seo.Subject{Rules: &seo.Rules{Blog: s.blog}, Of: fmt.Sprintf("%s %d", p.Type, p.ID), Post: p}
	var all []seo.Evidence
	if plain(p, metaNoindex) != "" {
		all = append(all, subject.Meta(metaNoindex, strconv.Quote(plain(p, metaNoindex))))
	}
	if plain(p, metaCanonical) != "" {
		all = append(all, subject.Meta(metaCanonical, strconv.Quote(plain(p, metaCanonical))))
	}
	return all
}

func (s *settings) Term(taxonomy string, id int64) seo.Flags {
	return seo.Flags{Noindex: s.yoast.TermNoindex(taxonomy, id), Canonical: s.yoast.TermCanonical(taxonomy, id)}
}

func (s *settings) TermEvidence(taxonomy string, id int64) []seo.Evidence {
	var all []seo.Evidence
	for _, key := range []string{"wpseo_noindex", "wpseo_canonical"} {
		if s.yoast.TermSetting(taxonomy, id, key) != "" {
			all = append(all, s.term(taxonomy, id, key))
		}
	}
	return all
}

func (s *settings) term(taxonomy string, id int64, key string) seo.Evidence {
	return s.option(fmt.Sprintf("wpseo_taxonomy_meta[%s][%d][%s]", taxonomy, id, key), s.yoast.TermSetting(taxonomy, id, key))
}

func (s *settings) Author(a *wp.Author) seo.Flags {
	f := seo.Flags{Against: NoStamp}
	if stamps := a.Meta(metaProfileUpdated); len(stamps) > 0 {
		f.Against, f.Stamp = seo.Listed, php.NewString(stamps[0].String).Int()
	}
	says := a.Meta(metaNoindexAuthor)
	open := func(v sql.NullString) bool {
		return v.Valid && !strings.EqualFold(strings.TrimRight(v.String, " "), "on")
	}
	f.Noindex = len(says) > 0 && !slices.ContainsFunc(says, open) // every row there is
	if !a.Level && before(s.blog, "27.8") {
		f.Against = seo.NoUserLevel
	}
	return f
}

func (s *settings) option(name, value string) seo.Evidence {
	return (&seo.Rules{Blog: s.blog}).Option(name, value)
}

// title is evidence from wpseo_titles.
func (s *settings) title(key string) seo.Evidence {
	value, saved := s.yoast.Title(key)
	if !saved {
		value = "never saved"
	}
	return s.option("wpseo_titles["+key+"]", value)
}

func (s *settings) reason(rule, sentence, key, do string) *seo.Reason {
	return &seo.Reason{Rule: rule, Sentence: sentence, Evidence: []seo.Evidence{s.title(key)}, Do: do}
}

const archiveSentence = "The archive is set to noindex in Yoast SEO."

// What an editor does about what Yoast SEO stores, in the words of its own pages.
const (
	doType    = "In Yoast SEO, Settings, Content types or Categories & tags, switch “Show … in search results” on for this type."
	doMedia   = "In Yoast SEO, Settings, Advanced, Media pages, switch “Enable media pages” on."
	doFormat  = "In Yoast SEO, Settings, Advanced, Format archives, switch “Show format archives in search results” on."
	doFormats = "In Yoast SEO, Settings, Advanced, Format archives, switch “Enable format-based archives” on."
	doAuthors = "In Yoast SEO, Settings, Advanced, Author archives, switch the archives and “Show author archives in search results” on."
	doArchive = "In Yoast SEO, Settings, Content types, switch “Show the archive in search results” on."
	doNoindex = "In Yoast SEO's Advanced tab, allow search engines to show it in search results."
	doUser    = "In the user's profile, below Yoast SEO settings, untick “Do not allow search engines to show this author's archives”."
)

// own are the checks on what Yoast SEO stores, for level spec.
var own = seo.Own{
	Noindex: seo.Check{
		Verdict:  seo.MetaNoindex,
		Sentence: "It is set to noindex in Yoast SEO.",
		DoOf: func(s *seo.Subject) string {
			if s.Author != nil {
				return doUser
			}
			return doNoindex
		},
		Applies: func(_ *seo.Rules, o *seo.Object) bool { return o.Noindex },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			switch {
			case s.Author != nil:
				return []seo.Evidence{s.Meta(metaNoindexAuthor, `"on"`)}
			case s.Term != nil:
				return []seo.Evidence{s.Settings.(*settings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_noindex")}
			}
			return []seo.Evidence{s.Meta(metaNoindex, strconv.Quote(plain(s.Post, metaNoindex)))}
		},
	},
	ArchiveNoindex: seo.ArchiveCheck(archiveSentence, doArchive),
	More:           []seo.Check{levelCheck},
	Canonical: seo.CanonicalCheck("Yoast SEO's", func(s *seo.Subject) []seo.Evidence {
		if s.Term != nil {
			return []seo.Evidence{s.Settings.(*settings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_canonical")}
		}
		return []seo.Evidence{s.Meta(metaCanonical, strconv.Quote(plain(s.Post, metaCanonical)))}
	}),
}

// before reports whether a version of Yoast SEO is installed that is known and older than another. Of those before the oldest
// that was compared the rules are not known, and the newest hold.
func before(blog *wp.Blog, version release.Version) bool {
	is := blog.Version(Plugin.Name)
	return is.Before(version) && !is.Before(Plugin.Compared[0])
}

var levelCheck = seo.AgainstCheck(seo.NoUserLevel,
	"Yoast SEO lists users below contributor only from 27.8 on, and an older version is installed.",
	"Update Yoast SEO, or give the user a role from contributor up.",
	func(s *seo.Subject) []seo.Evidence {
		return []seo.Evidence{s.Meta("user_level of this site", "none, or 0")}
	})

// freeAuthors are the users that are listed without posts, too: those who may edit posts, and before 17.9 or WordPress 5.9
// all of a level above 0.
func freeAuthors(blog *wp.Blog, ctx context.Context) ([]int64, error) {
	if before(blog, "17.9") || before(blog, "27.8") && blog.WordPress().Before("5.9") {
		return blog.Leveled(ctx)
	}
	return blog.Editors(ctx)
}

// NoStamp is the verdict on a user without _yoast_wpseo_profile_updated.
const NoStamp = seo.NoProfileStamp

// Spec are the decisions of level spec on a site with Yoast SEO.
var Spec = seo.SpecDecisions(own)

// termsElsewhere is the version that ended the listing of terms with a canonical elsewhere, at that address.
const termsElsewhere = "20.10"

// Decisions are the plugin's: it lists a front page whatever that says, and asks of a posts page little.
var Decisions = &seo.Decisions{
	Checks: []seo.Check{
		seo.NotPublishedCheck, seo.ZeroDateCheck, seo.ProtectedCheck, seo.ParentHiddenCheck, seo.NotAMemberCheck,
		seo.AgainstCheck(NoStamp, "The user's profile was never saved, and Yoast lists only those with a date.",
			"Open the user's profile and save it.",
			func(s *seo.Subject) []seo.Evidence { return []seo.Evidence{s.Meta(metaProfileUpdated, "none")} }),
		levelCheck, seo.ExcludedCheck, seo.JobFilledCheck, seo.FrontPageCheck,
		seo.ServicePageCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			p, ok := c.Blog.Settings().Exclusions.ServicePage(o.ID)
			return ok && o.Kind == seo.KindPost && strings.HasPrefix(p.Option, "woocommerce_") && c.Blog.Settings().ActivePlugins[pluginWooCommerce]
		}),
		seo.LinksElsewhereCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind == seo.KindPost && o.LinksTo != "" && c.External(o.LinksTo)
		}),
		own.ArchiveNoindex,
		own.Noindex.When(func(_ *seo.Rules, o *seo.Object) bool { return o.Noindex && o.Kind != seo.KindFrontPage }),
		seo.ExternalLinkCheck.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Link != "" && (o.Kind == seo.KindPost || o.Kind == seo.KindFrontPage) && !c.IsInternal(o.Link, o.Language)
		}),
		own.Canonical.When(func(c *seo.Rules, o *seo.Object) bool {
			return o.Kind != seo.KindPostsPage && o.Differs() && !(o.Kind == seo.KindTerm && before(c.Blog, termsElsewhere))
		}),
	},
	// WooCommerce puts its checkout to https, which the plugin lets pass.
	Internal: func(c *seo.Rules, link, language string) bool {
		if rest, ok := strings.CutPrefix(link, "https:"); ok && strings.HasPrefix(c.HomeOf(language), "http:") {
			link = "http:" + rest
		}
		return c.BelowHome(link, language)
	},
	Protected:      func(set, null bool) bool { return set || null },
	AttachmentOpen: func(*seo.Rules, string) bool { return true }, // only the status of the parent counts
	Filled:         func(_ *wp.Settings, postType, value string) bool { return wp.Filled(postType, value) },
	FreeAuthors:    freeAuthors,
	NotInRobots: func(c *seo.Rules) bool {
		return before(c.Blog, "19.0") || before(c.Blog, "19.7") && !c.Blog.Settings().BlogPublic
	},
	// The option show_on_front is not looked at, so that stale settings take pages out.
	FirstLink:        seo.NamesPage,
	Foreign:          func(c *seo.Rules) bool { return c.Blog.AtHome() != c.Blog },
	UntranslatedTerm: seo.Listed, // they are listed on every domain
	// A zero date is no lack of a date: the plugin asks MySQL for the newest and prints what PHP makes of that.
	Changed: func(gmt int64) int64 {
		if gmt == wp.NoTime {
			return wp.ZeroTime
		}
		return gmt
	},
	DatesTerms: (*seo.Rules).HasTaxonomy,
	Words: seo.DateWords{
		Index: "Yoast's rules for the index, which count what is left out",
		Post:  seo.NewerColumn,
		Archive: func(table func(string) string, list string) string {
			return fmt.Sprintf("the newest %s.post_modified_gmt of type %s, those left out included", table("posts"), list)
		},
		Author: func(table func(string) string, author string) string {
			return fmt.Sprintf("%s._yoast_wpseo_profile_updated (%s)", table("usermeta"), author)
		},
	},
}

// Presence is what Yoast SEO is on a blog.
func Presence(blog *wp.Blog, level seo.Level) seo.Presence {
	y := options.Of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: y.Folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	switch {
	case y.Sitemaps:
	case y.Wanted:
		stored := "option wpseo[enable_xml_sitemap] is " + y.SitemapsSetting() +
			" and not true: Yoast SEO itself serves no sitemaps then, names them in robots.txt and switches WordPress' own off; "
		if level == seo.SpecLevel {
			is.Note = stored + "they are served here, as level spec takes it for on: save the setting in WordPress again"
			break
		}
		is.Off = seo.OffBy(blog, Plugin.Name, "wpseo[enable_xml_sitemap]", y.SitemapsSetting())
		is.Off.Sentence = stored + `save the setting in WordPress again, or set compat = "spec"`
	default:
		option, value := y.Switch()
		is.Off = seo.OffBy(blog, Plugin.Name, option, value)
	}
	return is
}
