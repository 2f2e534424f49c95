package rankmath

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// settings are those of Rank Math.
type settings struct {
	*options
	site     *wp.Site
	excluded map[string][]int64 // ids of exclude_posts, exclude_terms, exclude_users
	terms    map[int64]robots   // of which anything is stored
}

// NewSettings returns those of a blog.
func NewSettings(site *wp.Site) seo.Settings {
	s := &settings{options: of(site), site: site, excluded: map[string][]int64{}}
	for _, key := range []string{"exclude_posts", "exclude_terms", "exclude_users"} {
		s.excluded[key] = s.ids(key)
	}
	return s
}

// robots is what is stored of one object: the values of metaRobots and metaCanonical, as they are.
type robots struct{ robots, canonical string }

// flags returns what it means. Rank Math's query leaves out whatever has the text noindex anywhere, before it reads the
// list, in which index counts more than what is said of the type.
func (r robots) flags() seo.Flags {
	list, _ := php.MaybeUnserialize(r.robots) // what cannot be read says nothing, as in WordPress
	f := seo.Flags{Noindex: strings.Contains(strings.ToLower(r.robots), "noindex"), Index: slices.Contains(list.Strings(), "index")}
	if !php.IsSerialized(r.canonical) {
		f.Canonical = r.canonical
	}
	return f
}

// Load implements Settings: it reads what is stored of terms.
func (s *settings) Load(ctx context.Context) error {
	values, err := s.site.TermMeta(ctx, metaRobots, metaCanonical)
	s.terms = map[int64]robots{}
	for id, v := range values[metaRobots] {
		s.terms[id] = robots{robots: v}
	}
	for id, v := range values[metaCanonical] {
		s.terms[id] = robots{s.terms[id].robots, v}
	}
	return err
}

// reason is why a type is left out, by a key of an option.
func (s *settings) reason(rule, sentence, option, key, do string) *seo.Reason {
	return &seo.Reason{Rule: rule, Sentence: sentence, Evidence: []seo.Evidence{s.option(option, key)}, Do: do}
}

// What an editor does about what Rank Math stores, in the words of its own pages.
const (
	doType    = "In Rank Math, Sitemap Settings, switch “Include in Sitemap” on for this type."
	doAuthors = "In Rank Math, switch author archives on in Titles & Meta, Authors, without No Index, and “Include in Sitemap” in Sitemap Settings, Authors."
)

// option is evidence from a key of an option.
func (s *settings) option(option, key string) seo.Evidence {
	array := map[string]php.Value{optionSitemap: s.sitemap, optionTitles: s.titles, optionGeneral: s.general}[option]
	v, saved := array.Lookup(key)
	return (&seo.Rules{Blog: s.site}).Option(option+"["+key+"]", text(v, saved))
}

// PostType implements Settings.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	key, listed := s.lists("pt_", t.Name)
	switch {
	case t.Name == "elementor_library":
		return never("post type " + t.Name)
	case !listed:
		return s.reason(seo.RuleTypeHidden, "This type has no sitemap by the settings of Rank Math.", optionSitemap, key, doType)
	case t.Name == "attachment" && s.redirectsAttachments():
		return s.reason(seo.RuleTypeHidden, "Rank Math redirects the pages of attachments.", optionGeneral, "attachment_redirect_urls",
			"In Rank Math, General Settings, Links, switch “Redirect Attachments” off.")
	}
	return nil
}

func never(of string) *seo.Reason {
	return &seo.Reason{
		Rule: seo.RuleNever, Sentence: "This type never has a sitemap.",
		Evidence: []seo.Evidence{{Source: "Rank Math", Value: "no sitemap of this type", Of: of}},
	}
}

// neverTaxonomies are public by registration and yet have no sitemap.
var neverTaxonomies = []string{"wp_pattern_category", "link_category", "nav_menu", "post_format", "product_shipping_class"}

// Taxonomy implements Settings.
func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	key, listed := s.lists("tax_", t.Name)
	switch {
	case slices.Contains(neverTaxonomies, t.Name):
		return never("taxonomy " + t.Name)
	case t.Unqueryable:
		return &seo.Reason{Rule: seo.RuleNotViewable, Sentence: "Visitors cannot see posts of this type.", Evidence: []seo.Evidence{
			{Source: string(t.Sources["public"]), Value: "public = true, but publicly_queryable is false", Of: "taxonomy " + t.Name},
		}}
	case !listed:
		return s.reason(seo.RuleTypeHidden, "This type has no sitemap by the settings of Rank Math.", optionSitemap, key, doType)
	}
	return nil
}

// Authors implements Settings.
func (s *settings) Authors() *seo.Reason {
	if option, key, off := s.authorsOff(); off {
		return s.reason(seo.RuleAuthorsOff, "Authors have no sitemap by the settings of Rank Math.", option, key, doAuthors)
	}
	return nil
}

