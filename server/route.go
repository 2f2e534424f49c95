package server

import (
	"cmp"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/php"
)

// stand is one place on a host where a blog stands.
type stand struct {
	worker *worker
	path   string     // of home, without slashes at its ends
	blog   *site.Blog // nil while it is not known, and for gone blogs
	gone   bool       // archived, deleted or spam: core answers 410

	contest *contest // it is not known whose it is, and worker and blog are nil
}

// routes says which blog a request is for. It is built anew on every change and never altered.
type routes struct {
	hosts map[string][]stand // longest path first

	// only serves every host, as WordPress itself does: the configuration has a single site
	// without hosts, which is no network.
	only *stand
	// fallback takes what no host matches when there is but one site.
	fallback *worker
	// opening are the sites whose hosts are not known yet.
	opening []*worker

	replaced chan struct{} // closed when there are newer ones
}

// newRoutes collects the stands of every site. Where several claim one place o tells whose it is.
func newRoutes(workers []*worker, o *ownership) *routes {
	t := &routes{hosts: map[string][]stand{}, replaced: make(chan struct{})}
	workers = slices.SortedStableFunc(slices.Values(workers), func(a, b *worker) int { return cmp.Compare(a.Rank, b.Rank) })
	claims := map[hostPath][]claim{}
	var places []hostPath // in the order of the sites
	add := func(p hostPath, c claim) {
		if slices.ContainsFunc(claims[p], func(other claim) bool { return other.worker == c.worker }) {
			o.sayFirst(p, c.worker.Config.Name, c.worker.Config.Name) // two blogs of a network
			return
		}
		if claims[p] == nil {
			places = append(places, p)
		}
		claims[p] = append(claims[p], c)
	}
	remembered := o.remembered()
	for _, w := range workers {
		stands := w.stands()
		if len(stands) == 0 || w.Snapshot().FromStateOnly() {
			t.opening = append(t.opening, w)
		}
		for _, s := range stands {
			for _, host := range s.hosts {
				add(hostPathOf(host, s.path), claim{stand: s.stand, named: slices.Contains(w.Config.HostNames(), config.Host(host))})
			}
		}
		if p, _, sure := w.guess(); len(stands) == 0 && p.host != "" && remembered[p] != w {
			add(p, claim{stand: stand{worker: w, path: p.path}, unread: true, weak: !sure})
		}
		if len(workers) == 1 {
			t.fallback = w
			if len(stands) == 1 && len(w.Config.Hosts) == 0 && (stands[0].blog == nil || !stands[0].blog.Network) {
				t.only = &stands[0].stand
			}
		}
	}
	for p, w := range remembered {
		add(p, claim{stand: stand{worker: w, path: p.path}, unread: true})
	}
	for _, p := range places {
		if s, ok := o.settle(p, claims[p]); ok {
			t.hosts[p.host] = append(t.hosts[p.host], s)
		}
	}
	o.end(claims)
	for _, stands := range t.hosts {
		slices.SortStableFunc(stands, func(a, b stand) int { return cmp.Compare(len(b.path), len(a.path)) })
	}
	return t
}

// unplaced are the sites of which no host is known; where there is none, those that may have more.
func (t *routes) unplaced() []*worker {
	none := slices.DeleteFunc(slices.Clone(t.opening), (*worker).Placed)
	if len(none) > 0 {
		return none
	}
	return t.opening
}

// shareUpstream reports whether the sites have an upstream, and all of them the same.
func shareUpstream(workers []*worker) bool {
	return len(workers) > 0 && !slices.ContainsFunc(workers, func(w *worker) bool {
		return w.Upstream == nil || !reflect.DeepEqual(w.Config.Upstream, workers[0].Config.Upstream) || w.Config.UpstreamCA != workers[0].Config.UpstreamCA
	})
}

// find returns the blog for a host and an escaped path, and what of the path is left behind
// its home, without slashes at the ends. Where none is, worker is still the site the host
// belongs to, if there is one.
func (t *routes) find(host, path string) (s stand, rest string) {
	path = strings.Trim(path, "/")
	stands, known := t.hosts[host]
	if !known && t.only != nil {
		stands = []stand{*t.only}
	}
	for _, s := range stands {
		if rest, ok := cutHomePath(path, s.path); ok {
			return s, rest
		}
	}
	if len(stands) > 0 {
		last := stands[len(stands)-1]
		return stand{worker: last.worker, contest: last.contest}, ""
	}
	return stand{worker: t.fallback}, ""
}

