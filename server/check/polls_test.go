package check

import (
	"fmt"
	"testing"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
)

// Of more accounts than are polled in a second it is said that one could watch for all.
func TestManyAccountsNeedOneThatWatches(t *testing.T) {
	const server = "tcp(db.example:3306)"
	accounts := func(n int) polls {
		p := polls{server: {}}
		for i := range n {
			p[server][fmt.Sprint("user", i)] = true
		}
		return p
	}
	watch := []config.Secret{"watch:secret@" + server + "/"}
	elsewhere := []config.Secret{"watch:secret@tcp(other.example:3306)/"}
	for _, tt := range []struct {
		accounts int
		watch    []config.Secret
		warned   int
	}{{changes.PerSecond, nil, 0}, {changes.PerSecond + 1, nil, 1}, {changes.PerSecond + 1, elsewhere, 1}, {changes.PerSecond + 1, watch, 0}} {
		if got := accounts(tt.accounts).warnings(tt.watch); len(got) != tt.warned {
			t.Errorf("%d accounts, watched by %v: %q", tt.accounts, tt.watch, got)
		}
	}
}
