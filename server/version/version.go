// Package version says what the program was built from.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// linked is set by the linker where a build cannot see the repository, as in the Dockerfile.
var linked string

// Unknown is the version of a program that was built outside a release.
const Unknown = "(devel)"

// Build is what a program was built from.
type Build struct {
	Version  string // of the release; Unknown where the build knows none
	Revision string // the commit; "unknown" where the build knows none
	Modified bool   // files were changed since
	Go       string
}

// Current is what this program was built from.
func Current() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return of(info)
}

func of(info *debug.BuildInfo) Build {
	b := Build{Version: cmp.Or(linked, info.Main.Version, Unknown), Revision: "unknown", Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
