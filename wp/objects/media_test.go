package objects

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/content/videos"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func addMeta(id int, key, value string) string {
	return fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, '%s', '%s')", id, key, value)
}

func setOption(name, value string) string {
	return "REPLACE INTO wp_options (option_name, option_value) VALUES ('" + name + "', '" + value + "')"
}

func activate(plugin string) string {
	return setOption("active_plugins", fmt.Sprintf(`a:1:{i:0;s:%d:"%s";}`, len(plugin), plugin))
}

// Attachments are read by their ids, by the names of their files and by their ids at VideoPress.
func TestReadMedia(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn,
		addPost(901, "attachment", "inherit", "film", 0), addPost(902, "attachment", "inherit", "poster", 0), addPost(903, "attachment", "trash", "gone", 0),
		addPost(904, "attachment", "inherit", "press", 0), addPost(905, "post", "publish", "no-media", 0),
		"UPDATE wp_posts SET post_mime_type = 'video/mp4', post_title = 'Film', post_excerpt = 'A caption', post_content = 'About it' WHERE ID = 901",
		addMeta(901, "_wp_attached_file", "film.mp4"), addMeta(901, "_wp_attached_file", "again.mp4"), addMeta(901, "_thumbnail_id", "902"),
		addMeta(901, "_wp_attachment_metadata", `a:1:{s:6:"length";i:95;}`),
		addMeta(902, "_wp_attached_file", "poster.jpg"), addMeta(903, "_wp_attached_file", "gone.mp4"), addMeta(905, "_wp_attached_file", "post.mp4"),
		addMeta(904, "videopress_guid", "AbC"), addMeta(904, "_wp_attachment_metadata",
			`a:1:{s:10:"videopress";a:2:{s:4:"guid";s:3:"AbC";s:6:"poster";s:12:"https://p/jpg";}}`))
	s := openSite(t, wp.Source{DSN: dsn})
	film := "901 video/mp4 Film|A caption|About it film.mp4 95 poster.jpg"
	for _, tt := range []struct {
		ids   []int64
		names []string
		want  string
	}{
		{nil, nil, ""},
		{[]int64{901, 903, 905}, nil, film},
		{nil, []string{"film.mp4", "film.mp4", "gone.mp4", "none.mp4", "post.mp4"}, film},
		{[]int64{902}, []string{"AbC"}, "902  || poster.jpg 0 , 904  ||  0 "},
	} {
		found, err := ReadMedia(t.Context(), s, tt.ids, tt.names)
		wptest.Must(t, err)
		var got []string
		for _, id := range slices.Sorted(maps.Keys(found)) {
			m := found[id]
			got = append(got, fmt.Sprint(m.ID, " ", m.MIME, " ", m.Title, "|", m.Caption, "|", m.Description, " ", m.File, " ", m.Length, " ", m.Poster))
		}
		expect.Equal(t, strings.Join(got, ", "), tt.want, tt.ids, tt.names)
	}
	wptest.Exec(t, dsn, `UPDATE wp_postmeta SET meta_value = 'a:1:{s:10:"videopress";a:2:{s:4:"guid";s:3:"AbC";s:6:"poster";s:5:"p.jpg";}}' `+
		"WHERE post_id = 904 AND meta_key = '_wp_attachment_metadata'")
	press, err := ReadMedia(t.Context(), s, []int64{904}, nil)
	wptest.Must(t, err)
	expect.Equal(t, press[904].VideoPress+" "+press[904].Picture, "AbC p.jpg")
}

// Which posts may hold a video, and the answers of providers that WordPress stored with them.
func TestVideosOfPosts(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	texts := []string{"<video src=a>", "<iframe>", "[video]", "[wpvideo x]", "https://youtu.be/x", "vimeo", "wistia", "wi.st", "videopress", "video.wordpress.com",
		"<!-- wp:video -->", "nothing", "videos"}
	var ids, want []int64
	for i, text := range texts {
		id := 901 + i
		wptest.Exec(t, dsn, addPost(id, "post", "publish", fmt.Sprint("v", id), 0), fmt.Sprintf("UPDATE wp_posts SET post_content = '%s' WHERE ID = %d", text, id))
		if ids = append(ids, int64(id)); i < len(texts)-2 {
			want = append(want, int64(id))
		}
	}
	wptest.Exec(t, dsn, addMeta(901, "_oembed_a", `<iframe src="https://player.vimeo.com/video/7" width="1" height="1"></iframe>`),
		addMeta(901, "_oembed_time_a", `<iframe src="https://player.vimeo.com/video/8"></iframe>`), addMeta(902, "_oembed_b", "{{unknown}}"))
	s := openSite(t, wp.Source{DSN: dsn})
	got, err := VideoMentions(t.Context(), s, ids)
	wptest.Must(t, err)
	expect.List(t, got, want)
	var embeds []string
	wptest.Must(t, EmbedsOf(t.Context(), s, ids, func(post int64, v videos.Video) { embeds = append(embeds, fmt.Sprint(post, " ", v.Player)) }))
	expect.List(t, embeds, []string{"901 https://player.vimeo.com/video/7"})
}

