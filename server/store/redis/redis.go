// Package redis is a store in a Redis or Valkey, which several daemons share. Each writes what it has made; the last one to
// write a page or a record is right, since all make the same.
package redis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"wpsitemapd/server/store"

	"github.com/redis/go-redis/v9"
)

const (
	dialTimeout  = 2 * time.Second
	writeTimeout = 30 * time.Second // a page may have many megabytes
	poolSize     = 16
	// keptFor is how long a site is kept after a daemon last had it. Redis' own maxmemory bounds what all sites take: a site
	// has no more pages than it lists, and those that have gone are removed.
	keptFor  = store.ForgetAfter
	maxSites = 500 // asked for in one go
)

// Kind is a Redis, alone, behind sentinels or in a cluster.
var Kind = store.Kind{
	Place:   "in Redis",
	Schemes: schemes,
	Form:    form,
	Shared:  true,
	Timeout: 250 * time.Millisecond,
	Beat:    2 * time.Second,
	Check: func(location string) error {
		_, err := parseAddress(location)
		return err
	},
	Probe: probe,
	Open: func(location string, _ *slog.Logger) (store.Blobs, string, error) {
		a, err := parseAddress(location)
		if err != nil {
			return nil, "", err
		}
		return &blobs{root: a.root(), client: a.connect()}, a.String(), nil
	},
}

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// The library writes to the standard error by itself, addresses among it; what matters comes back as an error.
func init() { redis.SetLogger(quiet{}) }

// blobs has a hash for each site, whose fields are the blobs. It connects when it is first used.
type blobs struct {
	root   string
	client redis.UniversalClient
}

// key is the key of something of a site. All of a site's are in one slot of a cluster.
func (b *blobs) key(site, what string) string {
	return b.root + "{" + url.QueryEscape(site) + "}:" + what
}

// field is the field of a blob, and nameOf its reverse.
func field(n store.Name) string { return strings.Join([]string{n.Kind, n.Blog, n.Key}, "\n") }

func nameOf(site, field string) store.Name {
	parts := append(strings.SplitN(field, "\n", 3), "", "")
	return store.Name{Kind: parts[0], Site: site, Blog: parts[1], Key: parts[2]}
}

// Load returns the bytes of a blob. A value that another program keeps under its key counts as missing.
func (b *blobs) Load(ctx context.Context, n store.Name) ([]byte, error) {
	data, err := b.client.HGet(ctx, b.key(n.Site, "blobs"), field(n)).Bytes()
	if errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "WRONGTYPE") {
		return nil, nil
	}
	return data, err
}

// Save keeps the bytes of a blob.
func (b *blobs) Save(ctx context.Context, blob store.Blob, data []byte) error {
	key := b.key(blob.Site, "blobs")
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, key, field(blob.Name), data)
		p.PExpire(ctx, key, keptFor)
		return nil
	})
	return err
}

// List returns the names of a site's blobs.
func (b *blobs) List(ctx context.Context, site string) ([]store.Blob, error) {
	fields, err := b.client.HKeys(ctx, b.key(site, "blobs")).Result()
	all := make([]store.Blob, len(fields))
	for i, f := range fields {
		all[i].Name = nameOf(site, f)
	}
	return all, err
}

// Delete removes blobs.
func (b *blobs) Delete(ctx context.Context, names []store.Name) error {
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, n := range names {
			p.HDel(ctx, b.key(n.Site, "blobs"), field(n))
		}
		return nil
	})
	return err
}

// Stats returns what sites take, and keeps them for another while. Without sites it shows that Redis answers.
func (b *blobs) Stats(ctx context.Context, sites []string) (map[string]store.Usage, error) {
	if err := b.client.Get(ctx, b.root).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	usage := make(map[string]store.Usage, len(sites))
	for len(sites) > 0 {
		part := sites[:min(len(sites), maxSites)]
		sites = sites[len(part):]
		numbers, bytes := make([]*redis.IntCmd, len(part)), make([]*redis.IntCmd, len(part))
		_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, site := range part {
				key := b.key(site, "blobs")
				p.PExpire(ctx, key, keptFor)
				numbers[i], bytes[i] = p.HLen(ctx, key), p.MemoryUsage(ctx, key)
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) { // of a key that is not there
			return nil, err
		}
		for i, site := range part {
			usage[site] = store.Usage{Blobs: int(numbers[i].Val()), Bytes: bytes[i].Val()}
		}
	}
	return usage, nil
}

// Claim takes a key that nobody has, which ends by itself.
func (b *blobs) Claim(ctx context.Context, site, text, holder string, lasts time.Duration) (bool, error) {
	sum := sha256.Sum256([]byte(text))
	key := b.key(site, "claim:"+hex.EncodeToString(sum[:12]))
	first, err := b.client.SetNX(ctx, key, holder, lasts).Result()
	if err != nil || first {
		return first, err
	}
	held, err := b.client.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return true, nil // its time was over just now
	}
	return held == holder, err // it tries again
}

// Close closes the connections.
func (b *blobs) Close() error { return b.client.Close() }
