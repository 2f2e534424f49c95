package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"wpsitemapd/server/metrics"
)

func manCommand() *command {
	return &command{
		name:    "man",
		summary: "prints the manual page",
		about: `Prints the manual page wpsitemapd(1): every command with its flags and their environment variables. The packages install
it. Without a package, man reads it from the file.`,
		example: "wpsitemapd man > wpsitemapd.1 && man -l wpsitemapd.1",
		run: func(_ context.Context, p *program, _ []string) error {
			printManual(p.stdout, commands(), metrics.CurrentBuild().Version)
			return nil
		},
	}
}

// roff is a text in a manual page. A hyphen of a flag has to stay one that can be copied.
func roff(text string) string {
	var b strings.Builder
	for i, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case i == 0 && (r == '.' || r == '\''):
			b.WriteString(`\&` + string(r))
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printManual prints all commands as a manual page of section 1.
func printManual(w io.Writer, all []*command, release string) {
	fmt.Fprintf(w, ".TH WPSITEMAPD 1 \"\" \"%s\" \"wpsitemapd\"\n.ad l\n.nh\n.SH NAME\nwpsitemapd \\- %s\n", roff("wpsitemapd "+release), roff(purpose))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B wpsitemapd\n.RI [ COMMAND ]\n.RI [ FLAGS ]\n.SH DESCRIPTION\nwpsitemapd %s.\n%s\n", roff(purpose), roff(defaults))
	io.WriteString(w, ".SH COMMANDS\n")
	for _, c := range all {
		c.printRoff(w)
	}
	io.WriteString(w, ".SH EXIT STATUS\n")
	for code, meaning := range exitCodes {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", code, meaning)
	}
	io.WriteString(w, `.SH FILES
.TP
.I /etc/wpsitemapd.toml
The configuration of the service. config.example.toml has every key.
.TP
.I /etc/wpsitemapd.dsn
The account of the database, which systemd hands to the service.
.TP
.I /var/lib/wpsitemapd
Pages that outlive the daemon.
`)
}

func (c *command) printRoff(w io.Writer) {
	fmt.Fprintf(w, ".SS %s\n.B wpsitemapd %s\n%s\n", roff("wpsitemapd "+c.name), c.name, roff(c.synopsis))
	for paragraph := range strings.SplitSeq(c.about, "\n\n") {
		fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
	}
	for _, o := range c.flags {
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff("--"+o.name+" "+o.value), roff(o.text()))
	}
	if c.exits != "" {
		fmt.Fprintf(w, ".PP\nExit status 1: %s.\n", roff(c.exits))
	}
	fmt.Fprintf(w, ".PP\nExample:\n.PP\n.nf\n.RS\n%s\n.RE\n.fi\n", roff(c.example))
}
