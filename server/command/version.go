package command

import (
	"context"
	"fmt"
	"runtime"

	"wpsitemapd/server/metrics"
)

func versionCommand() *command {
	return &command{
		name:    "version",
		summary: "version, commit and Go version",
		about:   "Prints the version of the module, the commit it was built from, whether files were changed since, and the version of Go.",
		example: "wpsitemapd version",
		run: func(_ context.Context, p *program, _ []string) error {
			_, err := fmt.Fprintln(p.stdout, versionLine(metrics.CurrentBuild()))
			return err
		},
	}
}

func versionLine(b metrics.Build) string {
	changed := ""
	if b.Modified {
		changed = " with changes"
	}
	return fmt.Sprintf("wpsitemapd %s, commit %s%s, %s %s/%s", b.Version, b.Revision, changed, b.Go, runtime.GOOS, runtime.GOARCH)
}
