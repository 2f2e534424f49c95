package command

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/check"
	"wpsitemapd/server/config"
)

// tell sends the results of check --public to the running daemon, which shows them. It does nothing if no daemon runs.
func (c *checking) tell(ctx context.Context, cfg *config.Config, r *check.Report) {
	daemon := newRunning(cfg, healthTimeout)
	if daemon == nil {
		return
	}
	for _, s := range r.Sites {
		found := admin.PublicCheck{}
		for _, b := range s.Blogs {
			if b.Public == nil {
				continue
			}
			found.Requests += b.Public.Requests
			for _, p := range b.Public.Problems {
				found.Problems = append(found.Problems, p.String())
			}
		}
		text, err := json.Marshal(found)
		if err != nil || found.Requests == 0 && found.Problems == nil {
			continue
		}
		if status, _, _ := daemon.ask(ctx, http.MethodPost, "/sites/"+url.PathEscape(s.Name)+"/public", bytes.NewReader(text)); status == 0 {
			return
		}
	}
}
