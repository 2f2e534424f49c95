// Package command contains the commands of wpsitemapd. Each command reads its flags and environment, calls other
// packages, and returns an exit code. Run is the entry of the whole program, for main and for tests.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
)

// The exit codes.
const (
	done    = 0
	trouble = 1 // something was found or failed
	misuse  = 2 // wrong usage or configuration
)

// program is the environment of a command.
type program struct {
	env            func(string) string
	stdout, stderr io.Writer
}

// print writes the result of a command as text for people, or as JSON for programs.
func (p *program) print(found interface{ Text() string }, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(p.stdout, report.Printable(found.Text()))
		return err
	}
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(found)
}

// command is one command. Its flags store their values in variables before run is called.
type command struct {
	name     string
	synopsis string // what follows the name in the usage line
	summary  string // one line, for the overview
	about    string // paragraphs, for --help
	exits    string // the meaning of exit code 1; "": this command never returns 1
	example  string
	flags    []option
	args     bool     // run takes arguments beside flags
	among    []string // the allowed first arguments; nil: any
	run      func(ctx context.Context, p *program, args []string) error
}

// option is a flag with its environment variable. The variable is read before the flag, so that the flag wins.
type option struct {
	name    string
	value   string // the name of its value in the help; "": the flag is a switch
	env     string
	initial string // the default, for --help; "": none
	help    string
	set     func(string) error
}

// errUsage marks mistakes on the command line. errTrouble ends a command whose output has already said what is wrong.
var (
	errUsage   = errors.New("wrong usage")
	errTrouble = errors.New("trouble found")
)

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// atMostOne returns an error if more than one of the switches is on.
func atMostOne(names string, on ...bool) error {
	n := 0
	for _, is := range on {
		if is {
			n++
		}
	}
	if n > 1 {
		return usagef("give one of %s", names)
	}
	return nil
}

// commands returns all commands in the order of the overview. Each call makes new ones, because commands contain the
// values of their flags.
func commands() []*command {
	list := []*command{
		initCommand(),
		serveCommand(), checkCommand(), explainCommand(), leftOutCommand(),
		diffCommand(), exportCommand(), grantsCommand(), healthCommand(), demoCommand(), mcpCommand(), versionCommand(),
		completionCommand(), manCommand(),
	}
	return append(list, helpCommand(list))
}

// Run runs the program with the arguments after its name, and returns its exit code. It stops if ctx ends.
func Run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	p := &program{env: env, stdout: stdout, stderr: stderr}
	all := commands()
	name := "serve"
	switch {
	case len(args) > 0 && (args[0] == "--help" || args[0] == "-help" || args[0] == "-h"):
		name, args = "help", nil
	case len(args) > 0 && (args[0] == "--version" || args[0] == "-version"):
		name, args = "version", nil
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		name, args = args[0], args[1:]
	}
	c := find(all, name)
	if c == nil {
		fmt.Fprintf(stderr, "wpsitemapd: there is no command %q; see wpsitemapd help\n", name)
		return misuse
	}
	err := c.parseAndRun(ctx, p, args)
	if err == nil {
		return done
	}
	_, badConfig := errors.AsType[*config.Error](err)
	switch {
	case errors.Is(err, errTrouble):
		return trouble
	case badConfig, errors.Is(err, errConfig):
		fmt.Fprintln(stderr, report.Printable(err.Error()))
		return misuse
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "wpsitemapd %s: %s\nSee wpsitemapd %s --help.\n", c.name, strings.TrimPrefix(err.Error(), errUsage.Error()+": "), c.name)
		return misuse
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintf(stderr, "wpsitemapd %s: interrupted\n", c.name)
		return trouble
	}
	fmt.Fprintf(stderr, "wpsitemapd %s: %s\n", c.name, report.Printable(err.Error()))
	return trouble
}

func find(all []*command, name string) *command {
	for _, c := range all {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (c *command) parseAndRun(ctx context.Context, p *program, args []string) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, o := range c.flags {
		if v := p.env(o.env); o.env != "" && v != "" {
			if err := o.set(v); err != nil {
				return usagef("%s=%q: %v", o.env, v, err)
			}
		}
		if o.value == "" {
			fs.BoolFunc(o.name, "", o.set)
		} else {
			fs.Func(o.name, "", o.set)
		}
	}
	var others, literal []string // after -- no word is a flag
	if i := slices.Index(args, "--"); i >= 0 && c.args {
		args, literal = args[:i], args[i+1:]
	}
	err := fs.Parse(args)
	for c.args && err == nil && fs.NArg() > 0 { // flags may come after arguments
		others = append(others, fs.Arg(0))
		err = fs.Parse(fs.Args()[1:])
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.printHelp(p.stdout)
		return nil
	case err != nil:
		return usagef("%v", err)
	case fs.NArg() > 0 && !c.args:
		return usagef("there is an argument too many: %q", fs.Arg(0))
	}
	return c.run(ctx, p, append(others, literal...))
}

// These options belong to several commands.

// newOption returns a flag whose environment variable has the name of the flag.
func newOption(name, value, initial, help string, set func(string) error) option {
	return option{name, value, "WPSITEMAPD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")), initial, help, set}
}

// textOption returns a flag that accepts any text.
func textOption(name, value, initial, help string, dst *string) option {
	return newOption(name, value, initial, help, func(v string) error { *dst = v; return nil })
}

func configOption(path *string) option {
	return textOption("config", "FILE", DefaultConfig, "The configuration, in TOML. config.example.toml lists every key.", path)
}

func siteOption(name *string) option {
	return textOption("site", "NAME", "every site", "Only the site of this name in the configuration.", name)
}

func asOfOption(asOf *time.Time) option {
	return timeOption("as-of", "the clock", "A moment in RFC 3339, such as 2026-01-02T15:04:05Z, to use instead of the clock. For tests and audits.",
		asOf)
}

func timeOption(name, initial, help string, to *time.Time) option {
	return newOption(name, "TIME", initial, help, func(v string) error {
		t, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return errors.New("must be a time in RFC 3339, such as 2026-01-02T15:04:05Z")
		}
		*to = t
		return nil
	})
}

func switchOption(name, help string, on *bool) option {
	return newOption(name, "", "false", help, func(v string) error {
		if !slices.Contains([]string{"true", "1", "false", "0"}, v) {
			return errors.New("must be true or false")
		}
		*on = v == "true" || v == "1"
		return nil
	})
}

// quiet returns the log for commands that print a report of their own. It writes warnings and errors only.
func quiet(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		Level: slog.LevelWarn,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}
