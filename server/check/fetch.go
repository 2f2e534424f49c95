package check

import (
	"context"
	"fmt"
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
func (c *Check) fetch(ctx context.Context, s *config.Site, blog *wp.Blog, found *sitemap.Catalog) (*FetchReport, error) {
	sample, err := c.sample(ctx, found)
	if err != nil {
		return nil, err
	}
	crawler := live.CrawlerOf(s, blog, c.Agent, c.Rate)
	r := &FetchReport{Seed: c.Seed, Bad: []FetchedPage{}}
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
		if live.IsUnreachable(err) { // so are the others
			break
		}
	}
	return r, nil
}

// sample chooses URLs at random, one of each sitemap (post types, taxonomies and so on) in turn, as long as they have some. The same
// seed chooses the same from the same catalog. A file is made when URLs of it are wanted.
func (c *Check) sample(ctx context.Context, found *sitemap.Catalog) ([]listed, error) {
	random := rand.New(rand.NewPCG(c.Seed, 0))
	var names []string
	files, left := map[string][]catalog.File{}, map[string][]listed{}
	for _, f := range found.Files() {
		if f.Name == seo.IndexName || f.Elsewhere {
			continue
		}
		if files[f.Name] == nil {
			names = append(names, f.Name)
		}
		files[f.Name] = append(files[f.Name], f)
	}
	shuffle(random, names)
	for _, name := range names {
		shuffle(random, files[name])
	}
	var sample []listed
	taken := map[string]bool{} // news and videos are in two sitemaps
	for more := true; more; {
		more = false
		for _, name := range names {
			for chosen := false; !chosen && len(sample) < c.Pages && len(left[name])+len(files[name]) > 0; {
				if len(left[name]) == 0 {
					entries, err := live.EntriesOf(ctx, found, files[name][0])
					if err != nil {
						return nil, err
					}
					for _, e := range entries {
						left[name] = append(left[name], listed{e.Loc, files[name][0].Filename})
					}
					shuffle(random, left[name])
					files[name] = files[name][1:]
					continue
				}
				u := left[name][0]
				left[name] = left[name][1:]
				if chosen = !taken[u.loc]; chosen {
					taken[u.loc], more = true, true
					sample = append(sample, u)
				}
			}
		}
	}
	return sample, nil
}

func shuffle[T any](random *rand.Rand, all []T) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
