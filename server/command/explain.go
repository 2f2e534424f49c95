package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/offline"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap/explain"
)

const aboutExplain = `Explains any URL of a site: what it leads to, whether it is listed, in which file and with which date, and which
rule decided, with the row, the option or the meta key behind it, and what to do about it. The URL may be that of
a post or page in any of its forms, such as /?p=17, of a term, an author, an archive, an image or a sitemap. The names and
numbers in the URL lead to an object in the database. If the object has another URL, explain prints that URL. If no object
has the URL, explain looks for similar ones: those of posts and terms with the same slug, or with a slug that differs in at
most two characters.

The scheme may be left out. The host may be left out, too, if there is one site or --site names it: /hello-world/.

If admin is configured and the daemon runs, the daemon answers. Its answer is about the sitemaps that it serves. Without the
daemon, this command reads the databases. If nothing decides, the answer is unknown (in is null in JSON), never out; also
during a loss alarm, or if the database cannot be read.

The site is the one that would answer a request for the URL. Several URLs are explained one after the other. A single dash
reads them from standard input: one a line, or a table in CSV whose column of URLs is called URL, Address or Page, such
as the exports of Search Console and Screaming Frog. The sitemaps of a site are read once for all URLs.`

// explaining is one run of the command explain.
type explaining struct {
	config, site         string
	asOf                 time.Time
	asJSON, short, asCSV bool
}

func explainCommand() *command {
	x := &explaining{}
	return &command{
		name:     "explain",
		synopsis: "--config FILE [--site NAME] [--as-of TIME] [--short | --csv | --json] URL …",
		summary:  "explains why a URL is in the sitemaps or not",
		about:    aboutExplain,
		exits:    "a URL could not be explained: no site has its host, or the database could not be read",
		example:  "wpsitemapd explain --config /etc/wpsitemapd.toml https://www.example.com/hello-world/",
		args:     true,
		flags: []option{
			configOption(&x.config), siteOption(&x.site), asOfOption(&x.asOf),
			switchOption("short", "Print one line for each URL: in, out or unknown, the rule, the sitemap.", &x.short),
			switchOption("csv", "Print a table in CSV, a row for each URL.", &x.asCSV),
			switchOption("json", "Print a JSON object for each URL; of several, each on a line of its own.", &x.asJSON),
		},
		run: x.run,
	}
}

func (x *explaining) run(ctx context.Context, p *program, args []string) error {
	if len(args) == 0 {
		return usagef("no URL to explain")
	}
	if err := atMostOne("--short, --csv and --json", x.short, x.asCSV, x.asJSON); err != nil {
		return err
	}
	cfg, err := loadConfig(x.config)
	if err != nil {
		return err
	}
	only := *cfg
	if only.Sites, err = chosen(cfg, x.site); err != nil {
		return err
	}
	e := offline.New(&only, x.asOf, quiet(p.stderr))
	defer e.Close()
	var running *running
	if x.asOf.IsZero() { // the daemon explains the present only
		running = newRunning(cfg, runningTimeout)
	}
	one := len(args) == 1 && args[0] != "-"
	w, failed := bufio.NewWriter(p.stdout), false
	show := x.printer(w, one)
	err = eachAddress(args, os.Stdin, func(address string) error {
		found, daemon := running.explain(ctx, address, x.site)
		var err error
		if found == nil {
			found, err = e.Explain(ctx, address, x.site)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && one && errors.Is(err, explain.ErrAddress):
			return usagef("%v", err)
		case err != nil:
			fmt.Fprintf(p.stderr, "wpsitemapd explain: %s\n", report.Printable(err.Error()))
			failed = true
			return nil
		}
		if err := show(found, daemon); err != nil {
			return err
		}
		return w.Flush()
	})
	if err == nil && failed {
		err = errTrouble
	}
	return err
}

// eachAddress calls fn for every argument. For the argument "-", it calls fn for each URL of the list that it reads
// from in.
func eachAddress(args []string, in io.Reader, fn func(string) error) error {
	for _, arg := range args {
		if arg != "-" {
			if err := fn(arg); err != nil {
				return err
			}
			continue
		}
		if err := admin.EachURL(in, fn); err != nil {
			return err
		}
	}
	return nil
}

// printer returns a function that prints an answer in the requested form. daemon is the address of the daemon that
// answered; "" if this process has read the databases.
func (x *explaining) printer(w io.Writer, one bool) func(found *admin.Explained, daemon string) error {
	switch {
	case x.asJSON:
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		if one {
			e.SetIndent("", "  ")
		}
		return func(found *admin.Explained, _ string) error { return e.Encode(found) }
	case x.short:
		return func(found *admin.Explained, _ string) error {
			place := "-"
			if found.In {
				place = fmt.Sprintf("%s %d", report.Line(found.Sitemap), found.Page)
			}
			_, err := fmt.Fprintf(w, "%-7s  %-24s  %-14s  %s\n", found.Listing(), report.Line(string(found.Rule)), place, report.Printable(found.URL))
			return err
		}
	case x.asCSV:
		table := report.NewCSV(w, admin.ExplainedColumns...)
		return func(found *admin.Explained, _ string) error { return table.Row(found.Cells()...) }
	}
	between := ""
	return func(found *admin.Explained, daemon string) error {
		fmt.Fprint(w, between)
		between = "\n"
		printExplanation(w, found)
		if daemon != "" {
			fmt.Fprintln(w, "  asked    the running daemon at "+daemon)
		}
		return nil
	}
}

// printExplanation prints an answer for people.
func printExplanation(w io.Writer, x *admin.Explained) {
	row := func(label, text string) {
		if text != "" {
			report.Hanging(w, fmt.Sprintf("  %-9s", label), text)
		}
	}
	fmt.Fprintln(w, report.Printable(x.URL))
	what := x.Object
	if what == "" {
		what = "no page or post here"
		if x.In || x.Unknown { // the answer comes from cached pages
			what = "not known"
		}
	}
	if x.Title != "" {
		what += ", " + report.Printable(strconv.Quote(x.Title))
	}
	row("is", what)
	if x.Address != "" && x.Address != x.URL {
		row("own URL", report.Printable(x.Address))
	}
	switch {
	case x.In:
		row("in", fmt.Sprintf("%s, page %d: %s", report.Line(x.Sitemap), x.Page, report.Printable(x.File)))
		for _, p := range x.Places[min(1, len(x.Places)):] {
			row("and in", fmt.Sprintf("%s, page %d: %s", report.Line(p.Sitemap), p.Page, report.Printable(p.File)))
		}
	case x.Unknown:
		row("unknown", "whether it is in the sitemaps")
	default:
		row("out", "of the sitemaps")
	}
	row("lastmod", x.LastMod)
	row("rule", report.Printable(x.Rule+". "+x.Because))
	row("do", x.Do)
	label := "evidence"
	for _, e := range x.Evidence {
		of := ""
		if e.Of != "" {
			of = " (" + e.Of + ")"
		}
		row(label, report.Printable(e.Source+": "+e.Value+of))
		label = ""
	}
	label = "note"
	for _, n := range x.Notes {
		row(label, report.Printable(n))
		label = ""
	}
	if len(x.Similar) > 0 {
		row("similar", report.Printable("Did you mean "+strings.Join(x.Similar, " or ")+"?"))
	}
	row("edit", report.Printable(x.Edit))
	row("site", strings.TrimSuffix(x.Site+", "+x.Home, ", "))
}
