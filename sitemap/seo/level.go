package seo

// Level names a level: what is followed where the plugin emits one thing and the truth is another.
type Level string

// The two levels. The empty one is Plugin.
const (
	SpecLevel   Level = "spec"   // the plugin's decisions, with true dates and stable, full pages
	PluginLevel Level = "plugin" // exactly what the plugin emits
)
