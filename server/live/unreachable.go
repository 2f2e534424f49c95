package live

import (
	"errors"
	"net"
)

// unreachableError is a host that no connection can be made to, so that it is not asked again.
type unreachableError struct{ error }

func (e *unreachableError) Unwrap() error { return e.error }

// IsUnreachable reports whether an error means that a host has no address, or takes no connections, and is not asked again.
func IsUnreachable(err error) bool {
	_, ok := errors.AsType[*unreachableError](err)
	return ok
}

// noteFailure counts a request to a host that brought no answer. A name that does not exist, and a host that was
// dialled in vain as often as an address is tried, are given up for the rest of the crawl.
func (c *Crawler) noteFailure(host string, err error) error {
	name, unresolved := errors.AsType[*net.DNSError](err)
	dial, ok := errors.AsType[*net.OpError](err)
	if !unresolved && (!ok || dial.Op != "dial") {
		return err
	}
	if c.failed == nil {
		c.failed, c.dead = map[string]int{}, map[string]error{}
	}
	if c.failed[host]++; unresolved && name.IsNotFound || c.failed[host] >= maxTries {
		err = &unreachableError{err}
		c.dead[host] = err
	}
	return err
}
