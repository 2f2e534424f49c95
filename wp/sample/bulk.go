package sample

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Size says how much Bulk inserts. Only Posts has to be given; what is 0 follows from it.
type Size struct {
	Posts      int
	Pages      int // default: one for 50 posts, and one more
	Images     int // attachments; default: one for two posts, and two more
	Categories int // default: one for 100 posts, at most 300, and one more
	Tags       int // default: one for 10 posts, and one more
	Authors    int // default: one for 200 posts, at most 2,000, and one more
	Paragraphs int // a post; default 3, about 1,700 bytes of content with the images
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
	set(&s.Paragraphs, 3)
}

// Of the posts that Bulk inserts, the first being number 0, those with these remainders
// do not belong into a sitemap.
const (
	draftEvery, draftAt         = 50, 13  // 2 %
	noindexEvery, noindexAt     = 100, 37 // 1 %
	canonicalEvery, canonicalAt = 200, 71 // 0.5 %
)

// Listed returns how many of n posts inserted by Bulk are published, indexable and canonical.
func Listed(n int) int {
	before := func(every, at int) int { return (n - at + every - 1) / every }
	return n - max(0, before(draftEvery, draftAt)) - max(0, before(noindexEvery, noindexAt)) - max(0, before(canonicalEvery, canonicalAt))
}

// Bulk adds a site's worth of posts to a database with the tables of SiteSchema and the
// prefix wp_: posts from 2000 to 2024 at most, in block markup with two images each, with
// the usual meta, a category or two and three tags, by many authors; pages, attachments,
// terms and users beside them. 2 % are drafts, 1 % are noindexed, 0.5 % have their canonical
// elsewhere. Ids follow the highest ones present; where there is no option home, those of a
// plain site at https://bulk.example.test are written. The same size gives the same rows.
func Bulk(ctx context.Context, db *sql.DB, d Dialect, size Size) error {
	size.setDefaults()
	home := "https://bulk.example.test"
	first := struct{ post, term, taxonomy, user int }{}
	for table, id := range map[string]*int{"posts": &first.post, "terms": &first.term, "term_taxonomy": &first.taxonomy, "users": &first.user} {
		column := map[string]string{"terms": "term_id", "term_taxonomy": "term_taxonomy_id"}[table]
		if column == "" {
			column = "ID"
		}
		if err := db.QueryRowContext(ctx, "SELECT COALESCE(MAX("+column+"), 0) + 1 FROM wp_"+table).Scan(id); err != nil {
			return fmt.Errorf("bulk: %s: %w", table, err)
		}
	}
	err := db.QueryRowContext(ctx, "SELECT option_value FROM wp_options WHERE option_name = 'home'").Scan(&home)
	plain := err == sql.ErrNoRows
	if err != nil && !plain {
		return fmt.Errorf("bulk: option home: %w", err)
	}

	w, err := newWriter(ctx, db, d, "wp_")
	if err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	defer w.close()
	if plain {
		w.addOptions(coreOptions(home, "Bulk"))
		w.addOptions([]option{{"wp_user_roles", userRoles()}})
	}

	t := newTexts(uint64(size.Posts))
	for i := range size.Authors {
		login := "author-" + itoa(first.user+i)
		w.addUser(first.user+i, login, "Author "+itoa(i), "author", 2, 1_700_000_000+i*60, "wp_")
	}
	start := time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC)
	step := min(time.Hour, 24*365*24*time.Hour/time.Duration(max(1, size.Posts))).Truncate(time.Second)
	images := make([]image, size.Images)
	for i := range images {
		id := first.post + i
		file := start.AddDate(0, i%240, 0).Format("2006/01/") + "photo-" + itoa(id) + ".jpg"
		images[i] = image{id: id, file: file, alt: pick(t, things)}
		w.addImage(post{id: id, author: first.user, slug: "photo-" + itoa(id), title: "Photo " + itoa(id), published: start}, file, home)
	}
	var b strings.Builder
	page := first.post + size.Images
	for i := range size.Pages {
		parent := 0
		if i%4 > 0 {
			parent = page + i - i%4 // a tree of two levels
		}
		title := t.title()
		w.addPost(post{id: page + i, author: first.user, kind: "page", slug: slug(title, page+i), title: title, parent: parent,
			content: t.content(&b, home, 2, images[i%len(images)]), published: start.Add(time.Duration(i) * time.Hour)}, home)
	}

	counts := make([]int, size.Categories+size.Tags) // published posts of a term; tags after the categories
	post0 := page + size.Pages
	for i := range size.Posts {
		id := post0 + i
		title := t.title()
		p := post{id: id, author: first.user + i%size.Authors, slug: slug(title, id), title: title,
			published: start.Add(time.Duration(i) * step)}
		p.modified = p.published.Add(time.Duration(t.IntN(90*24)) * time.Minute)
		one, two := images[(2*i)%len(images)], images[(2*i+1)%len(images)]
		p.content = t.content(&b, home, size.Paragraphs, one, two)
		if i%draftEvery == draftAt {
			p.status = "draft"
		}
		w.addPost(p, home)
		w.add(w.postmeta, id, "_edit_last", itoa(p.author))
		w.add(w.postmeta, id, "_thumbnail_id", itoa(one.id))
		w.add(w.postmeta, id, "_yoast_wpseo_content_score", "60")
		switch {
		case i%noindexEvery == noindexAt:
			w.add(w.postmeta, id, "_yoast_wpseo_meta-robots-noindex", "1")
		case i%canonicalEvery == canonicalAt:
			w.add(w.postmeta, id, "_yoast_wpseo_canonical", "https://elsewhere.test/"+p.slug+"/")
		}
		terms := []int{i % size.Categories}
		if next := (i + 1) % size.Categories; i%3 == 0 && next != terms[0] {
			terms = append(terms, next)
		}
		w.add(w.postmeta, id, "_yoast_wpseo_primary_category", itoa(first.term+terms[0]))
		for k := range min(3, size.Tags) {
			terms = append(terms, size.Categories+(i+k)%size.Tags)
		}
		for _, term := range terms {
			w.add(w.relations, id, first.taxonomy+term)
			if p.status != "draft" {
				counts[term]++
			}
		}
		if i%10_000 == 9_999 { // InnoDB undoes long transactions slowly
			if err := w.commit(); err != nil {
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
		name += " " + itoa(first.term+i)
		w.add(w.terms, first.term+i, name, slug(name, 0))
		w.add(w.taxonomy, first.taxonomy+i, first.term+i, kind, "", parent, count)
	}
	if err := w.commit(); err != nil {
		return fmt.Errorf("bulk: %w", err)
	}
	return nil
}