// cutHomePath removes the path of home from a request's, both without slashes at the ends.
// As in WordPress letter case does not matter.
func cutHomePath(path, home string) (rest string, ok bool) {
	if home == "" {
		return path, true
	}
	end := 0
	for range strings.Count(home, "/") + 1 {
		if end >= len(path) {
			return "", false
		}
		i := strings.IndexByte(path[end+1:], '/')
		if i < 0 {
			end = len(path)
		} else {
			end += 1 + i
		}
	}
	if !strings.EqualFold(php.URLDecode(path[:end]), php.URLDecode(home)) {
		return "", false
	}
	return strings.Trim(path[end:], "/"), true
}

// target is what a request to a blog asks for.
type target uint8

const (
	toUpstream target = iota // not ours by its address
	toSitemap                // name and page
	toRedirect               // location; name too where it must be ours
	toXSL                    // the stylesheet of name
	toCSS                    // our own stylesheet
	toRobots                 // robots.txt
	toTwin                   // name and page, as HTML
)

// route is the answer of address.route.
type route struct {
	target   target
	name     string // sitemap as the catalog knows it, or stylesheet
	page     int
	location string // path below home
	byQuery  bool   // by the query variable alone, not by an address of its own
	unowned  string // location for when name is not ours; "" leaves it to the upstream
	packed   bool   // as a compressed file
}

// address is what routing needs to know of a blog.
type address struct {
	path  string // of home, without slashes at its ends
	plain bool   // no permalink structure: WordPress routes no paths, only query strings
	core  site.CoreForm
	alone bool // no upstream
	html  bool // sitemaps have twins, see twin.go
	gzip  bool // sitemaps have compressed files, see format.go
}

// schemeOf is what routing needs to know of a blog of a site.
func schemeOf(w *worker, b *site.Blog) address {
	at := b.Address
	return address{path: at.Path, plain: at.Plain && w.Upstream != nil, core: at.Core, alone: w.Upstream == nil, html: w.Config.HTML, gzip: w.Config.Formats.Gzip}
}

func (s stand) scheme() address { return schemeOf(s.worker, s.blog) }

// What Yoast's rewrite rules match: the path below home without slashes at its ends, as it
// came and then decoded.
var (
	indexForm   = regexp.MustCompile(`^sitemap_index\.xml$`)
	sitemapForm = regexp.MustCompile(`^([^/]+?)-sitemap([0-9]+)?\.xml$`)
	xslForm     = regexp.MustCompile(`^([a-z]+)?-?sitemap\.xsl$`)
)

// What Yoast redirects of core's addresses, matched against the raw request.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// route tells what a request asks for. uri is the request as it came, path and query;
// rest is its path below home without slashes at the ends.
func (a address) route(uri, rest string) route {
	to := a.xmlRoute(uri, rest)
	if to == (route{}) {
		to = a.formatRoute(uri, rest)
	}
	if to == (route{}) {
		return a.twinRoute(uri, rest)
	}
	return to
}

// xmlRoute is route for everything but the other formats and twins.
func (a address) xmlRoute(uri, rest string) route {
	if a.core != site.NoCore {
		return a.coreRoute(uri, rest)
	}
	path, query, _ := strings.Cut(uri, "?")
	vars := a.pathVars(rest, strings.HasSuffix(path, "/"))
	byQuery := vars["sitemap"] == ""
	if reachesFrontController(rest) {
		for name, value := range queryVars(query) { // explicit ones win, also when empty
			vars[name] = value
		}
	}
	if xsl := vars["yoast-sitemap-xsl"]; !empty(xsl) {
		switch xsl {
		case "main", "news", "video":
			return route{target: toXSL, name: xsl}
		}
		return route{}
	}
	if name := vars["sitemap"]; name == catalog.TextName || name == catalog.AtomName {
		return route{} // those have addresses of their own
	} else if !empty(name) {
		number := vars["sitemap_n"]
		if number == "0" || number == "1" {
			return route{target: toRedirect, name: name, location: "/" + name + "-sitemap.xml"}
		}
		return route{target: toSitemap, name: name, page: max(1, phpInt(number)), byQuery: byQuery, unowned: a.coreLocation(uri)}
	}
	base := ""
	if a.path != "" {
		base = "/" + a.path
	}
	switch {
	case path == base+"/wpsitemapd.css":
		return route{target: toCSS}
	case uri == base+"/sitemap.xml" && !a.plain:
		return route{target: toRedirect, location: "/sitemap_index.xml"}
	case a.path == "" && path == "/robots.txt":
		return route{target: toRobots}
	}
	if location := a.coreLocation(uri); location != "" {
		return route{target: toRedirect, location: location}
	}
	return route{}
}

