package command

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The demo prints where everything is, and the daemon answers there. A line of input publishes a post, and the demo
// says when the sitemap lists it. No file is left behind.
func TestDemo(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	in, enter := io.Pipe()
	var out, errs wptest.Buffer
	d := demo{listen: "127.0.0.1:0", in: in}
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx, &program{stdout: &out, stderr: &errs}) }()
	if _, err := io.WriteString(enter, "\n"); err != nil {
		t.Fatal(err)
	}
	wptest.Eventually(t, "a post is published", func() bool { return strings.Contains(out.String(), "in post-sitemap.xml after ") }, &out, &errs)
	host := strings.TrimPrefix(d.Home, "http://")
	for address, want := range map[string]string{
		d.Home + "/": "ferries", d.Home + "/sitemap_index.xml": "ferries", d.Home + "/extra-ferries-sitemap.html": "ferries",
		d.Home + "/sitemap_index.html": host, d.Home + "/robots.txt": host, d.Admin + "/": host,
	} {
		resp, err := http.Get(address)
		wptest.Must(t, err)
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		expect.Equal(t, resp.StatusCode, http.StatusOK, address, resp.Status, text)
		expect.Contains(t, string(text), want, address, resp.Status, text)
	}
	expect.Parts(t, out.String(), "Published “", d.Home+"/sitemap_index.html", d.Admin+"/ ", "--config "+d.Config)
	if code, stdout, stderr := runCommand(t, "explain", "--config", d.Config, "/a-draft/"); code != done ||
		!strings.Contains(stdout, "the running daemon") {
		t.Errorf("exit code %d of explain\n%s%s", code, stdout, stderr)
	}
	if _, stdout, _ := runCommand(t, "explain", "--config", d.Config, "/abuot-us/"); !strings.Contains(stdout, "Did you mean "+d.Home+"/about-us/?") {
		t.Errorf("a typing error is explained by\n%s", stdout)
	}
	cancel()
	if err := <-ended; err != nil || errs.String() != "" {
		t.Errorf("%v\n%s", err, &errs)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
