package wp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Stored holds what a blog and its network have stored for a plugin. It is the argument of Inputs.Decode.
type Stored struct {
	// Folder is the folder of the plugin if the plugin is active on the blog or on its network. Otherwise it is "".
	Folder string

	blog    *Blog
	files   []string // the files of the plugin, as in Inputs.Plugins
	options options
}

// Active reports whether the plugin is active.
func (o *Stored) Active() bool { return o.Folder != "" }

// Public reports whether option blog_public lets search engines index the site.
func (o *Stored) Public() bool { return php.NewString(o.options["blog_public"]).Truthy() }

// Text returns an option as stored. saved reports whether the option is stored.
func (o *Stored) Text(name string) (value string, saved bool) {
	value, saved = o.options[name]
	return value, saved
}

// Array returns an option that holds a PHP array. If the option cannot be decoded, Array warns and returns null, as if
// the option had never been saved.
func (o *Stored) Array(name string) php.Value { return o.options.serialized(name, o.blog.Notice) }

// JSON returns the value of an option that is stored as JSON. It also decodes a serialized PHP array. If the option is neither, JSON
// warns and returns null, as if the option had never been saved.
func (o *Stored) JSON(name string) php.Value {
	text := o.options[name]
	if text == "" {
		return php.Value{}
	}
	v, err := php.DecodeJSON(text)
	if err == nil {
		return v
	}
	if old, bad := php.MaybeUnserialize(text); bad == nil && old.Kind == php.Array {
		return old
	}
	o.Warn(fmt.Sprintf("option %s holds no JSON and counts as never saved: %v", name, err))
	return php.Value{}
}

// Network returns an option of the network that holds a PHP array. It returns null for a single site.
func (o *Stored) Network(name string) php.Value {
	return o.blog.network.shared.meta.serialized(name, func(string) {})
}

// Main returns an option of the network's main blog. It returns "" if the option is not stored, and for a single site.
func (o *Stored) Main(name string) string { return o.blog.network.shared.mainOptions[name] }

// OfNetwork reports whether the plugin is active on the whole network.
func (o *Stored) OfNetwork() bool {
	return o.Folder != "" && o.blog.network.declared.folderOf(o.files, o.blog.network.shared.activePlugins) != ""
}

// Truth reports whether a constant of wp-config.php is true by PHP's rules.
func (o *Stored) Truth(name string) bool {
	if o.blog.network.config == nil {
		return false
	}
	on, _ := o.blog.network.config.Bool(name)
	return on
}

// Constant returns a constant of wp-config.php. It returns "" if the constant is not defined or there is no file.
func (o *Stored) Constant(name string) string { return o.blog.network.constant(name) }

// Warn records a sentence for the operator about what cannot be read.
func (o *Stored) Warn(text string) { o.blog.Notice(text) }

// Decoded is what the stored options of a plugin mean.
type Decoded struct {
	Value any       // for the plugin's own package, see Blog.Decoded
	Links LinkRules // how the plugin changes WordPress' permalinks
	// Settings and OfObjects are everything in the plugin's options that addresses and texts of sitemaps depend on.
	// OfObjects holds the options about single terms and addresses, and Settings holds all other options. Data that the
	// plugin writes while it works is in neither of them.
	Settings, OfObjects any
	// ReplacesCore reports whether the plugin switches off WordPress' own sitemaps.
	ReplacesCore bool
	// NamesNetwork reports whether robots.txt names the sitemaps of all blogs of a sub-directory network. InNetwork
	// reports whether the sitemaps of this blog are among them.
	NamesNetwork, InNetwork bool
	// Types are the public types that the settings of the plugin name.
	Types registry.Noted
}

// LinkRules say how active plugins change WordPress' permalinks.
type LinkRules struct {
	StripCategoryBase      bool   // addresses of categories have no base
	StripCategoryFront     bool   // addresses of categories have no front either, if the front is before the base
	PrimaryCategory        string // post meta key of the category in a post's address; "" if there is none
	PrimaryProductCategory string // post meta key of the category in a product's address; "" if there is none
	AnyPrimary             bool   // the primary category counts even if the post does not have it
	AttachedPlain          bool   // the primary category does not count in addresses of attachments

	AuthorBase string // addresses of authors begin with this base, without the front; "": WordPress' own base
	AuthorSlug string // user meta key of the slug that replaces user_nicename in addresses; "" if there is none

	StripProductBase         bool // addresses of products have no base
	StripProductCategoryBase bool // addresses of product categories have no base
	FlatProductCategories    bool // addresses of product categories do not contain the parent categories
}

// Decoded returns the Value that the Decode of a plugin returned. name is the Inputs.Name of the plugin.
func (b *Blog) Decoded(name string) any { return b.decoded[name].Value }

// decode calls Inputs.Decode of every declared plugin.
func (r *reading) decode() {
	r.blog.decoded = map[string]Decoded{}
	for _, in := range r.blog.network.declared.inputs {
		if in.Decode != nil {
			r.blog.decoded[in.Name] = in.Decode(r.storedOf(in))
		}
	}
}

