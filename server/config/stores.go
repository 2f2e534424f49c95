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

// storeKinds is the list of all kinds of stores. A store is a package below server/store and one line here.
var storeKinds = []store.Kind{
	sqlite.Kind,
	redis.Kind,
}

// isStoreAddress reports whether a location is the address of a server, and not a folder.
func isStoreAddress(location string) bool { return strings.Contains(location, "://") }

// storeKind returns the kind of store that a location is for.
func storeKind(location string) (store.Kind, error) {
	scheme, _, _ := strings.Cut(location, "://")
	var forms []string
	for _, kind := range storeKinds {
		if slices.Contains(kind.Schemes, scheme) || len(kind.Schemes) == 0 && !isStoreAddress(location) {
			return kind, nil
		}
		if kind.Form != "" {
			forms = append(forms, kind.Form)
		}
	}
	return store.Kind{}, errors.New("must be a folder, or begin with " + strings.Join(forms, ", "))
}

// checkStore reports what is wrong with a location as it is written. No error holds a part of it that may be a password.
func checkStore(location string) error {
	kind, err := storeKind(location)
	if err != nil {
		return err
	}
	return kind.Check(location)
}

// ProbeStore tries a location, and returns why nothing can be kept there and what to do about it; "" for nothing.
func ProbeStore(ctx context.Context, location string) string {
	kind, err := storeKind(location)
	if err != nil {
		return err.Error()
	}
	return kind.Probe(ctx, location)
}

// OpenStore returns the store at a location.
func OpenStore(location string, opt store.Options) (*store.Store, error) {
	kind, err := storeKind(location)
	if err != nil {
		return nil, err
	}
	return store.New(kind, location, opt)
}

// StoreHolds reports whether anything was stored at a location that can be read without writing there.
func StoreHolds(location string) bool {
	kind, err := storeKind(location)
	return err == nil && kind.Holds != nil && kind.Holds(location)
}
