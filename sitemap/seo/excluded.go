package seo

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/objects"
)

// This file decides which objects the operator's configuration excludes. Rules.WhyType does so for whole
// types. Flags hold what the settings of a plugin exclude.

// Exclude holds the operator's tables [site.exclude] and, in Types, the exclusions of [site.post_type.NAME].
type Exclude struct {
	PostIDs []int64                `toml:"post_ids"`
	TermIDs []int64                `toml:"term_ids"`
	UserIDs []int64                `toml:"user_ids"`
	URLs    []*regexp.Regexp       `toml:"urls"`  // regular expressions that are matched against the whole address
	Terms   []TermName             `toml:"terms"` // terms that are left out together with their posts
	Types   map[string]TypeExclude // [site.post_type.NAME]
}

// TermName is a term in the operator's notation, such as "category:internal".
type TermName struct{ Taxonomy, Slug string }

func (t TermName) String() string { return t.Taxonomy + ":" + t.Slug }

// MarshalText returns the name in the operator's notation.
func (t TermName) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

var termForm = regexp.MustCompile(`^[^\pC:]{1,32}:[^\pC\pZ]{1,199}[^\pC\pZ]?$`)

// UnmarshalText parses a name in the operator's notation.
func (t *TermName) UnmarshalText(text []byte) error {
	if !termForm.Match(text) {
		return errors.New(`must be a taxonomy and the slug of a term, such as "category:internal"`)
	}
	t.Taxonomy, t.Slug, _ = strings.Cut(string(text), ":")
	return nil
}

// outOfStock is the term that WooCommerce assigns to a product that is out of stock.
var outOfStock = TermName{"product_visibility", "outofstock"}

// TypeExclude says which posts of a type the operator leaves out.
type TypeExclude struct {
	OlderThan  Age  // leave out posts published longer ago than this
	OutOfStock bool // leave out products that are out of stock
	Singles    bool // leave out all posts, so that only the archive of the type is listed
}

// Age is a period before now. The zero Age excludes nothing.
type Age struct {
	Text                string // as configured, such as "3y"
	Years, Months, Days int
}

// ExcludedCheck leaves out the objects that [site.exclude] names by id or by URL. It runs before the checks of the plugin.
var ExcludedCheck = Check{
	Verdict:  Excluded,
	Sentence: "The configuration of wpsitemapd excludes it.",
	Do:       "Take it out of [site.exclude] in the configuration of wpsitemapd.",
	Applies:  func(c *Rules, o *Object) bool { return c.Excludes(*o) },
	Evidence: (*Subject).exclusion,
}

// Excludes reports whether the operator's [site.exclude] names an object.
func (c *Rules) Excludes(o Object) bool {
	key, _ := c.Options.Exclude.names(&o)
	return key != ""
}

// exclusion returns the key of [site.exclude] that leaves the subject out as evidence, or nil.
func (s *Subject) exclusion() []Evidence {
	o := s.object()
	if key, value := s.Rules.Options.Exclude.names(&o); key != "" {
		return []Evidence{{"[site.exclude] " + key, value, s.Of}}
	}
	return nil
}

// names returns which key of [site.exclude] excludes an object, and the value that does so. key is "" if
// no key excludes the object.
func (e *Exclude) names(o *Object) (key, value string) {
	var ids []int64
	switch o.Kind {
	case KindTerm:
		key, ids = "term_ids", e.TermIDs
	case KindUser:
		key, ids = "user_ids", e.UserIDs
	case KindPost, KindFrontPage, KindPostsPage, KindVideo:
		key, ids = "post_ids", e.PostIDs
	}
	if o.ID != 0 && slices.Contains(ids, o.ID) {
		return key, strconv.FormatInt(o.ID, 10)
	}
	i := slices.IndexFunc(e.URLs, func(p *regexp.Regexp) bool { return o.Link != "" && p.MatchString(o.Link) })
	if i < 0 {
		return "", ""
	}
	return "urls", strconv.Quote(e.URLs[i].String())
}

// ExcludedByType returns the verdict by which the operator's settings for a type leave out a post, or
// Listed. date is the publication date by the site's clock.
func (c *Rules) ExcludedByType(postType string, date int64) Verdict {
	x := c.Options.Exclude.Types[postType]
	switch age := x.OlderThan; {
	case x.Singles:
		return NoSingles
	case age.Text != "" && c.Blog.UTC(date) < c.Options.Now().AddDate(-age.Years, -age.Months, -age.Days).Unix():
		return TooOld
	}
	return Listed
}

