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

// Stored is what a blog and its network have stored of a plugin, for Inputs.Decode.
type Stored struct {
	// Folder is the plugin's folder where one of its files is active on the blog or on its network, "" where not.
	Folder string

	blog    *Blog
	files   []string // of the plugin
	options options
}

// Active reports whether the plugin is active.
func (o *Stored) Active() bool { return o.Folder != "" }

// Public reports whether the site lets search engines in: option blog_public.
func (o *Stored) Public() bool { return php.NewString(o.options["blog_public"]).Truthy() }

// Text returns an option as it is stored, and whether it is.
func (o *Stored) Text(name string) (value string, saved bool) {
	value, saved = o.options[name]
	return value, saved
}

// Array returns an option that holds a PHP array. One that cannot be read counts as never saved, as in WordPress, with a
// warning.
func (o *Stored) Array(name string) php.Value { return o.options.serialized(name, o.blog.Notice) }

// JSON returns an option that holds JSON, or a PHP array in its place. One that cannot be read counts as never saved, with
// a warning.
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

// Network returns an option of the network that holds a PHP array; null on a single site.
func (o *Stored) Network(name string) php.Value {
	return o.blog.network.meta.serialized(name, func(string) {})
}

// Main returns an option of the network's main blog, "" where it is not stored and on a single site.
func (o *Stored) Main(name string) string { return o.blog.network.mainOptions[name] }

// OfNetwork reports whether the plugin is active for the whole network.
func (o *Stored) OfNetwork() bool {
	return o.Folder != "" && o.blog.network.declared.folderOf(o.files, o.blog.network.activePlugins) != ""
}

// Truth reports whether a constant of wp-config.php is true by PHP's rules.
func (o *Stored) Truth(name string) bool {
	if o.blog.network.config == nil {
		return false
	}
	is, _ := o.blog.network.config.Bool(name)
	return is
}

// Constant returns a constant of wp-config.php, "" where it is not defined or there is no file.
func (o *Stored) Constant(name string) string { return o.blog.network.constant(name) }

// Notice notes a sentence for the operator on what cannot be read.
func (o *Stored) Warn(text string) { o.blog.Notice(text) }

// Decoded is what the stored options of a plugin mean.
type Decoded struct {
	Value any       // for the plugin's own package, see Blog.Decoded
	Links LinkRules // what the plugin makes of WordPress' permalinks
	// Settings and OfObjects are all that addresses and texts of sitemaps depend on: the second what is stored of single
	// terms and addresses. What the plugin notes down as it works is not among them.
	Settings, OfObjects any
	// ReplacesCore reports whether WordPress' own sitemaps do not answer because of the plugin.
	ReplacesCore bool
	// NamesNetwork reports whether robots.txt names the sitemaps of all blogs of a sub-directory network, and InNetwork
	// whether those of this blog are among them.
	NamesNetwork, InNetwork bool
	// Types are the public types that the settings of the plugin name.
	Types registry.Noted
}

// LinkRules are what active plugins make of WordPress' permalinks.
type LinkRules struct {
	StripCategoryBase      bool   // addresses of categories begin without their base
	StripCategoryFront     bool   // they begin without the front, too, where that is before the base
	PrimaryCategory        string // key of a post's meta with the category that its address has; "" for none
	PrimaryProductCategory string // the same of a product
	AnyPrimary             bool   // such a category counts although the post is not in it
	AttachedPlain          bool   // in addresses of attachments it does not count

	AuthorBase string // addresses of authors begin with it alone, without the front; "" for WordPress' own
	AuthorSlug string // key of a user's meta with what takes the place of user_nicename in addresses; "" for none

	StripProductBase         bool // addresses of products begin without their base
	StripProductCategoryBase bool // those of product categories do
	FlatProductCategories    bool // those of product categories have no slugs of the categories above
}

// Decoded returns the Value that a plugin's Decode made, by the name of its Inputs.
func (s *Blog) Decoded(name string) any { return s.decoded[name].Value }

// decode has the declared plugins decode what is stored of them.
func (s *Blog) decode(o options, active map[string]bool) {
	s.decoded = map[string]Decoded{}
	for _, in := range s.network.declared.inputs {
		if in.Decode != nil {
			s.decoded[in.Name] = in.Decode(s.storedOf(in, o, active))
		}
	}
}

func (s *Blog) storedOf(in Inputs, o options, active map[string]bool) *Stored {
	return &Stored{Folder: s.network.declared.folderOf(in.Plugins, active), files: in.Plugins, blog: s, options: o}
}

// folderOf is the folder in which one of a plugin's files is active. In a folder of another name it is among the active
// ones under its own name, too.
func (d *Declared) folderOf(files []string, active map[string]bool) string {
	found := ""
	for _, entry := range slices.Sorted(maps.Keys(active)) {
		for _, file := range files {
			if active[entry] && IsPlugin(entry, file) && (found == "" || entry != d.knownPlugin(entry)) {
				found, _, _ = strings.Cut(entry, "/")
			}
		}
	}
	return found
}

