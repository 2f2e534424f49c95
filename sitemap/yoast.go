package sitemap

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// yoastSettings are those of Yoast SEO. Of values that the plugin never writes its comparisons decide; taken plainly,
// they mean what they say, so that a switch that is 1 is on.
type yoastSettings struct {
	site    *wp.Site
	yoast   *wp.Yoast
	plainly bool
}

func newYoastSettings(site *wp.Site, level Compat) *yoastSettings {
	return &yoastSettings{site, &site.Settings().Yoast, level == Spec}
}

// On implements Settings.
func (s *yoastSettings) On() bool {
	return s.yoast.Active && (s.yoast.Sitemaps || s.plainly && s.yoast.Wanted)
}

// PostType implements Settings: disabled or noindexed in Yoast's settings.
func (s *yoastSettings) PostType(t *registry.PostType) *Reason {
	switch {
	case s.yoast.PostTypeDisabled(t.Name):
		return s.reason(RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-"+t.Name)
	case s.yoast.PostTypeNoindex(t.Name):
		return s.reason(RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-"+t.Name)
	}
	return nil
}

// neverTaxonomies are public by registration and yet have no sitemap.
var neverTaxonomies = []string{"link_category", "nav_menu", "wp_pattern_category"}

// Taxonomy implements Settings.
func (s *yoastSettings) Taxonomy(t *registry.Taxonomy) *Reason {
	switch {
	case t.Name == "post_format" && s.yoast.FormatsDisabled():
		return s.reason(RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-post_format")
	case s.yoast.TaxonomyNoindex(t.Name, s.plainly):
		return s.reason(RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-tax-"+t.Name)
	case slices.Contains(neverTaxonomies, t.Name):
		return &Reason{RuleNever, "This type never has a sitemap.", []Evidence{{"Yoast SEO", "no sitemap of this taxonomy", "taxonomy " + t.Name}}}
	}
	return nil
}

// Authors implements Settings.
func (s *yoastSettings) Authors() *Reason {
	if key, off := s.yoast.AuthorsDisabled(); off {
		return s.reason(RuleAuthorsOff, "Author archives are off or set to noindex in Yoast SEO.", key)
	}
	return nil
}

// AuthorTypes implements Settings.
func (s *yoastSettings) AuthorTypes() []string {
	if s.yoast.AuthorsNeedPosts() {
		return []string{"post"}
	}
	return nil
}

// Archive implements Settings.
func (s *yoastSettings) Archive(postType string) *Reason {
	if s.yoast.ArchiveNoindex(postType) {
		return s.reason(ArchiveNoindex.String(), archiveSentence, "noindex-ptarchive-"+postType)
	}
	return nil
}

// Posts implements Settings.
func (s *yoastSettings) Posts(ctx context.Context, ids []int64) (map[int64]Flags, error) {
	var values map[string]map[int64]string
	var err error
	if ids == nil {
		values, err = s.site.MetaByKeys(ctx, wp.MetaNoindex, wp.MetaCanonical)
	} else {
		values, err = s.site.MetaOf(ctx, ids, wp.MetaNoindex, wp.MetaCanonical)
	}
	flags := map[int64]Flags{}
	for id, v := range values[wp.MetaNoindex] {
		if v == noindexed {
			flags[id] = Flags{Noindex: true}
		}
	}
	for id, v := range values[wp.MetaCanonical] {
		if v != "" {
			flags[id] = Flags{Noindex: flags[id].Noindex, Canonical: v}
		}
	}
	return flags, err
}

// noindexed is the value of wp.MetaNoindex that says so; 2 says the opposite.
const noindexed = "1"

// Post implements Settings.
func (s *yoastSettings) Post(p *wp.Post) Flags {
	return Flags{Noindex: p.Noindex() == noindexed, Canonical: p.Canonical()}
}

// PostEvidence implements Settings.
func (s *yoastSettings) PostEvidence(p *wp.Post) []Evidence {
	subject := &Subject{Rules: &Rules{site: s.site}, Of: fmt.Sprintf("%s %d", p.Type, p.ID), Post: p}
	var all []Evidence
	if p.Noindex() != "" {
		all = append(all, subject.Meta(wp.MetaNoindex, strconv.Quote(p.Noindex())))
	}
	if p.Canonical() != "" {
		all = append(all, subject.Meta(wp.MetaCanonical, strconv.Quote(p.Canonical())))
	}
	return all
}

// Term implements Settings.
func (s *yoastSettings) Term(taxonomy string, id int64) Flags {
	return Flags{Noindex: s.yoast.TermNoindex(taxonomy, id), Canonical: s.yoast.TermCanonical(taxonomy, id)}
}

// TermEvidence implements Settings.
func (s *yoastSettings) TermEvidence(taxonomy string, id int64) []Evidence {
	var all []Evidence
	for _, key := range []string{"wpseo_noindex", "wpseo_canonical"} {
		if s.yoast.TermSetting(taxonomy, id, key) != "" {
			all = append(all, s.term(taxonomy, id, key))
		}
	}
	return all
}

func (s *yoastSettings) term(taxonomy string, id int64, key string) Evidence {
	return s.option(fmt.Sprintf("wpseo_taxonomy_meta[%s][%d][%s]", taxonomy, id, key), s.yoast.TermSetting(taxonomy, id, key))
}

// Author implements Settings.
func (s *yoastSettings) Author(a *wp.Author) Flags {
	f := Flags{Noindex: a.Noindex}
	if !a.Stamped {
		f.Against = NoStamp
	}
	return f
}

func (s *yoastSettings) option(name, value string) Evidence {
	return (&Rules{site: s.site}).Option(name, value)
}

// title is evidence from wpseo_titles.
func (s *yoastSettings) title(key string) Evidence {
	value, saved := s.yoast.Title(key)
	if !saved {
		value = "never saved"
	}
	return s.option("wpseo_titles["+key+"]", value)
}

func (s *yoastSettings) reason(rule, sentence, key string) *Reason {
	return &Reason{rule, sentence, []Evidence{s.title(key)}}
}

const archiveSentence = "The archive is set to noindex in Yoast SEO."

// yoastOwn are the checks on what Yoast SEO stores, for level spec.
var yoastOwn = Own{
	Noindex: Check{
		Verdict:  MetaNoindex,
		Sentence: "It is set to noindex in Yoast SEO.",
		Applies:  func(_ *Rules, o *Object) bool { return o.Noindex },
		Evidence: func(s *Subject) []Evidence {
			switch {
			case s.Author != nil:
				return []Evidence{s.Meta("wpseo_noindex_author", `"on"`)}
			case s.Term != nil:
				return []Evidence{s.settings.(*yoastSettings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_noindex")}
			}
			return []Evidence{s.Meta(wp.MetaNoindex, strconv.Quote(s.Post.Noindex()))}
		},
	},
	ArchiveNoindex: Check{
		Verdict:  ArchiveNoindex,
		Sentence: archiveSentence,
		Applies:  func(_ *Rules, o *Object) bool { return o.ArchiveNoindex },
		Evidence: func(s *Subject) []Evidence {
			name := "post"
			if s.PostType != nil {
				name = s.PostType.Name
			}
			return s.settings.Archive(name).Evidence
		},
	},
	Canonical: Check{
		Verdict:  CanonicalElsewhere,
		Sentence: "Its canonical address is another one.",
		Applies:  func(_ *Rules, o *Object) bool { return o.elsewhere() },
		Evidence: func(s *Subject) []Evidence {
			if s.Term != nil {
				return []Evidence{s.settings.(*yoastSettings).term(s.Taxonomy.Name, s.Term.ID, "wpseo_canonical"), s.Permalink()}
			}
			return []Evidence{s.Meta(wp.MetaCanonical, strconv.Quote(s.Post.Canonical())), s.Permalink()}
		},
	},
}

// NoStamp is the verdict on a user without _yoast_wpseo_profile_updated.
var NoStamp = NewVerdict("no profile stamp")

// yoastSpec are the decisions of level spec on a site with Yoast SEO.
var yoastSpec = func() *Decisions {
	d := SpecDecisions(yoastOwn, videoChecks...)
	d.Missing = yoastMissing
	return d
}()

// yoastMissing returns the add-on that would make the sitemap of a name and is not active.
func yoastMissing(r *Rules, name string) (addOn, folder string) {
	set := r.site.Settings()
	switch {
	case (name == "video" || name == "yoast-video") && !set.Video.Active:
		return "Video SEO", "wpseo-video"
	case (name == "news" || name == "yoast-news") && !set.News.Active:
		return "News SEO", "wpseo-news"
	}
	return "", ""
}

// yoastDecisions are the plugin's: it lists a front page whatever that says, and asks of a posts page little.
var yoastDecisions = &Decisions{
	Checks: append([]Check{
		notPublished, withoutDate, passwordProtected, parentHidden, notAMember,
		{
			Verdict:  NoStamp,
			Sentence: "The user's profile was never saved, and Yoast lists only those with a date.",
			Applies:  func(_ *Rules, o *Object) bool { return o.Against == NoStamp },
			Evidence: func(s *Subject) []Evidence { return []Evidence{s.Meta("_yoast_wpseo_profile_updated", "none")} },
		},
		operatorExcluded, jobFilled, frontPageItself,
		servicePage.When(func(c *Rules, o *Object) bool {
			p, ok := c.site.Settings().Exclusions.ServicePage(o.ID)
			return ok && p.Unlisted && o.Kind == KindPost
		}),
		linksElsewhere.When(func(c *Rules, o *Object) bool { return o.LinksTo != "" && c.external(o.LinksTo) }),
		yoastOwn.ArchiveNoindex,
		yoastOwn.Noindex.When(func(_ *Rules, o *Object) bool { return o.Noindex && o.Kind != KindFrontPage }),
		externalLink.When(func(c *Rules, o *Object) bool {
			return o.Link != "" && (o.Kind == KindPost || o.Kind == KindFrontPage) && !c.internal(o.Link, o.Language)
		}),
		yoastOwn.Canonical.When(func(_ *Rules, o *Object) bool { return o.Kind != KindPostsPage && o.elsewhere() }),
	}, videoChecks...),
	Hides: func(*wp.Settings) bool { return false },
	// WooCommerce puts its checkout to https, which the plugin lets pass.
	Internal: func(c *Rules, link, language string) bool {
		if rest, ok := strings.CutPrefix(link, "https:"); ok && strings.HasPrefix(c.homeOf(language), "http:") {
			link = "http:" + rest
		}
		return c.belowHome(link, language)
	},
	Protected:      func(set, null bool) bool { return set || null },
	AttachmentOpen: func(string) bool { return true }, // only the status of the parent counts
	Filled:         func(_ *wp.Settings, postType, value string) bool { return wp.Filled(postType, value) },
	TermInUse:      func(listed bool, _ int64) bool { return listed },
	// The option show_on_front is not looked at, so that stale settings take pages out.
	FirstLink:        namesPage,
	Foreign:          func(c *Rules) bool { return c.site.AtHome() != c.site },
	UntranslatedTerm: Listed, // they are listed on every domain
	// A zero date is no lack of a date: the plugin asks MySQL for the newest and prints what PHP makes of that.
	Changed: func(gmt int64) int64 {
		if gmt == wp.NoTime {
			return wp.ZeroTime
		}
		return gmt
	},
	DatesTerms: func(c *Rules, t *registry.PostType) bool {
		return slices.ContainsFunc(c.site.Registry().Taxonomies, func(o *registry.Taxonomy) bool { return slices.Contains(o.ObjectTypes, t.Name) })
	},
	Missing: yoastMissing,
	Words: DateWords{
		Index: "Yoast's rules for the index, which count what is left out",
		Post:  newerColumn,
		Archive: func(table func(string) string, list string) string {
			return fmt.Sprintf("the newest %s.post_modified_gmt of type %s, those left out included", table("posts"), list)
		},
		Author: func(table func(string) string, author string) string {
			return fmt.Sprintf("%s._yoast_wpseo_profile_updated (%s)", table("usermeta"), author)
		},
	},
}
