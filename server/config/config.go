// Package config turns the text of a configuration into a valid value with all defaults.
//
// Load reads a file, and Parse reads a text. All mistakes are in one *Error, each with its line. The package opens no
// database but the store, where it looks up which install had a name before.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Config is a whole, valid configuration with all defaults.
type Config struct {
	Listening
	State          Secret     `restart:"state"`                                     // absolute folder or address of the store; "": none
	StateSize      Size       `toml:"state_size" bounds:"1MB" restart:"state_size"` // the most bytes that the store may hold
	CacheSize      Size       `toml:"cache_size" bounds:"1MB"`                      // the most bytes that cached pages of all sites take in memory
	Log            string     `toml:"log" oneof:"text json" restart:"log"`          // the format of log lines
	LogLevel       slog.Level `toml:"log_level" oneof:"debug info warn error" restart:"log_level"`
	AccessLog      bool       `toml:"access_log"`      // log each request at level info
	VerifyCrawlers bool       `toml:"verify_crawlers"` // verify crawlers by the DNS
	CountTraffic   bool       `toml:"count_traffic"`   // count which pages visitors get through the daemon
	Watch          []Secret   `restart:"watch"`        // dsn of [watch]: each account polls all databases of its server
	Sites          []Site     // first those of [[site]], then those found by [[discover]]

	Warnings  []string // what an operator should know although it is not a mistake
	Unmatched []string // the warnings about patterns that match nothing

	Searches []*Search         // one for each [[discover]]
	partial  []*Search         // the searches that ended early
	names    map[string]holder // the found install that has each name
}

// Site is one [[site]]: a WordPress database, which may be a whole network. The tags of its fields say how keys are read, see
// table.fields.
type Site struct {
	Name            string `toml:"name" form:"name"`
	WPConfig        string `toml:"wp_config"` // absolute path
	DSN             Secret
	DSNFile         string         // absolute path of the file with DSN; "": the configuration contains it
	TablePrefix     string         `toml:"table_prefix" form:"prefix"`
	Upstream        proxy.Upstream `toml:"upstream"`
	UpstreamTimeout time.Duration  `toml:"upstream_timeout" bounds:"0s 24h"` // how long to wait for the header of an answer; 0: no limit
	Home            Home           `toml:"home"`
	Hosts           []Host         `toml:"hosts" empty:"leave the key out to take the hosts from the database"`
	EnvironmentType string         `toml:"environment" oneof:"production staging development local"` // "": WP_ENVIRONMENT_TYPE decides
	Sitemaps        string         // whose sitemaps, one of sitemap.Choices
	Compat          string         `toml:"compat" oneof:"spec plugin"`
	PageSize        int            `toml:"page_size" bounds:"1 50000"` // objects per file; 0: the default
	Stylesheet      string         `toml:"stylesheet" oneof:"css xsl none"`
	HTML            bool           `toml:"html"`          // every sitemap also has an HTML view
	Hreflang        bool           `toml:"hreflang"`      // list translations at level spec
	NetworkIndex    bool           `toml:"network_index"` // serve an index of the sitemaps of all blogs of a network
	Formats         Formats        `toml:"formats"`
	Hints           seo.Hints
	Prerender       bool          // render every page once ahead of requests; false only in tests
	CacheControl    string        `toml:"cache_control" form:"cache_control"` // of sitemaps; "": send none
	Refresh         time.Duration `toml:"refresh" bounds:"1s 24h"`            // time between full scans
	Collapse        float64       `toml:"collapse"`                           // share of its URLs that a site may lose at once; 0: all
	Confirm         time.Duration // how long a greater loss must last before it is accepted; tests set another value
	Overrides       registry.Overrides
	Exclude         seo.Exclude `toml:"exclude"`
	News            seo.News    `toml:"news"`
	Video           seo.Video   `toml:"video"`
	Images          seo.Images
	Extra           []seo.Extra
	IndexNow        IndexNow

	Within  string   // the folder of an install that [[discover]] found; "" for a [[site]]
	DBHosts []string // database servers that the wp-config.php of a discovered install may name, beside this machine

	line        int
	written     map[string]writing // the keys that the configuration sets
	Fingerprint string             // hash of wp-config.php; if it changes, Equal reports that the site has changed
	hidden      []string           // environment variables that no wp-config.php may read
}

// IndexNow is [site.indexnow]: announcements to search engines.
type IndexNow struct {
	Key      string `toml:"key" form:"indexnow_key"` // "": announce nothing
	Endpoint string `toml:"endpoint" form:"endpoint"`
	DryRun   bool   `toml:"dry_run"` // send nothing
}