// ExcludedPosts returns the posts that the operator leaves out because of a term, with their verdicts. If ids is nil, it looks
// at all posts.
func (c *Rules) ExcludedPosts(ctx context.Context, ids []int64) (map[int64]Verdict, error) {
	against := map[int64]Verdict{}
	mark := func(t TermName, v Verdict) error {
		posts, err := objects.PostsOfTerm(ctx, c.Blog, t.Taxonomy, t.Slug, ids)
		for _, id := range posts {
			against[id] = v
		}
		return err
	}
	if c.Options.Exclude.Types["product"].OutOfStock {
		if err := mark(outOfStock, OutOfStock); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Options.Exclude.Terms {
		if err := mark(t, OfExcludedTerm); err != nil {
			return nil, err
		}
	}
	return against, nil
}

// LoadExcluded reads the ids of the terms that the operator excludes by name. Call it before a catalog is built.
func (c *Rules) LoadExcluded(ctx context.Context) error {
	c.excludedTerms = map[objects.TermKey]bool{}
	for _, t := range c.Options.Exclude.Terms {
		keys, err := objects.TermsNamed(ctx, c.Blog, []string{t.Slug})
		if err != nil {
			return err
		}
		for _, key := range keys {
			if key.Taxonomy == t.Taxonomy {
				c.excludedTerms[key] = true
			}
		}
	}
	return nil
}

// excludedByTerm returns the verdict by which the operator's exclusions leave out a term, or Listed.
func (c *Rules) excludedByTerm(taxonomy string, id int64) Verdict {
	if c.excludedTerms[objects.TermKey{Taxonomy: taxonomy, ID: id}] {
		return OfExcludedTerm
	}
	return Listed
}

// operatorChecks leave out the objects that the operator excludes by type or by term. They run after the checks of the plugin.
var operatorChecks = []Check{
	operatorCheck(OfExcludedTerm, "It is, or has, a term that the configuration of wpsitemapd leaves out.", func(s *Subject) Evidence {
		var names []string
		for _, t := range s.Rules.Options.Exclude.Terms {
			names = append(names, strconv.Quote(t.String()))
		}
		return Evidence{"[site.exclude] terms", strings.Join(slices.Compact(names), ", "), s.Of}
	}),
	operatorCheck(OutOfStock, "It is out of stock, and the configuration of wpsitemapd leaves such products out.", func(s *Subject) Evidence {
		return Evidence{"[site.post_type.product] stock", `"hide"`, s.Of}
	}),
	operatorCheck(NoSingles, "The configuration of wpsitemapd lists only the archive of its type, not the posts.", func(s *Subject) Evidence {
		return Evidence{"[site.post_type." + s.Post.Type + "] singles", "false", s.Of}
	}),
	operatorCheck(TooOld, "It is older than the configuration of wpsitemapd allows.", func(s *Subject) Evidence {
		return Evidence{"[site.post_type." + s.Post.Type + "] older_than", strconv.Quote(s.Rules.Options.Exclude.Types[s.Post.Type].OlderThan.Text), s.Of}
	}),
}

func operatorCheck(v Verdict, sentence string, evidence func(*Subject) Evidence) Check {
	return Check{
		Verdict: v, Sentence: sentence, Do: "If it should be listed, change the configuration of wpsitemapd.",
		Applies: func(_ *Rules, o *Object) bool { return o.Excluded == v },
		Evidence: func(s *Subject) []Evidence {
			if s.Post == nil && s.Term == nil {
				return nil
			}
			return []Evidence{evidence(s)}
		},
	}
}

// ParseAge parses an age such as "3y", "18m" or "90d". ok is false if text is not an age of 1 to 36,500
// units.
func ParseAge(text string) (age Age, ok bool) {
	if text == "" {
		return Age{}, false
	}
	n, err := strconv.Atoi(text[:len(text)-1])
	age.Text = text
	switch text[len(text)-1] {
	case 'y':
		age.Years = n
	case 'm':
		age.Months = n
	case 'd':
		age.Days = n
	default:
		return Age{}, false
	}
	return age, err == nil && n > 0 && n <= 36500
}