// readDeclared has the declared plugins read what they have in tables.
func (s *Blog) readDeclared(ctx context.Context, o options) error {
	for _, in := range s.network.declared.inputs {
		if in.Read == nil {
			continue
		}
		d, err := in.Read(ctx, s, s.storedOf(in, o, s.set.ActivePlugins))
		if err != nil {
			return s.Wrap("reading what is declared of "+in.Name, err)
		}
		s.decoded[in.Name] = d
	}
	return nil
}

// HoldSettings reports whether one of the posts holds what is read with the settings of the site.
func (s *Blog) HoldSettings(ctx context.Context, posts []int64) (bool, error) {
	keys := s.ofActive(func(in Inputs) []string { return in.SettingMeta })
	if len(keys) == 0 || len(posts) == 0 {
		return false, nil
	}
	values, err := s.MetaOf(ctx, posts, keys...)
	return slices.ContainsFunc(keys, func(key string) bool { return len(values[key]) > 0 }), err
}

// ofActive returns what active plugins declare.
func (s *Blog) ofActive(declared func(Inputs) []string) []string {
	var all []string
	for _, in := range s.network.declared.inputs {
		if names := declared(in); len(names) > 0 && s.network.declared.folderOf(in.Plugins, s.set.ActivePlugins) != "" {
			all = append(all, names...)
		}
	}
	return all
}

// linkRules returns those of all plugins.
func (s *Blog) linkRules() LinkRules {
	var all LinkRules
	for _, in := range s.network.declared.inputs {
		r := s.decoded[in.Name].Links
		all.StripCategoryBase = all.StripCategoryBase || r.StripCategoryBase
		all.StripCategoryFront = all.StripCategoryFront || r.StripCategoryFront
		all.PrimaryCategory = cmp.Or(all.PrimaryCategory, r.PrimaryCategory)
		all.PrimaryProductCategory = cmp.Or(all.PrimaryProductCategory, r.PrimaryProductCategory)
		all.AnyPrimary = all.AnyPrimary || r.AnyPrimary
		all.AttachedPlain = all.AttachedPlain || r.AttachedPlain
		all.AuthorBase = cmp.Or(all.AuthorBase, r.AuthorBase)
		all.AuthorSlug = cmp.Or(all.AuthorSlug, r.AuthorSlug)
		all.StripProductBase = all.StripProductBase || r.StripProductBase
		all.StripProductCategoryBase = all.StripProductCategoryBase || r.StripProductCategoryBase
		all.FlatProductCategories = all.FlatProductCategories || r.FlatProductCategories
	}
	return all
}

// withPrimary adds the keys of what addresses are made of to keys of meta: of the category that the address of a post or
// product has, and of one that was set by hand.
func (s *Blog) withPrimary(keys ...string) []string {
	for _, key := range []string{s.linked.PrimaryCategory, s.linked.PrimaryProductCategory} {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return s.withHandSet(keys...)
}

// setPrimary notes what a post's address is made of, if that is what a meta key holds.
func (s *Blog) setPrimary(p *Post, key, value string) bool {
	if key == metaCustomPermalink && s.set.HandSet.Custom {
		p.custom = s.pathByHand(value)
		return true
	}
	own := s.linked.PrimaryCategory
	if p.Type == typeProduct {
		own = s.linked.PrimaryProductCategory
	}
	if key == own {
		p.primary = value
	}
	return key == s.linked.PrimaryCategory || key == s.linked.PrimaryProductCategory
}

// any reports whether is holds for one of the plugins.
func (s *Blog) any(is func(Decoded) bool) bool {
	for _, d := range s.decoded {
		if is(d) {
			return true
		}
	}
	return false
}

// noted are the types that the settings of active plugins name.
func (s *Blog) noted() []registry.Noted {
	var all []registry.Noted
	for _, in := range s.network.declared.inputs {
		if types := s.decoded[in.Name].Types; types.Source != "" && s.network.declared.folderOf(in.Plugins, s.set.ActivePlugins) != "" {
			all = append(all, types)
		}
	}
	return all
}

// readNoted completes them by what the plugins' tables show.
func (s *Blog) readNoted(ctx context.Context, e *registry.Evidence) error {
	for _, in := range s.network.declared.inputs {
		i := slices.IndexFunc(e.Noted, func(n registry.Noted) bool { return n.Source == s.decoded[in.Name].Types.Source })
		if in.Types == nil || i < 0 {
			continue
		}
		if err := in.Types(ctx, s, e, &e.Noted[i]); err != nil {
			return s.Wrap("reading which types "+in.Name+" has seen", err)
		}
	}
	return nil
}

func replacesCore(d Decoded) bool { return d.ReplacesCore }