// defaultEndpoint is the endpoint of the IndexNow protocol itself, which informs all participating search engines.
const defaultEndpoint = "https://api.indexnow.org/indexnow"

// KeyFile returns the name of a file of the site. Search engines read the file to see that the key belongs to the site.
func (i IndexNow) KeyFile() string { return i.Key + ".txt" }

// Formats is [site.formats]: the formats of sitemaps beside XML.
type Formats struct {
	Gzip bool `toml:"gz"`   // every sitemap also compressed, at its address with .gz at the end
	Text bool `toml:"txt"`  // all addresses, at /sitemap.txt
	Atom bool `toml:"atom"` // the latest changes, at /sitemap.atom
	RSS  bool `toml:"rss"`  // the latest changes, at /sitemap.rss
}

// confirmAfter is how long a loss must last before it is accepted. An import or a migration leaves a site half empty for less
// time. An operator who wants to wait less can accept the loss on the status page.
const confirmAfter = 10 * time.Minute

// Default and DefaultSite return the values of the keys that a configuration does not set.
func Default() Config {
	c := Config{
		Listening:      Listening{Listen: []listen.Address{"127.0.0.1:8080"}, SocketMode: 0o660, Drain: 30 * time.Second},
		StateSize:      1 << 30,
		CacheSize:      64 << 20,
		Log:            "text",
		LogLevel:       slog.LevelInfo,
		VerifyCrawlers: true,
		CountTraffic:   true,
	}
	for _, word := range []string{"loopback", "private"} {
		_ = c.Trusted.Add(word) // both words are valid
	}
	return c
}

func DefaultSite() Site {
	return Site{
		UpstreamTimeout: 10 * time.Minute,
		Sitemaps:        sitemap.Auto,
		Compat:          string(seo.SpecLevel),
		Stylesheet:      "css",
		Hreflang:        true,
		HTML:            true,
		Prerender:       true,
		Formats:         Formats{Gzip: true},
		CacheControl:    "max-age=0, must-revalidate",
		Refresh:         30 * time.Second,
		Collapse:        0.5,
		Confirm:         confirmAfter,
		IndexNow:        IndexNow{Endpoint: defaultEndpoint},
	}
}

// Load reads and validates a file. All mistakes are in one *Error.
func Load(path string) (*Config, error) { return load(path, nil, false) }

// LoadAfter reads and validates a file again. before is the last configuration. An install that is in before keeps the name that it has
// there.
func LoadAfter(path string, before *Config) (*Config, error) { return load(path, before, false) }

// LoadAlone validates a file by itself. It reads no file that the configuration names, and searches for no installs. It
// accepts a key whose value contains an unset variable, but does not read the value.
func LoadAlone(path string) (*Config, error) { return load(path, nil, true) }

