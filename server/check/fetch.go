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

// sampled is a sitemap of any number of files.
type sampled struct {
	files []catalog.File // not yet read, in the order of choice
	read  [][]listed     // what is left of those that were
}

// sample chooses URLs at random, as evenly over the sitemaps as their sizes allow: first one of each post type, taxonomy and so on,
// then a second one. The same seed chooses the same from the same catalog. At most as many files are made as URLs are wanted.
func (c *Check) sample(ctx context.Context, found *sitemap.Catalog) ([]listed, error) {
	random := rand.New(rand.NewPCG(c.Seed, 0))
	var sitemaps []*sampled
	byName := map[string]*sampled{}
	for _, file := range found.Files() {
		if file.Name == seo.IndexName || file.Elsewhere {
			continue
		}
		if byName[file.Name] == nil {
			byName[file.Name] = &sampled{}
			sitemaps = append(sitemaps, byName[file.Name])
		}
		byName[file.Name].files = append(byName[file.Name].files, file)
	}
	shuffle(random, sitemaps)
	for _, m := range sitemaps {
		shuffle(random, m.files)
	}
	var sample []listed
	taken := map[string]bool{} // news and videos are in two sitemaps
	for more := true; more && len(sample) < c.Pages; {
		more = false
		for _, m := range sitemaps {
			if len(sample) == c.Pages {
				break
			}
			u, err := m.next(ctx, found, random, taken)
			if err != nil {
				return nil, err
			}
			if u.loc != "" {
				more = true
				sample = append(sample, u)
			}
		}
	}
	return sample, nil
}

func shuffle[T any](random *rand.Rand, all []T) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

// next takes a URL that was not taken before; none at the end.
func (m *sampled) next(ctx context.Context, found *sitemap.Catalog, random *rand.Rand, taken map[string]bool) (listed, error) {
	for len(m.files)+len(m.read) > 0 {
		if len(m.files) > 0 { // a file that was not read yet comes before more of one that was
			entries, err := live.EntriesOf(ctx, found, m.files[0])
			if err != nil {
				return listed{}, err
			}
			locs := make([]listed, len(entries))
			for i, e := range entries {
				locs[i] = listed{e.Loc, m.files[0].Filename}
			}
			shuffle(random, locs)
			m.files, m.read = m.files[1:], append(m.read, locs)
		}
		for last := len(m.read) - 1; last >= 0; last-- {
			for len(m.read[last]) > 0 {
				u := m.read[last][0]
				m.read[last] = m.read[last][1:]
				if !taken[u.loc] {
					taken[u.loc] = true
					return u, nil
				}
			}
			m.read = m.read[:last]
		}
	}
	return listed{}, nil
}
