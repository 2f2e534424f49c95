package command

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// A line publishes a post, and the demo says when the sitemap has it.
func TestDemoPublishes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
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
	for !strings.Contains(out.String(), "in post-sitemap.xml after ") && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	for _, path := range []string{"/", "/sitemap_index.xml", "/extra-ferries-sitemap.html"} {
		resp, err := http.Get(d.Home + path)
		wptest.Must(t, err)
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(text), "ferries") {
			t.Errorf("%s: %s\n%s", path, resp.Status, text)
		}
	}
	cancel()
	if err := <-ended; err != nil || !strings.Contains(out.String(), "Published “") || errs.String() != "" {
		t.Errorf("%v\n%s%s", err, &out, &errs)
	}
}
