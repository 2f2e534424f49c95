// Package redis is a store in a Redis or Valkey that several daemons share. Each daemon writes what it has made. The last write
// of a page or record wins, because all daemons make the same content.
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
	// keptFor is how long a site is kept after a daemon last used it. Redis' own maxmemory bounds all sites together. A site has
	// no more pages than it lists, because pages that are gone are removed.
	keptFor  = store.ForgetAfter
	maxSites = 500 // sites or blobs in one batch of commands
)

// Backend is a store in a Redis.
var Backend store.Backend = backend{}

type backend struct{}

func (backend) Kind() store.Kind {
	return store.Kind{Place: "in Redis", Schemes: schemes, Form: form, Shared: true, Timeout: 250 * time.Millisecond, Beat: 2 * time.Second}
}

func (backend) Check(location string) error {
	_, err := parseAddress(location)
	return err
}

func (backend) Probe(ctx context.Context, location string) string { return probe(ctx, location) }

func (backend) Open(location string, _ *slog.Logger) (store.Blobs, string, error) {
	a, err := parseAddress(location)
	if err != nil {
		return nil, "", err
	}
	return &blobs{root: a.root(), pool: a.pool()}, a.String(), nil
}

// Holds always returns true: only a request could tell whether the server stores something, and Holds makes none.
func (backend) Holds(string) bool { return true }

// blobs has one hash for each site. The fields of the hash are the blobs.
type blobs struct {
	root string
	pool *redis.Pool
}

// command is a Redis command with its arguments.
type command []any

// do sends several commands together and returns their replies. Its error is the first error among the replies.
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

// key returns a key that belongs to a site.
func (b *blobs) key(site, what string) string {
	return b.root + "{" + url.QueryEscape(site) + "}:" + what
}

// field returns the field of a blob. nameOf is the inverse.
func field(n store.Name) string { return strings.Join([]string{n.Kind, n.Blog, n.Key}, "\n") }

func nameOf(site, field string) store.Name {
	parts := append(strings.SplitN(field, "\n", 3), "", "")
	return store.Name{Kind: parts[0], Site: site, Blog: parts[1], Key: parts[2]}
}

// Load returns the bytes of a blob, nil if there is none. A value that another program stored under the key counts as missing.
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

func (b *blobs) Save(ctx context.Context, blob store.Blob, data []byte) error {
	key := b.key(blob.Site, "blobs")
	_, err := b.do(ctx, command{"HSET", key, field(blob.Name), data}, keep(key))
	return err
}

func keep(key string) command { return command{"PEXPIRE", key, keptFor.Milliseconds()} }

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

// Stats returns the usage of sites and extends their life by keptFor. Without sites, it only shows that Redis answers.
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

// Claim sets a key for the text, unless another holder has set it. It returns false if another holder has the key. The key expires
// after lasts.
func (b *blobs) Claim(ctx context.Context, site, text, holder string, lasts time.Duration) (bool, error) {
	sum := sha256.Sum256([]byte(text))
	key := b.key(site, "claim:"+hex.EncodeToString(sum[:12]))
	replies, err := b.do(ctx, command{"SET", key, holder, "NX", "PX", lasts.Milliseconds()}, command{"GET", key})
	if err != nil {
		return false, err
	}
	held, err := redis.String(replies[1], nil)
	if replies[0] != nil || errors.Is(err, redis.ErrNil) {
		return true, nil // the key is new, or the claim before it expired just now
	}
	return held == holder, err // the same holder tries again
}

func (b *blobs) Close() error { return b.pool.Close() }
