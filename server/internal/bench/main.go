// Command bench measures wpsitemapd against something that runs beside it and prints a Markdown
// table of the ratios. "make bench" starts it next to a private MariaDB; it builds the binary from
// the module it is run in, makes its own data with package sample and leaves nothing behind.
//
// Two things that are compared run in turn, A B A B …, and the ratio is taken pair by pair; of the
// ratios the median is printed, with the lowest and the highest. What a machine does beside it
// then moves both.
//
// Environment, with defaults:
//
//	WPSITEMAPD_TEST_MYSQL       the server, set by .ci/mariadb; the account may create databases
//	WPSITEMAPD_BENCH_POSTS      100000   posts of the site that is measured
//	WPSITEMAPD_BENCH_BIG        0        posts of a second site, such as 1000000; needs 10 KB of disk a post
//	WPSITEMAPD_BENCH_CONTENT    6800     bytes of content a post
//	WPSITEMAPD_BENCH_META       4        rows of meta a post, beside those that sitemaps depend on
//	WPSITEMAPD_BENCH_RUNS       5        pairs of every comparison of processes
//	WPSITEMAPD_BENCH_EDITS      100      edits that are waited for
//	WPSITEMAPD_BENCH_SITES      500      small sites of the fleet
//	WPSITEMAPD_BENCH_PARTS      all      of: export pages http proxy edits memory fleet big
//	WPSITEMAPD_BENCH_KEEP       ""       1: the data stays, and is used again
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) > 1 { // the other processes of a run
		if err := helper(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// helper runs what this program starts of itself.
func helper(name string, args []string) error {
	switch name {
	case "bare":
		return bareLoop(args[0])
	case "measure":
		return measured(args)
	case "handler":
		return bareHandler(args[0], args[1])
	}
	return fmt.Errorf("%s is not known", name)
}

// settings are what the environment says.
type settings struct {
	dsn                                           string
	posts, big, content, meta, runs, edits, sites int
	parts                                         []string
	keep                                          bool
}

func environment() (settings, error) {
	s := settings{dsn: os.Getenv("WPSITEMAPD_TEST_MYSQL"), keep: os.Getenv("WPSITEMAPD_BENCH_KEEP") == "1"}
	if s.dsn == "" {
		return s, errors.New(`WPSITEMAPD_TEST_MYSQL is not set: run "make bench"`)
	}
	for _, v := range []struct {
		name string
		to   *int
		none int
	}{
		{"POSTS", &s.posts, 100_000}, {"BIG", &s.big, 0}, {"CONTENT", &s.content, 6800}, {"META", &s.meta, 4},
		{"RUNS", &s.runs, 5}, {"EDITS", &s.edits, 100}, {"SITES", &s.sites, 500},
	} {
		*v.to = v.none
		text := os.Getenv("WPSITEMAPD_BENCH_" + v.name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return s, fmt.Errorf("WPSITEMAPD_BENCH_%s=%q is no number", v.name, text)
		}
		*v.to = n
	}
	if s.posts < 2000 {
		return s, errors.New("WPSITEMAPD_BENCH_POSTS: 2,000 at least, for a page that is neither the first nor the last")
	}
	s.parts = strings.Fields(strings.ReplaceAll(os.Getenv("WPSITEMAPD_BENCH_PARTS"), ",", " "))
	return s, nil
}

// bench is one run.
type bench struct {
	settings
	dir    string // of temporary files
	self   string // this program
	binary string // wpsitemapd
	table  table
	site   *database
}

func run(ctx context.Context) error {
	s, err := environment()
	if err != nil {
		return err
	}
	b := &bench{settings: s}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "wpsitemapd-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.binary = filepath.Join(b.dir, "wpsitemapd")
	progress("building wpsitemapd")
	if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.binary, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if b.site, err = b.load(ctx, b.posts); err != nil {
		return err
	}
	defer b.drop(b.site)
	var failed error
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"export", b.export}, {"pages", b.pages}, {"http", b.http}, {"proxy", b.proxy}, {"edits", b.freshness},
		{"memory", b.memory}, {"fleet", b.fleet}, {"big", b.bigSite}, // last, as it takes the buffer pool
	} {
		if len(b.parts) > 0 && !slices.Contains(b.parts, part.name) && !slices.Contains(b.parts, "all") {
			continue
		}
		progress("measuring: " + part.name)
		if err := part.run(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = errors.Join(failed, fmt.Errorf("%s: %w", part.name, err)) // what else was measured is printed
		}
	}
	fmt.Printf("%d posts of %d bytes of content; %s, %d processors, %s; medians, lowest and highest in brackets\n\n",
		b.posts, b.content, b.site.version, runtime.NumCPU(), runtime.Version())
	b.table.print(os.Stdout)
	return failed
}

func progress(text string) { fmt.Fprintln(os.Stderr, text, "…") }
