package slimseo

import (
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
)

// Attachments never have a sitemap, and other types unless they are set to noindex.
func TestPostTypes(t *testing.T) {
	s := &settings{options: &options{}}
	if why := s.PostType(&registry.PostType{Name: "attachment"}); why == nil || why.Rule != seo.RuleNever {
		t.Errorf("attachment: %+v", why)
	}
	if why := s.PostType(&registry.PostType{Name: "post"}); why != nil {
		t.Errorf("post: %+v", why)
	}
}
