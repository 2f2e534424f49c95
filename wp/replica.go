package wp

import (
	"context"
	"fmt"
	"time"
)

// replicaPatience is for one database where there are others to try.
const replicaPatience = 8 * time.Second

// lags reports whether the database is a replica that is behind its source.
func (n *Network) lags(ctx context.Context) (bool, error) {
	lags, err := n.db.Lags(ctx)
	if err != nil {
		return false, fmt.Errorf("site %s: %w", n.source.Name, err)
	}
	return lags, nil
}
