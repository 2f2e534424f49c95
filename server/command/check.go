package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/check"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
)

// maxFetch is how many pages of a site one run asks for at most.
const maxFetch = 100_000

const aboutCheck = `Reads every site as the daemon would, and reports what it found: the sitemaps with their sizes, what is left out and
why, each post type and taxonomy with the source of every fact, and warnings. It changes nothing and serves nothing.

Several sites are printed as a table with one line for each. Sites in trouble come first. Below the table is what is wrong
with them. --verbose prints the full report of every site. --site prints the full report of one.

These are trouble:
- a database that cannot be opened or read
- a sitemap that cannot be built
- a type with posts or terms that may be public or not (check prints the lines to add)
- an address that two sites claim
- an upstream that does not answer, or is no PHP site
- a folder state that this user cannot write to, or that every user can write to
- a [[discover]] that matches nothing

Warnings are no trouble. It is no trouble either if WordPress' own sitemaps are served because the plugin or its sitemaps are
off, or if the site itself serves its sitemaps. The report says which.

--syntax validates the configuration by itself: no database, no other file and no network. A key with a variable of the
environment that is not set counts as valid. Mistakes end it with exit code 2.

--fetch N also asks every site for N of the pages that its sitemaps list. It asks the upstream if the site has one, and the
public addresses if not. Pages that do not answer 200, redirect, carry noindex, or name another canonical are trouble.

--public asks at the public address, as a crawler does. It checks the DNS, the certificate, redirects from http and www,
robots.txt and what it forbids, and caches. It asks for the index and one file of each sitemap as Googlebot and as a browser,
and says whether this daemon has made them. The report says what to do about each trouble. A daemon that runs shows the
last result on its status page.`

// checking is one run of the command check.
type checking struct {
	check                   check.Check
	from                    setup
	site                    string
	asJSON, syntax, verbose bool
}

func checkCommand() *command {
	c := &checking{check: check.Check{Rate: defaultRate}}
	return &command{
		name: "check",
		synopsis: "[--config FILE | --wp FOLDER [--upstream URL]] [--site NAME] [--syntax] " +
			"[--public] [--fetch N] [--rate N] [--as-of TIME] [--verbose] [--json]",
		summary: "validates the configuration, connects, and reports each site",
		about:   aboutCheck,
		exits:   "trouble found, which the report names",
		example: "wpsitemapd check --config /etc/wpsitemapd.toml",
		flags: append(c.from.options(),
			siteOption(&c.site),
			switchOption("syntax", "Validate the configuration only, without databases.", &c.syntax),
			switchOption("public", "Ask for the sitemaps at the public address, as crawlers do.", &c.check.Public),
			newOption("fetch", "N", "0", "Ask every site for N of the listed pages, spread over its sitemaps, one after the other.", func(v string) error {
				n, err := strconv.Atoi(v)
				if err != nil || n < 0 || n > maxFetch {
					return fmt.Errorf("must be a number from 0 to %d", maxFetch)
				}
				c.check.Pages = n
				return nil
			}),
			rateOption(&c.check.Rate), asOfOption(&c.check.AsOf),
			switchOption("verbose", "Print the full report of every site, not only a table.", &c.verbose),
			switchOption("json", "Print the report as one JSON object.", &c.asJSON),
		),
		run: c.run,
	}
}

// besidesSyntax returns the given flags that have no meaning with --syntax, because they concern a site.
func (c *checking) besidesSyntax() []string {
	var given []string
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"--wp", c.from.wp != ""}, {"--upstream", c.from.upstream != ""}, {"--site", c.site != ""},
		{"--public", c.check.Public}, {"--fetch", c.check.Pages > 0}, {"--rate", c.check.Rate != defaultRate},
		{"--as-of", !c.check.AsOf.IsZero()}, {"--verbose", c.verbose},
	} {
		if f.is {
			given = append(given, f.name)
		}
	}
	return given
}

func (c *checking) run(ctx context.Context, p *program, _ []string) error {
	if c.syntax {
		if others := c.besidesSyntax(); len(others) > 0 {
			return usagef("--syntax validates the configuration file alone, without a site: leave out %s", strings.Join(others, ", "))
		}
		cfg, err := loadBy(config.LoadAlone, c.from.file)
		if err != nil {
			return err
		}
		r := &check.Report{Config: c.from.watched(), OK: true, Warnings: cfg.Warnings, Sites: []*check.SiteReport{}, Valid: true}
		return p.print(r, c.asJSON)
	}
	cfg, err := c.from.load()
	if err != nil {
		return err
	}
	sites, err := chosen(cfg, c.site)
	if err != nil {
		return err
	}
	c.check.Log, c.check.Err, c.check.Agent = quiet(p.stderr), p.stderr, userAgent("check", metrics.CurrentBuild().Version)
	if c.check.Public {
		c.check.Tokens = tokens(ctx, cfg, sites, p.stderr)
	}
	r, err := c.check.Run(ctx, cfg, sites)
	if err != nil {
		return err
	}
	if c.check.Public {
		tell(ctx, cfg, r)
	}
	r.Config, r.Verbose = c.from.watched(), c.verbose
	if err := p.print(r, c.asJSON); err != nil || r.OK {
		return err
	}
	return errTrouble
}

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
		found.Problems = found.Problems[:min(len(found.Problems), admin.MaxProblems)]
		text, err := json.Marshal(found)
		if err != nil || found.Requests == 0 && found.Problems == nil {
			continue
		}
		if status, _, _ := daemon.ask(ctx, http.MethodPost, "/sites/"+url.PathEscape(s.Name)+"/public", bytes.NewReader(text)); status == 0 {
			return
		}
	}
}
