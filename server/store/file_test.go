package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

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

// testCopy is a copy of a page whose body names it.
func testCopy(t testing.TB, site, blog, name string, page int) *Copy {
	t.Helper()
	body := []byte(fmt.Sprintf("<%s %s %s %d>", site, blog, name, page) + strings.Repeat(" entry", 200))
	return &Copy{
		Key: Key{site, blog, name, page}, Hash: fmt.Sprintf("%x", sha256.Sum256(body))[:24], Fingerprint: "f1",
		Modified: noon.Add(-time.Hour), Built: noon, Body: body, Gzipped: zip(t, body),
	}
}

func mustEncode(t testing.TB, c *Copy) []byte {
	t.Helper()
	data, err := EncodeCopy(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCopyKeepsItsForm(t *testing.T) {
	whole := testCopy(t, "a", "1 https://a.test", "post", 2)
	plain := testCopy(t, "a", "1 https://a.test", "post", 1)
	plain.Gzipped = nil
	slim := testCopy(t, "a", "1 https://a.test", "post", 5)
	slim.Body = nil // of which the compressed form has everything
	empty := &Copy{Key: Key{"a", "", "x", 1}}
	timed := testCopy(t, "ä", "2 https://a.test/ü", "news", 1)
	timed.Expires, timed.Fingerprint = noon.Add(48*time.Hour), "binary \x00\x01 no"
	packed := testCopy(t, "a", "1 https://a.test", "post", 3)
	packed.Brotli = []byte("as Brotli has it")
	both := testCopy(t, "a", "1 https://a.test", "post", 4)
	both.Gzipped, both.Brotli = nil, []byte("Brotli alone")
	for name, c := range map[string]*Copy{
		"compressed":        whole,
		"compressed alone":  slim,
		"with Brotli":       packed,
		"with Brotli alone": both,
		"plain":             plain,
		"empty":             empty,
		"with an end":       timed,
	} {
		got, err := DecodeCopy(mustEncode(t, c))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(c.Body) == 0 && c.Gzipped == nil {
			got.Body = nil
		}
		if c == slim {
			c.Body = testCopy(t, "a", "1 https://a.test", "post", 5).Body
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Whatever byte of a file is another one, and wherever it is cut off or goes on, the file
// is refused.
func TestDamageIsNoticed(t *testing.T) {
	data := mustEncode(t, testCopy(t, "a", "1 https://a.test", "post", 2))
	refused := func(data []byte, what string) {
		t.Helper()
		if c, err := DecodeCopy(data); c != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", what, c, err)
		}
	}
	for i := range data {
		changed := bytes.Clone(data)
		for _, bits := range []byte{1, 0x80, 0xff} {
			changed[i] = data[i] ^ bits
			refused(changed, fmt.Sprintf("byte %d changed by %x", i, bits))
		}
		refused(data[:i], fmt.Sprintf("cut off after %d bytes", i))
	}
	refused(append(bytes.Clone(data), 0), "a byte more")
	refused(append(bytes.Clone(data), data...), "twice")
	refused(make([]byte, len(data)), "zeros, as a file system leaves after a power failure")
	refused(append(bytes.Clone(data[:200]), make([]byte, len(data)-200)...), "zeros at the end")
	refused(seal("wpsitemapd state 2 copy\n", `{"Site":"a"}`, "body"), "another version")
	refused(seal("wpsitemapd state 1 blog\n", `{"Site":"a"}`, "body"), "another kind")
	refused([]byte("<?xml version=\"1.0\"?><urlset/>"), "a sitemap")
	for what, head := range map[string]string{
		"no JSON":                       `{"Site":`,
		"another type":                  `{"Site":1}`,
		"a size that is wrong":          `{"Size":5}`,
		"a negative size":               `{"Size":-1}`,
		"a huge size":                   `{"Size":9223372036854775807,"Gzip":true}`,
		"not compressed":                `{"Size":4,"Gzip":true}`,
		"more packed than there is":     `{"Size":0,"Packed":5}`,
		"less packed than nothing":      `{"Size":4,"Packed":-1}`,
		"a time that is none":           `{"Size":4,"Built":"yesterday"}`,
		"a page number beyond integers": `{"Size":4,"Page":1e40}`,
	} {
		refused(seal("wpsitemapd state 1 copy\n", head, "body"), what)
	}
	bomb := seal("wpsitemapd state 1 copy\n", `{"Size":10,"Gzip":true}`, string(zip(t, make([]byte, 10<<20))))
	refused(bomb, "a body that grows beyond its size")
}

// seal makes a file whose checksum is right, of whatever parts.
func seal(line, head, body string) []byte {
	data := []byte(line)
	data = binary.BigEndian.AppendUint32(data, uint32(len(head)))
	data = binary.BigEndian.AppendUint64(data, uint64(len(body)))
	data = append(data, head+body...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

func TestTooLargeToSave(t *testing.T) {
	if _, err := EncodeCopy(&Copy{Body: make([]byte, maxBody+1)}); err == nil {
		t.Error("a body beyond the limit is taken")
	}
}

// FuzzDecode reads files that anybody may have written: as they are, and with a checksum that is
// right, so that what follows it is read too.
func FuzzDecode(f *testing.F) {
	c := testCopy(f, "a", "1 https://a.test", "post", 2)
	f.Add(mustEncode(f, c), `{"Size":4}`, []byte("body"))
	f.Add([]byte("wpsitemapd state 1 copy\n"), `{"Size":1217,"Gzip":true}`, c.Gzipped)
	f.Add([]byte{}, `{"Outline":{"Files":[{"Name":"1","Page":1}]},"Hosts":["a.test"],"Built":"2026-01-02T12:00:00Z"}`, []byte{})
	f.Fuzz(func(t *testing.T, raw []byte, head string, body []byte) {
		check := func(data []byte) {
			c, err := DecodeCopy(data)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Fatalf("error is not of damage: %v", err)
				}
				return
			}
			if len(c.Body) > maxBody {
				t.Fatalf("a body of %d bytes", len(c.Body))
			}
			again, err := EncodeCopy(c)
			if err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			back, err := DecodeCopy(again)
			if err != nil || back.Mark() != c.Mark() || back.Key != c.Key || !bytes.Equal(back.Body, c.Body) {
				t.Fatalf("%v: written again it differs: %+v %+v", err, c, back)
			}
		}
		check(raw)
		check(seal(fmt.Sprintf(firstLine, kindCopy), head, string(body)))
		var b Blog
		if _, err := decode(seal(fmt.Sprintf(firstLine, kindBlog), head, string(body)), kindBlog, &b); err == nil && !json.Valid([]byte(head)) {
			t.Fatal("a head that is no JSON")
		}
		var s Site
		_, _ = decode(seal(fmt.Sprintf(firstLine, kindSite), head, string(body)), kindSite, &s)
	})
}
