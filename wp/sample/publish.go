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
	t := NewTexts(uint64(id))
	var b strings.Builder
	p := Post{
		ID: id, Author: 2, Title: t.Title(), offset: demoOffset, Published: now.UTC().Truncate(time.Second),
		Content: t.Content(&b, home, 2),
	}
	p.Slug = Slug(p.Title, id)
	w := NewWriter(ctx, db)
	w.AddPost(p, home)
	if err := w.Commit(); err != nil {
		return "", "", fmt.Errorf("publishing: %w", err)
	}
	return p.Title, home + "/" + p.Slug + "/", nil
}
