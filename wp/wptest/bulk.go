package wptest

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Size says how large a site Bulk makes. Only Posts is required; fields that are 0 get defaults. For Pictures, Drafts, Noindexed
// and Elsewhere a negative number means none.
type Size struct {
	Posts    int
	Images   int // attachments; default: one for two posts, and two more
	Authors  int // default: one for 200 posts, at most 2,000, and one more
	Content  int // bytes of a post's content; default 6,800
	Pictures int // images in a post's content; default 2. The first is its featured image

	Drafts    int // one in so many posts is a draft; default 50
	Noindexed int // one in so many posts is noindexed; default 100
	Elsewhere int // one in so many posts has its canonical on another site; default 200
}

func (s *Size) setDefaults() {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&s.Images, s.Posts/2+2)
	set(&s.Authors, min(s.Posts/200, 2000)+1)
	set(&s.Content, 6800)
	set(&s.Pictures, 2)
	set(&s.Drafts, 50)
	set(&s.Noindexed, 100)
	set(&s.Elsewhere, 200)
}

// fate says why a sitemap does not list a post.
type fate uint8

const (
	listed fate = iota
	draft
	noindexed
	elsewhere
)

// fate returns the fate of post number i, counted from 0.
func (s *Size) fate(i int) fate {
	falls := func(every, at int) bool { return every > 0 && i%every == at%every }
	switch {
	case falls(s.Drafts, 13):
		return draft
	case falls(s.Noindexed, 37):
		return noindexed
	case falls(s.Elsewhere, 71):
		return elsewhere
	}
	return listed
}

// Listed returns how many of the posts are published, indexable and canonical.
func (s Size) Listed() (n int) {
	s.setDefaults()
	for i := range s.Posts {
		if s.fate(i) == listed {
			n++
		}
	}
	return n
}

// bulkTables are the tables that Bulk fills, with the columns that it writes.
var bulkTables = map[string]string{
	"options": "option_name, option_value",
	"posts": "ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, " +
		"post_content, post_excerpt, post_parent, post_mime_type, guid, to_ping, pinged, post_content_filtered",
	"postmeta":           "post_id, meta_key, meta_value",
	"terms":              "term_id, name, slug",
	"term_taxonomy":      "term_taxonomy_id, term_id, taxonomy, description, parent, count",
	"term_relationships": "object_id, term_taxonomy_id",
	"users":              "ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name",
	"usermeta":           "user_id, meta_key, meta_value",
}

// bulkOptions are the options of a new installation that a sitemap depends on.
var bulkOptions = map[string]string{
	"siteurl": bulkHome, "home": bulkHome, "blogname": "Bulk", "blogdescription": "", "blog_charset": "UTF-8", "blog_public": "1",
	"permalink_structure": "/%postname%/", "category_base": "", "tag_base": "",
	"show_on_front": "posts", "page_on_front": "0", "page_for_posts": "0", "timezone_string": "", "gmt_offset": "0",
	"upload_path": "", "upload_url_path": "", "uploads_use_yearmonth_folders": "1", "default_category": "1",
	"wp_attachment_pages_enabled": "0", "template": "twentytwentyfive", "stylesheet": "twentytwentyfive", "db_version": "61833",
	"active_plugins": `a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}`,
	"wp_user_roles": `a:2:{s:6:"author";a:2:{s:4:"name";s:6:"author";s:12:"capabilities";a:2:{s:4:"read";b:1;s:10:"edit_posts";b:1;}}` +
		`s:10:"subscriber";a:2:{s:4:"name";s:10:"subscriber";s:12:"capabilities";a:1:{s:4:"read";b:1;}}}`,
}

const bulkHome = "https://bulk.example.test"

// usualMeta holds meta keys that WordPress, themes and plugins often store for a post.
var usualMeta = []string{"_edit_last", "_edit_lock", "_yoast_wpseo_content_score", "_yoast_wpseo_estimated-reading-time-minutes"}

// bulk inserts many rows with one statement, so that a site with a million posts takes only minutes. After the first error it does
// nothing.
type bulk struct {
	ctx     context.Context
	db      *sql.DB
	tx      *sql.Tx
	err     error
	waiting map[string][]any // values of rows that are not yet inserted, by table
	bytes   map[string]int   // of the texts among them
}

