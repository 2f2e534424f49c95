package sample

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Publish writes one more post into a demo site that Create has made, as an editor would now, and returns its title and address.
func Publish(ctx context.Context, path, home string, now time.Time) (title, address string, err error) {
	db, err := OpenSQLite(path)
	if err != nil {
		return "", "", fmt.Errorf("publishing: %w", err)
	}
	defer db.Close()
	var id int
	if err := db.QueryRowContext(ctx, "SELECT MAX(ID) + 1 FROM wp_posts").Scan(&id); err != nil {
		return "", "", fmt.Errorf("publishing: %w", err)
	}
	w, err := newWriter(ctx, db, SQLite, "wp_")
	if err != nil {
		return "", "", fmt.Errorf("publishing: %w", err)
	}
	defer w.close()
	t := newTexts(uint64(id))
	var b strings.Builder
	p := post{
		id: id, author: 2, title: t.title(), offset: demoOffset, published: now.UTC().Truncate(time.Second),
		content: t.content(&b, home, 2),
	}
	p.slug = slug(p.title, id)
	w.addPost(p, home)
	if err := w.commit(); err != nil {
		return "", "", fmt.Errorf("publishing: %w", err)
	}
	return p.title, home + "/" + p.slug + "/", nil
}
