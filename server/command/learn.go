package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/diff"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/provision"
	"wpsitemapd/server/report"
)

const aboutLearn = `Compares the sitemaps that a site serves now with ours, as diff does, and prints the lines of configuration that explain
what still differs, each with its reason. Every line was tested: our side was built with it, and fewer differences were
left. The last line says how many differences there were, and how many remain; diff names those.

--write puts the lines into the file. Its comments stay, and the file as it was is kept beside it with .old at the end of
its name.`

// learning is a run of learn.
type learning struct {
	diff.Run
	config, site string
	write        bool
}

func learnCommand() *command {
	l := &learning{Run: diff.Run{Rate: defaultRate}}
	return &command{
		name:     "learn",
		synopsis: "--config FILE [--site NAME] [--rate N] [--as-of TIME] [--write]",
		summary:  "finds the configuration that explains what differs",
		about:    aboutLearn,
		exits:    "differences remain, or something could not be read",
		example:  "wpsitemapd learn --config /etc/wpsitemapd.toml --site example",
		flags: []option{
			configOption(&l.config), siteOption(&l.site), rateOption(&l.Rate), asOfOption(&l.Now),
			switchOption("write", "Put the lines into the configuration.", &l.write),
		},
		run: l.run,
	}
}

func (l *learning) run(ctx context.Context, p *program, _ []string) error {
	sites, err := loadSites(l.config, l.site)
	if err != nil {
		return err
	}
	l.Err, l.Agent = p.stderr, userAgent("learn", metrics.CurrentBuild().Version)
	trouble := false
	for i := range sites {
		lesson, err := l.learn(ctx, p, &sites[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(p.stdout, "site %s: %s\n", sites[i].Name, report.Printable(err.Error()))
		}
		trouble = trouble || err != nil || lesson.After > 0
	}
	if trouble {
		return errTrouble
	}
	return nil
}

// learn learns about one site, prints what was learnt and, where that is asked for, writes it.
func (l *learning) learn(ctx context.Context, p *program, s *config.Site) (*diff.Lesson, error) {
	file := cmp.Or(l.config, defaultConfig)
	before, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	lesson, err := l.Learn(ctx, s, func(lines []diff.Line) (*config.Site, error) {
		text, err := with(string(before), s.Name, lines)
		if err != nil {
			return nil, err
		}
		cfg, err := config.Parse(text, file, dir)
		if err != nil {
			return nil, err
		}
		of, err := chosen(cfg, s.Name)
		if err != nil {
			return nil, err
		}
		return &of[0], nil
	})
	if err != nil {
		return nil, err
	}
	table, lines := "", slices.Concat(lesson.Steps...)
	for _, line := range lines {
		if line.Table != "" && line.Table != table {
			fmt.Fprintf(p.stdout, "[site.%s]\n", line.Table)
		}
		table = line.Table
		fmt.Fprintf(p.stdout, "%s = %s # %s\n", line.Key, line.Value, report.Printable(line.Reason))
	}
	if l.write && len(lines) > 0 {
		text, err := with(string(before), s.Name, lines)
		if err == nil {
			err = provision.Rewrite(file, text)
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(p.stdout, "written to %s; %s.old has it as it was\n", file, file)
	}
	for _, g := range lesson.Left {
		fmt.Fprintf(p.stdout, "%s of %s, which no line explains: %s\n", report.Count(g.Count, "difference"), g.What, strings.Join(firsts(g), ", "))
	}
	fmt.Fprintf(p.stdout, "site %s: %s, %s\n", s.Name, report.Count(lesson.Before, "difference"), remain(lesson.After))
	return lesson, nil
}

func remain(n int) string {
	if n == 1 {
		return "1 remains"
	}
	return report.Number(n) + " remain"
}

// firsts are examples of a group.
func firsts(g diff.Group) (urls []string) {
	for _, d := range g.Examples[:min(len(g.Examples), 3)] {
		urls = append(urls, report.Printable(d.URL))
	}
	return slices.Compact(urls)
}

// with is the text of a configuration with lines of a site.
func with(text, site string, lines []diff.Line) (string, error) {
	for _, line := range lines {
		var err error
		if text, err = config.With(text, site, line.Table, line.Key, line.Value, line.Reason); err != nil {
			return "", err
		}
	}
	return text, nil
}
