package command

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/wp/sample"
)

func demoCommand() *command {
	d := demo{listen: "127.0.0.1:0", in: os.Stdin}
	return &command{
		name:     "demo",
		synopsis: "[--listen ADDRESS]",
		summary:  "a sample site, without configuration or database server",
		about: `Creates a sample WordPress site in an embedded SQLite database in a temporary folder, serves its sitemaps by the daemon
itself, and prints addresses to open: a start page, the sitemaps, the status page. Explain, check and diff can be tried
with the configuration whose path it prints. Enter publishes a post, and prints when it was visible in the sitemap.
Ctrl-C ends it and removes the folder.`,
		exits:   "the site cannot be created or served",
		example: "wpsitemapd demo --listen 127.0.0.1:8080",
		flags: []option{
			textOption("listen", "ADDRESS", "127.0.0.1:0, a free port", "Where to serve, host:port.", &d.listen),
		},
		run: func(ctx context.Context, p *program, _ []string) error { return d.run(ctx, p) },
	}
}

// demo is a sample site that the daemon serves.
type demo struct {
	listen string
	in     io.Reader // each line read from it publishes a post

	Home, Admin string // public addresses
	Config      string // path
	Command     string // the words that start this program in a shell, for messages
	database    string
}

func (d *demo) run(ctx context.Context, p *program) (err error) {
	// The database contains the site's own address, so the port must be known first.
	address, home, err := freeAddress(d.listen)
	if err != nil {
		return err
	}
	admin := address
	for admin == address {
		if admin, d.Admin, err = freeAddress("127.0.0.1:0"); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "wpsitemapd-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	d.Home, d.Config, d.database = home, filepath.Join(dir, "wpsitemapd.toml"), filepath.Join(dir, ".ht.sqlite")
	if d.Command = os.Args[0]; strings.Contains(d.Command, "go-build") {
		d.Command = "go run ."
	}
	if err := sample.Create(ctx, d.database, home); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("creating the sample site: %w", err)
	}
	site, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	upstream := &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = upstream.Serve(site) }()
	defer upstream.Close()
	text := fmt.Sprintf("listen = %q\nadmin = %q\ndrain = \"1s\"\nlog_level = \"warn\"\n\n[[site]]\nname = \"demo\"\ndsn = %s\nupstream = %q\n\n"+
		"[[site.extra]]\nname = \"ferries\"\nfile = \"ferries.csv\"\n",
		address, admin, strconv.Quote("sqlite:"+d.database), "http://"+site.Addr().String())
	if err := os.WriteFile(filepath.Join(dir, "ferries.csv"), []byte(demoExtra), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(d.Config, []byte(text), 0o600); err != nil {
		return err
	}
	return d.serve(ctx, p)
}

// demoExtra lists pages of a ferry timetable, which do not belong to WordPress.
const demoExtra = "loc,lastmod\n/ferries/\n/ferries/saltwick-brackenby/,2026-09-01\n/ferries/saltwick-lowmoor/,2026-10-15\n"

// serve runs the daemon and publishes posts meanwhile.
func (d *demo) serve(ctx context.Context, p *program) error {
	cfg, err := config.Load(d.Config)
	if err != nil {
		return err
	}
	s := server.New(cfg, report.NewLogger(cfg, p.stderr))
	s.Watch = d.Config
	s.Load = func(*config.Config) (*config.Config, error) { return config.Load(d.Config) }
	var publishing sync.WaitGroup
	publishes, stop := context.WithCancel(ctx)
	defer func() { stop(); publishing.Wait() }()
	s.Ready = func(_, _ []net.Addr) {
		fmt.Fprintf(p.stdout, "The Saltwick Gazette, a sample site, is served in the manner of a real one. Open\n\n"+
			"  %[1]s/                         a start page with everything there is to see\n"+
			"  %[1]s/sitemap_index.html       the sitemaps\n"+
			"  %[2]s/                         the status page\n\n"+
			"or ask in another terminal\n\n"+
			"  %[3]s explain --config %[4]s /kept-out-by-noindex/\n\n"+
			"Enter publishes a post. Ctrl-C ends it and removes its files.\n", d.Home, d.Admin, d.Command, d.Config)
		publishing.Go(func() { d.publish(publishes, p.stdout) })
	}
	return s.Run(ctx)
}

// publish publishes a post for every line of input, until ctx ends.
func (d *demo) publish(ctx context.Context, out io.Writer) {
	wanted := make(chan struct{})
	go func() { // reading cannot be interrupted, so this goroutine may run until the process ends
		for lines := bufio.NewScanner(d.in); lines.Scan(); {
			select {
			case wanted <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wanted:
		}
		said, err := d.publishOne(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fmt.Fprintf(out, "No post was published: %s\n", report.Printable(err.Error()))
		default:
			fmt.Fprintln(out, said)
		}
	}
}

// visiblePatience is how long publishOne waits for a new post to appear.
const visiblePatience = time.Minute

// publishOne publishes a post and waits until the sitemap lists it. It returns a sentence that says how long that took.
func (d *demo) publishOne(ctx context.Context) (string, error) {
	title, address, err := sample.Publish(ctx, d.database, d.Home, time.Now())
	if err != nil {
		return "", err
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, visiblePatience)
	defer cancel()
	for c := (&live.Crawler{Rate: 20}); ; {
		a, err := c.Get(ctx, d.Home+"/post-sitemap.xml", live.MaxPage)
		if err != nil {
			return "", err
		}
		if bytes.Contains(a.Body, []byte("<loc>"+address+"</loc>")) {
			return fmt.Sprintf("Published “%s”; in post-sitemap.xml after %.1f s.", title, time.Since(began).Seconds()), nil
		}
	}
}

//go:embed demo.html
var demoText string

var demoPage = template.Must(template.New("demo").Parse(demoText))

// ServeHTTP answers in place of WordPress: with the start page at /, and with a sample page at any other address.
func (d *demo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n")
		return
	case !strings.HasSuffix(r.URL.Path, "/"):
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = demoPage.Execute(w, struct {
		*demo
		Address string // "" for the start page
	}{d, strings.TrimPrefix(r.URL.RequestURI(), "/")})
}

// freeAddress replaces port 0 in an address by a port that is free now. home is the URL of a site at that address.
func freeAddress(listen string) (address, home string, err error) {
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return "", "", err
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return "", "", err
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", err
	}
	address = net.JoinHostPort(host, port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return address, "http://" + net.JoinHostPort(host, port), nil
}
