package command

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker where a build cannot see the repository, as in the Dockerfile.
var version string

// moduleVersion is the version of the program, "" where the build knows none.
func moduleVersion(info *debug.BuildInfo) string {
	if version == "" && info.Main.Version == "(devel)" {
		return ""
	}
	return cmp.Or(version, info.Main.Version)
}

func versionCommand() *command {
	return &command{
		name:    "version",
		summary: "version, commit and Go version",
		about:   "Prints the version of the module, the commit it was built from, whether files were changed since, and the version of Go.",
		example: "wpsitemapd version",
		run: func(_ context.Context, p *program, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{GoVersion: runtime.Version()}
			}
			_, err := fmt.Fprintln(p.stdout, versionLine(info))
			return err
		},
	}
}

func versionLine(info *debug.BuildInfo) string {
	commit, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return fmt.Sprintf("wpsitemapd %s, commit %s%s, %s %s/%s", cmp.Or(moduleVersion(info), "(devel)"),
		commit, changed, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