// AuthorTypes implements Settings.
func (s *settings) AuthorTypes() []string {
	if on(s.sitemap.Get("include_authors_without_posts")) {
		return nil
	}
	types := []string{}
	for _, t := range s.site.Registry().PostTypes {
		if t.Public && t.Name != "attachment" {
			types = append(types, t.Name)
		}
	}
	return types
}

// Archive implements Settings: archives are listed whatever is said of their types.
func (s *settings) Archive(string) *seo.Reason { return nil }

// Posts implements Settings.
func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	var values map[string]map[int64]string
	var err error
	if ids == nil {
		values, err = s.site.MetaByKeys(ctx, metaRobots, metaCanonical)
	} else {
		values, err = s.site.MetaOf(ctx, ids, metaRobots, metaCanonical)
	}
	flags := map[int64]seo.Flags{}
	for id, v := range values[metaRobots] {
		flags[id] = robots{robots: v}.flags()
	}
	for id, v := range values[metaCanonical] {
		if v != "" {
			f := flags[id]
			f.Canonical = robots{canonical: v}.flags().Canonical
			flags[id] = f
		}
	}
	for _, id := range s.excluded["exclude_posts"] {
		if ids == nil || slices.Contains(ids, id) {
			f := flags[id]
			f.Against = excluded
			flags[id] = f
		}
	}
	return flags, err
}

// against is the verdict on an object that the settings may name.
func (s *settings) against(key string, id int64) seo.Verdict {
	if slices.Contains(s.excluded[key], id) {
		return excluded
	}
	return seo.Listed
}

// Post implements Settings.
func (s *settings) Post(p *wp.Post) seo.Flags {
	f := robots{p.Meta(metaRobots), p.Meta(metaCanonical)}.flags()
	f.Against = s.against("exclude_posts", p.ID)
	return f
}

// PostEvidence implements Settings.
func (s *settings) PostEvidence(p *wp.Post) []seo.Evidence {
	return s.stored(&seo.Subject{Rules: &seo.Rules{Blog: s.site}, Of: fmt.Sprintf("%s %d", p.Type, p.ID), Post: p})
}

// Term implements Settings.
func (s *settings) Term(_ string, id int64) seo.Flags {
	f := s.terms[id].flags()
	f.Against = s.against("exclude_terms", id)
	return f
}

// TermEvidence implements Settings.
func (s *settings) TermEvidence(_ string, id int64) []seo.Evidence {
	return s.stored(&seo.Subject{Rules: &seo.Rules{Blog: s.site}, Of: fmt.Sprintf("term %d", id), Term: &wp.Term{ID: id}})
}

// Author implements Settings.
func (s *settings) Author(a *wp.Author) seo.Flags {
	f := seo.Flags{Against: s.against("exclude_users", a.ID), Stamp: noStamp}
	if _, is := s.roleOf(a); is && f.Against == seo.Listed {
		f.Against = roleExcluded
	}
	if values := a.Meta(metaLastUpdate); len(values) > 0 && values[0].Valid {
		f.Stamp = php.NewString(values[0].String).Int()
	}
	// Rank Math asks for a row without the text, or for none at all.
	says := a.Meta(metaRobots)
	open := func(v sql.NullString) bool { return v.Valid && !strings.Contains(strings.ToLower(v.String), "noindex") }
	f.Noindex = len(says) > 0 && !slices.ContainsFunc(says, open)
	return f
}

// noStamp is the Stamp of a user without metaLastUpdate.
const noStamp = -1

// roleOf returns a role of a user that is left out.
func (s *settings) roleOf(a *wp.Author) (string, bool) {
	i := slices.IndexFunc(s.roles(), a.HasRole)
	if i < 0 {
		return "", false
	}
	return s.roles()[i], true
}

// stored is what is stored of a subject, as it is.
func (s *settings) stored(of *seo.Subject) []seo.Evidence {
	var all []seo.Evidence
	for _, key := range []string{metaRobots, metaCanonical} {
		if value := s.value(of, key); value != "" {
			all = append(all, of.Meta(key, strconv.Quote(value)))
		}
	}
	return all
}

func (s *settings) value(of *seo.Subject, key string) string {
	switch {
	case of.Author != nil:
		for _, v := range of.Author.Meta(key) {
			return v.String
		}
	case of.Term != nil && key == metaRobots:
		return s.terms[of.Term.ID].robots
	case of.Term != nil:
		return s.terms[of.Term.ID].canonical
	case of.Post != nil:
		return of.Post.Meta(key)
	}
	return ""
}

// typeNoindexed reports whether what is said of an object's type keeps it out, and by which key of optionTitles.
func (s *settings) typeNoindexed(k seo.Kind, of string) (key string, is bool) {
	switch k {
	case seo.KindPost, seo.KindFrontPage, seo.KindPostsPage:
		return s.typeNoindex("pt_", of)
	case seo.KindTerm:
		return s.typeNoindex("tax_", of)
	}
	return "", false
}

