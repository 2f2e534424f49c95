package seo

// Level says how closely sitemaps follow the plugin, whose output may have wrong dates and short pages.
type Level string

// The two levels. The empty Level means PluginLevel.
const (
	SpecLevel   Level = "spec"   // the plugin's decisions, with true dates and stable, full pages
	PluginLevel Level = "plugin" // exactly what the plugin emits
)
