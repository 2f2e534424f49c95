package command

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

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
	version, commit, changed := info.Main.Version, "unknown", ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return fmt.Sprintf("wpsitemapd %s, commit %s%s, %s %s/%s", version, commit, changed, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
