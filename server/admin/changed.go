package admin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/server/journal"
	"wpsitemapd/sitemap/catalog"
)

const (
	// changedRows is how many changes one page shows. The number is small, because the page explains each URL that went.
	changedRows = 100
	// feedRows is how many changes the feed contains at most: the newest ones.
	feedRows = 100
)

// changed is the content of the page about the changes of a blog's sitemaps: URLs that came, went or changed.
type changed struct {
	Head          head
	Site          string
	Blog          int64
	Days          int    // the period
	What, Sitemap string // the filters in the request; "" for all
	Sitemaps      []string
	Counts        map[string]map[string]int // number of changes in the period, by sitemap and What
	Rows          []change
	Parts         []part
	Error         string
	Now           time.Time
}

// change is a change of a sitemap. If its URL is no longer listed, the other fields say why and what to do.
type change struct {
	catalog.Change
	Rule    string `json:"rule,omitempty"`
	Because string `json:"because,omitempty"`
	Do      string `json:"do,omitempty"`
	Edit    string `json:"edit,omitempty"`
}

// Periods returns the periods that the page can show, in days, each with its name.
func (c *changed) Periods() map[int]string {
	return map[int]string{1: "24 hours", 7: "7 days", journal.Days: fmt.Sprintf("%d days", journal.Days)}
}

// Kinds returns what can happen to a URL: the values of catalog.Change.What for URLs.
func (c *changed) Kinds() []string { return []string{"came", "went", "changed"} }

// serveChanges answers with the changes of a blog's sitemaps: as a page, or in a file at changes.csv, changes.json or
// changes.atom.
func (h *handler) serveChanges(w http.ResponseWriter, r *http.Request, i Install) {
	query := r.URL.Query()
	c := &changed{
		Head: head{"Changes of " + i.Config.Name + " – wpsitemapd", "", false}, Site: i.Config.Name, Now: h.Now(), Days: 1,
		What: short(query.Get("what")), Sitemap: short(query.Get("sitemap")), Counts: map[string]map[string]int{},
	}
	form := path.Ext(r.URL.Path)
	if days, err := strconv.Atoi(query.Get("days")); err == nil {
		c.Days = min(max(days, 1), journal.Days)
	} else if form == ".atom" {
		c.Days = journal.Days
	}
	b := blogOf(i, blogAsked(r))
	if b == nil {
		if form != "" {
			say(w, http.StatusServiceUnavailable, ErrNotRead.Error())
			return
		}
		c.Error = ErrNotRead.Error()
		write(w, r, http.StatusServiceUnavailable, "changes", c)
		return
	}
	c.Blog = b.ID
	chosen := c.choose(h.Journal.Of(i.Config.Name, b))
	ctx, cancel := context.WithTimeout(r.Context(), manyTimeout)
	defer cancel()
	switch form {
	case ".csv":
		d := newDownload(w, "changes.csv", []string{"at", "what", "sitemap", "url", "object", "rule", "because", "do", "edit", "note"})
		for _, o := range h.reasons(ctx, i, chosen) {
			if d.row(o.At.UTC().Format(time.RFC3339), o.What, o.Sitemap, o.URL, o.Object, o.Rule, o.Because, o.Do, o.Edit, o.Note) != nil {
				break
			}
		}
		d.end(nil)
	case ".json":
		writeJSON(w, r, http.StatusOK, h.reasons(ctx, i, chosen))
	case ".atom":
		writeFeed(w, b.Home, h.reasons(ctx, i, chosen[:min(len(chosen), feedRows)]))
	default:
		known := c.parameters()
		known.Set("part", query.Get("part"))
		var shown []catalog.Change
		shown, c.Parts = inParts(chosen, changedRows, known, "part", "changes")
		c.Rows = h.reasons(ctx, i, shown)
		write(w, r, http.StatusOK, "changes", c)
	}
}

// choose counts the changes of the period in c.Counts. It returns the changes of the period that match the filters. all must
// begin with the newest change.
func (c *changed) choose(all []catalog.Change) (chosen []catalog.Change) {
	from := c.Now.Add(-time.Duration(c.Days) * 24 * time.Hour)
	for _, o := range all {
		if o.At.Before(from) {
			break
		}
		if o.Sitemap != "" {
			if c.Counts[o.Sitemap] == nil {
				c.Counts[o.Sitemap] = map[string]int{}
				c.Sitemaps = append(c.Sitemaps, o.Sitemap)
			}
			c.Counts[o.Sitemap][o.What]++
		}
		if (c.What == "" || o.What == c.What) && (c.Sitemap == "" || o.Sitemap == c.Sitemap) {
			chosen = append(chosen, o)
		}
	}
	slices.Sort(c.Sitemaps)
	return chosen
}

// reasons explains each URL that is no longer listed: it adds to the change why the URL is not listed now, and what to do. After ctx has
// ended, it adds no more reasons.
func (h *handler) reasons(ctx context.Context, i Install, changes []catalog.Change) []change {
	all := make([]change, len(changes))
	for n, o := range changes {
		all[n].Change = o
		switch {
		case o.What != "went":
		case o.URL == "":
			all[n].Because = "The object was deleted. Its URL is not known any more."
		default:
			x := h.whyNot(ctx, i, o.URL)
			all[n].Rule, all[n].Because, all[n].Do, all[n].Edit = x.Rule, x.Because, x.Do, x.Edit
		}
	}
	return all
}

// parameters returns the filters of the request as parameters of a query string.
func (c *changed) parameters() url.Values {
	p := url.Values{"blog": {strconv.FormatInt(c.Blog, 10)}, "days": {strconv.Itoa(c.Days)}}
	for key, value := range map[string]string{"what": c.What, "sitemap": c.Sitemap} {
		if value != "" {
			p.Set(key, value)
		}
	}
	return p
}

// Query returns the query string for links that download the same changes.
func (c *changed) Query() template.URL { return template.URL(c.parameters().Encode()) }

// writeFeed answers with changes as an Atom feed (RFC 4287). The first change must be the newest.
func writeFeed(w http.ResponseWriter, home string, changes []change) {
	type link struct {
		Href string `xml:"href,attr"`
	}
	type entry struct {
		ID      string    `xml:"id"`
		Title   string    `xml:"title"`
		Updated time.Time `xml:"updated"`
		Link    link      `xml:"link"` // required, as an entry has no content
		Summary string    `xml:"summary,omitempty"`
	}
	feed := struct {
		XMLName xml.Name  `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string    `xml:"id"`
		Title   string    `xml:"title"`
		Updated time.Time `xml:"updated"`
		Author  string    `xml:"author>name"`
		Entries []entry   `xml:"entry"`
	}{ID: home + "#sitemap-changes", Title: "Changes of the sitemaps of " + bare(home), Updated: time.Unix(0, 0).UTC(), Author: "wpsitemapd"}
	for n, c := range changes {
		e := entry{
			ID:      home + "#" + url.QueryEscape(fmt.Sprint(c.What, c.At.Unix(), c.Sitemap, cmp.Or(c.Object, c.URL, c.Note))),
			Title:   cmp.Or(c.Note, c.What+": "+cmp.Or(c.URL, c.Object)),
			Updated: c.At.UTC(),
			Link:    link{cmp.Or(c.URL, home)},
			Summary: c.Because,
		}
		if n == 0 {
			feed.Updated = e.Updated
		}
		feed.Entries = append(feed.Entries, e)
	}
	text := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(text).Encode(feed); err != nil {
		say(w, http.StatusInternalServerError, "The feed cannot be made: "+err.Error())
		return
	}
	send(w, http.StatusOK, "application/atom+xml; charset=utf-8", text)
}
