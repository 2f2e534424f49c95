package command

import (
	"context"
	_ "embed"
	"io"
)

//go:embed wpsitemapd.1
var manual string

func manCommand() *command {
	return &command{
		name:    "man",
		summary: "prints the manual page",
		about: `Prints the manual page wpsitemapd(1): the commands, exit codes and files. The packages install it. If no package
has installed it, save it to a file and open that with man -l.`,
		example: "wpsitemapd man > wpsitemapd.1 && man -l wpsitemapd.1",
		run: func(_ context.Context, p *program, _ []string) error {
			_, err := io.WriteString(p.stdout, manual)
			return err
		},
	}
}
