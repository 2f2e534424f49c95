package wp

import (
	"context"
	"fmt"

	"wpsitemapd/wp/wpconfig"
)

// config returns the wp-config.php of a source. It reads the file unless ReadConfig has done so.
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

// ReadConfig reads wp-config.php once for all later uses of the source. If each use read the file again, the people of
// the site could change the file after it was checked.
func (src *Source) ReadConfig(ctx context.Context) (err error) {
	src.read, err = src.config(ctx)
	return err
}

// HomeInConfig returns the public address of a site from its wp-config.php alone, without the database. It takes
// WP_HOME, or else the constants of a network. It returns "" if the file has neither or cannot be read.
func HomeInConfig(ctx context.Context, src Source) string {
	cfg, err := src.config(ctx)
	if err != nil {
		return ""
	}
	domain, _ := cfg.String("DOMAIN_CURRENT_SITE")
	path, _ := cfg.String("PATH_CURRENT_SITE")
	home, _ := cfg.String("WP_HOME")
	if home == "" && domain != "" {
		home = "https://" + domain + "/" + path
	}
	return home
}
