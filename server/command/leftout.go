package command

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

// leavingOut is one run of the command left-out.
type leavingOut struct {
	file, name, rule string
	asOf             time.Time
	asCSV            bool
}

func leftOutCommand() *command {
	l := &leavingOut{}
	return &command{
		name:     "left-out",
		synopsis: "[--config FILE] [--site NAME] [--rule RULE] [--as-of TIME] [--csv]",
		summary:  "lists all that is excluded from the sitemaps, with the rule",
		about: `Reads every site as the daemon would and prints what it excludes: types without a sitemap, then posts, terms, authors
and archives, each with its title and URL, the rule, and what an editor can do about it. check prints how many
there are. Drafts and other unpublished posts are not printed: explain knows them.`,
		exits:   "a site could not be read",
		example: "wpsitemapd left-out --config /etc/wpsitemapd.toml --rule noindex --csv",
		flags: []option{
			configOption(&l.file), siteOption(&l.name),
			textOption("rule", "RULE", "every rule", "Only what this rule excludes, such as noindex.", &l.rule),
			asOfOption(&l.asOf),
			switchOption("csv", "Print a table in CSV.", &l.asCSV),
		},
		run: l.run,
	}
}

// printer returns a function that prints an excluded object in the requested form.
func (l *leavingOut) printer(w io.Writer) func(site string, o explain.LeftOut) error {
	if l.asCSV {
		table := report.NewCSV(w, append([]string{"site"}, admin.LeftOutColumns...)...)
		return func(site string, o explain.LeftOut) error {
			return table.Row(append([]string{site}, admin.LeftOutCells(&o)...)...)
		}
	}
	return func(_ string, o explain.LeftOut) error {
		fmt.Fprintln(w, report.Printable(cmp.Or(o.Address, o.Object)))
		what := o.Object
		if o.Title != "" {
			what += ", " + strconv.Quote(o.Title)
		}
		report.Hanging(w, "  is       ", report.Printable(what))
		report.Hanging(w, "  rule     ", report.Printable(o.Rule+". "+o.Because))
		if o.Do != "" {
			report.Hanging(w, "  do       ", o.Do)
		}
		_, err := fmt.Fprintln(w)
		return err
	}
}

func (l *leavingOut) run(ctx context.Context, p *program, _ []string) error {
	sites, err := loadSites(l.file, l.name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(p.stdout)
	out := l.printer(w)
	failed, printed := false, 0
	for i := range sites {
		err := site.Guard(slog.Default(), func() error {
			return leftOut(ctx, p, &sites[i], l.asOf, l.rule, func(o explain.LeftOut) error {
				printed++
				return out(sites[i].Name, o)
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
	if printed == 0 && l.rule != "" && !failed {
		fmt.Fprintf(p.stderr, "wpsitemapd left-out: the rule %q excludes nothing; check names the rules that do\n", l.rule)
	}
	if err := w.Flush(); err != nil || !failed {
		return err
	}
	return errTrouble
}

// leftOut calls fn for every object that a site excludes.
func leftOut(
	ctx context.Context, p *program, s *config.Site, asOf time.Time, rule string, fn func(explain.LeftOut) error,
) error {
	n, books, err := site.Blogs(ctx, s)
	if n != nil {
		defer n.Close()
	}
	if err != nil {
		return err
	}
	opt := site.OptionsOf(s, site.Clock(asOf), quiet(p.stderr))
	for _, book := range books {
		if err := sitemap.EachLeftOut(ctx, book, opt, rule, fn); err != nil {
			return site.BlogError(s.Name, book.Blog.BlogID(), err)
		}
	}
	return nil
}
