// Package config turns the text of a configuration into a value that is valid and has every default filled in.
//
// Load reads a file, and Parse a text. What is wrong comes back as one *Error, with every problem and its line. The
// package opens no database and no socket.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"wpsitemapd/server/config/lines"
	"wpsitemapd/server/discover"
	"wpsitemapd/server/indexnow"
	"wpsitemapd/server/stores"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/registry"
)

// Config is a whole configuration, validated and with every default filled in.
type Config struct {
	Listening
	State          string // folder for last good copies; "" keeps them in memory only, or in Redis
	StateAddress   Secret // address of a server that holds them in place of a folder; "" for none
	StateSize      Size   // of that folder
	CacheSize      Size   // of the copies in memory, of all sites together
	Log            string // "text" or "json"
	LogLevel       slog.Level
	AccessLog      bool   // a line for each request, at level info
	VerifyCrawlers bool   // by the DNS
	Sites          []Site // those of [[site]] first, then those found by [[discover]]

	Warnings  []string // what an operator should know although it is no mistake
	Unmatched []string // the warnings about patterns that match nothing

	Searches []*discover.Search // of [[discover]]
	partial  []*discover.Search // those that ended early
}

// Site is one [[site]]: a WordPress database, which may be a whole network.
type Site struct {
	Name            string
	WPConfig        string // absolute
	DSN             Secret
	Replicas        []Secret // the same database elsewhere, for when DSN does not answer
	DSNFile         string   // absolute path of the file that DSN was read from; "" when the configuration holds it
	TablePrefix     string
	Upstream        Upstream
	UpstreamCA      string        // PEM of the authorities behind an https upstream; "": those of the system
	UpstreamCAFile  string        // absolute path of the file that it was read from
	UpstreamTimeout time.Duration // for the header of its answer; 0: none
	Hosts           []Host        // nil: as the database says
	Home            Home
	Sitemaps        string // whose, one of sitemap.Choices
	Compat          string // "spec" or "plugin"
	PageSize        int    // objects a file; 0: the plugin's own number
	Stylesheet      string // "css", "xsl" or "none"
	Hreflang        bool   // translations are listed at level spec
	HTML            bool   // every sitemap has a page for people, too
	Formats         Formats
	Hints           seo.Hints
	Brotli          bool   // pages are kept in this encoding, too
	Warm            bool   // every page is made once ahead of time
	CacheControl    string // of sitemaps; "" sends none
	Refresh         time.Duration
	Collapse        float64       // share of its addresses a site may lose at once; 0: all
	Confirm         time.Duration // how long a greater loss must last before it counts
	Overrides       registry.Overrides
	Exclude         Exclude
	News            seo.News
	Video           seo.Video
	IndexNow        indexnow.Options

	Within  string   // folder of an install that [[discover]] found; "" for a [[site]]
	DBHosts []string // database servers that the wp-config.php of such an install may name, beside this machine's own

	line        int
	written     map[string]writing // keys that the configuration sets
	Fingerprint string             // of wp-config.php: another content is another site
	hidden      []string           // environment variables that no wp-config.php may read
}

// Formats is [site.formats]: the forms that sitemaps have beside XML.
type Formats struct {
	Gzip bool // every sitemap compressed, at its own address with .gz behind
	Text bool // all addresses, /sitemap.txt
	Atom bool // the latest changes, /sitemap.atom
	RSS  bool // the same, /sitemap.rss
}

// Exclude is [site.exclude].
type Exclude struct {
	PostIDs, TermIDs, UserIDs []int64
	URLs                      []Pattern
}

// The bounds of numbers and durations.
const (
	maxPageSize = 50000 // sitemaps protocol
	minRefresh  = time.Second
	maxRefresh  = 24 * time.Hour

	minStateSize = 1 << 20
	minCacheSize = 1 << 20
	minConfirm   = time.Second
	maxConfirm   = 24 * time.Hour
)

