package disk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/server/store"

	"github.com/google/go-cmp/cmp"
)

type noteValue struct {
	Text    string
	Numbers []int
}

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	s.run()
	ofSite, ofBlog := store.Note{Site: "a", Name: "crawlers"}, store.Note{Site: "a", Blog: storetest.BlogKey, Name: "indexnow"}
	want := noteValue{"ä", []int{1, 2}}
	if !s.SaveNote(ofSite, want, nil) || !s.SaveNote(ofBlog, noteValue{Text: "old"}, nil) || !s.SaveNote(ofBlog, want, []byte("body")) {
		t.Fatal("not taken")
	}
	// what removes copies of pages that are gone leaves notes alone
	s.SaveBlog(storetest.Blog(1))
	s.SaveSite(&store.Site{Name: "a", Blogs: []string{storetest.BlogKey}})
	s.settled(4)
	s.stop()

	s = openStore(t, dir)
	for _, n := range []store.Note{ofSite, ofBlog} {
		var got noteValue
		body, ok := s.Note(n, &got)
		if diff := cmp.Diff(want, got); !ok || diff != "" || (string(body) == "body") != (n == ofBlog) {
			t.Errorf("%v: %v, body %q\n%s", n, ok, body, diff)
		}
	}
	var got noteValue
	for _, n := range []store.Note{
		{Site: "b", Name: "crawlers"}, {Site: "a", Name: "indexnow"}, {Site: "a", Blog: "2 https://b.test", Name: "indexnow"},
	} {
		if _, ok := s.Note(n, &got); ok {
			t.Errorf("%v was never saved", n)
		}
	}

	s.run() // a blog that leaves its network takes its notes along
	s.SaveSite(&store.Site{Name: "a", Blogs: []string{"2 https://b.test"}})
	s.settled(2)
	if _, ok := s.Note(ofSite, &got); !ok {
		t.Error("the site's own note is gone")
	}
	if _, ok := s.Note(ofBlog, &got); ok {
		t.Error("the note of a blog that left is there")
	}
}

func TestNotesThatAreNotWhole(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(data []byte) []byte
	}{
		{"cut off", func(data []byte) []byte { return data[:len(data)/2] }},
		{"a byte changed", func(data []byte) []byte { data[len(data)/2] ^= 1; return data }},
		{"empty", func([]byte) []byte { return nil }},
		{"of another site", func([]byte) []byte {
			data, err := store.EncodeNote(store.Note{Site: "b", Name: "crawlers"}, json.RawMessage("{}"), nil)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"of another form", func([]byte) []byte {
			data, err := store.EncodeNote(store.Note{Site: "a", Name: "crawlers"}, "text", nil)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"another kind of file", func([]byte) []byte {
			data, err := store.SiteJob(&store.Site{Name: "a"}).Encode()
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			s.run()
			n := store.Note{Site: "a", Name: "crawlers"}
			s.SaveNote(n, noteValue{Text: "x"}, []byte("body"))
			s.settled(1)
			path := filepath.Join(dir, sitesName, "a", "crawlers.note")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tt.change(data), 0o600); err != nil {
				t.Fatal(err)
			}
			var got noteValue
			if _, ok := s.Note(n, &got); ok {
				t.Errorf("read as %+v", got)
			}
			if _, err := os.Stat(path); err == nil || s.Stats().Damaged != 1 || s.log.Count("corrupt file") != 1 {
				t.Errorf("still there, or not told: %+v", s.Stats())
			}
		})
	}
}
