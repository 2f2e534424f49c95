package config

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// variable matches ${NAME} and ${NAME:-default}, the escaped $${, and any other ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}|\$\{`)

// openEnded reports whether a value contains a variable that is not set.
func openEnded(v any) bool {
	return anyText(v, func(s string) bool {
		return slices.ContainsFunc(variable.FindAllStringSubmatch(s, -1), func(m []string) bool {
			_, set := os.LookupEnv(m[1])
			return m[1] != "" && !set
		})
	})
}

// anyText reports whether v is a text that fits, or a list with such a text.
func anyText(v any, fits func(text string) bool) bool {
	switch v := v.(type) {
	case string:
		return fits(v)
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return anyText(v, fits) })
	}
	return false
}

// expand replaces ${NAME} in a text by the variable of the environment. As in a shell, ${NAME:-default} is the default if the
// variable is not set or empty. expand returns false if it has reported a mistake.
func (t *table) expand(key string, v any) (any, bool) {
	text, ok := v.(string)
	if !ok {
		return v, true
	}
	out := variable.ReplaceAllStringFunc(t.named(text), func(match string) string {
		parts := variable.FindStringSubmatch(match)
		name := parts[1]
		other, optional := strings.CutPrefix(parts[2], ":-")
		value, set := os.LookupEnv(name)
		switch {
		case match == "$${":
			return "${"
		case optional && value == "":
			return other
		case name == "":
			t.fail(key, text, "${ must be the beginning of ${NAME} or ${NAME:-VALUE}. For a literal ${ write $${")
			ok = false
		case !set:
			t.fail(key, text, "the environment variable %s is not set: set it, or write ${%[1]s:-VALUE} for a default. For a literal ${ write $${", name)
			ok = false
		}
		return value
	})
	return out, ok
}

// named replaces {name} by the name of the install. It leaves the variable ${name} alone.
func (p *problems) named(text string) string {
	if p.name == "" {
		return text
	}
	return strings.NewReplacer("$"+ofName, "$"+ofName, ofName, p.name).Replace(text)
}

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

// hide hides the environment variables that text, the configuration, uses from the wp-config.php of configured sites. (A
// discovered site sees no variable at all.)
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
