package check

import (
	"context"
	"math/rand/v2"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// listed is an address and the file that lists it.
type listed struct{ loc, file string }

// fetch asks for a sample of what a catalog lists.
func (c *Check) fetch(ctx context.Context, s *config.Site, blog *wp.Site, found *sitemap.Catalog) (*FetchReport, error) {
	sample, err := c.sample(ctx, found)
	if err != nil {
		return nil, err
	}
	crawler := live.CrawlerOf(s, blog, c.Agent, c.Rate)
	r := &FetchReport{Seed: c.Seed, Bad: []FetchedPage{}}
	progress := report.NewProgress(c.Err)
	defer progress.Clear()
	home := live.HomeSeen{Home: blog.Home(), Site: s.Name}
	for i, u := range sample {
		progress.Show("%s: %d of %d pages", s.Name, i+1, len(sample))
		answer, err := crawler.Get(ctx, u.loc, live.MaxPage)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		problems := []live.Problem{}
		if err != nil {
			problems = append(problems, live.Problem{Kind: live.NoAnswer, Detail: err.Error()})
		} else {
			problems = append(problems, live.Inspect(u.loc, answer)...)
			home.Inspect(u.loc, answer, problems)
		}
		r.Fetched++
		if len(problems) > 0 {
			r.Bad = append(r.Bad, FetchedPage{u.loc, u.file, problems})
		}
	}
	r.Advice = home.Advice(blog.BlogID())
	return r, nil
}

// sample chooses addresses at random, as evenly over the sitemaps as their sizes allow: first
// one of each post type, taxonomy and so on, then a second one. The same seed chooses the
// same from the same catalog. At most as many files are made as addresses are wanted.
func (c *Check) sample(ctx context.Context, found *sitemap.Catalog) ([]listed, error) {
	random := rand.New(rand.NewPCG(c.Seed, 0))
	type provider struct {
		files []catalog.File // not yet read, in the order of choice
		read  [][]listed     // what is left of those that were
	}
	var providers []*provider
	byName := map[string]*provider{}
	for _, file := range found.Files() {
		if file.Name == seo.IndexName || file.Elsewhere {
			continue
		}
		if byName[file.Name] == nil {
			byName[file.Name] = &provider{}
			providers = append(providers, byName[file.Name])
		}
		byName[file.Name].files = append(byName[file.Name].files, file)
	}
	random.Shuffle(len(providers), func(i, j int) { providers[i], providers[j] = providers[j], providers[i] })
	for _, p := range providers {
		random.Shuffle(len(p.files), func(i, j int) { p.files[i], p.files[j] = p.files[j], p.files[i] })
	}
	var sample []listed
	taken := map[string]bool{} // news and videos are in two sitemaps
	for more := true; more && len(sample) < c.Pages; {
		more = false
		for _, p := range providers {
			if len(sample) == c.Pages {
				break
			}
			if len(p.files) > 0 { // a file that was not read yet comes before more of one that was
				entries, err := live.EntriesOf(ctx, found, p.files[0])
				if err != nil {
					return nil, err
				}
				locs := make([]listed, len(entries))
				for i, e := range entries {
					locs[i] = listed{e.Loc, p.files[0].Filename}
				}
				random.Shuffle(len(locs), func(i, j int) { locs[i], locs[j] = locs[j], locs[i] })
				p.files, p.read = p.files[1:], append(p.read, locs)
			}
			for len(p.read) > 0 {
				more = true
				last := len(p.read) - 1
				locs := p.read[last]
				if len(locs) == 0 {
					p.read = p.read[:last]
					continue
				}
				u := locs[0]
				p.read[last] = locs[1:]
				if !taken[u.loc] {
					taken[u.loc] = true
					sample = append(sample, u)
					break
				}
			}
		}
	}
	return sample, nil
}