// Default and DefaultSite are the values that decoding starts from.
func Default() Config {
	return Config{
		Listening:      DefaultListening(),
		StateSize:      1 << 30,
		CacheSize:      64 << 20,
		Log:            "text",
		LogLevel:       slog.LevelInfo,
		VerifyCrawlers: true,
	}
}

func DefaultSite() Site {
	return Site{
		UpstreamTimeout: 10 * time.Minute,
		Sitemaps:        sitemap.Auto,
		Compat:          string(seo.SpecLevel),
		Stylesheet:      "css",
		Hreflang:        true,
		HTML:            true,
		Warm:            true,
		Formats:         Formats{Gzip: true},
		CacheControl:    "max-age=0, must-revalidate",
		Refresh:         30 * time.Second,
		Collapse:        0.5,
		Confirm:         10 * time.Minute,
		IndexNow:        indexnow.Options{Endpoint: indexnow.DefaultEndpoint, Rate: 1000},
	}
}

// Load reads, decodes and validates a file. What is wrong comes back as one
// *Error with every problem in it.
func Load(path string) (*Config, error) { return load(path, false) }

// LoadAlone validates a file by itself: no other file is read, no pattern is matched, and a key with a variable that is
// not set counts as valid and is left out.
func LoadAlone(path string) (*Config, error) { return load(path, true) }

func load(path string, alone bool) (*Config, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return parse(text, path, filepath.Dir(abs), alone)
}

// Parse decodes the text of a configuration. Errors name its file, name; relative paths in it begin at dir.
func Parse(text, name, dir string) (*Config, error) { return parse(text, name, dir, false) }

