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

// urn holds the addresses of one sitemap (of a post type, a taxonomy and so on), from which they are drawn at random. A file is made when
// addresses of it are wanted.
type urn struct {
	files []catalog.File
	left  []listed
}

// sample chooses URLs at random, one of each sitemap in turn, as long as they have some. The same seed chooses the same from the same
// catalog.
func (c *Check) sample(ctx context.Context, found *sitemap.Catalog) (sample []listed, err error) {
	random := rand.New(rand.NewPCG(c.Seed, 0))
	var urns []*urn
	byName := map[string]*urn{}
	for _, f := range found.Files() {
		if f.Name == seo.IndexName || f.Elsewhere {
			continue
		}
		if byName[f.Name] == nil {
			byName[f.Name] = &urn{}
			urns = append(urns, byName[f.Name])
		}
		byName[f.Name].files = append(byName[f.Name].files, f)
	}
	shuffle(random, urns)
	for _, u := range urns {
		shuffle(random, u.files)
	}
	taken := map[string]bool{} // news and videos are in two sitemaps
	for len(urns) > 0 && len(sample) < c.Pages {
		switch u := urns[0]; {
		case len(u.left) > 0:
			drawn := u.left[0]
			u.left = u.left[1:]
			if !taken[drawn.loc] {
				taken[drawn.loc] = true
				sample = append(sample, drawn)
				urns = append(urns[1:], u)
			}
		case len(u.files) > 0:
			entries, err := live.EntriesOf(ctx, found, u.files[0])
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				u.left = append(u.left, listed{e.Loc, u.files[0].Filename})
			}
			shuffle(random, u.left)
			u.files = u.files[1:]
		default:
			urns = urns[1:]
		}
	}
	return sample, nil
}

func shuffle[T any](random *rand.Rand, all []T) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
