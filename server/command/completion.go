package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// shells maps each shell to a script. The script runs wpsitemapd to get the possible words: one a line, with its
// meaning after a tab. The answer ":files" means that the word is the name of a file.
var shells = map[string]string{
	"bash": `# Completion of wpsitemapd for bash, written by "wpsitemapd completion bash".
_wpsitemapd() {
	mapfile -t COMPREPLY < <(wpsitemapd completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
	if [[ ${COMPREPLY[0]-} == :files ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
	fi
}
complete -F _wpsitemapd wpsitemapd
`,
	"zsh": `#compdef wpsitemapd
# Written by "wpsitemapd completion zsh".
local -a lines
lines=("${(@f)$(wpsitemapd completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ $lines[1] == :files ]]; then
	_files
elif [[ -n $lines[1] ]]; then
	lines=("${(@)lines//:/\\:}")
	lines=("${(@)lines/$'\t'/:}")
	_describe wpsitemapd lines
fi
`,
	"fish": `# Completion of wpsitemapd for fish, written by "wpsitemapd completion fish".
function __wpsitemapd
	set -l words (commandline -opc) (commandline -ct)
	set -l lines (wpsitemapd completion words -- $words[2..] 2>/dev/null)
	if test "$lines[1]" = :files
		__fish_complete_path (commandline -ct)
	else
		printf '%s\n' $lines
	end
end
complete -c wpsitemapd -f -a '(__wpsitemapd)'
`,
}

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
			if len(args) > 1 && args[0] == "words" {
				return complete(p.stdout, args[1:])
			}
			if len(args) != 1 || shells[args[0]] == "" {
				return usagef("name one shell: bash, zsh or fish")
			}
			_, err := io.WriteString(p.stdout, shells[args[0]])
			return err
		},
	}
}

// complete prints the words that the last word of a command line may become.
func complete(w io.Writer, words []string) error {
	all, last := commands(), words[len(words)-1]
	offer := func(word, meaning string) {
		if strings.HasPrefix(word, last) {
			fmt.Fprintf(w, "%s\t%s\n", word, meaning)
		}
	}
	c := find(all, words[0])
	switch {
	case len(words) == 1:
		for _, c := range all {
			offer(c.name, c.summary)
		}
		return nil
	case c == nil:
		return nil
	}
	for _, o := range c.flags {
		if o.value == "" || "--"+o.name != words[len(words)-2] {
			continue
		}
		if o.value == "FILE" || o.value == "FOLDER" || o.value == "DIR" {
			fmt.Fprintln(w, ":files")
		}
		return nil
	}
	for _, word := range c.among {
		offer(word, "")
	}
	for _, o := range c.flags {
		first, _, _ := strings.Cut(o.help, ". ")
		offer("--"+o.name, strings.TrimSuffix(first, "."))
	}
	offer("--help", "Print the manual of this command")
	return nil
}

func names(all []*command) []string {
	var list []string
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}
