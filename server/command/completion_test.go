package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// Completion offers every command and every flag. The manual page names every command and exit code.
func TestCompletionAndManualAreWhole(t *testing.T) {
	manual := strings.ReplaceAll(printed(t, "man"), `\-`, "-")
	names := printed(t, "completion", "words", "--", "")
	for _, c := range commands() {
		expect.Contains(t, manual, "\n.TP\n.B "+c.name+"\n"+c.summary+"\n")
		expect.Contains(t, names, c.name+"\t"+c.summary+"\n")
		flags := printed(t, "completion", "words", "--", c.name, "--")
		for _, o := range c.flags {
			if !strings.Contains(flags, "--"+o.name+"\t") {
				t.Errorf("no --%s of %s", o.name, c.name)
			}
		}
	}
	for code, meaning := range exitCodes {
		expect.Contains(t, manual, fmt.Sprintf("\n.B %d\n%s\n", code, meaning))
	}
}

// TestCompletionInBash asks bash which words it would offer.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	writeTo(t, filepath.Join(dir, "a b.toml"), "")
	for _, test := range []struct {
		typed   string
		answer  string // the answer of wpsitemapd completion words
		offered string
	}{
		{"exp", "explain\texplains why a URL is in the sitemaps or not\nexport\twrites every sitemap as a file\n", "explain\nexport\n"},
		{"check --si", "--site\tOnly the site of this name in the configuration\n", "--site\n"},
		{"check --config a", ":files\n", "a b.toml\n"},
		{"check --site ", "", "\n"},
		{"completion z", "zsh\t\n", "zsh\n"},
		{"help vers", "version\t\n", "version\n"},
		{"nothing --", "", "\n"},
	} {
		words := strings.Split(test.typed, " ")
		answer := printed(t, append([]string{"completion", "words", "--"}, words...)...)
		expect.Equal(t, answer, test.answer, test.typed)
		ask := printed(t, "completion", "bash") + `compopt() { :; }; wpsitemapd() { [ "$*" = "$ASKED" ] && printf '%s' "$ANSWER"; }
			COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wpsitemapd; printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.Command(bash, append([]string{"-euc", ask, "bash", "wpsitemapd"}, words...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "ASKED=completion words -- "+test.typed, "ANSWER="+answer)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != test.offered {
			t.Errorf("%s: %v, %q instead of %q", test.typed, err, out, test.offered)
		}
	}
}

// groff finds nothing wrong with the manual page.
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
	expect.Contains(t, string(out), "WPSITEMAPD_CONFIG", "no variable in", out)
}
