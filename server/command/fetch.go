package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"wpsitemapd/server/config"
	"wpsitemapd/server/diff"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// fetchReport is what the site answers for some of the addresses listed.
type fetchReport struct {
	Seed    uint64        `json:"seed"`
	Fetched int           `json:"fetched"`
	Bad     []fetchedPage `json:"bad"`
	Advice  string        `json:"advice,omitempty"` // where home has the wrong scheme
}

// fetchedPage is an address that should not be listed, or a page that should change.
type fetchedPage struct {
	URL      string         `json:"url"`
	Sitemap  string         `json:"sitemap"`
	Problems []diff.Problem `json:"problems"`
}

// fetcher asks the site for listed addresses.
type fetcher struct {
	pages int // of each blog; 0: none
	seed  uint64
	rate  float64
}

// listed is an address and the file that lists it.
type listed struct{ loc, file string }

// fetch asks for a sample of what a catalog lists.
func (f *fetcher) fetch(ctx context.Context, p *program, s *config.Site, blog *wp.Site, c *sitemap.Catalog) (*fetchReport, error) {
	sample, err := f.sample(ctx, c)
	if err != nil {
		return nil, err
	}
	crawler := newCrawler(s, blog, "check", f.rate)
	r := &fetchReport{Seed: f.seed, Bad: []fetchedPage{}}
	defer clearLine(p.stderr)
	home := homeSeen{home: blog.Home(), site: s.Name}
	for i, u := range sample {
		if isTerminal(p.stderr) {
			fmt.Fprintf(p.stderr, "\r\x1b[K%s: %d of %d pages", s.Name, i+1, len(sample))
		}
		answer, err := crawler.Get(ctx, u.loc, diff.MaxPage)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		problems := []diff.Problem{}
		if err != nil {
			problems = append(problems, diff.Problem{Kind: diff.NoAnswer, Detail: err.Error()})
		} else {
			problems = append(problems, diff.Inspect(u.loc, answer)...)
			home.inspect(u.loc, answer, problems)
		}
		r.Fetched++
		if len(problems) > 0 {
			r.Bad = append(r.Bad, fetchedPage{u.loc, u.file, problems})
		}
	}
	r.Advice = home.advice(blog.BlogID())
	return r, nil
}

// sample chooses addresses at random, as evenly over the sitemaps as their sizes allow: first
// one of each post type, taxonomy and so on, then a second one. The same seed chooses the
// same from the same catalog. At most as many files are made as addresses are wanted.
func (f *fetcher) sample(ctx context.Context, c *sitemap.Catalog) ([]listed, error) {
	random := rand.New(rand.NewPCG(f.seed, 0))
	type provider struct {
		files []catalog.File // not yet read, in the order of choice
		read  [][]listed     // what is left of those that were
	}
	var providers []*provider
	byName := map[string]*provider{}
	for _, file := range c.Files() {
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
	for more := true; more && len(sample) < f.pages; {
		more = false
		for _, p := range providers {
			if len(sample) == f.pages {
				break
			}
			if len(p.files) > 0 { // a file that was not read yet comes before more of one that was
				locs, err := locsOf(ctx, c, p.files[0])
				if err != nil {
					return nil, err
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

func locsOf(ctx context.Context, c *sitemap.Catalog, f catalog.File) ([]listed, error) {
	doc, err := c.Render(ctx, f.Name, f.Page)
	if errors.Is(err, catalog.ErrNotFound) { // the clock moved on
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parsed, err := diff.Parse(doc.Body)
	if err != nil {
		return nil, fmt.Errorf("%s, which is ours: %w", f.Filename, err)
	}
	locs := make([]listed, len(parsed.Entries))
	for i, e := range parsed.Entries {
		locs[i] = listed{e.Loc, f.Filename}
	}
	return locs, nil
}

// clearLine takes progress off a terminal.
func clearLine(w io.Writer) {
	if isTerminal(w) {
		fmt.Fprint(w, "\r\x1b[K")
	}
}

func (r *fetchReport) print(w io.Writer) {
	fmt.Fprintf(w, "    fetched %s of those listed (seed %d), trouble with %d\n", count(r.Fetched, "page"), r.Seed, len(r.Bad))
	if r.Advice != "" {
		fmt.Fprintf(w, "    TROUBLE: %s\n", r.Advice)
	}
	for _, page := range r.Bad {
		for _, problem := range page.Problems {
			fmt.Fprintf(w, "    TROUBLE: %s in %s: %s\n", page.URL, page.Sitemap, problem)
		}
	}
}
