package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// shells are the shells that can complete commands and flags.
var shells = map[string]func(w io.Writer, all []*command){"bash": completeBash, "zsh": completeZsh, "fish": completeFish}

func completionCommand() *command {
	return &command{
		name:     "completion",
		synopsis: "bash|zsh|fish",
		summary:  "prints what a shell needs to complete commands and flags",
		about: `Prints a script for bash, zsh or fish. The packages install all three. Without a package, write it where the shell looks:

for bash to /usr/share/bash-completion/completions/wpsitemapd, for zsh to /usr/local/share/zsh/site-functions/_wpsitemapd,
for fish to ~/.config/fish/completions/wpsitemapd.fish.`,
		example: "wpsitemapd completion bash > /usr/share/bash-completion/completions/wpsitemapd",
		args:    true,
		among:   []string{"bash", "zsh", "fish"},
		run: func(_ context.Context, p *program, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return usagef("name one shell: bash, zsh or fish")
			}
			shells[args[0]](p.stdout, commands())
			return nil
		},
	}
}

// isPath reports whether the value of a flag is a file or a folder.
func (o option) isPath() bool { return o.value == "FILE" || o.value == "FOLDER" || o.value == "DIR" }

// brief is the first sentence of a flag's help.
func (o option) brief() string {
	first, _, _ := strings.Cut(o.help, ". ")
	return strings.TrimSuffix(first, ".")
}

// quoted is a text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func names(all []*command) []string {
	var list []string
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}

const bashHead = `# Completion of wpsitemapd for bash, written by "wpsitemapd completion bash".
_wpsitemapd() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
	COMPREPLY=()
	case ${COMP_WORDS[1]}:$before in
`

const bashTail = `	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _wpsitemapd wpsitemapd
`

func completeBash(w io.Writer, all []*command) {
	io.WriteString(w, bashHead)
	for _, c := range all {
		for _, o := range c.flags {
			switch {
			case o.isPath():
				fmt.Fprintf(w, "\t%s:--%s) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n", c.name, o.name)
			case o.value != "":
				fmt.Fprintf(w, "\t%s:--%s) return ;;\n", c.name, o.name)
			}
		}
	}
	fmt.Fprintf(w, "\tesac\n\tcase $COMP_CWORD:${COMP_WORDS[1]} in\n\t1:*) words=%s ;;\n", quoted(strings.Join(names(all), " ")))
	for _, c := range all {
		words := append(c.among[:len(c.among):len(c.among)], "--help")
		for _, o := range c.flags {
			words = append(words, "--"+o.name)
		}
		fmt.Fprintf(w, "\t*:%s) words=%s ;;\n", c.name, quoted(strings.Join(words, " ")))
	}
	io.WriteString(w, bashTail)
}

// zshText is a text in a specification of zsh, where brackets and colons separate.
var zshText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)

func completeZsh(w io.Writer, all []*command) {
	io.WriteString(w, "#compdef wpsitemapd\n# Written by \"wpsitemapd completion zsh\".\nlocal -a commands\ncommands=(\n")
	for _, c := range all {
		fmt.Fprintf(w, "\t%s\n", quoted(c.name+":"+zshText.Replace(c.summary)))
	}
	io.WriteString(w, ")\nif (( CURRENT == 2 )); then\n\t_describe command commands\n\treturn\nfi\nshift words\n(( CURRENT-- ))\ncase $words[1] in\n")
	for _, c := range all {
		fmt.Fprintf(w, "%s)\n\t_arguments %s", c.name, quoted("--help[print the manual of this command]"))
		for _, o := range c.flags {
			spec := "--" + o.name + "[" + zshText.Replace(o.brief()) + "]"
			switch {
			case o.isPath():
				spec += ":" + o.value + ":_files"
			case o.value != "":
				spec += ":" + zshText.Replace(o.value) + ": "
			}
			fmt.Fprintf(w, " \\\n\t\t%s", quoted(spec))
		}
		if len(c.among) > 0 {
			fmt.Fprintf(w, " \\\n\t\t%s", quoted("1:"+c.name+":("+strings.Join(c.among, " ")+")"))
		}
		io.WriteString(w, "\n\t;;\n")
	}
	io.WriteString(w, "esac\n")
}

func completeFish(w io.Writer, all []*command) {
	io.WriteString(w, "# Completion of wpsitemapd for fish, written by \"wpsitemapd completion fish\".\ncomplete -c wpsitemapd -f\n")
	for _, c := range all {
		fmt.Fprintf(w, "complete -c wpsitemapd -n __fish_use_subcommand -a %s -d %s\n", c.name, fishText(c.summary))
		of := "complete -c wpsitemapd -n '__fish_seen_subcommand_from " + c.name + "'"
		for _, word := range c.among {
			fmt.Fprintf(w, "%s -a %s\n", of, word)
		}
		for _, o := range c.flags {
			follows := ""
			switch {
			case o.isPath():
				follows = " -r -F"
			case o.value != "":
				follows = " -x"
			}
			fmt.Fprintf(w, "%s -l %s%s -d %s\n", of, o.name, follows, fishText(o.brief()))
		}
	}
}

// fishText is a text as one word of fish, which knows two escapes between single quotes.
func fishText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
