package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/registry"
)

// forms maps values of the struct tag form to the form that a text must have.
var forms = map[string]form{
	"name":   {regexp.MustCompile(`^$|` + nameForm.String()), "must be letters, digits and . _ - only: it names folders and metrics"},
	"prefix": {regexp.MustCompile(`^[A-Za-z0-9_]*$`), "a prefix has letters, digits and _ only"},
	"cache_control": { // RFC 9111, 5.2: names, some with a value
		regexp.MustCompile(`^(?:(?:^|[ \t]*,[ \t]*)[A-Za-z][A-Za-z0-9-]*(?:=(?:[A-Za-z0-9-]+|"[ !#-\[\]-~]*"))?)*$`),
		`must be the value of the header, such as "max-age=300", or empty`,
	},
	"post_type":    {postTypeForm, "must hold names of post types"},
	"indexnow_key": {regexp.MustCompile(`^(?:[a-zA-Z0-9-]{8,128})?$`), "must be 8 to 128 letters a-z and A-Z, digits and -"},
	"post_url": {
		regexp.MustCompile(`^(?:https?://[^/?#\s\pC{}]+)?/(?:[^?#\s\pC{}]|\{(?:year|term:[^?#\s\pC{}:]+)\})*\{(?:slug|id|path)\}` +
			`(?:[^?#\s\pC{}]|\{(?:slug|id|path|year|term:[^?#\s\pC{}:]+)\})*$`),
		`must be a URL below home, or its path, that has {slug}, {id} or {path}, and may have {year} and {term:TAXONOMY}: "/blog/{slug}"`,
	},
	"term_url": {
		regexp.MustCompile(`^(?:https?://[^/?#\s\pC{}]+)?/[^?#\s\pC{}]*\{(?:slug|id|path)\}(?:[^?#\s\pC{}]|\{(?:slug|id|path)\})*$`),
		`must be a URL below home, or its path, that has {slug}, {id} or {path}: "/topics/{slug}"`,
	},
	"publication": {regexp.MustCompile(`^[^\pC]{0,199}[^\pC]?$`), "must be a name in one line, of at most 200 characters"},
	"language": { // ISO 639, or one of two scripts of Chinese
		regexp.MustCompile(`^(?:[a-z]{2,3}|zh-cn|zh-tw)?$`), `must be a language by ISO 639, such as "en", or "zh-cn" or "zh-tw"`,
	},
	"endpoint": {
		regexp.MustCompile(`^https?://[^/?#@\s]+/[^#\s]*$`), fmt.Sprintf("must be an address such as %q", defaultEndpoint),
	},
}

var (
	nameForm = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,99}$`)

	// as in sanitize_key(), with the length that register_post_type() accepts
	postTypeForm = regexp.MustCompile(`^[a-z0-9_-]{1,20}$`)
)

// decode reads the keys of a table over the values that s has from the defaults. What depends on compat comes after fields.
func (s *Site) decode(t *table, dir string) {
	t.fields(s)
	s.WPConfig = absolute(s.WPConfig, dir)
	s.decodeDSN(t, dir)
	s.decodeExtra(t, dir)
	t.value("sitemaps", oneOf(&s.Sitemaps, sitemap.Choices()...))
	if !s.sets("html") {
		s.HTML = s.Compat == string(seo.SpecLevel)
	}
	if !s.sets("formats.gz") {
		s.Formats.Gzip = s.Compat == string(seo.SpecLevel)
	}
	t.each("post_type", func(e *table, name string) {
		hints, o, exclude := s.Hints.PostTypes[name], s.Overrides.PostTypes[name], s.Exclude.Types[name]
		decodeTypeExclude(e, name, &exclude)
		decodePostType(e, name, &o, &hints)
		s.Overrides.PostTypes[name], s.Hints.PostTypes[name] = o, hints
		if delete(s.Exclude.Types, name); exclude != (seo.TypeExclude{}) {
			s.Exclude.Types[name] = exclude
		}
	})
	t.each("taxonomy", func(e *table, name string) {
		hints, o := s.Hints.Taxonomies[name], s.Overrides.Taxonomies[name]
		decodeTaxonomy(e, name, &o, &hints)
		s.Overrides.Taxonomies[name], s.Hints.Taxonomies[name] = o, hints
	})
	t.within("author", func(e *table) { decodeHints(e, &s.Hints.Authors) })
	t.within("images", s.decodeImages)
	t.within("indexnow", func(e *table) {
		if _, given := e.values["key"]; !given && s.IndexNow.Key == "" && t.section != "defaults" {
			e.fail("key", nil, `is missing: make up a key for IndexNow`)
		}
		e.fields(&s.IndexNow)
	})
}

func (s *Site) decodeImages(e *table) {
	e.fields(&s.Images)
	if all := e.sub("replace"); all != nil {
		s.Images.Replace = nil
		for _, old := range slices.Sorted(maps.Keys(all.values)) {
			all.text(old, func(text string) error {
				if !imagePrefix.MatchString(old) || !imagePrefix.MatchString(text) {
					return fmt.Errorf("must be a URL prefix, such as %q, that replaces another URL prefix", "https://cdn.example.com")
				}
				s.Images.Replace = append(s.Images.Replace, seo.Replacement{Old: old, New: text})
				return nil
			})
		}
		slices.SortStableFunc(s.Images.Replace, func(a, b seo.Replacement) int { return cmp.Compare(len(b.Old), len(a.Old)) })
	}
}

var imagePrefix = regexp.MustCompile(`^https?://[^\s/]\S*$`)

