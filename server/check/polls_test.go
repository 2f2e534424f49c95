package check

import (
	"fmt"
	"regexp"
	"testing"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
)

// Of more accounts than are polled in a second it is said that one could watch for all.
func TestManyAccountsNeedOneThatWatches(t *testing.T) {
	const server = "tcp(db.example:3306)"
	accounts := func(n int, sees *regexp.Regexp) polls {
		p := polls{server: {}}
		for i := range n {
			p[server][fmt.Sprint("user", i)] = account{fmt.Sprint("shop", i), sees}
		}
		return p
	}
	watch := []config.Secret{"watch:secret@" + server + "/"}
	elsewhere := []config.Secret{"watch:secret@tcp(other.example:3306)/"}
	for _, tt := range []struct {
		accounts int
		watch    []config.Secret
		sees     string // by each account
		warned   int
	}{
		{changes.PerSecond, nil, "none", 0}, {changes.PerSecond + 1, nil, "none", 1}, {changes.PerSecond + 1, elsewhere, "none", 1},
		{changes.PerSecond + 1, watch, "none", 0}, {changes.PerSecond + 1, nil, "shop.*", 0}, {changes.PerSecond + 1, nil, "shop1", 1},
	} {
		if got := accounts(tt.accounts, regexp.MustCompile("^("+tt.sees+")$")).warnings(tt.watch); len(got) != tt.warned {
			t.Errorf("%d accounts, watched by %v: %q", tt.accounts, tt.watch, got)
		}
	}
}
