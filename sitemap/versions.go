package sitemap

import (
	"strings"

	"wpsitemapd/wp"
)

// VersionText lists the installed versions for people. It marks each version that this release was not
// compared with.
func VersionText(installed []wp.Installed) string {
	texts := make([]string, len(installed))
	for i, v := range installed {
		texts[i] = v.String()
		if note := VersionNote(v); note != "" {
			texts[i] += " (" + note + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// VersionNote returns a remark about a version, or "". For an unknown version it says that the newest
// rules apply.
func VersionNote(v wp.Installed) string {
	p := PluginNamed(v.Name)
	switch {
	case v.Version == "":
		return "the newest rules apply"
	case p != nil && p.Compared[1].Before(v.Version):
		return "newer than what this release was compared with (" + string(p.Compared[1]) + ")"
	case p != nil && v.Version.Before(p.Compared[0]):
		return "older than what this release was compared with (" + string(p.Compared[0]) + ")"
	}
	return ""
}
