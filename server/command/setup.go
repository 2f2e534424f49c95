package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"wpsitemapd/server/config"
)

// DefaultConfig is the path of the configuration file for commands that are given none. Tests change it, because
// the machine may have such a file.
var DefaultConfig = "/etc/wpsitemapd.toml"

// errConfig marks a configuration that cannot be used although it contains no mistake, such as an unreadable file.
var errConfig = errors.New("configuration")

// setup is where a command gets its configuration from: a file, or flags that describe one install.
type setup struct {
	file                        string // "" is DefaultConfig
	wp, upstream, listen, admin string
}

// options returns the flags for a command that can work without a configuration file.
func (s *setup) options() []option {
	return []option{
		configOption(&s.file),
		textOption("wp", "FOLDER", "", "A WordPress install, its folder or wp-config.php, instead of a configuration.", &s.wp),
		textOption("upstream", "URL", "", "With --wp, the PHP site: http://host:port, https://host or unix:/path.", &s.upstream),
	}
}

func (s *setup) load() (*config.Config, error) {
	switch {
	case s.wp == "" && (s.upstream != "" || s.listen != "" || s.admin != ""):
		return nil, usagef("--upstream, --listen and --admin work only with --wp. With a configuration, set the keys of the same names there")
	case s.wp == "":
		return loadConfig(s.file)
	case s.file != "":
		return nil, usagef("--wp takes the place of a configuration: give it or --config, not both")
	}
	if _, err := os.Stat(s.wp); err != nil {
		return nil, usagef("--wp must be the folder of a WordPress install: %v", err)
	}
	return s.parse()
}

// reload reads the configuration again. before is the configuration in force.
func (s *setup) reload(before *config.Config) (*config.Config, error) {
	if s.wp != "" {
		return s.load()
	}
	return loadBy(func(path string) (*config.Config, error) { return config.LoadAfter(path, before) }, s.file)
}

// parse returns the configuration that the flags describe.
func (s *setup) parse() (*config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errConfig, err)
	}
	var text strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&text, "%s = %s\n", key, config.Quote(value))
		}
	}
	line("listen", s.listen)
	line("admin", s.admin)
	text.WriteString("[[site]]\n")
	line("name", s.name())
	line("wp_config", s.wp)
	line("upstream", s.upstream)
	return config.Parse(text.String(), "the flags as a configuration", dir)
}

var notOfName = regexp.MustCompile(`[^A-Za-z0-9._]`)

// name returns the name of the install's folder, reduced to letters, digits and . _ -
func (s *setup) name() string {
	folder, err := filepath.Abs(s.wp)
	if err != nil {
		folder = s.wp
	}
	folder = strings.TrimSuffix(folder, "/wp-config.php")
	name := strings.Trim(notOfName.ReplaceAllString(filepath.Base(folder), "-"), "-._")
	return cmp.Or(name[:min(len(name), 100)], "site")
}

// watched returns the path that the configuration comes from. If something changes there, the configuration may
// have changed.
func (s *setup) watched() string { return cmp.Or(s.wp, s.file, DefaultConfig) }

// loadConfig reads the configuration file at a path; "" means DefaultConfig.
func loadConfig(path string) (*config.Config, error) { return loadBy(config.Load, path) }

func loadBy(load func(string) (*config.Config, error), path string) (*config.Config, error) {
	path = cmp.Or(path, DefaultConfig)
	cfg, err := load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no configuration %s. Write it, run wpsitemapd init, or name another file by --config FILE or WPSITEMAPD_CONFIG. "+
			"The commands serve, check and grants take --wp FOLDER instead; demo needs no configuration", path)
	}
	if _, ok := errors.AsType[*config.Error](err); err != nil && !ok {
		return nil, fmt.Errorf("%w: %w", errConfig, err)
	}
	return cfg, err
}

// loadSites reads a configuration, and returns the site with a name, or all sites if name is "".
func loadSites(path, name string) ([]config.Site, error) {
	cfg, err := loadConfig(path)
	if err != nil {
		return nil, err
	}
	return chosen(cfg, name)
}

// chosen returns the site with a name, or all sites if name is "".
func chosen(cfg *config.Config, name string) ([]config.Site, error) {
	if name == "" {
		return cfg.Sites, nil
	}
	var names []string
	for i, s := range cfg.Sites {
		if s.Name == name {
			return cfg.Sites[i : i+1], nil
		}
		names = append(names, s.Name)
	}
	return nil, usagef("the configuration has no site %q. Its sites are %s", name, cmp.Or(strings.Join(names, ", "), "none"))
}