// Verdicts of Rank Math alone.
var (
	typeNoindex  = seo.NewVerdict("type noindex")
	excluded     = seo.NewVerdict("excluded in Rank Math")
	roleExcluded = seo.NewVerdict("role excluded")
)

// The checks on what Rank Math stores.
var (
	noindexCheck = seo.Check{
		Verdict:  seo.MetaNoindex,
		Sentence: "It is set to noindex in Rank Math.",
		Do:       "In Rank Math's Advanced tab, set Robots Meta to Index.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Noindex },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			return []seo.Evidence{s.Meta(metaRobots, strconv.Quote(s.Settings.(*settings).value(s, metaRobots)))}
		},
	}
	typeCheck = seo.Check{
		Verdict:  typeNoindex,
		Sentence: "Its type is set to noindex in Rank Math, and it has no index of its own.",
		Do:       "In Rank Math's Advanced tab, set Robots Meta to Index, or for the whole type in Titles & Meta.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			if o.Index {
				return false
			}
			_, is := c.Settings.(*settings).typeNoindexed(o.Kind, o.Type)
			return is
		},
		Evidence: func(s *seo.Subject) []seo.Evidence {
			set := s.Settings.(*settings)
			kind, of := seo.KindPost, "post"
			switch {
			case s.Term != nil && s.Taxonomy != nil:
				kind, of = seo.KindTerm, s.Taxonomy.Name
			case s.Post != nil:
				of = s.Post.Type
			}
			key, _ := set.typeNoindexed(kind, of)
			return []seo.Evidence{set.option(optionTitles, key)}
		},
	}
	excludedCheck = seo.Check{
		Verdict:  excluded,
		Sentence: "The settings of Rank Math exclude it by its id.",
		Do:       "In Rank Math, Sitemap Settings, take its id out of the lists of what is excluded.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Against == excluded },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			key := "exclude_posts"
			switch {
			case s.Term != nil:
				key = "exclude_terms"
			case s.Author != nil:
				key = "exclude_users"
			}
			return []seo.Evidence{s.Settings.(*settings).option(optionSitemap, key)}
		},
	}
	roleCheck = seo.Check{
		Verdict:  roleExcluded,
		Sentence: "The settings of Rank Math exclude the users of its role.",
		Do:       "In Rank Math, Sitemap Settings, Authors, untick the role below “Exclude User Roles”.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Against == roleExcluded },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			role, _ := s.Settings.(*settings).roleOf(s.Author)
			return []seo.Evidence{
				s.Settings.(*settings).option(optionSitemap, "exclude_roles"), s.Meta("capabilities of this site", strconv.Quote(role)),
			}
		},
	}
	canonicalCheck = seo.Check{
		Verdict:  seo.CanonicalElsewhere,
		Sentence: "Its canonical address is another one.",
		Do:       "In Rank Math's Advanced tab, empty the canonical URL, if this page is the one to be found.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Elsewhere() },
		Evidence: func(s *seo.Subject) []seo.Evidence {
			value := s.Settings.(*settings).value(s, metaCanonical)
			return []seo.Evidence{s.Meta(metaCanonical, strconv.Quote(value)), s.Permalink()}
		},
	}
)

// inUse reports whether a term counts as in use: by its own objects alone, or always.
func inUse(c *seo.Rules, taxonomy string, _ bool, count int64) bool {
	return count > 0 || on(c.Settings.(*settings).sitemap.Get("tax_"+taxonomy+"_include_empty"))
}

// Spec are the decisions of level spec.
var Spec = spec()

func spec() *seo.Decisions {
	d := seo.SpecDecisions(seo.Own{Noindex: noindexCheck, Canonical: canonicalCheck, More: []seo.Check{excludedCheck, roleCheck, typeCheck}})
	d.TermInUse, d.FreeAuthors = inUse, (*wp.Site).Members
	return d
}

// Presence is what Rank Math is on a blog.
func Presence(site *wp.Site, _ seo.Level) seo.Presence {
	o := of(site)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(site), indexFile)}
	switch {
	case o.folder == "":
	case o.answers():
		if pro, _ := site.Decoded(proInputs.Name).(bool); pro {
			is.Note = "Rank Math PRO is active, whose sitemaps of news, videos and places are not read: " +
				"[site.news] and [site.video] make such sitemaps here"
		}
	case !o.setUp:
		is.Off = seo.OffBy(site, Plugin.Name, optionSkipped, "not done")
		is.Off.Sentence = "The set-up of Rank Math is not done (" + optionSkipped + ", " + optionConnect + "), and it sleeps until then."
	default:
		is.Off = seo.OffBy(site, Plugin.Name, optionModules, "without sitemap")
	}
	return is
}

// PageSize is the operator's number, else that of the settings.
func PageSize(site *wp.Site, wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return of(site).perPage()
}