// add adds a row. The values have the order of bulkTables. A statement has at most 500 rows, which stay below SQLite's 32,766
// values, and about 1 MB, which is far below MariaDB's 16 MB.
func (w *bulk) add(table string, values ...any) {
	w.waiting[table] = append(w.waiting[table], values...)
	for _, v := range values {
		text, _ := v.(string)
		w.bytes[table] += len(text)
	}
	if len(w.waiting[table]) >= 500*len(values) || w.bytes[table] >= 1<<20 {
		w.flush(table)
	}
}

func (w *bulk) flush(table string) {
	if w.err == nil && w.tx == nil {
		w.tx, w.err = w.db.BeginTx(w.ctx, nil)
	}
	columns, values := bulkTables[table], w.waiting[table]
	if w.err == nil && len(values) > 0 {
		width := strings.Count(columns, ",") + 1
		row := "(?" + strings.Repeat(",?", width-1) + ")"
		_, w.err = w.tx.ExecContext(w.ctx, "INSERT INTO wp_"+table+" ("+columns+") VALUES "+row+strings.Repeat(","+row, len(values)/width-1), values...)
	}
	w.waiting[table], w.bytes[table] = values[:0], 0
}

// commit writes all rows and commits. After an error it rolls the transaction back.
func (w *bulk) commit() {
	for table := range bulkTables {
		w.flush(table)
	}
	if w.err == nil {
		w.err = w.tx.Commit()
	} else if w.tx != nil {
		w.tx.Rollback()
	}
	w.tx = nil
}

// post adds a row of posts. Its name and its title are made of name and id.
func (w *bulk) post(id, author, parent int, kind, status, name string, published, modified time.Time, content string) {
	date, changed, mime := published.Format(time.DateTime), modified.Format(time.DateTime), ""
	dateGMT := date
	if status == "draft" {
		dateGMT = "0000-00-00 00:00:00" // WordPress sets the date when it publishes
	}
	if kind == "attachment" {
		mime = "image/jpeg"
	}
	number := strconv.Itoa(id)
	w.add("posts", id, author, date, dateGMT, changed, changed, status, kind, name+"-"+number, name+" "+number, content, "", parent, mime,
		bulkHome+"/?p="+number, "", "", "")
}

// Bulk makes a whole site of a database that has the tables of SiteSchema with the prefix wp_ and no rows. The posts are from the
// years 2000 to 2024, in block markup with images, with the usual meta, one or two categories, three tags and many authors. Bulk
// also adds pages, attachments, terms and users. Some posts are drafts, are noindexed or have their canonical on another site. The
// site is at https://bulk.example.test. The same size makes the same site.
func Bulk(ctx context.Context, db *sql.DB, size Size) error {
	size.setDefaults()
	w := &bulk{ctx: ctx, db: db, waiting: map[string][]any{}, bytes: map[string]int{}}
	for name, value := range bulkOptions {
		w.add("options", name, value)
	}
	for id := 1; id <= size.Authors; id++ {
		login := "author-" + strconv.Itoa(id)
		w.add("users", id, login, "!", login, login+"@example.test", "2020-01-01 00:00:00", "Author "+strconv.Itoa(id))
		w.add("usermeta", id, "wp_capabilities", `a:1:{s:6:"author";b:1;}`)
		w.add("usermeta", id, "wp_user_level", "2")
		w.add("usermeta", id, "_yoast_wpseo_profile_updated", strconv.Itoa(1_700_000_000+id*60))
	}
	start := time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC)
	step := min(time.Hour, 24*365*24*time.Hour/time.Duration(max(1, size.Posts))).Truncate(time.Second)
	images := make([]int, size.Images)
	for i := range images {
		images[i] = i + 1
		w.post(images[i], 1, 0, "attachment", "inherit", "photo", start, start, "")
		w.add("postmeta", images[i], "_wp_attached_file", fileOf(images[i]))
	}
	page, pages := size.Images+1, size.Posts/50+1
	for i := range pages {
		parent, published := 0, start.Add(time.Duration(i)*time.Hour)
		if i%4 > 0 {
			parent = page + i - i%4 // a tree of two levels
		}
		w.post(page+i, 1, parent, "page", "publish", "page", published, published, article(page+i, 600, images[i%len(images):][:1]))
	}

	categories, tags := min(size.Posts/100, 300)+1, size.Posts/10+1
	counts := make([]int, categories+tags) // number of published posts of each term, categories first, then tags
	for i := range size.Posts {
		id := page + pages + i
		var pictures []int
		for k := range max(size.Pictures, 0) {
			pictures = append(pictures, images[(size.Pictures*i+k)%len(images)])
		}
		fate, status, published := size.fate(i), "publish", start.Add(time.Duration(i)*step)
		if fate == draft {
			status = "draft"
		}
		modified := published.Add(time.Duration(i*7919%(90*24)) * time.Minute)
		w.post(id, 1+i%size.Authors, 0, "post", status, "post", published, modified, article(id, size.Content, pictures))
		for k, key := range usualMeta {
			w.add("postmeta", id, key, strconv.Itoa(i+k))
		}
		if len(pictures) > 0 {
			w.add("postmeta", id, "_thumbnail_id", strconv.Itoa(pictures[0]))
		}
		switch fate {
		case noindexed:
			w.add("postmeta", id, "_yoast_wpseo_meta-robots-noindex", "1")
		case elsewhere:
			w.add("postmeta", id, "_yoast_wpseo_canonical", fmt.Sprintf("https://elsewhere.test/post-%d/", id))
		}
		terms := []int{i % categories}
		if next := (i + 1) % categories; i%3 == 0 && next != terms[0] {
			terms = append(terms, next)
		}
		w.add("postmeta", id, "_yoast_wpseo_primary_category", strconv.Itoa(1+terms[0]))
		for k := range min(3, tags) {
			terms = append(terms, categories+(i+k)%tags)
		}
		for _, term := range terms {
			w.add("term_relationships", id, 1+term)
			if status != "draft" {
				counts[term]++
			}
		}
		if i%10_000 == 9_999 { // InnoDB is slow to roll back a long transaction
			w.commit()
		}
	}
	for i, count := range counts {
		id, name, kind, parent := i+1, "category", "category", 0
		if i >= categories {
			name, kind = "tag", "post_tag"
		} else if i%5 > 0 {
			parent = id - i%5
		}
		w.add("terms", id, name+" "+strconv.Itoa(id), name+"-"+strconv.Itoa(id))
		w.add("term_taxonomy", id, id, kind, "", parent, count)
	}
	w.commit()
	if w.err != nil {
		return fmt.Errorf("bulk: %w", w.err)
	}
	return nil
}

