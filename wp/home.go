package wp

import (
	"context"
	"fmt"

	"wpsitemapd/wp/wpconfig"
)

// config reads the wp-config.php of a source.
func (src *Source) config(ctx context.Context) (*wpconfig.Config, error) {
	if src.read != nil {
		return src.read, nil
	}
	cfg, err := wpconfig.Parse(ctx, src.WPConfig, wpconfig.Options{Env: src.Env, Within: src.Within})
	if err != nil {
		return nil, fmt.Errorf("site %s: wp_config: %w%s", src.Name, err, hint(err))
	}
	return cfg, nil
}

// ReadConfig reads wp-config.php once, for every later use of the source. Its people may write another one between two uses: what was
// examined would not be what is used.
func (src *Source) ReadConfig(ctx context.Context) (err error) {
	src.read, err = src.config(ctx)
	return err
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
