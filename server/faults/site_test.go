package faults

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/wp/wptest"
)

// site is a site of the suite's own making. It knows what its sitemaps must hold, from what it
// has written and from the rules, without asking the daemon.
type site struct {
	db       *database
	conn     *sql.DB
	schema   string
	home     string
	pageSize int

	mu       sync.Mutex
	posts    []post // and pages, by id
	next     time.Time
	edits    int
	versions []version // that may still be served, the newest last
}

type post struct {
	id       int64
	kind     string
	number   int
	edition  int
	modified time.Time
	trashed  bool
}

// slug names the edition: another one is another address.
func (p *post) slug() string {
	slug := fmt.Sprintf("%s-%d-edition-%d", p.kind, p.number, p.edition)
	if p.trashed {
		slug += "__trashed"
	}
	return slug
}

func (p *post) status() string {
	if p.trashed {
		return "trash"
	}
	return "publish"
}

// version is the truth at one time: by the path of a sitemap its entries, each a line of
// address and date.
type version struct {
	number int
	since  time.Time
	files  map[string]string
}

const (
	terms   = 3 // categories
	pages   = 4
	sqlTime = "2006-01-02 15:04:05"
	index   = "/sitemap_index.xml"
)

// begin is the date of the first post. An edition has a later date than all before.
var begin = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// content makes answers of the database longer than one packet.
var content = strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ", 20)

func (s *site) exec(statements ...string) {
	s.db.t.Helper()
	for _, statement := range statements {
		if err := s.try(statement); err != nil {
			s.db.t.Fatalf("%v\nin: %.300s", err, statement)
		}
	}
}

func (s *site) try(statement string) error {
	ctx, cancel := context.WithTimeout(s.db.t.Context(), wptest.Patience)
	defer cancel()
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// remember adds what is true now to the versions. s.mu is held, or the site not in use yet.
func (s *site) remember() {
	number := 1
	if n := len(s.versions); n > 0 {
		number = s.versions[n-1].number + 1
	}
	s.versions = append(s.versions, version{number, time.Now(), s.truth()})
}

// truth derives the entries of every sitemap, as the level "spec" has it: posts by id, the
// home page before them with the date of the newest, terms and authors with that of their newest.
func (s *site) truth() map[string]string {
	files := map[string]string{}
	line := func(path string, modified time.Time) string {
		return s.home + path + " " + modified.UTC().Format(time.RFC3339) + "\n"
	}
	var names []string // in the order of the index
	dates := map[string]time.Time{}
	add := func(path, entry string, modified time.Time) {
		if files[path] == "" {
			names = append(names, path)
		}
		files[path] += entry
		if modified.After(dates[path]) {
			dates[path] = modified
		}
	}
	var newest time.Time
	ofTerm := make([]time.Time, terms)
	for _, p := range s.posts {
		if p.kind != "post" || p.trashed {
			continue
		}
		if p.modified.After(newest) {
			newest = p.modified
		}
		if t := &ofTerm[p.number%terms]; p.modified.After(*t) {
			*t = p.modified
		}
	}
	listed := 1 // home is an object of the first file
	for _, p := range s.posts {
		if p.kind != "post" || p.trashed {
			continue
		}
		path := "/post-sitemap.xml"
		if n := listed/s.pageSize + 1; n > 1 {
			path = fmt.Sprintf("/post-sitemap%d.xml", n)
		}
		if files[path] == "" && path == "/post-sitemap.xml" {
			add(path, line("/", newest), newest)
		}
		add(path, line("/"+p.slug()+"/", p.modified), p.modified)
		listed++
	}
	for _, p := range s.posts {
		if p.kind == "page" {
			add("/page-sitemap.xml", line("/"+p.slug()+"/", p.modified), p.modified)
		}
	}
	for i, modified := range ofTerm {
		add("/category-sitemap.xml", line(fmt.Sprintf("/category/term-%d/", i+1), modified), modified)
	}
	add("/author-sitemap.xml", line("/author/ann/", newest), newest)
	for _, path := range names {
		files[index] += line(path, dates[path])
	}
	return files
}

// paths returns the paths of all sitemaps.
func (s *site) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.versions[0].files))
}

// edit gives a post a new edition, as WordPress does: the row is changed and a revision of it
// added. It returns the number of the new version. The new truth counts from before it is
// written, the old one until it is seen to be superseded. The database has to be well: else
// nobody could tell which of them is true.
func (s *site) edit() (number int) { return s.write(true) }

// editInPlace does so without a revision, as SQL by hand does: all that shows it from outside is
// a time of change, which a server keeps in memory.
func (s *site) editInPlace() (number int) { return s.write(false) }

func (s *site) write(revision bool) (number int) {
	s.db.t.Helper()
	s.mu.Lock()
	s.edits++
	s.next = s.next.Add(time.Second)
	p := &s.posts[s.edits*7%(len(s.posts)-pages)]
	if p.trashed = s.edits%4 == 0; !p.trashed { // every fourth goes to the trash, until its next edit
		p.edition++
	}
	p.modified = s.next
	s.remember()
	after, number := *p, s.versions[len(s.versions)-1].number
	s.mu.Unlock()

	ctx, cancel := context.WithTimeout(s.db.t.Context(), wptest.Patience)
	defer cancel()
	modified := after.modified.Format(sqlTime)
	tx, err := s.conn.BeginTx(ctx, nil)
	if err == nil {
		defer tx.Rollback()
		_, err = tx.ExecContext(ctx,
			"UPDATE wp_posts SET post_name = ?, post_status = ?, post_modified = ?, post_modified_gmt = ? WHERE ID = ?",
			after.slug(), after.status(), modified, modified, after.id)
	}
	if err == nil && revision {
		_, err = tx.ExecContext(ctx, "INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, "+
			"post_content, post_title, post_name, post_status, post_type, post_parent) VALUES (1, ?, ?, ?, ?, '', '', ?, 'inherit', "+
			"'revision', ?)",
			modified, modified, modified, modified, fmt.Sprintf("%d-revision-v1", after.id), after.id)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil && s.db.t.Context().Err() == nil {
		s.db.t.Errorf("an edit failed: %v", err)
	}
	return number
}

// latest returns the number of the newest version.
func (s *site) latest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions[len(s.versions)-1].number
}

// supersede declares all versions before the newest to be of the past: an answer that is equal
// to one of them is wrong from now on.
func (s *site) supersede() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions = s.versions[len(s.versions)-1:]
}

// match returns the newest version that a sitemap with these entries belongs to. It returns 0 if no such
// version may be served any more.
func (s *site) match(path, entries string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range slices.Backward(s.versions) {
		if v.files[path] == entries {
			return v.number
		}
	}
	return 0
}

// differences tells, for messages, how a sitemap differs from the newest truth.
func (s *site) differences(path, entries string) string {
	s.mu.Lock()
	want := s.versions[len(s.versions)-1].files[path]
	s.mu.Unlock()
	var b strings.Builder
	for line := range strings.Lines(entries) {
		if !strings.Contains(want, line) {
			b.WriteString("  got  " + line)
		}
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(entries, line) {
			b.WriteString("  want " + line)
		}
	}
	return b.String()[max(0, b.Len()-1000):]
}
