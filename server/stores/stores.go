// Package stores is the list of all kinds of stores. A store is a package below server/store and one line here.
package stores

import (
	"context"
	"errors"
	"slices"
	"strings"

	"wpsitemapd/server/store"
	"wpsitemapd/server/store/redis"
	"wpsitemapd/server/store/sqlite"
)

var kinds = []store.Kind{
	sqlite.Kind,
	redis.Kind,
}

// IsAddress reports whether a location is the address of a server, and not a folder.
func IsAddress(location string) bool { return strings.Contains(location, "://") }

// kindOf returns the kind of store that a location is for.
func kindOf(location string) (store.Kind, error) {
	scheme, _, _ := strings.Cut(location, "://")
	var forms []string
	for _, kind := range kinds {
		if slices.Contains(kind.Schemes, scheme) || len(kind.Schemes) == 0 && !IsAddress(location) {
			return kind, nil
		}
		if kind.Form != "" {
			forms = append(forms, kind.Form)
		}
	}
	return store.Kind{}, errors.New("must be a folder, or begin with " + strings.Join(forms, ", "))
}

// Check reports what is wrong with a location as it is written. No error holds a part of it that may be a password.
func Check(location string) error {
	kind, err := kindOf(location)
	if err != nil {
		return err
	}
	return kind.Check(location)
}

// Probe tries a location, and returns why nothing can be kept there and what to do about it; "" for nothing.
func Probe(ctx context.Context, location string) string {
	kind, err := kindOf(location)
	if err != nil {
		return err.Error()
	}
	return kind.Probe(ctx, location)
}

// Open returns the store at a location.
func Open(location string, opt store.Options) (*store.Store, error) {
	kind, err := kindOf(location)
	if err != nil {
		return nil, err
	}
	return store.New(kind, location, opt)
}

// Holds reports whether anything was stored at a location that can be read without writing there.
func Holds(location string) bool {
	kind, err := kindOf(location)
	return err == nil && kind.Holds != nil && kind.Holds(location)
}
