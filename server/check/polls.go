package check

import (
	"fmt"
	"maps"
	"slices"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/wp"
)

// polls are the accounts that are polled, by their server.
type polls map[string]map[string]bool

func (p polls) note(n *wp.Network) {
	db := n.Writes()
	if db.SQLite {
		return
	}
	if p[db.Server] == nil {
		p[db.Server] = map[string]bool{}
	}
	p[db.Server][db.User] = true
}

// warnings name the servers with so many accounts that edits are seen late, and none of [watch].
func (p polls) warnings(watch []config.Secret) (warnings []string) {
	for _, server := range slices.Sorted(maps.Keys(p)) {
		accounts := len(p[server])
		watched := slices.ContainsFunc(watch, func(dsn config.Secret) bool {
			w, err := wp.ParseWatcher(dsn.Reveal())
			return err == nil && w.Server == server
		})
		if accounts > changes.PerSecond && !watched {
			warnings = append(warnings, fmt.Sprintf("%d accounts read databases of %s and are polled in turn, so that an edit shows after "+
				"%d seconds or more: one account more, as dsn of [watch], sees all at once; wpsitemapd grants prints its rights",
				accounts, server, (accounts+changes.PerSecond-1)/changes.PerSecond))
		}
	}
	return warnings
}
