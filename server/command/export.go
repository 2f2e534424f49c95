package command

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/seo"
)

// An export does not last: the collector leaves it room, up to a bound that a site of a million
// posts is within.
const (
	exportGC     = 300
	exportMemory = 192 << 20
)

func exportCommand() *command {
	var file, name, blog, out string
	var asCSV bool
	var now func() time.Time
	var since time.Time
	return &command{
		name:     "export",
		synopsis: "--config FILE [--site NAME] [--blog URL] [--changed-since TIME] [--as-of TIME] --out DIR | --csv",
		summary:  "writes every sitemap as a file, or prints every URL",
		about: `Writes the index of every site, all sitemaps it names, and the other formats that are configured, each with a .gz
beside it. Below DIR a file has the path that it has below the site's host: DIR/sitemap_index.xml, or
DIR/blog/sitemap_index.xml for a site at https://www.example.com/blog. A network on several hosts has a folder for each
host. With several sites each has a folder of its name: DIR/NAME/…

Every file is written beside its place, flushed and renamed, so that a reader sees the old one or the new one. An index
comes after the sitemaps it names. Files that would hold the same as before are left alone, with their dates. Nothing is
removed: files of sitemaps that are gone stay. A mistake in one sitemap
does not keep the others from being written.

With --csv it writes nothing, and prints each URL that a sitemap lists: left-out prints the others.`,
		exits:   "something could not be read or written",
		example: "wpsitemapd export --config /etc/wpsitemapd.toml --site example --out /var/www/sitemaps",
		flags: []option{
			configOption(&file),
			textOption("out", "DIR", "", "The folder to write to. It is created where it is missing.", &out),
			siteOption(&name), asOfOption(&now),
			textOption("blog", "URL", "every blog", "Only the blog of a network with this home, or this path of its home.", &blog),
			timeOption("changed-since", "every sitemap", "Only indexes and the sitemaps whose date in them is this one (RFC 3339) or later. "+
				"One that only lost an entry may keep its date.", func(t time.Time) { since = t }),
			switchOption("csv", "WPSITEMAPD_CSV", "Print a table in CSV, a row for each URL of a sitemap, and write no files.", &asCSV),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			if (out != "") == asCSV {
				return usagef("give --out DIR, the folder to write to, or --csv")
			}
			sites, err := loadSites(file, name)
			if err != nil {
				return err
			}
			if blog != "" && len(sites) > 1 {
				return usagef("--blog needs --site NAME where there are several sites")
			}
			ctx, end := context.WithCancel(ctx)
			defer end()
			go server.BoundMemory(ctx, exportMemory)
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(exportGC)
			}
			failed, table := false, csv.NewWriter(p.stdout)
			if asCSV {
				_ = table.Write([]string{"site", "url", "sitemap", "lastmod", "images"})
			}
			for i := range sites {
				dir := out
				if len(sites) > 1 {
					dir = filepath.Join(out, sites[i].Name)
				}
				ok := false
				if asCSV {
					ok = printURLs(ctx, p, &sites[i], exportOptions{Blog: blog, Since: since, Now: now}, table)
				} else {
					ok = exportSite(ctx, &sites[i], exportOptions{Dir: dir, Blog: blog, Since: since, Now: now, Log: quiet(p.stderr), Out: p.stdout, Err: p.stderr})
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				failed = failed || !ok
			}
			if table.Flush(); failed {
				return errTrouble
			}
			return table.Error()
		},
	}
}

// printURLs writes the URLs that the sitemaps of a site list to a table, and reports whether all could be read. What could not it
// has printed.
func printURLs(ctx context.Context, p *program, s *config.Site, opt exportOptions, table *csv.Writer) bool {
	opt.Log = quiet(p.stderr)
	err := site.Safely(func() error { return eachURL(ctx, s, opt, table) })
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.stderr, "wpsitemapd export: %s\n", report.Printable(err.Error()))
	}
	return err == nil
}

func eachURL(ctx context.Context, s *config.Site, opt exportOptions, table *csv.Writer) error {
	n, blogs, err := site.Blogs(ctx, s)
	if n != nil {
		defer n.Close()
	}
	if err != nil {
		return err
	}
	if blogs, err = blogsAt(blogs, opt.Blog); err != nil {
		return fmt.Errorf("site %s: %w", s.Name, err)
	}
	for _, blog := range blogs {
		c, err := site.Build(ctx, s, blog, opt.Now, opt.Log, true)
		if err != nil {
			return err
		}
		for _, f := range c.Files() {
			if f.Name == seo.IndexName || f.Elsewhere || older(f, opt.Since) {
				continue
			}
			entries, err := live.EntriesOf(ctx, c, f)
			if err != nil {
				return err
			}
			for _, e := range entries {
				lastmod, images := "", 0
				if !e.LastMod.IsZero() {
					lastmod = e.LastMod.String()
				}
				if e.Extra != nil {
					images = len(e.Extra.Images)
				}
				if err := table.Write([]string{s.Name, report.Cell(e.Loc), f.Filename, lastmod, strconv.Itoa(images)}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