// coreLocation is where Yoast sends an address of core's sitemaps, "" for others. Its
// numbers are one too low, and are here too: the next redirect mends page 1.
func (a address) coreLocation(uri string) string {
	if a.path != "" {
		return ""
	}
	if uri == "/wp-sitemap.xml" { // by its form the sitemap of a type wp
		return "/sitemap_index.xml"
	}
	name, n := "author", ""
	if m := coreTypeForm.FindStringSubmatch(uri); m != nil {
		name, n = m[1], m[2]
	} else if m := coreUserForm.FindStringSubmatch(uri); m != nil {
		n = m[1]
	} else {
		return ""
	}
	number := ""
	if i := phpInt(n) - 1; i != 0 {
		number = strconv.Itoa(i)
	}
	return "/" + name + "-sitemap" + number + ".xml"
}

// pathVars are the query variables Yoast's rewrite rules make of a path. Without a permalink
// structure there are no such rules, and yet the index lists these addresses: WordPress
// redirects each to itself with a slash, and shows its front page there. With the slash they
// are ours, so that what the index lists leads to a sitemap after all.
func (a address) pathVars(rest string, slash bool) map[string]string {
	vars := map[string]string{}
	switch {
	case a.plain && !slash:
		return vars
	case a.plain && rest == "sitemap.xml":
		vars["sitemap"] = "1"
		return vars
	}
	if rest == "index.php" {
		rest = ""
	} else if after, ok := strings.CutPrefix(rest, "index.php/"); ok {
		rest = strings.Trim(after, "/")
	}
	decoded := php.URLDecode(rest)
	match := func(form *regexp.Regexp) []string {
		if m := form.FindStringSubmatch(rest); m != nil {
			return m
		}
		return form.FindStringSubmatch(decoded)
	}
	if match(indexForm) != nil {
		vars["sitemap"] = "1"
	} else if m := match(sitemapForm); m != nil {
		vars["sitemap"], vars["sitemap_n"] = m[1], m[2]
	} else if m := match(xslForm); m != nil {
		vars["yoast-sitemap-xsl"] = m[1]
	}
	return vars
}

// reachesFrontController reports whether a path ends up in WordPress' index.php, where the
// query variables are looked at, and not in a script or file of its own.
func reachesFrontController(rest string) bool {
	first, _, _ := strings.Cut(rest, "/")
	switch strings.ToLower(first) {
	case "wp-admin", "wp-content", "wp-includes", "wp-json":
		return false
	case "index.php":
		return true
	}
	return !strings.HasSuffix(strings.ToLower(rest), ".php")
}

// queryVars picks Yoast's variables out of a query string as PHP reads it: the last one
// counts, and arrays are none.
func queryVars(query string) map[string]string {
	vars := map[string]string{}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		switch name = php.URLDecode(name); name {
		case "sitemap", "sitemap_n", "yoast-sitemap-xsl":
			vars[name] = php.URLDecode(value)
		}
	}
	return vars
}

// empty is PHP's empty() for texts.
func empty(s string) bool { return s == "" || s == "0" }

// phpInt is PHP's (int) for texts: leading spaces, a sign, the digits that follow, and
// a fraction or exponent where there is one.
func phpInt(s string) int {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	end := len(phpNumber.FindString(s))
	if end == 0 {
		return 0
	}
	if n, err := strconv.Atoi(s[:end]); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(s[:end], 64) // out of range is ±Inf
	switch {
	case math.IsInf(f, 0) && strings.ContainsAny(s[:end], ".eE"):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int(f)
}

var phpNumber = regexp.MustCompile(`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`)

// looksLikeSitemap reports whether a request could be for a sitemap or what belongs to one,
// while it is not known where home is and how links look.
func looksLikeSitemap(uri string) bool {
	path, query, _ := strings.Cut(uri, "?")
	path = strings.Trim(path, "/")
	for _, name := range []string{"sitemap", "yoast-sitemap-xsl"} {
		if v, ok := queryVars(query)[name]; ok && !empty(v) {
			return true
		}
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if last == "sitemap.xml" || last == "wpsitemapd.css" || strings.HasPrefix(last, "wp-sitemap") {
		return true
	}
	vars := address{}.pathVars(last, false)
	return vars["sitemap"] != "" || vars["yoast-sitemap-xsl"] != ""
}