func parse(text, name, dir string, alone bool) (*Config, error) {
	if len(text) > maxConfig {
		return nil, &Error{name, []Problem{{Message: fmt.Sprintf("is larger than %v, which no configuration has to be", Size(maxConfig))}}}
	}
	if line, why := lines.Beyond(text); why != "" {
		return nil, &Error{name, []Problem{{Line: line, Message: why}}}
	}
	values := map[string]any{}
	if _, err := toml.Decode(text, &values); err != nil {
		p := Problem{Message: err.Error()}
		if syntax, ok := errors.AsType[toml.ParseError](err); ok {
			p = Problem{Line: syntax.Position.Line, Message: "not valid TOML: " + syntax.Message}
		}
		return nil, &Error{name, []Problem{p}}
	}
	c := Default()
	top := &table{problems: &problems{lines: lines.Of(text), alone: alone}, values: values}
	c.decode(top, dir)
	c.validate(top.problems)
	c.hide(text)
	for i := range c.Sites {
		if !alone {
			c.Sites[i].Fingerprint = Fingerprint(c.Sites[i].WPConfig)
		}
	}
	if len(top.found) > 0 {
		slices.SortStableFunc(top.found, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &Error{name, top.found}
	}
	if top.inline {
		top.noteFile(name)
	}
	c.Warnings = append(c.Warnings, top.warnings...)
	return &c, nil
}

func (c *Config) decode(t *table, dir string) {
	c.Listening.decode(t, dir)
	c.decodeState(t, dir)
	t.text("state_size", &c.StateSize)
	if c.StateSize < minStateSize {
		t.fail("state_size", c.StateSize.String(), "must be at least %v", Size(minStateSize))
	}
	t.text("cache_size", &c.CacheSize)
	if c.CacheSize < minCacheSize {
		t.fail("cache_size", c.CacheSize.String(), "must be at least %v", Size(minCacheSize))
	}
	t.oneOf("log", &c.Log, "text", "json")
	t.flag("verify_crawlers", &c.VerifyCrawlers)
	level := ""
	t.oneOf("log_level", &level, "debug", "info", "warn", "error")
	if level != "" {
		_ = c.LogLevel.UnmarshalText([]byte(level)) // one of four words it knows
	}
	t.flag("access_log", &c.AccessLog)
	if c.AccessLog && c.LogLevel > slog.LevelInfo {
		t.fail("access_log", true, "its lines are of level info, which log_level = %q leaves out", level)
	}

	base := DefaultSite().clone()
	if d := t.sub("defaults"); d != nil {
		d.section = "defaults"
		base.written = d.collect(nil)
		base.decode(d, dir)
		d.finish()
	}
	for i, e := range t.subs("site") {
		site := base.clone()
		site.line, site.written = t.lines.Line(e.path), e.collect(base.written)
		e.section = fmt.Sprintf("site number %d", i+1)
		if name, ok := e.values["name"].(string); ok {
			e.section = fmt.Sprintf("site %q", name)
		}
		// a value with a mistake is not reported as missing, too
		named, found := e.holds("name"), e.holds("wp_config", "dsn", "dsn_file")
		site.decode(e, dir)
		e.finish()
		if site.Name == "" && !named {
			e.fail("name", nil, "every site needs a name")
		}
		if site.WPConfig == "" && site.DSN == "" && !found {
			e.fail("wp_config", nil, "a site needs wp_config or dsn, to find its database")
		}
		c.Sites = append(c.Sites, site)
	}
	for i, e := range t.subs("discover") {
		e.section = fmt.Sprintf("discover number %d", i+1)
		c.discover(e, base, dir)
	}
	t.finish()
}

// decodeState reads where copies are kept, a folder or the address of a server.
func (c *Config) decodeState(t *table, dir string) {
	switch t.values["state"].(type) {
	case nil:
		t.take("state")
		c.State = stateDirectory()
		return
	case bool, int64, float64: // a mistake that holds no password
		t.string("state", &c.State)
		return
	}
	var where Secret
	t.secret("state", &where)
	if !stores.IsAddress(where.Reveal()) {
		c.State = absolute(where.Reveal(), dir)
		return
	}
	if err := stores.Check(where.Reveal()); err != nil {
		t.fail("state", where, "%v", err)
		return
	}
	c.StateAddress = where
}

// StateLocation is where copies are kept, the folder or the address; "" for memory only.
func (c *Config) StateLocation() string { return cmp.Or(c.StateAddress.Reveal(), c.State) }

// stateDirectory is the folder that systemd has made for the service (StateDirectory=), the first if there
// are several; "" where there is none.
func stateDirectory() string {
	dir, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

func (s *Site) decode(t *table, dir string) {
	t.string("name", &s.Name)
	if s.Name != "" && !nameForm.MatchString(s.Name) {
		t.fail("name", s.Name, "must be letters, digits and . _ - only: it names folders and metrics")
	}
	t.string("wp_config", &s.WPConfig)
	s.WPConfig = absolute(s.WPConfig, dir)
	s.decodeDSN(t, dir)
	t.string("table_prefix", &s.TablePrefix)
	if !prefixForm.MatchString(s.TablePrefix) {
		t.fail("table_prefix", s.TablePrefix, "a prefix has letters, digits and _ only")
		s.TablePrefix = "" // one message, not one more for every site
	}
	s.decodeUpstream(t, dir)
	if l, ok := t.values["hosts"].([]any); ok && len(l) == 0 {
		t.fail("hosts", nil, "must not be empty: leave the key out to take the hosts from the database")
	}
	if l, ok := t.values["hosts"].([]any); ok && len(l) > maxHosts {
		t.fail("hosts", nil, "names %d hosts, %d at most: leave the key out to take the hosts from the database", len(l), maxHosts)
		delete(t.values, "hosts")
	}
	t.texts("hosts", func() { s.Hosts = []Host{} }, func(text string) error {
		var h Host
		err := h.UnmarshalText([]byte(text))
		if err == nil && !slices.Contains(s.Hosts, h) {
			s.Hosts = append(s.Hosts, h)
		}
		return err
	})
	t.text("home", &s.Home)
	t.oneOf("sitemaps", &s.Sitemaps, sitemap.Choices()...)
	t.oneOf("compat", &s.Compat, string(seo.SpecLevel), string(seo.PluginLevel))
	t.integer("page_size", &s.PageSize, 1, maxPageSize)
	t.oneOf("stylesheet", &s.Stylesheet, "css", "xsl", "none")
	t.flag("hreflang", &s.Hreflang)
	t.flag("html", &s.HTML)
	if !s.sets("html") {
		s.HTML = s.Compat == string(seo.SpecLevel)
	}
	if e := t.sub("formats"); e != nil {
		e.section += " [formats]"
		e.flag("gz", &s.Formats.Gzip)
		e.flag("txt", &s.Formats.Text)
		e.flag("atom", &s.Formats.Atom)
		e.flag("rss", &s.Formats.RSS)
		e.finish()
	}
	if !s.sets("formats.gz") {
		s.Formats.Gzip = s.Compat == string(seo.SpecLevel)
	}
	t.flag("brotli", &s.Brotli)
	t.flag("warm", &s.Warm)
	t.string("cache_control", &s.CacheControl)
	if !cacheControlForm.MatchString(s.CacheControl) {
		t.fail("cache_control", s.CacheControl, "must be the value of the header, such as \"max-age=300\", or empty")
		s.CacheControl = ""
	}
	t.duration("refresh", &s.Refresh, minRefresh, maxRefresh)
	t.share("collapse", &s.Collapse)
	t.duration("collapse_wait", &s.Confirm, minConfirm, maxConfirm)
	t.each("post_type", func(e *table, name string) {
		hints := s.Hints.PostTypes[name]
		s.Overrides.PostTypes[name] = decodePostType(e, name, s.Overrides.PostTypes[name], &hints)
		s.Hints.PostTypes[name] = hints
	})
	t.each("taxonomy", func(e *table, name string) {
		hints := s.Hints.Taxonomies[name]
		s.Overrides.Taxonomies[name] = decodeTaxonomy(e, name, s.Overrides.Taxonomies[name], &hints)
		s.Hints.Taxonomies[name] = hints
	})
	if e := t.sub("author"); e != nil {
		e.section += " [author]"
		decodeHints(e, &s.Hints.Authors)
		e.finish()
	}
	if e := t.sub("exclude"); e != nil {
		s.Exclude.decode(e)
	}
	if e := t.sub("news"); e != nil {
		decodeNews(e, &s.News)
	}
	if e := t.sub("video"); e != nil {
		decodeVideo(e, &s.Video)
	}
	if e := t.sub("indexnow"); e != nil {
		s.decodeIndexNow(e)
	}
}

// maxSecret is how much of a dsn_file is read, in bytes.
const maxSecret = 64 << 10

// mostReplicas is how many databases a site may name.
const mostReplicas = 8

// decodeDSN reads dsn, a text or a list of them, or dsn_file and the file it names, which
// holds one in each line.
func (s *Site) decodeDSN(t *table, dir string) {
	_, inline := t.values["dsn"]
	if inline {
		s.DSNFile = "" // the one of the defaults
	}
	if dsns, ok := t.secrets("dsn"); ok {
		s.setDSN(t, "dsn", dsns, dir)
	}
	if _, given := t.values["dsn_file"]; given && inline {
		t.fail("dsn_file", nil, "is set beside dsn: one of them is enough")
	}
	path, text, ok := t.file("dsn_file", dir, "the value of dsn")
	if path != "" {
		s.DSNFile = absolute(path, dir)
	}
	if !ok {
		return
	}
	var dsns []Secret
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			dsns = append(dsns, Secret(line))
		}
	}
	t.noteFile(s.DSNFile)
	s.setDSN(t, "dsn_file", dsns, dir)
}

