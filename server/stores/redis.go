//go:build !noredis

package stores

import "wpsitemapd/server/store/redis"

func init() { kinds = append(kinds, redis.Kind) }
