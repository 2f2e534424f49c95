package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"wpsitemapd/server/report"
)

func helpCommand(others []*command) *command {
	h := &command{
		name:     "help",
		synopsis: "[COMMAND]",
		summary:  "this overview, or the manual of a command",
		about:    "Prints the commands there are, or what --help prints for one of them.",
		example:  "wpsitemapd help export",
		args:     true,
		among:    names(others),
	}
	all := append(others[:len(others):len(others)], h)
	h.run = func(_ context.Context, p *program, args []string) error {
		switch len(args) {
		case 0:
			printOverview(p.stdout, all)
			return nil
		case 1:
			c := find(all, args[0])
			if c == nil {
				return usagef("there is no command %q; see wpsitemapd help", args[0])
			}
			c.printHelp(p.stdout)
			return nil
		}
		return usagef("there is an argument too many: %q", args[1])
	}
	return h
}

const (
	purpose  = "serves the XML sitemaps of WordPress sites straight from their databases"
	defaults = "Without a command, serve runs. wpsitemapd COMMAND --help is the manual of a command."
)

// exitCodes are the meanings of the codes done, trouble and misuse.
var exitCodes = []string{"done", "trouble found", "wrong usage or configuration"}

func printOverview(w io.Writer, all []*command) {
	fmt.Fprintf(w, "wpsitemapd %s.\n\nCommands:\n", purpose)
	var rows [][]string
	for _, c := range all {
		rows = append(rows, []string{c.name, c.summary})
	}
	report.Table(w, "  ", rows)
	fmt.Fprintf(w, "\n%s\n\nExit codes:\n", defaults)
	for code, meaning := range exitCodes {
		fmt.Fprintf(w, "  %d  %s\n", code, meaning)
	}
}

// printHelp prints the manual of a command.
func (c *command) printHelp(w io.Writer) {
	fmt.Fprintf(w, "wpsitemapd %s - %s\n\nUsage:\n", c.name, c.summary)
	report.Hanging(w, "  ", "wpsitemapd "+c.name+" "+c.synopsis)
	fmt.Fprintln(w)
	for i, paragraph := range strings.Split(c.about, "\n\n") {
		if i > 0 {
			fmt.Fprintln(w)
		}
		items := strings.Split(paragraph, "\n- ")
		report.Hanging(w, "", items[0])
		for _, item := range items[1:] {
			report.Hanging(w, "- ", item)
		}
	}
	if len(c.flags) > 0 {
		fmt.Fprint(w, "\nFlags, each with its environment variable; the command line wins:\n")
	}
	for _, o := range c.flags {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace("--"+o.name+" "+o.value))
		report.Hanging(w, "      ", o.text())
	}
	fmt.Fprintf(w, "\nExit codes:\n  %d  %s\n", done, exitCodes[done])
	if c.exits != "" {
		report.Hanging(w, fmt.Sprintf("  %d  ", trouble), c.exits)
	}
	fmt.Fprintf(w, "  %d  %s\n", misuse, exitCodes[misuse])
	fmt.Fprintf(w, "\nExample:\n  %s\n", c.example)
}

// text returns the help of a flag, with its default and its environment variable.
func (o option) text() string {
	text := o.help
	if o.initial != "" {
		text += " Default: " + o.initial + "."
	}
	if o.env != "" {
		text += " Environment: " + o.env + "."
	}
	return text
}
