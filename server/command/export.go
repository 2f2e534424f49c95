package command

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"wpsitemapd/server"
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
			switchOption("csv", "Print a table in CSV, a row for each URL of a sitemap, and write no files.", &asCSV),
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
			opt := exportOptions{Blog: blog, Since: since, Now: now, Log: quiet(p.stderr), Out: p.stdout, Err: p.stderr}
			if asCSV {
				opt.Table = csv.NewWriter(p.stdout)
				_ = opt.Table.Write([]string{"site", "url", "sitemap", "lastmod", "images"}) // Error has it
			}
			failed := false
			for i := range sites {
				if opt.Dir = out; len(sites) > 1 {
					opt.Dir = filepath.Join(out, sites[i].Name)
				}
				ok := exportSite(ctx, &sites[i], opt)
				if err := ctx.Err(); err != nil {
					return err
				}
				failed = failed || !ok
			}
			if asCSV {
				if opt.Table.Flush(); opt.Table.Error() != nil {
					return opt.Table.Error()
				}
			}
			if failed {
				return errTrouble
			}
			return nil
		},
	}
}