// setDSN checks and sets the databases of a site: the first and its replicas.
func (s *Site) setDSN(t *table, key string, dsns []Secret, dir string) {
	if len(dsns) > mostReplicas {
		t.fail(key, nil, "names %d databases, %d at most", len(dsns), mostReplicas)
		return
	}
	for i, d := range dsns {
		dsn := d.Reveal()
		switch {
		case strings.HasPrefix(dsn, "sqlite:"):
			dsns[i] = Secret("sqlite:" + absolute(strings.TrimPrefix(dsn, "sqlite:"), dir))
		case dsn == "" && len(dsns) == 1: // "" is no dsn
		case !strings.Contains(dsn, "/"):
			t.fail(key, d, "must be user:password@unix(/path/mysqld.sock)/database, user:password@tcp(host:3306)/database or sqlite:/path/.ht.sqlite")
		case slices.Contains(dsns[:i], d):
			t.fail(key, d, "names the same database twice")
		}
	}
	s.DSN, s.Replicas = "", nil
	if len(dsns) > 0 {
		s.DSN, s.Replicas = dsns[0], slices.Clip(dsns[1:])
	}
}

// readSecret returns the content of a file without the space around it.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	var text []byte
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, maxSecret))
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the message names the path as it was written
	}
	return strings.TrimSpace(string(text)), withHint(err)
}