func load(path string, before *Config, alone bool) (*Config, error) {
	text, err := readFile(path, maxConfig+1)
	if err != nil {
		return nil, withHint(err)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return parse(text, path, filepath.Dir(abs), before, alone)
}

// Parse reads the text of a configuration. name is the name of its file in errors. Relative paths begin at dir.
func Parse(text, name, dir string) (*Config, error) { return parse(text, name, dir, nil, false) }

func parse(text, name, dir string, before *Config, alone bool) (*Config, error) {
	if len(text) > maxConfig {
		return nil, &Error{name, []problem{{Message: fmt.Sprintf("is larger than %v, the most that a configuration may have", Size(maxConfig))}}}
	}
	values := map[string]any{}
	doc, err := toml.Decode(text, &values)
	if err != nil {
		p := problem{Message: err.Error()}
		if syntax, ok := errors.AsType[toml.ParseError](err); ok {
			p = problem{Line: syntax.Position.Line, Message: syntaxMessage(syntax.Message)}
		}
		return nil, &Error{name, []problem{p}}
	}
	c := Default()
	if before != nil {
		c.names = maps.Clone(before.names)
	}
	top := &table{problems: &problems{lines: linesOf(text, doc), alone: alone}, values: values}
	c.decode(top, dir)
	c.validate(top)
	c.hide(text)
	for i := range c.Sites {
		if !alone {
			c.Sites[i].Fingerprint = Fingerprint(c.Sites[i].WPConfig)
		}
	}
	if len(top.found) > 0 {
		slices.SortStableFunc(top.found, func(a, b problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &Error{name, top.found}
	}
	top.noteFile(name, password.MatchString(text))
	c.Warnings = append(c.Warnings, top.warnings...)
	return &c, nil
}

func (c *Config) decode(t *table, dir string) {
	t.fields(c)
	c.Listening.decode(t, dir)
	if _, given := t.values["state"]; !given {
		c.State = Secret(stateDirectory())
	}
	t.text("state", func(location string) error {
		backend, err := Store(location)
		switch {
		case err != nil:
			return err
		case len(backend.Kind().Schemes) == 0:
			location = absolute(location, dir)
		}
		c.State = Secret(location)
		return backend.Check(location)
	})
	if c.AccessLog && c.LogLevel > slog.LevelInfo {
		t.fail("access_log", true, "needs log_level = \"info\" or \"debug\": log_level = %q suppresses its lines",
			strings.ToLower(c.LogLevel.String()))
	}
	t.within("watch", func(w *table) {
		w.textOrTexts("dsn", func() { c.Watch = nil }, func(text string) error {
			if _, err := wp.ParseWatcher(text); err != nil {
				return errors.New("must be user:password@unix(/path/mysqld.sock)/ or user:password@tcp(host:3306)/")
			}
			c.Watch = append(c.Watch, Secret(text))
			return nil
		})
	})
	t.top = slices.Clone(t.known)

	base := DefaultSite().clone()
	if d := t.sub("defaults"); d != nil {
		base.lay(d, t.problems, dir)
	}
	for i, e := range t.subs("site") {
		c.Sites = append(c.Sites, decodeSite(e, i, base.clone(), dir))
	}
	var sections []*discovery
	for i, e := range t.subs("discover") {
		e.section = fmt.Sprintf("discover number %d", i+1)
		sections = append(sections, c.discover(e, base, dir))
	}
	if len(sections) > 0 {
		c.addFound(sections)
	}
	t.finish()
}

// decodeSite reads the keys of a [[site]] into s, which has the values of the defaults.
func decodeSite(t *table, i int, s Site, dir string) Site {
	s.line, t.written = t.lines.line(t.path), s.written
	t.section = fmt.Sprintf("site number %d", i+1)
	if name, ok := t.values["name"].(string); ok {
		t.section = fmt.Sprintf("site %q", name)
	}
	// a wrong value must not also be reported as missing
	named, found := t.holds("name"), t.holds("wp_config", "dsn", "dsn_file")
	s.decode(t, dir)
	t.finish()
	if s.Name == "" && !named {
		t.fail("name", nil, "every site needs a name")
	}
	if s.WPConfig == "" && s.DSN == "" && !found {
		t.fail("wp_config", nil, "a site needs wp_config or dsn, to find its database")
	}
	return s
}

// stateDirectory returns the first folder that systemd made for the service (StateDirectory=), "" if there is none.
func stateDirectory() string {
	dir, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// validate checks rules about several keys or sections.
func (c *Config) validate(t *table) {
	c.Warnings = append(c.Warnings, c.Listening.validate(t)...)
	if len(c.Sites) == 0 && len(t.found) == 0 && len(c.Searches) == 0 {
		t.fail("", nil, "there is no site: add a [[site]] or a [[discover]]")
	}
	add := func(s *Site, key, format string, args ...any) {
		t.found = append(t.found, problem{Line: s.line, Section: fmt.Sprintf("site %q", s.Name), Key: key, Message: fmt.Sprintf(format, args...)})
	}
	named, claimed := map[string]int{}, map[Host][]int{}
	for i, s := range c.Sites {
		if first, found := named[s.Name]; !found {
			named[s.Name] = i
		} else if s.Name != "" {
			add(&s, "name", "the site in line %d has the same name", c.Sites[first].line)
		}
		told := map[int]bool{}
		for _, h := range s.HostNames() {
			near := func(other int) bool { return !s.apart(c.Sites[other]) }
			if at := slices.IndexFunc(claimed[h], near); at >= 0 && !told[claimed[h][at]] {
				other := claimed[h][at]
				told[other] = true
				add(&s, "hosts", "host %s already belongs to site %q in line %d", h, c.Sites[other].Name, c.Sites[other].line)
			}
		}
		for _, h := range s.HostNames() {
			claimed[h] = append(claimed[h], i)
		}
	}
}

// apart reports whether two sites may share a host, because the configuration gives them different paths.
func (s *Site) apart(other Site) bool { return !strings.EqualFold(s.Home.Path(), other.Home.Path()) }

// HostNames returns the hosts that the configuration names for a site: hosts, else the host of home.
func (s *Site) HostNames() []Host {
	if s.Hosts == nil && s.Home != "" {
		return []Host{Host(s.Home.host())}
	}
	return s.Hosts
}

func absolute(path, dir string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
