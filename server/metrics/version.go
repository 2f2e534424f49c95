package metrics

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// linked is the version of the program. The linker sets it if the build cannot see the repository, as in the Dockerfile. Else it
// is "".
var linked string

// UnknownVersion is the version of a program that was built outside a release.
const UnknownVersion = "(devel)"

// Build says what a program was built from.
type Build struct {
	Version  string // of the release; UnknownVersion if unknown
	Revision string // the commit; "unknown" if unknown
	Modified bool   // files were changed since the commit
	Go       string
}

// CurrentBuild returns what this program was built from.
func CurrentBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: cmp.Or(linked, info.Main.Version, UnknownVersion), Revision: "unknown", Go: info.GoVersion}
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
