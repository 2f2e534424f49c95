package check

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/wp"
)

// polls are the accounts that are polled, by their server and name.
type polls map[string]map[string]account

type account struct {
	schema string
	sees   *regexp.Regexp // databases that it can poll, too; nil: others' it does not
}

func (p polls) note(ctx context.Context, n *wp.Network) {
	db := n.Writes()
	if db.SQLite {
		return
	}
	if p[db.Server] == nil {
		p[db.Server] = map[string]account{}
	}
	a := account{schema: db.Schema}
	if db.Named {
		a.sees, _ = db.Sees(ctx) // where that is not known it polls its own
	}
	p[db.Server][db.User] = a
}

// warnings name the servers with so many accounts that edits are seen late, and none of [watch].
func (p polls) warnings(watch []config.Secret) (warnings []string) {
	for _, server := range slices.Sorted(maps.Keys(p)) {
		accounts := len(p[server])
		for _, a := range p[server] {
			others := len(p[server])
			for _, o := range p[server] {
				if a.sees != nil && a.sees.MatchString(o.schema) {
					others--
				}
			}
			accounts = min(accounts, others+1)
		}
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
