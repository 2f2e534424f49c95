package sitemap

import "fmt"

// Compat names a level: what is followed where the plugin emits one thing and the truth is another.
type Compat string

// The two levels. The empty one is Plugin.
const (
	Spec   Compat = "spec"   // the plugin's decisions, with true dates and stable, full pages
	Plugin Compat = "plugin" // exactly what the plugin emits
)

// CompatByName returns the level of that name.
func CompatByName(name string) (Compat, error) {
	switch c := Compat(name); c {
	case Spec, Plugin:
		return c, nil
	}
	return "", fmt.Errorf("compat %q: must be \"spec\" or \"plugin\"", name)
}
