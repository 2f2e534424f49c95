package wp

import (
	"context"

	"wpsitemapd/wp/wpconfig"
)

// config reads the wp-config.php of a source.
func (src *Source) config(ctx context.Context) (*wpconfig.Config, error) {
	return wpconfig.Parse(ctx, src.WPConfig, wpconfig.Options{Env: src.Env, Within: src.Within})
}

// HomeInConfig returns what a site's wp-config.php says of its public address, without reading its database: home by
// WP_HOME or as the main site of a network, and siteurl by WP_SITEURL, which may have another path; "" where it says
// nothing.
func HomeInConfig(ctx context.Context, src Source) (home, siteURL string) {
	cfg, err := src.config(ctx)
	if err != nil {
		return "", ""
	}
	domain, _ := cfg.String("DOMAIN_CURRENT_SITE")
	path, _ := cfg.String("PATH_CURRENT_SITE")
	home, _ = cfg.String("WP_HOME")
	if home == "" && domain != "" {
		home = "https://" + domain + "/" + path
	}
	siteURL, _ = cfg.String("WP_SITEURL")
	return home, siteURL
}
