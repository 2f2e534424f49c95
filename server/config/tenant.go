package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// tenantFolder is the folder of the install that a pattern of [[discover]] matched: the last one that a wildcard
// stands for, below which all belongs to the same people, else that of the file.
func tenantFolder(pattern, match string) string {
	patterns, parts := strings.Split(filepath.Dir(pattern), "/"), strings.Split(filepath.Dir(match), "/")
	for i := len(patterns) - 1; i > 0 && len(patterns) == len(parts); i-- {
		if strings.Contains(patterns[i], "**") {
			break // it stands for any number of folders
		}
		if strings.ContainsAny(patterns[i], `*?[`) {
			return strings.Join(parts[:i+1], "/")
		}
	}
	return filepath.Dir(match)
}
