package command

import (
	"context"
	"fmt"
	"strconv"

	"wpsitemapd/server/check"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
)

// maxFetch is how many pages of a site one run asks for at most.
const maxFetch = 100_000

const aboutCheck = `Reads every site as the daemon would, and reports what it found: the sitemaps with their sizes, what is left out and
why, each post type and taxonomy with the source of every fact, and warnings. It changes nothing and serves nothing.

Several sites are a table, one line each, those in trouble first, and what is wrong with them below it. --verbose prints
the whole of each, --site of one.

These are trouble: a database that cannot be opened or read; a sitemap that cannot be built; a type with rows that no
source calls public or not, for which the lines to add to the configuration are printed; an address that two sites
claim; an upstream that does not answer, or is no PHP site; a state that this user cannot write, or every user can; a
[[discover]] that matches nothing.

Warnings are no trouble. Neither is a site whose plugin is off, or the plugin's sitemaps: WordPress' own sitemaps are served
then. Where another plugin makes the sitemaps, or there are none, every address is left to the site. The report says
which.

--syntax validates the configuration by itself: no database, no other file and no network. A key with a variable of the
environment that is not set counts as valid. Mistakes end it with exit code 2.

--fetch N also asks every site for N of the pages that its sitemaps list: through the upstream where there is one, else
at their public addresses. Pages that do not answer 200, redirect, carry noindex, or name another canonical are trouble.

--public meets what a crawler meets, at the public address: the DNS, the certificate, redirects from http and www, the index
and one file of each sitemap as Googlebot and as a browser, whether they are ours, robots.txt and what it forbids, and
caches. Each trouble comes with what to do. A daemon that runs shows the last result on its status page.`

// checking is one run of the command check.
type checking struct {
	check.Check
	from                    setup
	site                    string
	asJSON, syntax, verbose bool
}

func checkCommand() *command {
	c := &checking{Check: check.Check{Rate: defaultRate}}
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
			switchOption("public", "Ask for the sitemaps at the public address, as crawlers do.", &c.Public),
			newOption("fetch", "N", "0", "Ask every site for N of the listed pages, spread over its sitemaps, one after the other.", func(v string) error {
				n, err := strconv.Atoi(v)
				if err != nil || n < 0 || n > maxFetch {
					return fmt.Errorf("must be a number from 0 to %d", maxFetch)
				}
				c.Pages = n
				return nil
			}),
			rateOption(&c.Rate), asOfOption(&c.AsOf),
			switchOption("verbose", "Print of several sites all that is printed of one.", &c.verbose),
			switchOption("json", "Print the report as one JSON object.", &c.asJSON),
		),
		run: c.run,
	}
}

func (c *checking) run(ctx context.Context, p *program, _ []string) error {
	if c.syntax && c.from.wp != "" {
		return usagef("--syntax validates a configuration, and --wp takes the place of one")
	}
	if c.syntax {
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
	c.Log, c.Err, c.Agent = quiet(p.stderr), p.stderr, userAgent("check", metrics.CurrentBuild().Version)
	if c.Public {
		c.Tokens = tokens(ctx, cfg, sites, p.stderr)
	}
	r, err := c.Run(ctx, cfg, sites)
	if err != nil {
		return err
	}
	if c.Public {
		c.tell(ctx, cfg, r)
	}
	r.Config, r.Verbose = c.from.watched(), c.verbose
	if err := p.print(r, c.asJSON); err != nil || r.OK {
		return err
	}
	return errTrouble
}
