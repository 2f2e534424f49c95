package permalink

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

type row struct {
	slug   string
	parent int64
}

func tree(rows map[int64]row) Node {
	return func(id int64) (string, int64, bool) {
		r, ok := rows[id]
		return r.slug, r.parent, ok
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		rule                 string
		rows                 map[int64]row
		page, term, category string // paths of row 1
	}{
		{"root", map[int64]row{1: {"a", 0}}, "a", "a", "a"},
		{"ancestors, root first", map[int64]row{1: {"a", 2}, 2: {"b", 3}, 3: {"c", 0}}, "c/b/a", "c/b/a", "c/b/a"},
		{"row missing", nil, "", "", ""},
		{"parent missing", map[int64]row{1: {"a", 9}}, "a", "/a", "a"},
		{"grandparent missing", map[int64]row{1: {"a", 2}, 2: {"b", 9}}, "b/a", "/b/a", "/b/a"},
		{"ancestor without a slug", map[int64]row{1: {"a", 2}, 2: {"", 3}, 3: {"c", 0}}, "c/a", "c//a", "c//a"},
		{"ancestor with the slug 0, empty to PHP", map[int64]row{1: {"a", 2}, 2: {"0", 0}}, "a", "0/a", "0/a"},
		{"own slug empty", map[int64]row{1: {"", 2}, 2: {"b", 0}}, "b/", "b/", "b/"},
		{"own parent", map[int64]row{1: {"a", 1}}, "a", "a/a", "a/a/a"},
		{"loop of two", map[int64]row{1: {"a", 2}, 2: {"b", 1}}, "b/a", "a/b/a", "b/a/b/a"},
		{"loop above", map[int64]row{1: {"a", 2}, 2: {"b", 3}, 3: {"c", 2}}, "c/b/a", "c/b/a", "b/c/b/a"},
	} {
		node := tree(c.rows)
		expect.Equal(t, [3]string{Path(1, node), TermPath(1, node), CategoryPath(1, node)}, [3]string{c.page, c.term, c.category}, c.rule)
	}
}

func TestPathsAreBounded(t *testing.T) {
	endless := func(id int64) (string, int64, bool) { return "x", id + 1, true }
	for _, c := range []struct {
		of, path string
		want     int
	}{{"Path", Path(1, endless), 256}, {"TermPath", TermPath(1, endless), 257}, {"CategoryPath", CategoryPath(1, endless), 258}} {
		expect.Equal(t, strings.Count(c.path, "x"), c.want, c.of, "slugs")
	}
	rows := tree(map[int64]row{2: {"a", 1}, 1: {"b", 0}})
	expect.Equal(t, Path(2, rows), "b/a", "the row 1 is a parent like others")
}

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		rule    string
		terms   []int64
		primary int64
		want    int64
	}{
		{"none", nil, 0, 0},
		{"none, though a primary is stored", nil, 5, 0},
		{"smallest id", []int64{8, 3, 5}, 0, 3},
		{"primary", []int64{8, 3, 5}, 8, 8},
		{"primary no longer assigned", []int64{8, 3, 5}, 9, 3},
		{"primary is the category 1", []int64{8, 1, 5}, 1, 1},
	} {
		expect.Equal(t, CategoryChoice(c.terms, c.primary), c.want, "CategoryChoice", c.rule)
	}
	for _, c := range []struct {
		rule    string
		terms   []ProductCategory
		primary int64
		want    int64
	}{
		{"none", nil, 3, 0},
		{"lowest id of roots", []ProductCategory{{8, 0}, {3, 0}, {5, 0}}, 0, 3},
		{"highest parent id first", []ProductCategory{{3, 0}, {9, 2}, {7, 4}}, 0, 7},
		{"then the lowest id", []ProductCategory{{9, 4}, {7, 4}, {8, 4}, {1, 2}}, 0, 7},
		{"one alone", []ProductCategory{{9, 2}}, 0, 9},
		{"the first has the highest parent id", []ProductCategory{{9, 4}, {7, 2}}, 0, 9},
		{"primary", []ProductCategory{{3, 0}, {9, 2}}, 3, 3},
		{"primary with the smallest id of all", []ProductCategory{{1, 0}, {9, 2}}, 1, 1},
		{"primary no longer assigned", []ProductCategory{{3, 0}, {9, 2}}, 5, 9},
	} {
		expect.Equal(t, ProductCategoryChoice(c.terms, c.primary), c.want, "ProductCategoryChoice", c.rule)
	}
}
