package redirects

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// reading is a manager's rules being read.
type reading struct {
	*builder
	ctx    context.Context
	blog   *wp.Blog
	stored *wp.Stored
}

// Inputs returns those of all managers, in the order in which they meet a request.
func Inputs() []wp.Inputs {
	return []wp.Inputs{
		aioseoManager, epsManager, rankmathManager, redirectionManager, safeManager,
		seopressManager, simpleManager, yoastManager,
	}
}

// declare returns the inputs of a manager: what it has in the database, and how its rules are read where it is active.
func declare(t traits, in wp.Inputs, read func(*reading) error) wp.Inputs {
	in.Name = "redirects of " + t.name
	in.Read = func(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
		if !stored.Active() {
			return wp.Decoded{}, nil
		}
		home := ""
		if _, folder := weburl.Split(blog.Home()); folder != "" {
			home = "/" + folder
		}
		r := &reading{newBuilder(t, home), ctx, blog, stored}
		err := read(r)
		if db.Unreadable(err) {
			stored.Warn(fmt.Sprintf("the redirects of %s cannot be read, and are not followed: %v", t.name, err))
			return wp.Decoded{}, nil
		}
		if err != nil {
			return wp.Decoded{}, fmt.Errorf("reading the redirects of %s: %w", t.name, err)
		}
		m := r.finish(stored.Warn)
		return wp.Decoded{Value: m, OfObjects: m.print}, nil
	}
	return in
}

// errEnough ends a statement whose other rows are beyond the bounds.
var errEnough = errors.New("enough rows")

// query runs a statement that returns one row more than there are rules at most, if there are so many.
func (r *reading) query(query string, scan func(*sql.Rows) error) error {
	n := 0
	err := r.blog.Query(r.ctx, query, nil, func(rows *sql.Rows) error {
		if n++; n > maxRules+maxPatterns {
			r.more = true
			return errEnough
		}
		return scan(rows)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// array returns an option that holds redirects as a PHP array.
func (r *reading) array(option string) php.Value {
	v := r.stored.Array(option)
	if text, _ := r.stored.Text(option); v.Kind != php.Array && text != "" {
		r.stored.Warn(fmt.Sprintf("option %s holds no list that can be read, so that redirects of %s are not followed", option, r.name))
	}
	return v
}

// meta reads the first values of meta keys of objects, by object and key. The statement takes ids and keys.
func (r *reading) meta(query string, ids []int64, keys []string) (map[int64]map[string]string, error) {
	values, first := map[int64]map[string]string{}, map[int64]map[string]int64{}
	err := r.blog.ByID(r.ctx, query, ids, db.Rows4(func(id, row int64, key, value string) {
		if values[id] == nil {
			values[id], first[id] = map[string]string{}, map[string]int64{}
		}
		if at, ok := first[id][key]; !ok || row < at {
			values[id][key], first[id][key] = value, row
		}
	}), keys)
	return values, err
}
