package check

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/extra"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// PublicReport says what a crawler gets at the public address of a blog.
type PublicReport struct {
	Requests int             `json:"requests"`
	Problems []PublicProblem `json:"problems"`
}

// PublicProblem is a reason why a crawler does not get our sitemaps.
type PublicProblem struct {
	URL  string `json:"url"`
	What string `json:"what"`
	Do   string `json:"do"`
}

func (r *PublicReport) print(w io.Writer) {
	fmt.Fprintf(w, "    asked at the public address by %s, trouble with %d\n", report.Count(r.Requests, "request"), len(r.Problems))
	for _, p := range r.Problems {
		fmt.Fprintf(w, "    TROUBLE: %s\n", p)
	}
}

func (p PublicProblem) String() string { return p.URL + " " + p.What + ": " + p.Do }

// publicAgents are user agents that a site may treat differently.
var publicAgents = []struct{ name, agent string }{
	{"Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
	{"a browser", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
}

// barrier names, for messages, what may stand between crawlers and the daemon.
const barrier = "the CDN, the security plugin or the web server"

const (
	publicTimeout = 30 * time.Second
	// maxHeld is how long a cache may keep a sitemap without asking for it again.
	maxHeld = 5 * time.Minute
	// maxChecked is how many sitemaps of a blog are requested.
	maxChecked = 100
)

// probe is the examination of one blog from outside.
type probe struct {
	*PublicReport
	crawler     *live.Crawler
	home, index string
	token       string // of the daemon; "": none
	silent      bool   // the index does not answer
}

func (p *probe) problem(at, what, do string, args ...any) {
	p.Problems = append(p.Problems, PublicProblem{at, what, fmt.Sprintf(do, args...)})
}

// public requests the sitemaps of a blog as crawlers do: by DNS, and through everything that is in front of the daemon. The
// requests contain the token, so that the daemon does not count them as fetches by crawlers.
func (c *Check) public(ctx context.Context, blog *wp.Blog, found *sitemap.Catalog, token string) (*PublicReport, error) {
	p := &probe{
		PublicReport: &PublicReport{Problems: []PublicProblem{}}, crawler: &live.Crawler{Rate: c.Rate, Timeout: publicTimeout},
		home: blog.Home(), index: found.Outline().Index, token: token,
	}
	defer func() { p.Requests = p.crawler.Requests }()
	host, _ := weburl.Split(p.home)
	if addresses, err := net.DefaultResolver.LookupHost(ctx, host); err != nil || len(addresses) == 0 {
		p.problem(p.home, "has no address in the DNS", "add a record for %s, or correct home (%v)", host, err)
		return p.PublicReport, ctx.Err()
	}
	one := &Check{Pages: len(found.Types())}
	sample, err := one.sample(ctx, found)
	if err != nil {
		return nil, err
	}
	kinds, stopped := map[string]bool{}, false
	for _, f := range found.Files() {
		if kinds[f.Name] || f.Elsewhere || len(kinds) == maxChecked || stopped {
			continue
		}
		kinds[f.Name] = true
		for _, as := range publicAgents {
			if p.sitemap(ctx, f.URL, as.name, as.agent) {
				stopped = len(kinds) == 1 // a crawler that does not get the index gets no sitemap
				break
			}
		}
	}
	if p.silent {
		return p.PublicReport, ctx.Err()
	}
	p.variants(ctx)
	for _, f := range found.Files() {
		if f.Elsewhere && strings.HasPrefix(f.Name, extra.Prefix) {
			p.foreign(ctx, f.URL)
		}
	}
	p.robots(ctx, sample, blog, found)
	return p.PublicReport, ctx.Err()
}

// get sends a request with a user agent. It does not follow redirects. It sends the token only to the host of home, with or
// without www.
func (p *probe) get(ctx context.Context, address, agent string) (*live.Answer, error) {
	host, _ := weburl.Split(address)
	own, _ := weburl.Split(p.home)
	if p.crawler.Header = nil; p.token != "" && strings.TrimPrefix(host, "www.") == strings.TrimPrefix(own, "www.") {
		p.crawler.Header = http.Header{crawler.OwnHeader: {p.token}}
		defer func() { p.crawler.Header = nil }()
	}
	p.crawler.UserAgent = agent
	return p.crawler.Get(ctx, address, live.MaxPage)
}

// variants requests the index at other addresses that people may link to: with http, and with or without www. Each of these
// addresses should redirect to the index.
func (p *probe) variants(ctx context.Context) {
	u, err := url.Parse(p.index)
	if err != nil || u.Port() != "" || net.ParseIP(u.Hostname()) != nil {
		return
	}
	other := *u
	if rest, ok := strings.CutPrefix(u.Host, "www."); ok {
		other.Host = rest
	} else {
		other.Host = "www." + u.Host
	}
	if _, err := net.DefaultResolver.LookupHost(ctx, other.Host); err == nil {
		p.redirects(ctx, other.String(), u)
	}
	if u.Scheme == "https" {
		plain := *u
		plain.Scheme = "http"
		p.redirects(ctx, plain.String(), u)
	}
}

// redirects records a problem if an address answers with 200, or redirects to the wrong host. to is where the address should
// lead: the index.
func (p *probe) redirects(ctx context.Context, address string, to *url.URL) {
	a, err := p.get(ctx, address, publicAgents[0].agent)
	if err != nil {
		return // an address that does not answer misleads nobody
	}
	from, _ := url.Parse(address)
	location, err := from.Parse(a.Header.Get("Location"))
	switch isRedirect := a.Status/100 == 3 && a.Header.Get("Location") != ""; {
	case !isRedirect && a.Status == http.StatusOK:
		p.problem(address, "answers without a redirect", "redirect it to %s with 301, so that crawlers see one site", to)
	case isRedirect && (err != nil || location.Hostname() != to.Hostname() && location.Hostname() != from.Hostname()):
		p.problem(address, "redirects to "+live.Shorten(a.Header.Get("Location"), 200), "redirect it to %s", to)
	}
}

// sitemap requests one of our files with a user agent. It records problems, and reports whether there were any.
func (p *probe) sitemap(ctx context.Context, address, name, agent string) bool {
	a, err := p.get(ctx, address, agent)
	if _, certificate := errors.AsType[*tls.CertificateVerificationError](err); certificate {
		p.problem(address, "has a certificate that crawlers do not trust", "renew or correct it (%v)", err)
	} else if err != nil {
		p.problem(address, "does not answer "+name, "check the web server, the firewall and the DNS (%v)", err)
	}
	if err != nil {
		p.silent = p.silent || address == p.index
		return true
	}
	as := "answers " + name + " with "
	switch location := a.Header.Get("Location"); {
	case a.Status/100 == 3 && location != "":
		p.problem(address, "redirects to "+live.Shorten(location, 200), "set home in the configuration to the address where the site is, or remove the "+
			"redirect from the web server")
	case a.Status == http.StatusForbidden, a.Status == http.StatusTooManyRequests, a.Status == http.StatusUnauthorized:
		p.problem(address, as+strconv.Itoa(a.Status), "make %s let *sitemap*.xml pass", barrier)
	case a.Status == http.StatusNotFound:
		p.problem(address, as+"404", "add the include of docs/operator/deploy.md to the web server, or run wpsitemapd init. The "+
			"web server does not pass this URL to wpsitemapd")
	case a.Status != http.StatusOK:
		p.problem(address, as+strconv.Itoa(a.Status), "see the log of %s", barrier)
	default:
		return p.content(address, as, a)
	}
	return true
}

// content checks an answer that should be one of our sitemaps. It records problems, and reports whether there were any. as is
// the beginning of the text of each problem.
func (p *probe) content(address, as string, a *live.Answer) bool {
	parsed, err := live.Parse(a.Body)
	switch {
	case err != nil && !a.Truncated && strings.HasPrefix(a.Header.Get("Content-Type"), "text/html"):
		p.problem(address, as+"a page of HTML", "make %s let *sitemap*.xml pass without a challenge", barrier)
	case err != nil && !a.Truncated:
		p.problem(address, as+"something that is not a sitemap", "%s alters it: exclude *sitemap*.xml there (%v)", barrier, err)
	case err == nil && parsed.Generator != live.Ours:
		from := parsed.Generator
		if from == "" {
			from = "another program"
		}
		p.problem(address, as+"a sitemap of "+from, "empty the caches. If that does not help, add the include of "+
			"docs/operator/deploy.md to the web server: it does not pass this URL to wpsitemapd")
	case held(a.Header) > maxHeld:
		p.problem(address, as+"a copy from a cache. The copy may be "+held(a.Header).String()+" old",
			"exclude *sitemap*.xml from the cache of %s", barrier)
	default:
		return false
	}
	return true
}

// foreign requests a sitemap of another program that our index names, and records what is wrong with it.
func (p *probe) foreign(ctx context.Context, address string) {
	a, err := p.get(ctx, address, publicAgents[0].agent)
	if err != nil {
		p.problem(address, "does not answer", "correct the url in [[site.extra]] (%v)", err)
		return
	}
	parsed, err := live.Parse(a.Body)
	switch {
	case a.Status != http.StatusOK:
		p.problem(address, fmt.Sprintf("answers %d", a.Status), "correct the url in [[site.extra]], or remove the section")
	case err != nil && !a.Truncated:
		p.problem(address, "is no sitemap", "correct the url in [[site.extra]] (%v)", err)
	case err == nil && parsed.Index:
		p.problem(address, "is a sitemap index, which no index may name", "write a [[site.extra]] for each sitemap of that index instead")
	}
}

// held estimates how long a cache keeps the answer. It returns the largest of max-age, s-maxage and Age.
func held(h http.Header) time.Duration {
	var longest int64
	if age, err := strconv.ParseInt(h.Get("Age"), 10, 32); err == nil {
		longest = age
	}
	for d := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(d), "=")
		if n, err := strconv.ParseInt(value, 10, 32); err == nil && (strings.EqualFold(name, "s-maxage") || strings.EqualFold(name, "max-age")) {
			longest = max(longest, n)
		}
	}
	return time.Duration(longest) * time.Second
}