var (
	nameForm   = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,99}$`)
	prefixForm = regexp.MustCompile(`^[A-Za-z0-9_]*$`)

	// sanitize_key() and the length register_post_type() accepts
	postTypeForm = regexp.MustCompile(`^[a-z0-9_-]{1,20}$`)
)

// cacheControlForm is Cache-Control by RFC 9111, 5.2: names, some with a value.
var cacheControlForm = regexp.MustCompile(`^(?:(?:^|[ \t]*,[ \t]*)[A-Za-z][A-Za-z0-9-]*(?:=(?:[A-Za-z0-9-]+|"[ !#-\[\]-~]*"))?)*$`)

// decodeHints reads what the protocol lets a site say about the entries of a type.
func decodeHints(t *table, h *urlset.Hints) {
	t.oneOf("changefreq", &h.ChangeFreq, urlset.ChangeFreqs...)
	n, ok := t.number("priority", func(n float64) bool { return 0 <= n && n <= 1 }, "must be a number from 0.0 to 1.0")
	if !ok {
		return
	}
	h.Priority = strconv.FormatFloat(n, 'f', -1, 64)
	if !strings.Contains(h.Priority, ".") {
		h.Priority += ".0"
	}
}

func decodePostType(t *table, name string, o registry.PostTypeOverride, h *urlset.Hints) registry.PostTypeOverride {
	t.section += " [post_type." + name + "]"
	if !postTypeForm.MatchString(name) {
		t.fail("", nil, "%q cannot be a post type: lower-case letters, digits, _ and -, at most 20", name)
	}
	t.boolean("public", &o.Public)
	t.boolean("viewable", &o.Viewable)
	t.boolean("hierarchical", &o.Hierarchical)
	t.boolean("exclude", &o.Exclude)
	t.optional("slug", &o.Slug)
	t.boolean("with_front", &o.WithFront)
	if v, ok := t.take("archive"); ok {
		o.Archive, o.ArchiveSlug = nil, nil
		switch v := v.(type) {
		case bool:
			o.Archive = &v
		case string:
			if v == "" {
				t.fail("archive", v, "must be true, false or a slug")
			}
			o.ArchiveSlug = &v
		default:
			t.fail("archive", v, "must be true, false or a slug")
		}
	}
	t.optional("query_var", &o.QueryVar)
	decodeHints(t, h)
	t.finish()
	return o
}

func decodeTaxonomy(t *table, name string, o registry.TaxonomyOverride, h *urlset.Hints) registry.TaxonomyOverride {
	t.section += " [taxonomy." + name + "]"
	if name == "" || len(name) > 32 { // what register_taxonomy() accepts
		t.fail("", nil, "%q cannot be a taxonomy: its name has 1 to 32 bytes", name)
	}
	t.boolean("public", &o.Public)
	t.boolean("hierarchical", &o.Hierarchical)
	t.boolean("exclude", &o.Exclude)
	t.optional("slug", &o.Slug)
	t.boolean("with_front", &o.WithFront)
	t.texts("object_types", func() { o.ObjectTypes = []string{} }, func(name string) error {
		if !postTypeForm.MatchString(name) {
			return errors.New("must hold names of post types")
		}
		o.ObjectTypes = append(o.ObjectTypes, name)
		return nil
	})
	t.optional("query_var", &o.QueryVar)
	decodeHints(t, h)
	t.finish()
	return o
}

// optional reads a text that may be given empty on purpose.
func (t *table) optional(key string, dst **string) {
	var s string
	if _, given := t.values[key]; given {
		t.string(key, &s)
		*dst = &s
	} else {
		t.take(key)
	}
}

func (e *Exclude) decode(t *table) {
	t.section += " [exclude]"
	t.ids("post_ids", &e.PostIDs)
	t.ids("term_ids", &e.TermIDs)
	t.ids("user_ids", &e.UserIDs)
	t.texts("urls", func() { e.URLs = []Pattern{} }, func(text string) error {
		var p Pattern
		err := p.UnmarshalText([]byte(text))
		if err == nil {
			e.URLs = append(e.URLs, p)
		}
		return err
	})
	t.finish()
}

// clone copies a site so that a table decoded over it leaves the original alone.
func (s Site) clone() Site {
	s.Hints.PostTypes, s.Hints.Taxonomies = maps.Clone(s.Hints.PostTypes), maps.Clone(s.Hints.Taxonomies)
	if s.Hints.PostTypes == nil {
		s.Hints.PostTypes, s.Hints.Taxonomies = map[string]urlset.Hints{}, map[string]urlset.Hints{}
	}
	s.Overrides.PostTypes = maps.Clone(s.Overrides.PostTypes)
	s.Overrides.Taxonomies = maps.Clone(s.Overrides.Taxonomies)
	if s.Overrides.PostTypes == nil {
		s.Overrides.PostTypes = map[string]registry.PostTypeOverride{}
	}
	if s.Overrides.Taxonomies == nil {
		s.Overrides.Taxonomies = map[string]registry.TaxonomyOverride{}
	}
	return s
}

// validate checks what concerns more than one key or section.
func (c *Config) validate(p *problems) {
	add := func(line int, section, key, value, format string, args ...any) {
		p.found = append(p.found, Problem{Line: line, Section: section, Key: key, Value: value, Message: fmt.Sprintf(format, args...)})
	}
	c.Warnings = append(c.Warnings, c.Listening.validate(p)...)
	if len(c.Sites) == 0 && len(p.found) == 0 && len(c.Searches) == 0 {
		add(0, "", "", "", "there is no site: add a [[site]] or a [[discover]]")
	}
	named, claimed := map[string]int{}, map[Host][]int{}
	for i, s := range c.Sites {
		if len(p.found) >= maxFinding {
			return
		}
		section := fmt.Sprintf("site %q", s.Name)
		if first, found := named[s.Name]; !found {
			named[s.Name] = i
		} else if s.Name != "" {
			add(s.line, section, "name", "", "the site in line %d has the same name", c.Sites[first].line)
		}
		told := map[int]bool{}
		for _, h := range s.HostNames() {
			for _, other := range claimed[h] {
				if told[other] || s.apart(c.Sites[other]) {
					continue
				}
				told[other] = true
				add(s.line, section, "hosts", "", "host %s already belongs to site %q in line %d", h, c.Sites[other].Name, c.Sites[other].line)
			}
		}
		for _, h := range s.HostNames() {
			claimed[h] = append(claimed[h], i)
		}
	}
}

// apart reports whether the homes of two sites are different folders, which may share a host.
func (s *Site) apart(other Site) bool {
	return s.Home != "" && other.Home != "" && !strings.EqualFold(s.Home.Path(), other.Home.Path())
}

// HostNames are the hosts the configuration names for a site: hosts, else that of home.
func (s *Site) HostNames() []Host {
	if s.Hosts == nil && s.Home != "" {
		return []Host{Host(s.Home.Host())}
	}
	return s.Hosts
}

func absolute(path, dir string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
