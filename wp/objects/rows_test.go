package objects

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Galleries show attachments of the media library whose MIME type is an image type.
func TestWhatIsAnImage(t *testing.T) {
	for _, tt := range []struct {
		a    Attachment
		want bool
	}{
		{Attachment{Type: "attachment", Status: "inherit", MIME: "image/png"}, true},
		{Attachment{Type: "attachment", Status: "trash", MIME: "image/png"}, false},
		{Attachment{Type: "post", Status: "inherit", MIME: "image/png"}, false},
	} {
		expect.Equal(t, tt.a.IsImage(), tt.want, tt.a)
	}
}

// An attachment is read with the status of its parent, a post of another type is not.
func TestEachPostOfAttachments(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "draft", "one", 0), addPost(2, "attachment", "inherit", "two", 1),
		addPost(3, "attachment", "inherit", "three", 0),
		addPost(4, "attachment", "inherit", "four", 5), addPost(5, "post", "publish", "five", 0), addPost(6, "book", "inherit", "six", 1),
		"UPDATE wp_posts SET post_password = 'x' WHERE ID = 5")
	s := openSite(t, wp.Source{DSN: dsn})
	for postType, want := range map[string][]string{
		"attachment": {"2 draft open true null false", "3  open true null true", "4 publish open false null false"}, "book": {"6  open true null false"},
	} {
		var got []string
		wptest.Must(t, EachPost(t.Context(), s, postType, "inherit", func(r PostRow) error {
			got = append(got, fmt.Sprint(r.ID, " ", r.ParentStatus, " open ", r.ParentOpen, " null ", r.NullParentPassword))
			return nil
		}))
		slices.Sort(got)
		expect.List(t, got, want, postType)
	}
}

// A status that the operator adds to a type is read, too. Its rows have another stamp.
func TestOperatorsStatuses(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "publish", "one", 0), addPost(2, "post", "Open", "two", 0), addPost(3, "post", "draft", "three", 0))
	s := openSite(t, wp.Source{DSN: dsn,
		Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {Statuses: []string{"open"}}}}})
	rows, stamps := map[int64]uint32{}, map[int64]uint32{}
	wptest.Must(t, EachPost(t.Context(), s, "post", "publish", func(r PostRow) error {
		expect.Equal(t, r.Status, "publish")
		rows[r.ID] = r.Stamp
		return nil
	}))
	wptest.Must(t, EachStamp(t.Context(), s, "post", "publish", func(id int64, stamp uint32) error { stamps[id] = stamp; return nil }))
	expect.Same(t, rows, stamps, "stamps of rows (-) and of the index (+)")
	if len(rows) != 2 || rows[1] == rows[2] {
		t.Errorf("stamps %v, want two that differ", rows)
	}
	date := []byte("2024-03-04 05:06:07")
	expect.Equal(t, stamp("Publish", date) == stamp("publish", date), true, "letter case of the status")
	expect.Equal(t, stamp("publish", date) == stamp("publish", []byte("2024-03-04 05:06:08")), false, "the date")
}

// New rows concern posts of positive ids alone. A new page does not concern the page above it.
func TestTouchedParents(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := openSite(t, wp.Source{DSN: dsn})
	before, err := ReadMarks(t.Context(), s)
	wptest.Must(t, err)
	wptest.Exec(t, dsn, addPost(9001, "page", "publish", "child", 4), addPost(9002, "attachment", "inherit", "alone", 0),
		addPost(9003, "revision", "inherit", "x", 0),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (0, '_thumbnail_id', '1'), (-3, '_thumbnail_id', '1'), (1, '_thumbnail_id', '1')")
	ids, after, more, err := Touched(t.Context(), s, before, 100)
	expect.Equal(t, result(fmt.Sprint(ids, more), err), "[1 9001 9002] false")
	ids, _, more, err = Touched(t.Context(), s, after, 100)
	expect.Equal(t, result(fmt.Sprint(ids, more), err), "[] false", "what was seen already")

	// More new rows than the limit in either table are too many.
	for i := range 5 {
		wptest.Exec(t, dsn, addPost(9101+i, "post", "publish", "x", 0))
	}
	ids, to, more, err := Touched(t.Context(), s, after, 5-markOverlap-1+3)
	expect.Equal(t, result(fmt.Sprint(ids, more), err), "[] true", "too many posts")
	expect.Equal(t, fmt.Sprint(to), fmt.Sprint(after), "the marks stay")
	wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET ID = %d WHERE ID = 9105", int64(math.MaxInt64)))
	marks, err := ReadMarks(t.Context(), s)
	expect.Equal(t, result(fmt.Sprint(marks.post.id, marks.meta.id), err), "0 0", "no id can follow the highest one")
}

// A text was encoded twice if its characters are the bytes of UTF-8.
func TestEncodedTwice(t *testing.T) {
	for text, want := range map[string]bool{
		"CafÃ©": true, "Café": false, "Cafe": false, "": false, "â‚¬": true, "€": false, "Ã": false, "日本": false, "Ã©日": false, "a\xff": false,
	} {
		expect.Equal(t, encodedTwice(text), want, text)
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "publish", "a", 0), addPost(2, "post", "publish", "b", 0), addPost(3, "post", "publish", "c", 0),
		"UPDATE wp_posts SET post_title = CASE ID WHEN 1 THEN 'CafÃ©' WHEN 2 THEN 'Crème' ELSE 'plain' END")
	s := openSite(t, wp.Source{DSN: dsn})
	expect.Equal(t, result(Mojibake(t.Context(), s)), "", "as many sound titles as broken ones")
	wptest.Exec(t, dsn, "INSERT INTO wp_terms (term_id, name, slug) VALUES (1, 'CrÃ¨me', 'x')")
	expect.Equal(t, result(Mojibake(t.Context(), s)), "CrÃ¨me", "more broken texts than sound ones")
}

