package content

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// The expectations of this table were taken from WordPress' get_shortcode_regex, shortcode_parse_atts and
// wp_parse_id_list, run under PHP 8.2.
func TestGalleries(t *testing.T) {
	ids := func(ids ...int64) []Gallery { return []Gallery{{Include: ids}} }
	for _, tt := range []struct {
		name, content string
		want          []Gallery
	}{
		{"none", `a gallery [galleries] [/gallery] [gallery`, nil},
		{"bare", `[gallery]`, []Gallery{{}}},
		{"self-closing", `[gallery/][gallery ids="1"/][gallery /]`, []Gallery{{}, {Include: []int64{1}}, {}}},
		{"upper case is another name", `[Gallery ids="1"][GALLERY]`, nil},
		{"longer names", `[gallery-x][gallery_x][gallery2][galleryé]`, []Gallery{{}}},
		{"doubled brackets do not hide it", `[[gallery ids="1"]]`, ids(1)},
		{"content of an enclosing one is not looked at", `[gallery ids="1"]x[gallery ids="2"][/gallery][gallery ids="3"]`,
			[]Gallery{{Include: []int64{1}}, {Include: []int64{3}}}},
		{"nothing encloses without the exact end", `[gallery ids="1"][gallery ids="2"][/Gallery][/gallery ]`,
			[]Gallery{{Include: []int64{1}}, {Include: []int64{2}}}},
		{"a self-closing one encloses nothing", `[gallery ids="1"/][gallery ids="2"][/gallery]`,
			[]Gallery{{Include: []int64{1}}, {Include: []int64{2}}}},
		{"nothing enclosed", `[gallery ids="1"][/gallery][gallery ids="2"]x[gallery ids="3"][/gallery]`,
			[]Gallery{{Include: []int64{1}}, {Include: []int64{2}}}},
		{"ends at the first bracket", `[gallery ids="1]2"]`, []Gallery{{}}},
		{"slashes in attributes", `[gallery a="b/c" ids="1" //]`, ids(1)},
		{"in a comment", `<!-- [gallery ids="1"] -->`, ids(1)},
		{"opening in an opening", `[gallery [gallery ids="1"]`, ids(1)},

		{"double quotes", `[gallery ids="1,2"]`, ids(1, 2)},
		{"single quotes", `[gallery ids='1,2']`, ids(1, 2)},
		{"no quotes", `[gallery ids=1,2]`, ids(1, 2)},
		{"space around the equals sign", "[gallery ids \t=\n \"1\"]", ids(1)},
		{"line breaks", "[gallery\nids=\"1\n2\"\n]", ids(1, 2)},
		{"name in any case", `[gallery IDS="1"]`, ids(1)},
		{"last of two", `[gallery ids="1" ids="2"]`, ids(2)},
		{"no space before the next makes it positional", `[gallery ids="1"columns="2"]`, []Gallery{{}}},
		{"quote in a bare value makes it positional", `[gallery ids=1"2 ids=3']`, []Gallery{{}}},
		{"positional", `[gallery "ids" 'ids' ids 1 "a b" ids="2"]`, ids(2)},
		{"positional with an attribute inside", `[gallery "x ids='1' y"]`, []Gallery{{}}},
		{"open quote", `[gallery ids="1 ids=2]`, ids(2)},
		{"typographic quotes", `[gallery ids=”1,2”]`, ids(0, 2)},
		{"no-break and zero-width spaces", "[gallery\u00a0\u200bids=\"1\u00a02\"]", ids(1, 2)},
		{"invalid UTF-8 voids the attributes", "[gallery ids=\"1\" x=\"\xe9\"]", []Gallery{{}}},

		{"ids before include", `[gallery include="1" ids="2"]`, ids(2)},
		{"include", `[gallery ids="" include="1"]`, ids(1)},
		{"zero is not given", `[gallery ids="0" include="0" id="0" exclude="0"]`, []Gallery{{}}},
		{"given but naming nothing", `[gallery ids=","]`, []Gallery{{Include: []int64{}}}},
		{"not repeated, no sign, no text", `[gallery ids="3, 1  3,,-1 abc 2x 1.9 1e2"]`, ids(3, 1, 0, 2, 100)},
		{"parent", `[gallery id="5"]`, []Gallery{{Parent: 5}}},
		{"no possible parent", `[gallery id="x"][gallery id="-5"]`, []Gallery{{Parent: -1}, {Parent: -5}}},
		{"exclude", `[gallery exclude="1,2"]`, []Gallery{{Exclude: []int64{1, 2}}}},
	} {
		expect.Same(t, tt.want, Galleries(tt.content), tt.name, "Galleries", tt.content, "-want +")
	}
}

func FuzzGalleries(f *testing.F) {
	for _, s := range []string{
		"", "[gallery", `[gallery ids="1,2" id=3 exclude='4']`, "[[gallery]]x[/gallery]]", `[gallery/ ids="\x31"/]`,
		"[gallery a\u00a0ids = 1e2 \u200b -99999999999999999999]", `[gallery "ids" '1' <ids="<1>"]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := Galleries(s)
		if n := strings.Count(s, "[gallery"); len(found) > n {
			t.Fatalf("%d galleries of %d", len(found), n)
		}
		for _, g := range found {
			for _, ids := range [][]int64{g.Include, g.Exclude} {
				seen := make(map[int64]bool)
				for _, id := range ids {
					if id < 0 || seen[id] {
						t.Fatalf("impossible ids %v", ids)
					}
					seen[id] = true
				}
			}
		}
	})
}