// The images that posts hold under meta keys, and in the image fields of ACF if the field is named beside the value.
func TestHeldAttachments(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	field := func(id, group int, key, name, kind string) []string {
		return []string{addPost(id, "acf-field", "publish", key, group), fmt.Sprintf("UPDATE wp_posts SET post_excerpt = '%s', post_content = "+
			`'a:1:{s:4:"type";s:%d:"%s";}' WHERE ID = %d`, name, len(kind), kind, id)}
	}
	wptest.Exec(t, dsn, slices.Concat([]string{activate("advanced-custom-fields/acf.php"), addPost(910, "acf-field-group", "publish", "group", 0)},
		field(911, 910, "field_a", "photo", "image"), field(912, 910, "field_b", "photos", "gallery"), field(913, 910, "field_c", "number", "text"),
		[]string{
			addMeta(1, "own", "5, 6,x,0,-7"), addMeta(1, "photo", "8"), addMeta(1, "_photo", "field_a"), addMeta(1, "number", "9"), addMeta(1, "_number", "field_c"),
			addMeta(1, "photos", `a:2:{i:0;s:2:"11";i:1;i:12;}`), addMeta(1, "_photos", "field_b"),
			addMeta(2, "photo", "8"), addMeta(2, "_photo", "field_b"), addMeta(3, "own", "nothing"), addMeta(4, "photo", "13"),
		})...)
	s := openSite(t, wp.Source{DSN: dsn})
	held, err := HeldAttachments(t.Context(), s, []int64{1, 2, 3, 4}, []string{"own"})
	wptest.Must(t, err)
	expect.Same(t, map[int64][]int64{1: {5, 6, 8, 11, 12}}, held)
	none, err := HeldAttachments(t.Context(), openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")}), []int64{1}, nil)
	if none != nil || err != nil {
		t.Errorf("no key: %v, %v", none, err)
	}
	expect.Equal(t, len(attachmentIDs(strings.Repeat("1,", mostHeld+1))), mostHeld)
}

// The path of a file below the uploads folder, by an address of any form.
func TestAttachedFile(t *testing.T) {
	t.Parallel()
	s := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	for address, want := range map[string]string{
		"https://small.test/wp-content/uploads/2024/a.jpg":     "2024/a.jpg",
		"http://small.test/wp-content/uploads/a.jpg?x=1":       "a.jpg",
		"//small.test/wp-content/uploads/a.jpg#x":              "a.jpg",
		" /wp-content/uploads/a.jpg ":                          "a.jpg",
		"https://small.test/wp-content/uploads/caf%C3%A9.jpg":  "café.jpg",
		"https://small.test/wp-content/uploads/50%.jpg":        "50%.jpg",
		"https://other.test/wp-content/uploads/a.jpg":          "",
		"https://small.test/wp-content/uploads-of-b/a.jpg":     "",
		"https://small.test/a.jpg":                             "",
		"":                                                     "",
		"https://small.test/wp-content/uploads/a.jpg?x#y?z":    "a.jpg",
		"https://small.test/wp-content/uploads/a%23b.jpg":      "a#b.jpg",
		"https://small.test/wp-content/uploads/2024/01/a%20b/": "2024/01/a b/",
	} {
		expect.Equal(t, AttachedFile(s, address), want, address)
	}
	for file, want := range map[string]string{"a.jpg": "https://small.test/wp-content/uploads/a.jpg", "": ""} {
		expect.Equal(t, FileURL(s, &Attachment{File: file}), want, file)
	}
}

// WP Offload Media has moved files to buckets at providers.
func TestFilesInBuckets(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE wp_as3cf_items (id int, source_id int, source_type text, provider text, region text, bucket text, path text, is_private int)"
	row := func(id int, provider, region, bucket, path string, private int) string {
		return fmt.Sprintf("INSERT INTO wp_as3cf_items VALUES (%d, %d, 'media-library', '%s', '%s', '%s', '%s', %d)", id, id, provider, region, bucket, path, private)
	}
	old := func(id int, provider, region, bucket, key, acl string) string {
		text := "a:5:{"
		for _, pair := range [][2]string{{"provider", provider}, {"region", region}, {"bucket", bucket}, {"key", key}, {"acl", acl}} {
			text += fmt.Sprintf(`s:%d:"%s";s:%d:"%s";`, len(pair[0]), pair[0], len(pair[1]), pair[1])
		}
		return addMeta(id, "amazonS3_info", text+"}")
	}
	for _, tt := range []struct {
		rule, option string
		rows         []string
		want         string
	}{
		{"providers", "", []string{
			table, row(901, "aws", "", "b", "x/a.jpg", 0), row(902, "aws", "eu-west-1", "b.c", "x/a b.jpg", 0), row(903, "do", "ams3", "b", "a%20b.jpg", 0),
			row(904, "gcp", "", "b", "a.jpg", 0), row(905, "other", "", "b", "a.jpg", 0), row(906, "aws", "us-east-1", "b", "a.jpg", 1),
		}, "https://b.s3.amazonaws.com/x/a.jpg https://s3.eu-west-1.amazonaws.com/b.c/x/a%20b.jpg https://b.ams3.digitaloceanspaces.com/a%20b.jpg " +
			"https://b.storage.googleapis.com/a.jpg https://small.test/wp-content/uploads/905.jpg none"},
		{"another source type is no attachment", "", []string{
			table, row(901, "aws", "", "b", "x/a.jpg", 0), "UPDATE wp_as3cf_items SET source_type = 'other'",
		}, "https://small.test/wp-content/uploads/901.jpg https://small.test/wp-content/uploads/902.jpg"},
		{"files at one provider only", `s:8:"provider";s:3:"gcp";`, []string{table, row(901, "aws", "", "b", "a.jpg", 0), row(902, "gcp", "", "b", "a.jpg", 0)},
			"https://small.test/wp-content/uploads/901.jpg https://b.storage.googleapis.com/a.jpg"},
		{"a domain of its own", `s:15:"delivery-domain";s:8:"cdn.test";`, []string{table, row(901, "other", "", "b", "a.jpg", 0), row(902, "aws", "", "b", "a.jpg", 1)},
			"https://cdn.test/a.jpg none"},
		{"version 2.2", "", []string{
			old(901, "", "us-east-1", "b", "x/a.jpg", ""), old(902, "aws", "eu-west-1", "b", "a.jpg", ""), old(903, "do", "ams3", "b", "a.jpg", "public"),
			old(904, "aws", "", "b", "a.jpg", "private"), old(905, "aws", "", "b", "", ""),
		}, "https://s3.amazonaws.com/b/x/a.jpg https://s3-eu-west-1.amazonaws.com/b/a.jpg https://b.ams3.digitaloceanspaces.com/a.jpg none " +
			"https://small.test/wp-content/uploads/905.jpg"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		pairs := strings.Count(tt.option, ";")/2 + 1
		wptest.Exec(t, dsn, append(tt.rows, activate("amazon-s3-and-cloudfront/wordpress-s3.php"),
			setOption("tantan_wordpress_s3", fmt.Sprintf(`a:%d:{s:13:"serve-from-s3";s:1:"1";%s}`, pairs, tt.option)))...)
		var ids []int64
		for id := range len(strings.Fields(tt.want)) {
			wptest.Exec(t, dsn, addPost(901+id, "attachment", "inherit", "a", 0), addMeta(901+id, "_wp_attached_file", fmt.Sprint(901+id, ".jpg")))
			ids = append(ids, int64(901+id))
		}
		s := openSite(t, wp.Source{DSN: dsn})
		found, _, err := Attachments(t.Context(), s, ids, nil, nil)
		wptest.Must(t, err)
		var got []string
		for _, id := range ids {
			address := FileURL(s, found[id])
			expect.Equal(t, found[id].InBucket(), address != "" && !strings.Contains(address, "/uploads/"), tt.rule, address)
			if address == "" {
				address = "none"
			}
			got = append(got, address)
		}
		expect.Equal(t, strings.Join(got, " "), tt.want, tt.rule)
	}
	plain := &wp.Bucket{Scheme: "http"}
	for _, tt := range []struct{ provider, region, bucket, want string }{
		{"aws", "", "b", "b.s3.amazonaws.com"}, {"aws", "us-east-1", "b", "b.s3.amazonaws.com"}, {"aws", "eu-west-1", "b", "b.s3-eu-west-1.amazonaws.com"},
		{"gcp", "", "b", "b.storage.googleapis.com"},
	} {
		expect.Equal(t, oldDomain(plain, tt.provider, tt.region, tt.bucket), tt.want, "without a path:", tt)
	}
}

// Texts whose UTF-8 bytes were read as latin1 are noticed if most texts beyond ASCII are such.
func TestMojibake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		titles []string
		want   string
	}{
		{nil, ""}, {[]string{"Cafe"}, ""}, {[]string{"CafÃ©"}, "CafÃ©"}, {[]string{"Café", "CafÃ©"}, ""}, {[]string{"Café", "CafÃ©", "Ã¼ber"}, "CafÃ©"},
		{[]string{"naïve", "Привет"}, ""},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, "DELETE FROM wp_posts", "DELETE FROM wp_terms")
		for i, title := range tt.titles {
			wptest.Exec(t, dsn, addPost(901-i, "post", "publish", "a", 0), fmt.Sprintf("UPDATE wp_posts SET post_title = '%s' WHERE ID = %d", title, 901-i))
		}
		got, err := Mojibake(t.Context(), openSite(t, wp.Source{DSN: dsn}))
		wptest.Must(t, err)
		if (got == "") != (tt.want == "") || tt.want != "" && !slices.Contains(tt.titles, got) {
			t.Errorf("%q: %q", tt.titles, got)
		}
	}
}

