package registry

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"wpsitemapd/wp/php"
)

// knownTable lists the types that plugins and themes register in PHP by default, according to their source code. A
// plugin counts if it is active, a theme if it is the site's template.
//
//go:embed plugins.json
var knownTable []byte

type knownPlugin struct {
	Plugin     string       // its file, as active_plugins names it
	Theme      string       // instead of Plugin: the folder of a theme, as option template names it
	Base       string       // another plugin that must also be active; the table lists an add-on before the plugin whose types it changes
	PostTypes  []*knownType `json:"post_types"`
	Taxonomies []*knownType
	Hidden     struct { // names of types that are not public
		PostTypes  []string `json:"post_types"`
		Taxonomies []string
	}
}

// knownType has the arguments of the register functions. Slug, Archive and ArchivePage are templates: {x@y|z} is key y
// of option x, or z if nothing is stored.
//
// If z begins with ~, the plugin translates z, so that the text is known only in English. If z is ?, no text is known.
type knownType struct {
	Name       string
	Slug       string // "": the name; "-": no rewriting
	NoFront    bool   `json:"no_front"`
	Tree       bool   // hierarchical
	Nested     bool   // links of terms contain the slugs of ancestors
	Unviewable bool   // public, but visitors cannot see it
	Archive    string // "": no archive; "=": the slug
	// ArchivePage is the id of a page. If the page exists, its path is the address of the archive.
	ArchivePage string `json:"archive_page"`
	Filtered    bool   // the address of the archive differs from the rewrite rules
	Query       string // query string in the addresses of terms; {id} is the term's id
	Of          []string
	When        string // a condition under which the type is public: x=y for option x, x@key!=y for a key of it
	// ByPHP says when the plugin changes the addresses in a way that is not known here: "always", or a condition as in
	// When.
	ByPHP     string   `json:"by_php"`
	LeftOutOf []string `json:"left_out_of"` // plugins whose sitemaps leave the type out, as key sitemaps names them

	hidden bool
	source FactSource
}

var knownPlugins = func() (all []knownPlugin) {
	if err := json.Unmarshal(knownTable, &all); err != nil {
		panic(err) // the table is part of the program
	}
	return all
}()

// KnownPlugins returns the files of the plugins in the table.
func KnownPlugins() (files []string) {
	for _, p := range knownPlugins {
		if p.Plugin != "" {
			files = append(files, p.Plugin)
		}
	}
	return files
}

