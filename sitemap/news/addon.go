package news

import (
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
)

// An AddOn is an add-on of a plugin that makes a news sitemap. Its settings apply if the operator
// sets none. NoAddOn is the base.
type AddOn interface {
	Is() seo.AddOn
	// Settings returns the add-on's own settings. On is true if the add-on is active.
	Settings(r *seo.Rules) Settings
	// Excluded reports by id which posts their editors exclude from the news. ExcludedBy names for people the
	// settings that exclude posts.
	Excluded(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]bool, error)
	ExcludedBy(r *seo.Rules) string
	// Tickers returns the stock tickers of posts by id, in the form of the protocol.
	Tickers(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]string, error)
	// List returns the list that the add-on's own rules make.
	List(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error)
}

// NoAddOn is an AddOn without settings.
type NoAddOn struct{}

func (NoAddOn) Is() seo.AddOn { return seo.AddOn{Usual: Usual} }

func (NoAddOn) Settings(*seo.Rules) Settings { return Settings{} }

func (NoAddOn) ExcludedBy(*seo.Rules) string { return OperatorTerms }

func (NoAddOn) Excluded(context.Context, *seo.Rules, []int64) (map[int64]bool, error) {
	return map[int64]bool{}, nil
}

func (NoAddOn) List(context.Context, *provider.Build, *Settings) (*catalog.List, error) {
	return nil, nil
}

func (NoAddOn) Tickers(context.Context, *seo.Rules, []int64) (map[int64]string, error) {
	return nil, nil
}
