package wp

import (
	"context"

	"wpsitemapd/wp/php"
)

// Options holds stored options of a blog that are read for one question only.
type Options struct{ stored options }

// Options reads options by their names. Those that are missing are left out.
func (s *Site) Options(ctx context.Context, names ...string) (Options, error) {
	stored, err := readOptions(ctx, s.network.db, s.tables, names)
	if err != nil {
		return Options{}, s.wrap("reading options", err)
	}
	return Options{stored}, nil
}

// Text returns an option as it is stored.
func (o Options) Text(name string) string { return o.stored[name] }

// Array returns an option that holds a PHP array; one that cannot be read counts as never saved, as in WordPress.
func (o Options) Array(name string) php.Value { return o.stored.serialized(name, func(string) {}) }
