package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

func leftOutCommand() *command {
	var file, name, rule string
	var now func() time.Time
	var asCSV, asJSON bool
	return &command{
		name:     "left-out",
		synopsis: "[--config FILE] [--site NAME] [--rule RULE] [--as-of TIME] [--csv | --json]",
		summary:  "lists all that is excluded from the sitemaps, with the rule",
		about: `Reads every site as the daemon would and prints what it excludes: types without a sitemap, then posts, terms, authors
and archives, each with its title and URL, the rule, and what an editor does about it. The numbers are those of
check. Drafts and whatever else is not published is not among them: explain knows it.`,
		exits:   "a site could not be read",
		example: "wpsitemapd left-out --config /etc/wpsitemapd.toml --rule noindex --csv",
		flags: []option{
			configOption(&file), siteOption(&name),
			textOption("rule", "RULE", "every rule", "Only what this rule excludes, such as noindex.", &rule),
			asOfOption(&now),
			switchOption("csv", "WPSITEMAPD_CSV", "Print a table in CSV.", &asCSV),
			switchOption("json", "WPSITEMAPD_JSON", "Print a JSON object for each, on a line of its own.", &asJSON),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			if asCSV && asJSON {
				return usagef("give one of --csv and --json")
			}
			_, sites, err := loadSites(file, name)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(p.stdout)
			out := func(_ string, l explain.LeftOut) error {
				fmt.Fprintln(w, report.Printable(cmp.Or(l.Address, l.Object)))
				what := l.Object
				if l.Title != "" {
					what += ", " + strconv.Quote(l.Title)
				}
				report.Hanging(w, "  is       ", report.Printable(what))
				report.Hanging(w, "  rule     ", report.Printable(l.Rule+". "+l.Because))
				if l.Do != "" {
					report.Hanging(w, "  do       ", l.Do)
				}
				_, err := fmt.Fprintln(w)
				return err
			}
			table := admin.NewLeftOutCSV(w)
			switch {
			case asCSV:
				out = table.Write
			case asJSON:
				e := json.NewEncoder(w)
				e.SetEscapeHTML(false)
				out = func(site string, l explain.LeftOut) error {
					return e.Encode(struct {
						Site string `json:"site"`
						explain.LeftOut
					}{site, l})
				}
			}
			failed, printed := false, 0
			for i := range sites {
				err := site.Safely(func() error {
					return leftOut(ctx, p, &sites[i], now, rule, func(l explain.LeftOut) error {
						printed++
						return out(sites[i].Name, l)
					})
				})
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					failed = true
					fmt.Fprintf(p.stderr, "wpsitemapd left-out: %s\n", report.Printable(err.Error()))
				}
			}
			if printed == 0 && rule != "" && !failed {
				fmt.Fprintf(p.stderr, "wpsitemapd left-out: the rule %q excludes nothing; check names the rules that do\n", rule)
			}
			if err := w.Flush(); err != nil || !failed {
				return err
			}
			return errTrouble
		},
	}
}

// leftOut calls fn for what a site leaves out.
func leftOut(
	ctx context.Context, p *program, s *config.Site, now func() time.Time, rule string, fn func(explain.LeftOut) error,
) error {
	opt, err := site.OptionsOf(s, now, quiet(p.stderr))
	if err != nil {
		return err
	}
	n, blogs, err := site.Blogs(ctx, s)
	if n != nil {
		defer n.Close()
	}
	if err != nil {
		return err
	}
	for _, blog := range blogs {
		if err := sitemap.EachLeftOut(ctx, blog, opt, rule, fn); err != nil {
			return site.BlogError(s.Name, blog.BlogID(), err)
		}
	}
	return nil
}
