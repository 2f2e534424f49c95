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
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/store"

	"github.com/gomodule/redigo/redis"
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

// Backend is a Redis.
var Backend = store.Backend{
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
		return &blobs{root: a.root(), pool: a.pool()}, a.String(), nil
	},
}

// blobs has a hash for each site, whose fields are the blobs.
type blobs struct {
	root string
	pool *redis.Pool
}

// command is a command of Redis with its arguments.
type command []any

// do sends commands in one go and returns their replies. Its error is the first one of a reply.
func (b *blobs) do(ctx context.Context, commands ...command) ([]any, error) {
	conn, err := b.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, c := range commands {
		if err := conn.Send(c[0].(string), c[1:]...); err != nil {
			return nil, err
		}
	}
	replies, err := redis.Values(redis.DoContext(conn, ctx, ""))
	for _, reply := range replies {
		if failed, ok := reply.(redis.Error); ok && err == nil {
			err = failed
		}
	}
	return replies, err
}

// key is the key of something of a site.
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
	replies, err := b.do(ctx, command{"HGET", b.key(n.Site, "blobs"), field(n)})
	if err == nil && replies[0] != nil {
		return redis.Bytes(replies[0], nil)
	}
	if failed, ok := errors.AsType[redis.Error](err); ok && strings.HasPrefix(failed.Error(), "WRONGTYPE") {
		return nil, nil
	}
	return nil, err
}

// Save keeps the bytes of a blob.
func (b *blobs) Save(ctx context.Context, blob store.Blob, data []byte) error {
	key := b.key(blob.Site, "blobs")
	_, err := b.do(ctx, command{"HSET", key, field(blob.Name), data}, keep(key))
	return err
}

func keep(key string) command { return command{"PEXPIRE", key, keptFor.Milliseconds()} }

// List returns the names of a site's blobs.
func (b *blobs) List(ctx context.Context, site string) ([]store.Blob, error) {
	replies, err := b.do(ctx, command{"HKEYS", b.key(site, "blobs")})
	if err != nil {
		return nil, err
	}
	fields, err := redis.Strings(replies[0], nil)
	all := make([]store.Blob, len(fields))
	for i, f := range fields {
		all[i].Name = nameOf(site, f)
	}
	return all, err
}

// Delete removes blobs.
func (b *blobs) Delete(ctx context.Context, names []store.Name) error {
	for part := range slices.Chunk(names, maxSites) {
		commands := make([]command, len(part))
		for i, n := range part {
			commands[i] = command{"HDEL", b.key(n.Site, "blobs"), field(n)}
		}
		if _, err := b.do(ctx, commands...); err != nil {
			return err
		}
	}
	return nil
}

// Stats returns what sites take, and keeps them for another while. Without sites it shows that Redis answers.
func (b *blobs) Stats(ctx context.Context, sites []string) (map[string]store.Usage, error) {
	if _, err := b.do(ctx, command{"GET", b.root}); err != nil {
		return nil, err
	}
	usage := make(map[string]store.Usage, len(sites))
	for part := range slices.Chunk(sites, maxSites) {
		commands := make([]command, 0, 3*len(part))
		for _, site := range part {
			key := b.key(site, "blobs")
			commands = append(commands, keep(key), command{"HLEN", key}, command{"MEMORY", "USAGE", key})
		}
		replies, err := b.do(ctx, commands...)
		if err != nil {
			return nil, err
		}
		for i, site := range part {
			number, _ := redis.Int(replies[3*i+1], nil)
			bytes, _ := redis.Int64(replies[3*i+2], nil) // nil for a key that does not exist
			usage[site] = store.Usage{Blobs: number, Bytes: bytes}
		}
	}
	return usage, nil
}

// Claim takes a key that nobody has, which ends by itself.
func (b *blobs) Claim(ctx context.Context, site, text, holder string, lasts time.Duration) (bool, error) {
	sum := sha256.Sum256([]byte(text))
	key := b.key(site, "claim:"+hex.EncodeToString(sum[:12]))
	replies, err := b.do(ctx, command{"SET", key, holder, "NX", "PX", lasts.Milliseconds()}, command{"GET", key})
	if err != nil {
		return false, err
	}
	held, err := redis.String(replies[1], nil)
	if replies[0] != nil || errors.Is(err, redis.ErrNil) {
		return true, nil // it is new, or the time of the one before was over just now
	}
	return held == holder, err // it tries again
}

// Close closes the connections.
func (b *blobs) Close() error { return b.pool.Close() }
