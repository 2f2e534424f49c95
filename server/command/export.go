package command

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
)

// exportGC and exportMemory let memory grow up to exportMemory bytes, because an export is short and then runs
// faster. A site of a million posts needs less memory.
const (
	exportGC     = 300
	exportMemory = 192 << 20
)

// exporting is one run of the command export.
type exporting struct {
	config, name, out string
	home              string    // home of the only blog to export, or the path of that home; "": all blogs
	since             time.Time // leave out sitemaps with an earlier date; zero: leave out none
	asOf              time.Time
}

func exportCommand() *command {
	x := &exporting{}
	return &command{
		name:     "export",
		synopsis: "--config FILE [--site NAME] [--blog URL] [--changed-since TIME] [--as-of TIME] --out DIR",
		summary:  "writes every sitemap as a file",
		about: `Writes the index of every site, all sitemaps it names, and the other formats that are configured, each also
as .gz. Below DIR a file has the same path as below the site's host: DIR/sitemap_index.xml, or
DIR/blog/sitemap_index.xml for a site at https://www.example.com/blog. A network on several hosts has a folder for each
host. With several sites each has a folder of its name: DIR/NAME/…

Every file is written under another name, flushed and renamed. A reader sees either the old file or the new one. An index
is written after the sitemaps that it names. A file whose content would not change keeps its date. Nothing is removed: files
of sitemaps that no longer exist stay. If one sitemap cannot be written, the others still are.`,
		exits:   "something could not be read or written",
		example: "wpsitemapd export --config /etc/wpsitemapd.toml --site example --out /var/www/sitemaps",
		flags: []option{
			configOption(&x.config),
			textOption("out", "DIR", "", "The folder to write to. It is created if it is missing.", &x.out),
			siteOption(&x.name), asOfOption(&x.asOf),
			textOption("blog", "URL", "every blog", "In a network: export only one blog, named by its home or by the path of its home.", &x.home),
			timeOption("changed-since", "every sitemap", "Write the indexes, and only those sitemaps to which the index gives this "+
				"date (RFC 3339) or a later one. A sitemap that has only lost an entry may keep its old date, so it may be missing.", &x.since),
		},
		run: x.run,
	}
}

func (x *exporting) run(ctx context.Context, p *program, _ []string) error {
	if x.out == "" {
		return usagef("give --out DIR, the folder to write to")
	}
	sites, err := loadSites(x.config, x.name)
	if err != nil {
		return err
	}
	if x.home != "" && len(sites) > 1 {
		return usagef("--blog needs --site NAME if there are several sites")
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go server.BoundMemory(ctx, exportMemory)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(exportGC)
	}
	failed := false
	for i := range sites {
		e := &exporter{
			exporting: x, program: p, site: &sites[i], dir: x.out, progress: report.NewProgress(p.stderr), paths: map[string]string{}, start: time.Now(),
		}
		if len(sites) > 1 {
			e.dir = filepath.Join(x.out, sites[i].Name)
		}
		if err := site.Guard(slog.Default(), func() error { e.export(ctx); return nil }); err != nil {
			e.fail(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		failed = failed || e.failed
	}
	if failed {
		return errTrouble
	}
	return nil
}
