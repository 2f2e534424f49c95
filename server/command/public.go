package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/check"
	"wpsitemapd/server/config"
)

// tokens asks the running daemon for one token for each site. check --public sends the token with its requests, so that the
// daemon does not count them as fetches by crawlers. If the daemon does not answer, tokens tells the user.
func tokens(ctx context.Context, cfg *config.Config, sites []config.Site, stderr io.Writer) map[string]string {
	of := map[string]string{}
	daemon := newRunning(cfg, healthTimeout)
	for i := range sites {
		if daemon == nil {
			break
		}
		status, token, _ := daemon.ask(ctx, http.MethodPost, "/sites/"+url.PathEscape(sites[i].Name)+"/token", nil)
		switch status {
		case http.StatusOK:
			of[sites[i].Name] = string(bytes.TrimSpace(token))
		case 0:
			fmt.Fprintf(stderr, "The daemon does not answer at %s (admin). Start the daemon first. Without the daemon, PHP answers "+
				"at the public address.\n", daemon.address)
			return of
		}
	}
	return of
}

// tell sends the results of check --public to the running daemon, which shows them. It does nothing if no daemon runs.
func tell(ctx context.Context, cfg *config.Config, r *check.Report) {
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
