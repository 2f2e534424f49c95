package command

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/server/diff"
	"wpsitemapd/server/metrics"
	"wpsitemapd/sitemap/seo"
)

const aboutDiff = `Fetches the sitemap index that a site serves now and every sitemap it names, and compares each entry with that of wpsitemapd:
URL, lastmod, images, news, video, translations, the page it is on, the dates of the index. The order within a sitemap does
not count. The sitemaps are read through the site's upstream if there is one, else from its public URL.

As the daemon does, diff first asks the upstream of a single site at which URLs its types answer, and up to 50 objects
of which the SEO plugin has stored another URL.

Differences are grouped by cause, the largest group first. Some causes are harmless, such as the level of
compat, an exclusion in the configuration, or a change made meanwhile. All other differences are unexplained: look into them
before the switch. A verdict for each level ends the report.

If a sitemap cannot be fetched or read in full, the report says so. Then no URL counts as missing there, and there is no
verdict. diff sends one request after the other, at most --rate a second, and respects Retry-After.`

// diffing is one run of the command diff.
type diffing struct {
	diff.Run
	config, site    string
	asJSON, verbose bool
}

func diffCommand() *command {
	d := &diffing{Run: diff.Run{Rate: defaultRate, Levels: []seo.Level{seo.SpecLevel, seo.PluginLevel}}}
	return &command{
		name:     "diff",
		synopsis: "--config FILE [--site NAME] [--live URL] [--compat both|spec|plugin] [--rate N] [--as-of TIME] [--verbose] [--json]",
		summary:  "compares our sitemaps with those the site serves now",
		about:    aboutDiff,
		exits:    "unexplained differences, or something could not be read",
		example:  "wpsitemapd diff --config /etc/wpsitemapd.toml --site example --compat spec",
		flags: []option{
			configOption(&d.config), siteOption(&d.site),
			newOption("live", "URL", "sitemap_index.xml below the site's home, through its upstream",
				"URL of the sitemap index to compare with. diff asks there for the sitemaps that it names, with the hosts in their "+
					"URLs. If its host is not that of home, as for a copy of the site, its URLs are compared as if their host were that of home.",
				func(v string) error {
					u, err := url.Parse(v)
					if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
						return errors.New("must be a URL such as https://www.example.com/sitemap_index.xml")
					}
					d.Live = u
					return nil
				}),
			{
				name: "compat", value: "LEVEL", env: "WPSITEMAPD_DIFF_COMPAT", initial: "both",
				help: "The level to compare at: spec, plugin or both, whatever the configuration says.",
				set: func(v string) error {
					switch level := seo.Level(v); level {
					case "both":
						d.Levels = []seo.Level{seo.SpecLevel, seo.PluginLevel}
					case seo.SpecLevel, seo.PluginLevel:
						d.Levels = []seo.Level{level}
					default:
						return errors.New(`must be "both", "spec" or "plugin"`)
					}
					return nil
				},
			},
			rateOption(&d.Rate), asOfOption(&d.AsOf),
			switchOption("verbose", "Print every difference, known ones too.", &d.verbose),
			switchOption("json", "Print the report as one JSON object.", &d.asJSON),
		},
		run: d.run,
	}
}

func (d *diffing) run(ctx context.Context, p *program, _ []string) error {
	sites, err := loadSites(d.config, d.site)
	if err != nil {
		return err
	}
	if d.Live != nil && len(sites) > 1 {
		return usagef("--live is the URL of one site: give --site NAME too")
	}
	d.All = d.verbose
	d.Err, d.Agent = p.stderr, userAgent("diff", metrics.CurrentBuild().Version)
	r := &diff.Report{OK: true, Sites: []*diff.SiteReport{}, Verbose: d.verbose}
	for i := range sites {
		s, err := d.Site(ctx, &sites[i])
		if errors.Is(err, diff.ErrLive) {
			return usagef("--live %v", err)
		}
		if err != nil {
			return err
		}
		r.OK = r.OK && s.OK
		r.Sites = append(r.Sites, s)
	}
	if err := p.print(r, d.asJSON); err != nil || r.OK {
		return err
	}
	return errTrouble
}

// defaultRate is the default number of requests a second.
const defaultRate = 2.0

func rateOption(rate *float64) option {
	return newOption("rate", "N", "2", "Requests a second to the site, at most.", func(v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0.01 && n <= 1000) { // NaN fails these comparisons too
			return errors.New("must be a number from 0.01 to 1000")
		}
		*rate = n
		return nil
	})
}

// userAgent returns the User-Agent of a command. It names the command and says that the site's operator runs it.
func userAgent(command, version string) string {
	return "wpsitemapd/" + strings.TrimRight(strings.TrimLeft(version, "v("), ")") + " (" + command + ", run by the site's operator)"
}
