package server

import (
	"fmt"
	"strings"

	"wpsitemapd/server/store"
	"wpsitemapd/server/store/disk"
	"wpsitemapd/server/store/redis"
)

// stores are all there are, by the scheme of their addresses; "" is that of a folder.
var stores = map[string]func(location string, opt store.Options) (store.Store, error){
	"":                openDisk,
	"redis":           openRedis,
	"rediss":          openRedis,
	"redis+sentinel":  openRedis,
	"rediss+sentinel": openRedis,
	"redis+cluster":   openRedis,
	"rediss+cluster":  openRedis,
}

// openStore returns the store of a location, which is the folder or the address of the configuration.
func openStore(location string, opt store.Options) (store.Store, error) {
	scheme, _, ok := strings.Cut(location, "://")
	if !ok {
		scheme = ""
	}
	open := stores[scheme]
	if open == nil {
		return nil, fmt.Errorf("no store is known for addresses that begin with %s://", scheme)
	}
	return open(location, opt)
}

func openDisk(location string, opt store.Options) (store.Store, error) {
	return disk.New(location, opt), nil
}

func openRedis(location string, opt store.Options) (store.Store, error) {
	return redis.New(location, opt)
}
