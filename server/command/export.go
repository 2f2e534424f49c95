package command

import (
	"context"
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
	var config, site, out string
	var now func() time.Time
	return &command{
		name:     "export",
		synopsis: "--config FILE --out DIR [--site NAME] [--as-of TIME]",
		summary:  "writes every sitemap as a file, with a .gz beside it",
		about: `Writes the index of every site, all sitemaps it names, and the other formats that are configured. Below DIR a file has
the path that it has below the site's host: DIR/sitemap_index.xml, or DIR/blog/sitemap_index.xml for a site at
https://www.example.com/blog. A network on several hosts has a folder for each host. With several sites each has a
folder of its name: DIR/NAME/…

Every file is written beside its place, flushed and renamed, so that a reader sees the old one or the new one. An index
comes after the sitemaps it names. Nothing is removed: files of sitemaps that are gone stay. A mistake in one sitemap
does not keep the others from being written.`,
		exits:   "something could not be read or written",
		example: "wpsitemapd export --config /etc/wpsitemapd.toml --site example --out /var/www/sitemaps",
		flags: []option{
			configOption(&config),
			textOption("out", "DIR", "", "The folder to write to. It is created where it is missing.", &out),
			siteOption(&site), asOfOption(&now),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			if out == "" {
				return usagef("no folder to write to: give --out DIR or set WPSITEMAPD_OUT")
			}
			_, sites, err := loadSites(config, site)
			if err != nil {
				return err
			}
			ctx, end := context.WithCancel(ctx)
			defer end()
			go server.BoundMemory(ctx, exportMemory)
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(exportGC)
			}
			failed := false
			for i := range sites {
				dir := out
				if len(sites) > 1 {
					dir = filepath.Join(out, sites[i].Name)
				}
				ok := exportSite(ctx, &sites[i], exportOptions{Dir: dir, Now: now, Log: quiet(p.stderr), Out: p.stdout, Err: p.stderr})
				if err := ctx.Err(); err != nil {
					return err
				}
				failed = failed || !ok
			}
			if failed {
				return errTrouble
			}
			return nil
		},
	}
}