// What is below hidden forums is hidden too, also if parents form a ring.
func TestInHiddenForums(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, activate("bbpress/bbpress.php"), setOption("_bbp_hidden_forums", "a:1:{i:0;i:901;}"), setOption("_bbp_private_forums", "a:1:{i:0;i:902;}"),
		addPost(901, "forum", "hidden", "h", 0), addPost(902, "forum", "private", "p", 0), addPost(903, "topic", "publish", "t", 901),
		addPost(904, "reply", "publish", "r", 903), addPost(905, "forum", "publish", "f", 902), addPost(906, "post", "publish", "post", 901),
		addPost(907, "topic", "publish", "open", 908), addPost(908, "forum", "publish", "g", 0), addPost(909, "forum", "publish", "ring", 910),
		addPost(910, "forum", "publish", "ring-2", 909), "UPDATE wp_posts SET post_parent = 904 WHERE ID = 901")
	s := openSite(t, wp.Source{DSN: dsn})
	got, err := InHiddenForums(t.Context(), s)
	wptest.Must(t, err)
	expect.List(t, got, []int64{901, 903, 904, 905})
}

// Featured images of single posts; the statuses of a type; ids whose tree has no top.
func TestSmallQueries(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(901, "page", "publish", "a", 0), addPost(902, "page", "draft", "b", 901), addPost(903, "page", "publish", "lost", 999),
		addPost(904, "page", "publish", "below-lost", 903), addPost(905, "page", "publish", "c", 902),
		addMeta(901, "_thumbnail_id", "7"), addMeta(902, "_thumbnail_id", "8x"), addMeta(903, "_thumbnail_id", ""))
	s := openSite(t, wp.Source{DSN: dsn})
	images, err := ThumbnailsOf(t.Context(), s, []int64{901, 902, 903, 904})
	wptest.Must(t, err)
	expect.Same(t, map[int64]int64{901: 7, 902: 8, 903: 0}, images)
	statuses, err := PostStatuses(t.Context(), s, "page")
	wptest.Must(t, err)
	slices.Sort(statuses)
	expect.List(t, statuses, []string{"draft", "publish"})
	whole, err := WithoutLost(t.Context(), s, "page", []int64{901, 902, 903, 904, 905})
	wptest.Must(t, err)
	expect.List(t, whole, []int64{901, 902, 905})
	marked, err := MarkedProducts(t.Context(), s, "exclude-from-catalog", nil)
	if marked != nil || err != nil {
		t.Errorf("without WooCommerce: %v, %v", marked, err)
	}
}