// robots requests robots.txt. It checks whether the file names the index and lets Googlebot fetch what is listed. It also
// requests the other sitemaps that the file names.
func (p *probe) robots(ctx context.Context, sample []listed, blog *wp.Blog, found *sitemap.Catalog) {
	base, err := url.Parse(p.home)
	if err != nil {
		return
	}
	address := base.Scheme + "://" + base.Host + "/robots.txt"
	a, err := p.get(ctx, address, publicAgents[0].agent)
	switch {
	case err != nil:
		p.problem(address, "does not answer", "check the web server (%v)", err)
		return
	case a.Status >= 500:
		p.problem(address, fmt.Sprintf("answers %d", a.Status), "repair this first: crawlers stop crawling the whole site")
		return
	case a.Status != http.StatusOK:
		p.problem(address, fmt.Sprintf("answers %d", a.Status), "add a file with the line Sitemap: %s", p.index)
		return
	}
	rules := parseRobots(string(a.Body), "googlebot")
	if !slices.Contains(rules.sitemaps, p.index) {
		p.problem(address, "does not name the sitemaps", "add the line Sitemap: %s", p.index)
	}
	for _, line := range otherSitemaps(string(a.Body), blog, found) {
		if dead(ctx, p.crawler, line, found) {
			p.problem(address, "names "+live.Shorten(line, 200)+", which is no sitemap", "remove that line from the file, or from "+
				"the plugin that writes it")
		}
	}
	for _, u := range append([]listed{{loc: p.index}}, sample...) {
		if rule := rules.forbids(u.loc); rule != "" {
			p.problem(u.loc, "is listed, but robots.txt forbids it by "+strconv.Quote(live.Shorten(rule, 100)), "remove that line "+
				"from robots.txt, or exclude the URL from the sitemaps")
		}
	}
}
