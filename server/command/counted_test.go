package command

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/pages"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The counts at the end include files that stay as they are.
func TestExportedFilesAreCounted(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "sitemap.xml")
	e := &exporter{blogs: 2}
	written := draft{path: target, bytes: 3, urls: 2}
	var err error
	written.plain, err = writeTemp(target, []byte("new"))
	wptest.Must(t, err)
	written.zipped, err = writeTemp(target+".gz", pages.Gzip([]byte("new")))
	wptest.Must(t, err)
	wptest.Must(t, e.store(written))
	wptest.Must(t, e.store(draft{path: target, bytes: 5, urls: 1}))
	expect.Equal(t, e.files, 2)
	expect.Equal(t, e.same, 1)
	expect.Equal(t, e.bytes, 8)
	expect.Equal(t, e.urls, 3)

	expect.Equal(t, holds(target, []byte("new")), true)
	expect.Equal(t, holds(target, []byte("now")), false)
	expect.Equal(t, holds(target, []byte("newer")), false)
	expect.Equal(t, holds(target+".missing", nil), false)
	wptest.Must(t, os.Truncate(target, 0))
	expect.Equal(t, holds(target, nil), true)
}

// A failure names the site once, before each of its lines.
func TestExportFails(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := &exporter{program: &program{stderr: &out}, site: &config.Site{Name: "a"}}
	expect.Equal(t, e.failed, false)
	e.fail(errors.New("site a: one\ntwo\x1b"))
	expect.Equal(t, e.failed, true)
	expect.Equal(t, out.String(), "site a: one\nsite a: two?\n")
}
