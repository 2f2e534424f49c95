package catalog

import (
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
)

// The clock alone changes the lists of news. The content of such a list is Timed.

// isTimed reports whether the objects of the list enter and leave it by the clock.
func (l *List) isTimed() bool {
	_, ok := l.Content.(Timed)
	return ok
}

// articles returns the articles if the content is Timed, and nil if it is not.
func (l *List) articles() []rows.Article {
	if timed, ok := l.Content.(Timed); ok {
		return timed.Articles()
	}
	return nil
}

// Older counts the articles that are news now. all is their number. older is the number of articles that were published
// before the news window and are news only because of a recent change.
func (l *List) Older(now int64) (older, all int) {
	articles := l.articles()
	for i := range articles {
		if a := &articles[i]; a.IsNews(now) {
			all++
			if a.Published < now-rows.NewsWindow {
				older++
			}
		}
	}
	return older, all
}

// Leaves returns when the clock alone removes an object from the list, in Unix seconds. It returns 0
// if the clock does not remove the object.
func (l *List) Leaves(id, now int64) int64 {
	articles := l.articles()
	i := slices.IndexFunc(articles, func(a rows.Article) bool { return a.ID == id })
	if i >= 0 && articles[i].IsNews(now) {
		return articles[i].Changes(now)
	}
	return 0
}

// at returns the list at the time now, in Unix seconds.
func (l *List) at(now int64) *List {
	timed, ok := l.Content.(Timed)
	if !ok {
		return l
	}
	current, articles := *l, timed.Articles()
	for i := range articles {
		if a := &articles[i]; a.IsNews(now) {
			current.Places = append(current.Places, NewPlace(a.ID, a.LastMod, seo.Listed))
		}
	}
	current.Indexed = len(current.Places) > 0
	switch of, ofRows := timed.(OfRows); {
	case !ofRows:
		current.Dates = current.PageDates()
	case current.Indexed:
		current.Dates = []int64{of.IndexDate()}
	}
	return &current
}
