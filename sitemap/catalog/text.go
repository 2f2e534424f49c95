package catalog

import (
	"cmp"
	"context"
	"strconv"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A text sitemap has all addresses, one a line.

// textObjects is the number of objects on a page of a text sitemap. The protocol allows 50,000 lines
// and 50 MiB. Even with the longest addresses this number stays below the limit and leaves room for
// the URLs of further pages of posts (<!--nextpage-->).
const textObjects = 25_000

func textFilename(page int) string {
	if page == 1 {
		return TextName
	}
	return "sitemap" + strconv.Itoa(page) + ".txt"
}

// renderText renders one page of a text sitemap: one address a line, in the order of the index. A page
// holds textObjects objects. Each batch of LocateBatch objects of a type costs one set of queries.
func (c *Catalog) renderText(ctx context.Context, page int) (*Document, error) {
	var on []Entry
	seen := 0
	for e := range entriesOf(c.Everything()) {
		if seen/textObjects == page-1 {
			on = append(on, e)
		}
		seen++
	}
	if len(on) == 0 {
		return nil, cmp.Or(c.withheld(), ErrNotFound)
	}
	locs, err := addresses(ctx, on)
	if err != nil {
		return nil, err
	}
	doc, newest := &Document{}, wp.NoTime
	for i := range on {
		for part, loc := range locs[i] {
			line, ok := c.Dress.Encoding.AppendPlain(doc.Body, loc)
			if !ok || len(line) >= urlset.MaxBytes || doc.Entries == urlset.MaxEntries {
				doc.LeftOut++
				continue
			}
			doc.Body = append(line, '\n')
			doc.Entries++
			doc.Parts += min(part, 1)
			newest = max(newest, known(on[i].LastMod))
		}
	}
	doc.LastMod = toTime(newest)
	if doc.LeftOut > 0 {
		c.Rules.Options.Log.Warn("text sitemap is not complete", "home", c.Rules.Blog.Home(), "sitemap", textFilename(page),
			"invalid_or_too_many_urls", doc.LeftOut,
			"hint", "run wpsitemapd explain with a URL that is missing")
	}
	return doc, nil
}
