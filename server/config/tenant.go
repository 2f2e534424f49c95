package config

import (
	"os"
	"slices"
)

// Discovered reports whether [[discover]] has found the install. Strangers may have written the wp-config.php of such an
// install.
func (s *Site) Discovered() bool { return s.Within != "" }

// Environment looks up a variable of the environment for a site's wp-config.php. A discovered site sees
// no variable. Other sites do not see the variables that the configuration uses, which may hold passwords.
func (s *Site) Environment(name string) (string, bool) {
	if s.Discovered() || slices.Contains(s.hidden, name) {
		return "", false
	}
	return os.LookupEnv(name)
}

// hide finds the environment variables that the configuration uses. The wp-config.php of a configured site then cannot read
// them. (A discovered site sees no variable at all.)
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