func (r *reading) storedOf(in Inputs) *Stored {
	return &Stored{Folder: r.blog.folderOf(in), files: in.Plugins, blog: r.blog, options: r.options}
}

// folderOf returns the folder in which a plugin is active on the blog, or "" if it is not active.
func (b *Blog) folderOf(in Inputs) string {
	return b.network.declared.folderOf(in.Plugins, b.set.ActivePlugins)
}

// folderOf returns the folder in which one of a plugin's files is active, or "" if none is. If the folder has an
// unusual name, active holds the usual entry too, and folderOf prefers the real folder.
func (d *Declared) folderOf(files []string, active map[string]bool) string {
	found := ""
	for _, entry := range slices.Sorted(maps.Keys(active)) {
		for _, file := range files {
			if active[entry] && isPlugin(entry, file) && (found == "" || entry != d.knownPlugin(entry)) {
				found, _, _ = strings.Cut(entry, "/")
			}
		}
	}
	return found
}

// readDeclared calls Inputs.Read of every declared plugin that has tables.
func (r *reading) readDeclared(ctx context.Context) error {
	for _, in := range r.blog.network.declared.inputs {
		if in.Read == nil {
			continue
		}
		d, err := in.Read(ctx, r.blog, r.storedOf(in))
		if err != nil {
			return r.blog.Wrap("reading what is declared of "+in.Name, err)
		}
		r.blog.decoded[in.Name] = d
	}
	return nil
}

// HoldSettings reports whether one of the posts has a meta key of Inputs.SettingMeta. Such meta is read with the
// settings of the site.
func (b *Blog) HoldSettings(ctx context.Context, posts []int64) (bool, error) {
	keys := b.ofActive(func(in Inputs) []string { return in.SettingMeta })
	if len(keys) == 0 || len(posts) == 0 {
		return false, nil
	}
	values, err := b.MetaOf(ctx, posts, keys...)
	return slices.ContainsFunc(keys, func(key string) bool { return len(values[key]) > 0 }), err
}

// ofActive returns what the active plugins declare.
func (b *Blog) ofActive(declared func(Inputs) []string) []string {
	var all []string
	for _, in := range b.network.declared.inputs {
		if names := declared(in); len(names) > 0 && b.folderOf(in) != "" {
			all = append(all, names...)
		}
	}
	return all
}

// linkRules returns the link rules of all plugins together.
func (r *reading) linkRules() LinkRules {
	var all LinkRules
	for _, in := range r.blog.network.declared.inputs {
		own := r.blog.decoded[in.Name].Links
		all.StripCategoryBase = all.StripCategoryBase || own.StripCategoryBase
		all.StripCategoryFront = all.StripCategoryFront || own.StripCategoryFront
		all.PrimaryCategory = cmp.Or(all.PrimaryCategory, own.PrimaryCategory)
		all.PrimaryProductCategory = cmp.Or(all.PrimaryProductCategory, own.PrimaryProductCategory)
		all.AnyPrimary = all.AnyPrimary || own.AnyPrimary
		all.AttachedPlain = all.AttachedPlain || own.AttachedPlain
		all.AuthorBase = cmp.Or(all.AuthorBase, own.AuthorBase)
		all.AuthorSlug = cmp.Or(all.AuthorSlug, own.AuthorSlug)
		all.StripProductBase = all.StripProductBase || own.StripProductBase
		all.StripProductCategoryBase = all.StripProductCategoryBase || own.StripProductCategoryBase
		all.FlatProductCategories = all.FlatProductCategories || own.FlatProductCategories
	}
	return all
}

// any reports whether the function is returns true for the Decoded of at least one plugin.
func (b *Blog) any(is func(Decoded) bool) bool {
	for _, d := range b.decoded {
		if is(d) {
			return true
		}
	}
	return false
}

// noted returns the types that the settings of active plugins name.
func (r *reading) noted() []registry.Noted {
	var all []registry.Noted
	for _, in := range r.blog.network.declared.inputs {
		if types := r.blog.decoded[in.Name].Types; types.Source != "" && r.blog.folderOf(in) != "" {
			all = append(all, types)
		}
	}
	return all
}

// readNoted completes the types in e.Plugins.Noted by what the tables of the plugins show.
func (r *reading) readNoted(ctx context.Context) error {
	for _, in := range r.blog.network.declared.inputs {
		i := slices.IndexFunc(r.evidence.Plugins.Noted, func(n registry.Noted) bool { return n.Source == r.blog.decoded[in.Name].Types.Source })
		if in.Types == nil || i < 0 {
			continue
		}
		if err := in.Types(ctx, r.blog, &r.evidence, &r.evidence.Plugins.Noted[i]); err != nil {
			return r.blog.Wrap("reading which types "+in.Name+" has seen", err)
		}
	}
	return nil
}

func replacesCore(d Decoded) bool { return d.ReplacesCore }
