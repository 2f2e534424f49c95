package wptest

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Size says how many rows Bulk inserts. Only Posts is required; fields that are 0 get defaults. For Pictures, Meta, Drafts,
// Noindexed and Elsewhere a negative number means none.
type Size struct {
	Posts       int
	Pages       int // default: one for 50 posts, and one more
	Images      int // attachments; default: one for two posts, and two more
	Categories  int // default: one for 100 posts, at most 300, and one more
	Tags        int // default: one for 10 posts, and one more
	Authors     int // default: one for 200 posts, at most 2,000, and one more
	Subscribers int // users without posts; default: none

	Content  int // bytes of a post's content; default 6,800
	Pictures int // images in a post's content; default 2. The first is its featured image
	Meta     int // rows of meta for a post, beside those that sitemaps depend on; default 4

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
	set(&s.Pages, s.Posts/50+1)
	set(&s.Images, s.Posts/2+2)
	set(&s.Categories, min(s.Posts/100, 300)+1)
	set(&s.Tags, s.Posts/10+1)
	set(&s.Authors, min(s.Posts/200, 2000)+1)
	set(&s.Content, 6800)
	set(&s.Pictures, 2)
	set(&s.Meta, 4)
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

// usualMeta holds meta keys that WordPress, themes and plugins often store for a post.
var usualMeta = []string{
	"_edit_last", "_edit_lock", "_yoast_wpseo_content_score", "_yoast_wpseo_estimated-reading-time-minutes", "_wp_page_template",
	"views",
}

// Bulk adds the rows of a whole site to a database that has the tables of SiteSchema with the prefix wp_. The posts are from the
// years 2000 to 2024, in block markup with images, with the usual meta, one or two categories, three tags and many authors. Bulk
// also adds pages, attachments, terms and users. Some posts are drafts, are noindexed or have their canonical on another site.
//
// Ids follow the highest existing ones. If there is no option home, Bulk writes the options of a new site at
// https://bulk.example.test. The same size makes the same rows.
func Bulk(ctx context.Context, db *sql.DB, size Size) error {
	size.setDefaults()
	home := "https://bulk.example.test"
	first := struct{ post, term, taxonomy, user int }{}
	for table, id := range map[string]*int{"posts": &first.post, "terms": &first.term, "term_taxonomy": &first.taxonomy, "users": &first.user} {
		column := map[string]string{"terms": "term_id", "term_taxonomy": "term_taxonomy_id"}[table]
		column = cmp.Or(column, "ID")
		if err := db.QueryRowContext(ctx, "SELECT COALESCE(MAX("+column+"), 0) + 1 FROM wp_"+table).Scan(id); err != nil {
			return fmt.Errorf("bulk: %s: %w", table, err)
		}
	}
	err := db.QueryRowContext(ctx, "SELECT option_value FROM wp_options WHERE option_name = 'home'").Scan(&home)
	plain := err == sql.ErrNoRows
	if err != nil && !plain {
		return fmt.Errorf("bulk: option home: %w", err)
	}

	w := NewWriter(ctx, db)
	if plain {
		w.AddSite(home, "Bulk")
	}

	t := NewTexts(uint64(size.Posts))
	for i := range size.Authors {
		login := "author-" + strconv.Itoa(first.user+i)
		w.AddUser(first.user+i, login, "Author "+strconv.Itoa(i), "author", 2, 1_700_000_000+i*60)
	}
	for i := range size.Subscribers {
		id := first.user + size.Authors + i
		w.AddUser(id, "subscriber-"+strconv.Itoa(id), "Subscriber "+strconv.Itoa(i), "subscriber", 0, 0)
	}
	start := time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC)
	step := min(time.Hour, 24*365*24*time.Hour/time.Duration(max(1, size.Posts))).Truncate(time.Second)
	images := make([]Image, size.Images)
	for i := range images {
		id := first.post + i
		file := start.AddDate(0, i%240, 0).Format("2006/01/") + "photo-" + strconv.Itoa(id) + ".jpg"
		images[i] = Image{ID: id, File: file, Alt: Pick(t, Things)}
		number := strconv.Itoa(id)
		w.AddImage(Post{ID: id, Author: first.user, Slug: "photo-" + number, Title: "Photo " + number, Published: start}, file, home)
	}
	var b strings.Builder
	page := first.post + size.Images
	for i := range size.Pages {
		parent := 0
		if i%4 > 0 {
			parent = page + i - i%4 // a tree of two levels
		}
		title := t.Title()
		w.AddPost(Post{ID: page + i, Author: first.user, Kind: "page", Slug: Slug(title, page+i), Title: title, Parent: parent,
			Content: t.Content(&b, home, 2, images[i%len(images)]), Published: start.Add(time.Duration(i) * time.Hour)}, home)
	}

	var pictures []Image
	counts := make([]int, size.Categories+size.Tags) // number of published posts of each term, categories first, then tags
	post0 := page + size.Pages
	for i := range size.Posts {
		id := post0 + i
		title := t.Title()
		p := Post{ID: id, Author: first.user + i%size.Authors, Slug: Slug(title, id), Title: title,
			Published: start.Add(time.Duration(i) * step)}
		p.Modified = p.Published.Add(time.Duration(t.IntN(90*24)) * time.Minute)
		pictures = pictures[:0]
		for k := range max(size.Pictures, 0) {
			pictures = append(pictures, images[(size.Pictures*i+k)%len(images)])
		}
		p.Content = article(t, &b, home, size.Content, pictures...)
		fate := size.fate(i)
		if fate == draft {
			p.Status = "draft"
		}
		w.AddPost(p, home)
		for k := range max(size.Meta, 0) {
			w.Add(w.PostMeta, id, usualMeta[k%len(usualMeta)], strconv.Itoa(i+k))
		}
		if len(pictures) > 0 {
			w.Add(w.PostMeta, id, "_thumbnail_id", strconv.Itoa(pictures[0].ID))
		}
		switch fate {
		case noindexed:
			w.Add(w.PostMeta, id, "_yoast_wpseo_meta-robots-noindex", "1")
		case elsewhere:
			w.Add(w.PostMeta, id, "_yoast_wpseo_canonical", "https://elsewhere.test/"+p.Slug+"/")
		}
		terms := []int{i % size.Categories}
		if next := (i + 1) % size.Categories; i%3 == 0 && next != terms[0] {
			terms = append(terms, next)
		}
		w.Add(w.PostMeta, id, "_yoast_wpseo_primary_category", strconv.Itoa(first.term+terms[0]))
		for k := range min(3, size.Tags) {
			terms = append(terms, size.Categories+(i+k)%size.Tags)
		}
		for _, term := range terms {
			w.Add(w.Relations, id, first.taxonomy+term)
			if p.Status != "draft" {
				counts[term]++
			}
		}
		if i%10_000 == 9_999 { // InnoDB is slow to roll back a long transaction
			if err := w.Commit(); err != nil {
				return fmt.Errorf("bulk: %w", err)
			}
		}
	}
	for i, count := range counts {
		name, kind, parent := "Category", "category", 0
		if i >= size.Categories {
			name, kind = "tag", "post_tag"
		} else if i%5 > 0 {
			parent = first.term + i - i%5
		}
		name += " " + strconv.Itoa(first.term+i)
		w.Add(w.Terms, first.term+i, name, Slug(name, 0))
		w.Add(w.Taxonomy, first.taxonomy+i, first.term+i, kind, "", parent, count)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	return nil
}

// article writes about size bytes of blocks as the editor does: paragraphs, some headings and lists, and the images at equal
// distances.
func article(t *Texts, b *strings.Builder, home string, size int, images ...Image) string {
	b.Reset()
	b.Grow(size + 512)
	for i, shown := 0, 0; b.Len() < size-150 || shown < len(images); i++ {
		switch {
		case b.Len() >= size*(shown+1)/(len(images)+1) && shown < len(images):
			t.Picture(b, home, images[shown])
			shown++
		case i%7 == 3:
			b.WriteString("<!-- wp:heading -->\n<h2 class=\"wp-block-heading\">" + t.Title() + "</h2>\n<!-- /wp:heading -->\n\n")
		case i%11 == 8:
			b.WriteString("<!-- wp:list -->\n<ul class=\"wp-block-list\">")
			for range 3 {
				b.WriteString("<!-- wp:list-item -->\n<li>" + t.Title() + "</li>\n<!-- /wp:list-item -->\n")
			}
			b.WriteString("</ul>\n<!-- /wp:list -->\n\n")
		default:
			t.Paragraph(b)
		}
	}
	return b.String()
}
