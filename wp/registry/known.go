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

// The table of known plugins holds what they register in PHP by default, as their sources say. A plugin counts while it is
// active, a theme while it is the site's template.
//
//go:embed plugins.json
var knownTable []byte

type knownPlugin struct {
	Plugin     string       // its file, as active_plugins names it
	Theme      string       // in the place of a plugin: its folder, as option template names it
	Base       string       // an add-on changes types of this plugin, while both are active; its entry stands above that plugin's
	PostTypes  []*knownType `json:"post_types"`
	Taxonomies []*knownType
	Hidden     struct { // names of types that are not public
		PostTypes  []string `json:"post_types"`
		Taxonomies []string
	}
}

// knownType mirrors the arguments of the register functions. Slug, Archive and ArchivePage are templates: {x@y|z} is key y of
// option x, z where nothing is stored; a z that begins with ~ is translated by the plugin, so that it is known in English
// alone, and ? is not known at all.
type knownType struct {
	Name       string
	Slug       string // "" is the name, "-" no rewriting
	NoFront    bool   `json:"no_front"`
	Tree       bool   // hierarchical
	Nested     bool   // ancestors' slugs are part of a term's link
	Unviewable bool   // public, but visitors cannot see it
	Archive    string // "" without an archive, "=" is the slug
	// ArchivePage is the id of the page at whose path the archive is, while there is one.
	ArchivePage string `json:"archive_page"`
	Filtered    bool   // the archive's address is not that of the rewrite rules
	Query       string // what the addresses of terms have behind the question mark; {id} is the term's
	Of          []string
	When        string // it is public while option x is y: x=y, x@key!=y
	// ByPHP is when the plugin changes its addresses in a way that is not known here: "always", or a condition as of When.
	ByPHP     string   `json:"by_php"`
	LeftOutOf []string `json:"left_out_of"` // plugins in whose sitemaps it has none, as key sitemaps names them

	hidden bool
	source FactSource
}

var knownPlugins = func() (all []knownPlugin) {
	if err := json.Unmarshal(knownTable, &all); err != nil {
		panic(err) // it is part of the program
	}
	return all
}()

// KnownPlugins are the files of the plugins in the table, and KnownOptions the options that it names.
func KnownPlugins() (files []string) {
	for _, p := range knownPlugins {
		if p.Plugin != "" {
			files = append(files, p.Plugin)
		}
	}
	return files
}

// KnownOptions returns the options in which the types of the table have slugs and switches, and Toolset its definitions.
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

// readKnown finds what active plugins and the theme register by the table. Of two that register one name the first counts.
func (d *decider) readKnown() {
	d.known = map[kind]map[string]*knownType{postTypes: {}, taxonomies: {}}
	for _, p := range knownPlugins {
		source := FactSource("known plugin " + p.Plugin)
		if p.Theme != "" {
			source = FactSource("known theme " + p.Theme)
		}
		if !d.e.ActivePlugins[p.Plugin] && (p.Theme == "" || p.Theme != d.e.Template) || p.Base != "" && !d.e.ActivePlugins[p.Base] {
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

// table reports whether the table says that a type is public.
func (d *decider) table(k kind, name string) bool {
	t := d.known[k][name]
	return t != nil && !t.hidden
}

// disagreement adds to the source of a verdict that the table says otherwise.
func (d *decider) disagreement(k kind, name string, v verdict) verdict {
	t := d.known[k][name]
	if t == nil || !v.registered || v.doubt != none || v.source == t.source || v.public != t.hidden || !t.hidden && !d.holds(t.When) {
		return v
	}
	v.source += "; by " + t.source + " it is " + FactSource(either(t.hidden, "not public", "public"))
	return v
}

// stored is the value at a place: an option, or option@key.
func (d *decider) stored(place string) php.Value {
	name, key, inner := strings.Cut(place, "@")
	v := d.e.Options[name]
	if inner {
		v = v.Get(key)
	}
	return v
}

// byPHP reports whether the addresses of a type are known to PHP alone.
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

// switchedOff reports whether an option of the plugin makes a type private that is public else, which no list of before does.
func (d *decider) switchedOff(t *knownType) bool {
	return strings.Contains(t.When, "!=") && !d.holds(t.When)
}

// fill resolves a template. It is not ok where a translated word is missing; from is where the text is stored, if it is.
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

// knownAs is what the table says of a type that an active plugin registers; nothing where it is not known.
func (d *decider) knownAs(k kind, name string) *knownType {
	if t := d.known[k][name]; t != nil {
		return t
	}
	return &knownType{}
}

// knownSlug is the slug by the table. It is not ok where it is not known.
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

// knownArchive gives a type the archive that it has by the table, where that is known.
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