// fileOf returns the file of an image below the uploads directory.
func fileOf(image int) string {
	return fmt.Sprintf("%d/%02d/photo-%d.jpg", 2000+image/12%20, 1+image%12, image)
}

// article returns about size bytes of blocks as the editor writes them: paragraphs, with the images at equal distances.
func article(post, size int, images []int) string {
	var b strings.Builder
	for shown := 0; b.Len() < size-150 || shown < len(images); {
		if shown < len(images) && b.Len() >= size*(shown+1)/(len(images)+1) {
			file := strings.TrimSuffix(fileOf(images[shown]), ".jpg")
			fmt.Fprintf(&b, "<!-- wp:image {\"id\":%[1]d,\"sizeSlug\":\"large\",\"linkDestination\":\"none\"} -->\n"+
				"<figure class=\"wp-block-image size-large\"><img src=\""+bulkHome+"/wp-content/uploads/%[2]s-1024x683.jpg\" alt=\"harbour\" "+
				"class=\"wp-image-%[1]d\"/></figure>\n<!-- /wp:image -->\n\n", images[shown], file)
			shown++
			continue
		}
		fmt.Fprintf(&b, "<!-- wp:paragraph -->\n<p>This is paragraph %d of post %d. The old ferry waits near the quiet harbour, behind the salted market "+
			"and the tidal mill. A lantern shines over the crooked bridge, where an honest baker listens to the late bell of the northern "+
			"lighthouse and to the wind in the orchard.</p>\n<!-- /wp:paragraph -->\n\n", b.Len(), post)
	}
	return b.String()
}

// Sequence returns a derived table whose column seq has the numbers from 1 to n, in SQL that every engine understands.
func Sequence(n int) string {
	const digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 " +
		"UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	sum, from := "1", []string{}
	for i, power := 0, 1; power < n || i == 0; i, power = i+1, power*10 {
		sum += fmt.Sprintf(" + %d * d%d.d", power, i)
		from = append(from, fmt.Sprintf("%s d%d", digits, i))
	}
	return fmt.Sprintf("(SELECT seq FROM (SELECT %s AS seq FROM %s) counted WHERE seq <= %d) numbers", sum, strings.Join(from, ", "), n)
}
