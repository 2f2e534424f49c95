package rankmath

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/provider"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
)

// ImageRules implements provider.Policy. It applies the plugin's settings for images, and reads the custom
// fields and galleries of all posts of a page at once.
func (PluginLevel) ImageRules(ctx context.Context, r *provider.Renderer, posts []*address.Post) (*provider.ImageRules, error) {
	set := r.Rules.Settings.(*settings)
	if !set.images() {
		return &provider.ImageRules{None: true}, nil
	}
	rules := &provider.ImageRules{
		Featured: func(int64) bool { return false },
		Takes:    func(src string) bool { return !strings.Contains(src, "&") },
		Sources:  map[int64][]string{}, Files: map[int64][]int64{},
	}
	if on(set.sitemap.Get("include_featured_image")) {
		var featured []int64
		for _, p := range posts {
			featured = append(featured, p.Thumbnail)
		}
		values, err := r.Rules.Blog.MetaOf(ctx, featured, metaExclude)
		if err != nil {
			return nil, err
		}
		rules.Featured = func(image int64) bool { return !php.NewString(values[metaExclude][image]).Truthy() }
	}
	return rules, set.addFields(ctx, r, posts, rules)
}

// addFields adds the images of custom fields and of the galleries of products.
func (s *settings) addFields(ctx context.Context, r *provider.Renderer, posts []*address.Post, rules *provider.ImageRules) error {
	fields, keys, ids := map[string][]string{}, []string{}, []int64{} // custom fields by post type, meta keys to read, ids of posts
	for _, p := range posts {
		ids = append(ids, p.ID)
		if _, known := fields[p.Type]; known {
			continue
		}
		fields[p.Type] = nil
		for line := range strings.SplitSeq(s.sitemap.Get("pt_"+p.Type+"_image_customfields").Str(), "\n") {
			if key := strings.TrimSpace(line); key != "" {
				fields[p.Type] = append(fields[p.Type], key)
			}
		}
		keys = append(keys, fields[p.Type]...)
		if p.Type == "product" && s.shop {
			keys = append(keys, metaGallery)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	values, err := r.Rules.Blog.MetaOf(ctx, ids, keys...)
	for _, p := range posts {
		for _, key := range fields[p.Type] {
			if src := values[key][p.ID]; isImage(src) {
				rules.Sources[p.ID] = append(rules.Sources[p.ID], src)
			}
		}
		if p.Type == "product" && s.shop {
			rules.Files[p.ID] = idsOf(values[metaGallery][p.ID])
		}
	}
	return err
}

// isImage reports whether a value is the address of a file with the name of an image.
func isImage(src string) bool {
	at := strings.LastIndexByte(src, '.')
	return at > 0 && strings.Contains(src, "://") &&
		slices.Contains([]string{"jpg", "jpeg", "png", "gif", "webp"}, strings.ToLower(src[at+1:]))
}
