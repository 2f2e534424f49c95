package command

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command and every flag is in each completion and in the manual page.
func TestCompletionsAndManualAreWhole(t *testing.T) {
	for _, form := range [][]string{{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"man"}} {
		text := strings.ReplaceAll(printed(t, form...), `\-`, "-")
		for _, c := range commands() {
			if !strings.Contains(text, c.name) {
				t.Errorf("%v: no command %s", form, c.name)
			}
			for _, o := range c.flags {
				flag := "--" + o.name
				if form[len(form)-1] == "fish" {
					flag = "_from " + c.name + "' -l " + o.name
				}
				if !strings.Contains(text, flag) || form[0] == "man" && !strings.Contains(text, o.env) {
					t.Errorf("%v: no %s of %s", form, flag, c.name)
				}
			}
		}
	}
}

// TestCompletionInBash asks bash itself what it would offer.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "wpsitemapd")
	for path, text := range map[string]string{script: printed(t, "completion", "bash"), filepath.Join(dir, "a b.toml"): ""} {
		writeTo(t, path, text)
	}
	for _, test := range []struct{ typed, offered string }{
		{"wpsitemapd exp", "explain\nexport\n"},
		{"wpsitemapd check --si", "--site\n"},
		{"wpsitemapd check --config a", "a b.toml\n"},
		{"wpsitemapd check --site ", ""},
		{"wpsitemapd completion z", "zsh\n"},
		{"wpsitemapd help vers", "version\n"},
	} {
		words := strings.Split(test.typed, " ")
		ask := `compopt() { :; }; . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wpsitemapd; printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.Command(bash, append([]string{"-euc", ask, script}, words...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimPrefix(string(out), "\n"); err != nil || got != test.offered {
			t.Errorf("%s: %v, %q instead of %q", test.typed, err, got, test.offered)
		}
	}
}

// The manual page is one that groff finds nothing wrong with.
func TestManualInGroff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff")
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-rLL=100n")
	cmd.Stdin = strings.NewReader(printed(t, "man"))
	var warned bytes.Buffer
	cmd.Stderr = &warned
	out, err := cmd.Output()
	if err != nil || warned.Len() > 0 {
		t.Errorf("%v\n%s", err, warned.String())
	}
	if !strings.Contains(string(out), "WPSITEMAPD_CONFIG") {
		t.Errorf("no variable in\n%s", out)
	}
}
