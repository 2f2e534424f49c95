package check

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// listed is an address and the name of the file that lists it.
type listed struct{ loc, file string }

// fetch requests a sample of the pages that a catalog lists.
func (c *Check) fetch(ctx context.Context, s *config.Site, blog *wp.Blog, found *sitemap.Catalog) (*FetchReport, error) {
	sample, err := c.sample(ctx, found)
	if err != nil {
		return nil, err
	}
	crawler := live.CrawlerOf(s, blog, c.Agent, c.Rate)
	r := &FetchReport{Bad: []FetchedPage{}}
	progress := report.NewProgress(c.Err)
	defer progress.Clear()
	for i, u := range sample {
		progress.Show("%s: %d of %d pages", s.Name, i+1, len(sample))
		answer, err := crawler.Get(ctx, u.loc, live.MaxPage)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		problems := []live.Problem{{Kind: live.NoAnswer, Detail: fmt.Sprint(err)}}
		if err == nil {
			problems = live.Inspect(u.loc, answer)
		}
		r.Fetched++
		if len(problems) > 0 {
			r.Bad = append(r.Bad, FetchedPage{u.loc, u.file, problems})
		}
		if live.IsUnreachable(err) { // the host cannot be reached, so other pages would fail, too
			break
		}
	}
	return r, nil
}

// sample chooses URLs at random from as many sitemaps as possible. It takes one file of every sitemap before it takes a
// second file of any sitemap.
func (c *Check) sample(ctx context.Context, found *sitemap.Catalog) (sample []listed, err error) {
	files := slices.DeleteFunc(found.Files(), func(f catalog.File) bool { return f.Name == seo.IndexName || f.Elsewhere })
	shuffle(files)
	nth, ranks := map[string]int{}, map[string]int{}
	for _, f := range files {
		ranks[f.Filename] = nth[f.Name]
		nth[f.Name]++
	}
	slices.SortStableFunc(files, func(a, b catalog.File) int { return cmp.Compare(ranks[a.Filename], ranks[b.Filename]) })
	files = files[:min(len(files), c.Pages)]
	// Large files come last, because they can fill up the sample if small files have too few URLs.
	slices.SortStableFunc(files, func(a, b catalog.File) int { return cmp.Compare(a.Entries, b.Entries) })
	taken := map[string]bool{} // articles and videos are in two sitemaps
	for i, f := range files {
		entries, err := live.EntriesOf(ctx, found, f)
		if err != nil {
			return nil, err
		}
		shuffle(entries)
		left := len(files) - i
		enough := len(sample) + (c.Pages-len(sample)+left-1)/left
		for _, e := range entries {
			if len(sample) < enough && !taken[e.Loc] {
				taken[e.Loc] = true
				sample = append(sample, listed{e.Loc, f.Filename})
			}
		}
	}
	return sample, nil
}

func shuffle[T any](all []T) {
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