// notPublic are the statuses of WordPress that no configuration can publish.
var notPublic = strings.Fields("auto-draft draft future inherit pending private trash")

func decodePostType(t *table, name string, o *registry.PostTypeOverride, h *urlset.Hints) {
	if !postTypeForm.MatchString(name) {
		t.fail("", nil, "%q cannot be a post type: lower-case letters, digits, _ and -, at most 20", name)
	}
	t.fields(o)
	t.list("statuses", func() { o.Statuses = nil }, textSetter(func(status string) error {
		switch {
		case name == "attachment":
			return errors.New("cannot be set for attachments, which are as public as the posts they are attached to")
		case !postTypeForm.MatchString(status) || slices.Contains(notPublic, status):
			return fmt.Errorf(`must hold "publish" or statuses of plugins, as the database has them, and never %s, which are not public`,
				strings.Join(notPublic, ", "))
		case status != "publish" && !slices.Contains(o.Statuses, status):
			o.Statuses = append(o.Statuses, status)
		}
		return nil
	}))
	t.value("archive", func(v any) error {
		is, isBool := v.(bool)
		slug, _ := v.(string)
		switch {
		case isBool:
			o.Archive, o.ArchiveSlug = &is, nil
		case slug != "":
			o.Archive, o.ArchiveSlug = nil, &slug
		default:
			return errors.New("must be true, false or a slug")
		}
		return nil
	})
	decodeHints(t, h)
	t.finish()
}

// decodeTypeExclude reads which posts of a type are excluded.
func decodeTypeExclude(t *table, name string, x *seo.TypeExclude) {
	t.text("older_than", func(text string) (err error) {
		var ok bool
		if x.OlderThan, ok = seo.ParseAge(text); !ok {
			err = errors.New(`must be an age in years, months or days, such as "3y", "18m" or "90d"`)
		}
		return err
	})
	t.value("singles", func(v any) error {
		list, ok := v.(bool)
		if x.Singles = !list; !ok {
			return errors.New("must be true or false")
		}
		return nil
	})
	t.text("stock", func(text string) error {
		if x.OutOfStock = text == "hide"; name != "product" || text != "hide" && text != "show" {
			return errors.New(`must be "hide" or "show" for products that are out of stock, and belongs below [site.post_type.product]`)
		}
		return nil
	})
}

func decodeTaxonomy(t *table, name string, o *registry.TaxonomyOverride, h *urlset.Hints) {
	if name == "" || len(name) > 32 { // as register_taxonomy() requires
		t.fail("", nil, "%q cannot be a taxonomy: its name has 1 to 32 bytes", name)
	}
	t.fields(o)
	decodeHints(t, h)
	t.finish()
}