// KnownOptions returns the options that the table names, and the options in which Toolset stores definitions.
var KnownOptions = sync.OnceValue(func() []string {
	names := []string{optionToolsetTypes, optionToolsetTaxonomies}
	add := func(place string) {
		if name, _, _ := strings.Cut(place, "@"); name != "" {
			names = append(names, name)
		}
	}
	for _, p := range knownPlugins {
		for _, t := range slices.Concat(p.PostTypes, p.Taxonomies) {
			for _, template := range []string{t.Slug, t.Archive, t.ArchivePage} {
				for _, part := range strings.Split(template, "{")[1:] {
					place, _, _ := strings.Cut(strings.TrimSuffix(part, "}"), "|")
					add(strings.TrimRight(place, "}"))
				}
			}
			for _, condition := range []string{t.When, t.ByPHP} {
				if place, _, ok := strings.Cut(condition, "="); ok {
					add(strings.TrimSuffix(place, "!"))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// readKnown takes the entries of active plugins and of the theme from the table of known plugins. If two entries
// have the same type, the first counts.
func (d *decider) readKnown() {
	d.known = map[kind]map[string]*knownType{postTypes: {}, taxonomies: {}}
	for _, p := range knownPlugins {
		source := FactSource("known plugin " + p.Plugin)
		if p.Theme != "" {
			source = FactSource("known theme " + p.Theme)
		}
		if !d.e.Plugins.Active[p.Plugin] && (p.Theme == "" || p.Theme != d.e.Template) || p.Base != "" && !d.e.Plugins.Active[p.Base] {
			continue
		}
		add := func(k kind, t knownType) {
			t.source = source
			if d.known[k][t.Name] == nil {
				d.known[k][t.Name] = &t
			}
		}
		for _, k := range kinds {
			for _, t := range pick(k, p.PostTypes, p.Taxonomies) {
				add(k, *t)
			}
			for _, name := range pick(k, p.Hidden.PostTypes, p.Hidden.Taxonomies) {
				add(k, knownType{Name: name, hidden: true})
			}
		}
	}
}

// table reports whether the table of known plugins says that a type is public.
func (d *decider) table(k kind, name string) bool {
	t := d.known[k][name]
	return t != nil && !t.hidden
}

// disagreement adds a note to the source of a verdict if the table says the opposite.
func (d *decider) disagreement(k kind, name string, v verdict) verdict {
	t := d.known[k][name]
	if t == nil || !v.registered || v.doubt != none || v.source == t.source || v.public != t.hidden || !t.hidden && !d.holds(t.When) {
		return v
	}
	v.source += "; by " + t.source + " it is " + FactSource(either(t.hidden, "not public", "public"))
	return v
}

// stored returns the value at a place: an option, or option@key.
func (d *decider) stored(place string) php.Value {
	name, key, inner := strings.Cut(place, "@")
	v := d.e.Plugins.Options[name]
	if inner {
		v = v.Get(key)
	}
	return v
}

// byPHP reports whether only PHP knows the addresses of a type.
func (d *decider) byPHP(t *knownType) bool {
	return t.ByPHP != "" && d.holds(t.ByPHP)
}

func (d *decider) holds(condition string) bool {
	place, want, ok := strings.Cut(condition, "=")
	if !ok {
		return true
	}
	place, not := strings.CutSuffix(place, "!")
	return (d.stored(place).Str() == want) != not
}

// switchedOff reports whether a type is public by default, but an option of its plugin makes it private. Lists that
// Yoast SEO wrote before that may still contain the type.
func (d *decider) switchedOff(t *knownType) bool {
	return strings.Contains(t.When, "!=") && !d.holds(t.When)
}

// fill replaces the parts of a template by stored values or by their defaults. from is the option that holds the
// text, or "" if no option does. ok is false if a default is not known, or is known only in English on a site in
// another language.
func (d *decider) fill(template string) (text string, from FactSource, ok bool) {
	for ok = true; ; {
		before, rest, open := strings.Cut(template, "{")
		text += before
		if !open {
			return strings.Trim(text, "/"), from, ok
		}
		var part string
		part, template, _ = strings.Cut(rest, "}")
		place, otherwise, _ := strings.Cut(part, "|")
		if v := strings.Trim(textOr(d.stored(place), ""), "/"); v != "" {
			name, key, inner := strings.Cut(place, "@")
			if inner {
				name += "[" + key + "]"
			}
			text, from = text+v, FactSource("option "+name)
			continue
		}
		word, translated := strings.CutPrefix(otherwise, "~")
		text += word
		ok = ok && word != "?" && !(translated && !strings.HasPrefix(d.e.Locale, "en"))
	}
}

// knownAs returns the table's entry for a type of an active plugin, or an empty entry for another type.
func (d *decider) knownAs(k kind, name string) *knownType {
	if t := d.known[k][name]; t != nil {
		return t
	}
	return &knownType{}
}

// knownSlug returns the slug of a type by the table. ok is false if the slug is not known.
func (d *decider) knownSlug(t *knownType) (slug string, from FactSource, ok bool) {
	switch t.Slug {
	case "-", "?":
		return "", "", false
	case "":
		return t.Name, t.source, t.source != "" && !t.hidden
	}
	slug, from, ok = d.fill(t.Slug)
	return slug, cmp.Or(from, t.source), ok
}

// knownArchive sets the archive that known gives a type: a page, or a slug. It changes nothing if known gives none, or if fill
// cannot tell the slug.
func (d *decider) knownArchive(t *PostType, known *knownType) {
	if page, from, _ := d.fill(known.ArchivePage); page != "" {
		t.HasArchive, t.ArchivePage, t.Sources[keyArchive] = true, php.NewString(page).Int(), from
		return
	}
	if known.Archive == "=" {
		if !t.HasArchive {
			t.HasArchive, t.Sources[keyArchive] = true, known.source
		}
	} else if slug, from, ok := d.fill(known.Archive); ok {
		t.HasArchive, t.ArchiveSlug, t.Sources[keyArchive] = true, slug, cmp.Or(from, known.source)
	}
}
