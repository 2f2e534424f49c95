// Package storetest has what tests of stores need.
package storetest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
)

var Noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func zip(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Copy is a copy of a page whose body names it.
func Copy(t testing.TB, site, blog, name string, page int) *store.Copy {
	t.Helper()
	body := []byte(fmt.Sprintf("<%s %s %s %d>", site, blog, name, page) + strings.Repeat(" entry", 200))
	return &store.Copy{
		Key: store.Key{Site: site, Blog: blog, Name: name, Page: page}, Hash: fmt.Sprintf("%x", sha256.Sum256(body))[:24], Fingerprint: "f1",
		Modified: Noon.Add(-time.Hour), Built: Noon, Body: body, Gzipped: zip(t, body),
	}
}

// Seal makes a file whose checksum is right, of whatever parts.
func Seal(line, head, body string) []byte {
	data := []byte(line)
	data = binary.BigEndian.AppendUint32(data, uint32(len(head)))
	data = binary.BigEndian.AppendUint64(data, uint64(len(body)))
	data = append(data, head+body...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Until waits for something to become true.
func Until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

const BlogKey = "1 https://a.test"

func Blog(pages int) *store.Blog {
	b := &store.Blog{Site: "a", Key: BlogKey, ID: 1, Home: "https://a.test", Hosts: []string{"a.test"}, Built: Noon}
	b.Sitemaps = store.Sitemaps{
		Active: true,
		Index:  "https://a.test/sitemap_index.xml",
		Others: []store.File{{Name: catalog.TextName, Page: 1}},
		Owned:  []string{"1", "post"},
		Asked:  map[string]string{},
		Open:   []string{"news"},
		Files:  []store.File{{Name: "1", Page: 1}},
	}
	for page := range pages {
		b.Sitemaps.Files = append(b.Sitemaps.Files, store.File{Name: "post", Page: page + 1, Entries: 1000, LastMod: Noon})
	}
	return b
}

// What only another process can show: the test binary starts itself again, and in its environment stands what it
// shall do, and with which store.
const (
	childTask  = "STATE_TEST_TASK"
	childWhere = "STATE_TEST_DIR"
)

// Task is what the process was started for by Child, "" for the tests. Where is the store.
func Task() string  { return os.Getenv(childTask) }
func Where() string { return os.Getenv(childWhere) }

// Child returns the command that starts the test binary again for a task.
func Child(t *testing.T, task, where string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childWhere+"="+where)
	cmd.Stderr = os.Stderr
	return cmd
}