// decodeHints reads the changefreq and priority of a type.
func decodeHints(t *table, h *urlset.Hints) {
	t.value("changefreq", oneOf(&h.ChangeFreq, urlset.ChangeFreqs...))
	t.value("priority", func(v any) error {
		n, ok := fraction(v)
		if !ok || !(0 <= n && n <= 1) {
			return errors.New("must be a number from 0.0 to 1.0")
		}
		h.Priority = strconv.FormatFloat(n, 'f', -1, 64)
		if !strings.Contains(h.Priority, ".") {
			h.Priority += ".0"
		}
		return nil
	})
}

// decodeDSN reads dsn, or the file that dsn_file names.
func (s *Site) decodeDSN(t *table, dir string) {
	_, inline := t.values["dsn"]
	if list, is := t.values["dsn"].([]any); is {
		t.fail("dsn", list, "must be one address, a text in quotes. To use several servers, name a ProxySQL, HAProxy or MaxScale "+
			"that chooses among them")
		t.take("dsn")
		return
	}
	given, ok := t.secret("dsn", dir)
	if inline || given.file != "" { // in place of the value from the defaults
		s.DSNFile = given.file
	}
	if !ok {
		return
	}
	s.DSN = given.value
	switch dsn := given.value.Reveal(); {
	case strings.HasPrefix(dsn, "sqlite:"):
		s.DSN = Secret("sqlite:" + absolute(strings.TrimPrefix(dsn, "sqlite:"), dir))
	case dsn == "": // empty means no dsn
	case !strings.Contains(dsn, "/"):
		t.fail(given.key, given.value,
			"must be user:password@unix(/path/mysqld.sock)/database, user:password@tcp(host:3306)/database or sqlite:/path/.ht.sqlite")
	}
}

// clone returns a copy of a site. A table that is decoded over the copy does not change the original.
func (s Site) clone() Site {
	s.Hints.PostTypes, s.Hints.Taxonomies = cloned(s.Hints.PostTypes), cloned(s.Hints.Taxonomies)
	s.Overrides.PostTypes, s.Overrides.Taxonomies = cloned(s.Overrides.PostTypes), cloned(s.Overrides.Taxonomies)
	s.Exclude.Types, s.written = cloned(s.Exclude.Types), cloned(s.written)
	return s
}

func cloned[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// mostExtra is how many sitemaps an operator may add to a site.
const mostExtra = 50

// extraName matches the name of a sitemap that the operator adds. It has no digits, because a page number may follow it in a
// file name.
var extraName = regexp.MustCompile(`^[a-z]{1,20}(?:-[a-z]{1,20}){0,3}$`)

var sitemapURL = regexp.MustCompile(`^https?://[^/?#@\s]+/[^#\s]*$`)

// decodeExtra reads the sitemaps that the operator adds. If a site adds any, they replace the sitemaps that the defaults add.
func (s *Site) decodeExtra(t *table, dir string) {
	var all []seo.Extra
	names := map[string]bool{}
	for _, e := range t.subs("extra") {
		var keys seo.Extra
		file, url := e.holds("file"), e.holds("url") // asked before fields, which takes the keys
		e.fields(&keys)
		switch {
		case !extraName.MatchString(keys.Name):
			e.fail("name", keys.Name, "must be words of a-z with - between them, at most 4: it is part of extra-NAME-sitemap.xml")
		case names[keys.Name]:
			e.fail("name", keys.Name, "is the name of another [[site.extra]] of this site")
		case file == url && !e.holds("select"): // finish says what to write in place of select, which was removed
			e.fail("", nil, "must have either file, a list of URLs, or url, a sitemap of another program")
		case keys.URL != "" && !sitemapURL.MatchString(keys.URL):
			e.fail("url", keys.URL, `must be the URL of a sitemap, such as "https://www.example.com/docs/sitemap.xml"`)
		}
		names[keys.Name] = true
		keys.File = absolute(keys.File, dir)
		all = append(all, keys)
		e.finish()
	}
	if len(all) > mostExtra {
		t.fail("extra", nil, "this site has %d, and %d are the most", len(all), mostExtra)
	}
	if all != nil {
		s.Extra = all
	}
}
