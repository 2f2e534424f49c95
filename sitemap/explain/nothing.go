package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// nothing explains an address at which no object was found.
func (e *explainer) nothing(asked spelled, v view, segments []string, hints []*thing) error {
	first := ""
	if len(segments) > 0 {
		first = strings.ToLower(segments[0])
	}
	date := segments
	if v.rule == rulePagination && len(date) >= 2 {
		date = date[:len(date)-2]
	}
	_, searches := asked.vars["s"]
	rule := ruleNothing
	switch {
	case e.asksSitemap(asked, segments):
		e.x.Object = "sitemap"
		e.decideElsewhere()
		return nil
	case first == "wp-json", asked.vars["rest_route"] != "":
		e.x.Object, rule = "REST API", ruleAPI
	case first == "search" && len(segments) > 1, searches:
		e.x.Object, rule = "search results", ruleSearch
	case isDate(date), asked.vars["m"] != "", asked.vars["year"] != "":
		e.x.Object, rule = "date archive", ruleDates
	case slices.Contains([]string{"wp-content", "wp-includes", "wp-admin"}, first),
		strings.Contains(first, ".") && len(segments) == 1 && len(hints) == 0:
		e.x.Object, rule = "file", ruleFile
	case v.rule == ruleFeed && len(segments) <= 2:
		e.x.Object, rule = "feed", ruleFeed
	}
	e.decide(rule)
	if !e.Active() {
		e.note("%s.", e.absence.Sentence)
	}
	note := "%s has this name; its URL is %s."
	if len(hints) == 0 && rule == ruleNothing {
		note = "%s has a similar name; its URL is %s."
		var err error
		if hints, err = e.findSimilar(segments); err != nil {
			return err
		}
	}
	for _, t := range hints[:min(mostSimilar, len(hints))] {
		e.note(note, t.Of, t.Link)
		e.x.Similar = append(e.x.Similar, t.Link)
	}
	if len(hints) == 0 && rule == ruleNothing {
		e.x.Do = "If a program other than WordPress serves a page there, list the URL in a [[site.extra]] of the configuration."
	}
	return nil
}

// linked explains an address that a sitemap lists although no object has the address: a date archive, a URL
// that was added by hand, or a row of a plugin's table. It reports whether a sitemap lists the address.
func (e *explainer) linked() (bool, error) {
	files := slices.DeleteFunc(e.Files(), func(f catalog.File) bool {
		l := e.List(f.Name)
		return l == nil || l.Kind != seo.KindOther || len(l.First) == 0 && !ofRows(l)
	})
	s, err := SearchPages(e.ctx, files, e.pages, e.x.URL)
	if err != nil || !s.Listed() {
		return false, err
	}
	e.x.IsIn(s.File, s.Found)
	e.x.Object, e.x.Address = "URL of the sitemap "+s.File.Name, s.Found.Loc
	e.decideFor(e.verdict(seo.Listed, &seo.Subject{Rules: e.Rules}, seo.Evidence{Source: "sitemap " + s.File.Name, Value: strconv.Quote(s.Found.Loc)}))
	return true, nil
}

// isDate reports whether path segments form a date archive: year, month, day.
func isDate(segments []string) bool {
	layouts := [...]string{"2006", "2006/1", "2006/1/2"}
	if len(segments) == 0 || len(segments) > len(layouts) {
		return false
	}
	date, err := time.Parse(layouts[len(segments)-1], strings.Join(segments, "/"))
	return err == nil && date.Year() > 0
}