// A path of no name, or of more names than a tree is deep, is at no page.
func TestPageAtOddPaths(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	for i := range wp.MaxGenerations + 1 {
		wptest.Exec(t, dsn, addPost(1+i, "page", "publish", "p", i))
	}
	s := openSite(t, wp.Source{DSN: dsn})
	for path, want := range map[string]string{
		"": "false", "/": "false", "//p": "true", "/p/p/": "true", strings.Repeat("p/", wp.MaxGenerations): "true",
		strings.Repeat("p/", wp.MaxGenerations+1): "false",
	} {
		expect.Equal(t, result(PageAt(t.Context(), s, path)), want, path)
	}
}

// Slugs are looked up in batches, until one is found.
func TestHasPageNamedInBatches(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "page", "publish", "last", 0), addPost(2, "page", "publish", "first", 0))
	s := openSite(t, wp.Source{DSN: dsn})
	slugs := []string{"first"}
	for i := range namesBatch {
		slugs = append(slugs, fmt.Sprint("s", i))
	}
	expect.Equal(t, result(HasPageNamed(t.Context(), s, slugs)), "true", "in the first batch")
	expect.Equal(t, result(HasPageNamed(t.Context(), s, append(slugs[1:], "last"))), "true", "in the last batch")
	expect.Equal(t, result(HasPageNamed(t.Context(), s, slugs[1:])), "false")
}

// A tree with more posts than the limit is empty.
func TestReadPostTree(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "page", "publish", "one", 0), addPost(2, "page", "publish", "two", 3), addPost(3, "page", "draft", "three", 0),
		addPost(4, "page", "publish", "four", 5), addPost(5, "post", "publish", "five", 0), addPost(6, "page", "publish", "six", 7),
		addPost(7, "attachment", "inherit", "seven", 0))
	s := openSite(t, wp.Source{DSN: dsn})
	tree, err := ReadPostTree(t.Context(), s, "page", 4)
	wptest.Must(t, err)
	expect.Equal(t, tree.Len(), 4, "published posts")
	expect.List(t, tree.Lost(), []int64{4}, "below a post of another type")
	tree, err = ReadPostTree(t.Context(), s, "page", 3)
	wptest.Must(t, err)
	expect.Equal(t, tree.Len(), 0, "published posts, of which there are more than the limit")
	ids, err := WithoutLost(t.Context(), s, "page", []int64{6, 4, 2, 1, 99})
	wptest.Must(t, err)
	expect.List(t, ids, []int64{6, 2, 1}, "posts that WordPress finds")
}

// Without the option that WordPress stores, the rows make the tree of terms.
func TestTreeOfTerms(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "INSERT INTO wp_terms (term_id, name, slug) VALUES (1, 'a', 'a'), (2, 'b', 'b'), (3, 'c', 'c')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1, 1, 'category', '', 0, 0), "+
			"(2, 2, 'category', '', 1, 3), (3, 3, 'category', '', 0, 0)")
	s := openSite(t, wp.Source{DSN: dsn})
	read := func(option string) (inUse []int64, tree Tree) {
		t.Helper()
		wptest.Exec(t, dsn, option)
		terms, tree, err := ReadTerms(t.Context(), s, s.Registry().Taxonomy("category"))
		wptest.Must(t, err)
		for _, term := range terms {
			if term.InUse {
				inUse = append(inUse, term.ID)
			}
		}
		return inUse, tree
	}
	inUse, tree := read("DELETE FROM wp_options WHERE option_name = 'category_children'")
	expect.Same(t, Tree{1: {2}}, tree)
	expect.List(t, inUse, []int64{1, 2}, "terms in use")
	inUse, tree = read(setOption("category_children", "a:1:{i:3;a:1:{i:0;i:2;}}"))
	expect.Same(t, Tree{3: {2}}, tree, "the stored tree")
	expect.List(t, inUse, []int64{2, 3}, "terms in use by the stored tree")
	_, tree = read(setOption("category_children", "a:0:{}"))
	expect.Same(t, Tree{}, tree, "a stored tree without children")
	_, tree, err := ReadTerms(t.Context(), s, s.Registry().Taxonomy("post_tag"))
	wptest.Must(t, err)
	expect.Equal(t, tree == nil, true, "tags are no tree")
}

// The language of a term is an index of the languages of the site.
func TestTermLanguages(t *testing.T) {
	for _, seed := range []string{"small-polylang", "small-wpml"} {
		s := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small", seed)})
		found, err := TermLanguages(t.Context(), s, "category",
			[]TermRow{{ID: 1021, TaxonomyID: 2021}, {ID: 1022, TaxonomyID: 2022}, {ID: 1023, TaxonomyID: 2023}})
		wptest.Must(t, err)
		codes := map[int64]string{}
		for id, i := range found {
			codes[id] = s.Languages().All[i].Code
		}
		expect.Same(t, map[int64]string{1021: "en", 1022: "fr"}, codes, seed)
	}
}
