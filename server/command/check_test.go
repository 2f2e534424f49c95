package command

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// check --syntax refuses every flag that it would not follow.
func TestSyntaxAlone(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, "[[site]]\nname = \"a\"\ndsn = \"x@tcp(127.0.0.1:1)/x\"\n")
	for args, leaveOut := range map[string]string{
		"": "", "--json": "", "--fetch 0": "",
		"--wp .": "--wp", "--upstream http://127.0.0.1:1": "--upstream", "--site a": "--site", "--public": "--public", "--fetch 5": "--fetch",
		"--rate 1": "--rate", "--as-of 2026-01-02T03:04:05Z": "--as-of", "--verbose": "--verbose", "--site a --public": "--site, --public",
	} {
		code, _, stderr := runCommand(t, append([]string{"check", "--syntax", "--config", config}, strings.Fields(args)...)...)
		want := done
		if leaveOut != "" {
			want = 2
			expect.Contains(t, stderr, "leave out "+leaveOut+"\n", args)
		}
		expect.Equal(t, code, want, args, stderr)
	}
}
