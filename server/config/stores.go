package config

import (
	"context"
	"errors"
	"slices"
	"strings"

	"wpsitemapd/server/store"
	"wpsitemapd/server/store/redis"
	"wpsitemapd/server/store/sqlite"
)

// backends are all kinds of stores. A store is a package below server/store and one line here.
var backends = []store.Backend{
	sqlite.Backend,
	redis.Backend,
}

// isStoreAddress reports whether a location is the address of a server, and not a folder.
func isStoreAddress(location string) bool { return strings.Contains(location, "://") }

// backendOf returns the kind of store that a location is for.
func backendOf(location string) (store.Backend, error) {
	scheme, _, _ := strings.Cut(location, "://")
	var forms []string
	for _, backend := range backends {
		if slices.Contains(backend.Schemes, scheme) || len(backend.Schemes) == 0 && !isStoreAddress(location) {
			return backend, nil
		}
		if backend.Form != "" {
			forms = append(forms, backend.Form)
		}
	}
	return store.Backend{}, errors.New("must be a folder, or begin with " + strings.Join(forms, ", "))
}

// checkStore reports what is wrong with a location as it is written. No error holds a part of it that may be a password.
func checkStore(location string) error {
	backend, err := backendOf(location)
	if err != nil {
		return err
	}
	return backend.Check(location)
}

// ProbeStore tries a location, and returns why nothing can be kept there and what to do about it; "" for nothing.
func ProbeStore(ctx context.Context, location string) string {
	backend, err := backendOf(location)
	if err != nil {
		return err.Error()
	}
	return backend.Probe(ctx, location)
}

// OpenStore returns the store at a location.
func OpenStore(location string, opt store.Options) (*store.Store, error) {
	backend, err := backendOf(location)
	if err != nil {
		return nil, err
	}
	return store.New(backend, location, opt)
}

// StoreHolds reports whether anything was stored at a location that can be read without writing there.
func StoreHolds(location string) bool {
	backend, err := backendOf(location)
	return err == nil && backend.Holds != nil && backend.Holds(location)
}
