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

// tell hands what check --public has found to the daemon that runs, which shows it. Whether one runs does not matter.
func (c *checking) tell(ctx context.Context, cfg *config.Config, r *check.Report) {
	client, _ := adminClient(cfg)
	if client == nil {
		return
	}
	client.Timeout = healthTimeout
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
		ask, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/sites/"+url.PathEscape(s.Name)+"/public", bytes.NewReader(text))
		if err != nil {
			return
		}
		if token := cfg.AdminToken.Reveal(); token != "" {
			ask.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(ask)
		if err != nil {
			return
		}
		resp.Body.Close()
	}
}
