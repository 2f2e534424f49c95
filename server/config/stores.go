package config

import (
	"errors"
	"slices"
	"strings"

	"wpsitemapd/server/store"
	"wpsitemapd/server/store/redis"
	"wpsitemapd/server/store/sqlite"
)

// backends are all kinds of stores. Each kind is a package below server/store and one line here.
var backends = []store.Backend{
	sqlite.Backend,
	redis.Backend,
}

// Store returns the kind of store for a location. It returns an error if no kind has such locations.
func Store(location string) (store.Backend, error) {
	scheme, _, address := strings.Cut(location, "://")
	var forms []string
	for _, backend := range backends {
		kind := backend.Kind()
		if slices.Contains(kind.Schemes, scheme) || len(kind.Schemes) == 0 && !address {
			return backend, nil
		}
		if kind.Form != "" {
			forms = append(forms, kind.Form)
		}
	}
	return nil, errors.New("must be a folder, or begin with " + strings.Join(forms, ", "))
}

func OpenStore(location string, opt store.Options) (*store.Store, error) {
	backend, err := Store(location)
	if err != nil {
		return nil, err
	}
	return store.New(backend, location, opt)
}
