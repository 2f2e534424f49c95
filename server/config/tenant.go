package config

import (
	"os"
	"slices"
)

// Discovered reports whether [[discover]] has found the install, so that other people may have written its
// wp-config.php.
func (s *Site) Discovered() bool { return s.Within != "" }

// Environment looks up a variable for a site's wp-config.php. What the configuration uses by ${NAME} may be the
// password of another site or of the daemon.
func (s *Site) Environment(name string) (string, bool) {
	if s.Discovered() || slices.Contains(s.hidden, name) {
		return "", false
	}
	return os.LookupEnv(name)
}

// hide keeps the variables that the text of a configuration names from the wp-config.php of every site.
func (c *Config) hide(text string) {
	var names []string
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	for i := range c.Sites {
		if c.Sites[i].WPConfig != "" && !c.Sites[i].Discovered() {
			c.Sites[i].hidden = slices.Compact(names)
		}
	}
}
