package seo

// Level decides what is served if the plugin's output differs from the truth.
type Level string

// The two levels. The empty Level means PluginLevel.
const (
	SpecLevel   Level = "spec"   // the plugin's decisions, with true dates and stable, full pages
	PluginLevel Level = "plugin" // exactly what the plugin emits
)
