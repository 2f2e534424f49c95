package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/store"
)

// writeQueue writes what waits, until the deadline if there is one. What could not be written
// waits on; the first failure ends the batch, since the next file would fare no better.
func (s *Store) writeQueue(deadline time.Time) error {
	dirs := map[string]bool{} // written to
	defer func() {
		for dir := range dirs {
			s.sync(dir)
		}
	}()
	for deadline.IsZero() || time.Now().Before(deadline) {
		j := s.next()
		if j == nil {
			break
		}
		data, err := j.Encode()
		if err != nil { // the next try would fail, too
			s.mu.Lock()
			s.stats.Failed++
			s.mu.Unlock()
			s.Log.Error("a file cannot be encoded for the disk", "file", filepath.Join(j.Dir, j.Name), "reason", err, "hint", "report it with this log entry")
			continue
		}
		if s.holds(j) {
			continue
		}
		if !s.roomFor(j, int64(len(data))) && j.Mark != "" {
			s.mu.Lock()
			s.stats.Missed++
			s.mu.Unlock()
			continue
		}
		if err := s.write(j.Dir, j.Name, data); err != nil {
			s.retry(j)
			s.trouble(err)
			return err
		}
		dirs[j.Dir] = true
		s.mu.Lock()
		s.stats.Written++
		s.setLocked(j.Dir, j.Name, &file{size: int64(len(data)), written: time.Now(), mark: j.Mark})
		s.mu.Unlock()
		if j.After != nil {
			j.After()
		}
	}
	return nil
}

// next takes a job from the queue, nil when there is none.
func (s *Store) next() *store.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.waiting.Next()
	if s.writing = ""; j != nil {
		s.writing = j.Path()
	}
	return j
}

// retry puts a job back, behind the others, unless a newer one has come.
func (s *Store) retry(j *store.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Failed++
	s.writing = ""
	s.waiting.Retry(j)
}

// holds reports whether the file of a copy is on disk already, written by an earlier process.
func (s *Store) holds(j *store.Job) bool {
	s.mu.Lock()
	f := s.files[j.Dir][j.Name]
	unread := f != nil && f.mark == "" && j.Mark != ""
	s.mu.Unlock()
	if !unread {
		return false
	}
	old, _, err := readFile(s.root, filepath.Join(j.Dir, j.Name))
	if err != nil {
		return false
	}
	c, err := store.DecodeCopy(old)
	if err != nil || c.Mark() != j.Mark {
		return false
	}
	s.know(j.Dir, j.Name, j.Mark)
	return true
}

// write puts a file in its place as a whole. It is flushed before it gets its name: the copy
// before must not make room for one that the disk does not have yet.
func (s *Store) write(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	err := s.writeNew(path+store.NewSuffix, data)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.root.MkdirAll(dir, folderMode); err == nil {
			err = s.writeNew(path+store.NewSuffix, data)
		}
	}
	if err == nil {
		err = s.root.Rename(path+store.NewSuffix, path)
	}
	if err != nil {
		_ = s.root.Remove(path + store.NewSuffix) // it may be the space that is missing
	}
	return err
}

func (s *Store) writeNew(path string, data []byte) error {
	f, err := s.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync flushes the names in a folder. Where that fails the old ones may come back after a
// power failure, and they are whole too.
func (s *Store) sync(dir string) {
	if d, err := s.root.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

func (s *Store) setLocked(dir, name string, f *file) {
	if s.files == nil {
		return
	}
	if s.files[dir] == nil {
		s.files[dir] = map[string]*file{}
	}
	if old := s.files[dir][name]; old != nil {
		s.held -= old.size
	}
	s.files[dir][name] = f
	s.held += f.size
}

// removeLocked removes a file from disk. s.mu is held, and this process writes.
func (s *Store) removeLocked(dir, name string) {
	err := s.root.Remove(filepath.Join(dir, name))
	if f := s.files[dir][name]; f != nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		s.held -= f.size
		delete(s.files[dir], name)
	}
}

// pruneBlog removes copies of pages that the blog's record does not list.
func (s *Store) pruneBlog(dir string, b *store.Blog) {
	keep := b.FileNames()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Collect(maps.Keys(s.files[dir])) {
		if !keep[name] && !strings.HasSuffix(name, store.NoteSuffix) {
			s.removeLocked(dir, name)
			s.stats.Pruned++
		}
	}
}

// pruneSite removes what belongs to blogs that the site's record does not list.
func (s *Store) pruneSite(dir string, site *store.Site) {
	keep := map[string]bool{dir: true}
	for _, key := range site.Blogs {
		keep[store.BlogDir(site.Name, key)] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for d := range s.files {
		if (d == dir || strings.HasPrefix(d, dir+"/")) && !keep[d] {
			s.removeDirLocked(d)
		}
	}
}

func (s *Store) removeDirLocked(dir string) {
	for _, name := range slices.Collect(maps.Keys(s.files[dir])) {
		s.removeLocked(dir, name)
		s.stats.Pruned++
	}
	if len(s.files[dir]) == 0 {
		delete(s.files, dir)
		_ = s.root.Remove(dir) // unless somebody else keeps something there
	}
}

// roomFor reports whether a file may be written, and makes room for it where that is due.
func (s *Store) roomFor(j *store.Job, size int64) bool {
	if !j.Ahead {
		return s.makeRoom(size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freeLocked(j) >= size
}

// freeLocked is the number of bytes that are free for a file, with those of the one it takes the place of.
// What waits in the queue has taken its room. s.mu is held.
func (s *Store) freeLocked(j *store.Job) int64 {
	free := s.Limit - s.held - s.waiting.Bytes()
	if old := s.files[j.Dir][j.Name]; old != nil {
		free += old.size
	}
	if waits := s.waiting.At(j.Path()); waits != nil {
		free += waits.Size
	}
	return free
}

// Room is the number of bytes that are free.
func (s *Store) Room(string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stats.Shared || s.stats.Error != "" {
		return 0
	}
	return s.Limit - s.held - s.waiting.Bytes()
}

// Has reports whether there is a copy of a page, or will be in a moment. It is false while another process
// writes to the folder.
func (s *Store) Has(key store.Key) bool {
	dir, name := store.BlogDir(key.Site, key.Blog), store.CopyName(key.Name, key.Page)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[dir][name] != nil || s.waiting.At(filepath.Join(dir, name)) != nil || s.writing == filepath.Join(dir, name)
}

// makeRoom removes copies until so many more bytes have room: those of sites that are not in
// the configuration, then those written longest ago, and indexes last. It reports whether there
// is room.
func (s *Store) makeRoom(more int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+more <= s.Limit {
		return true
	}
	if more > s.Limit {
		return false
	}
	type victim struct {
		dir, name string
		rank      int
		written   time.Time
	}
	var victims []victim
	for dir, files := range s.files {
		for name, f := range files {
			v := victim{dir, name, 1, f.written}
			switch {
			case s.listed != nil && !s.listed[store.TopDir(dir)]:
				v.rank = 0
			case !strings.HasSuffix(name, store.CopySuffix):
				continue // a record: without it the copies are of no use
			case name == store.IndexName:
				v.rank = 2
			}
			victims = append(victims, v)
		}
	}
	slices.SortFunc(victims, func(a, b victim) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.written.Compare(b.written), cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name))
	})
	// It is somewhat more than needed, so that not every copy has to make room.
	for _, v := range victims {
		if s.held+more <= s.Limit-s.Limit/20 {
			break
		}
		s.removeLocked(v.dir, v.name)
		s.stats.Pruned++
	}
	return s.held+more <= s.Limit
}

// Retain sets the sites of the configuration. What is kept of others is removed after a week, or when its room is
// needed.
func (s *Store) Retain(sites []string) {
	listed := map[string]bool{}
	for _, name := range sites {
		listed[store.SiteDir(name)] = true
	}
	s.mu.Lock()
	s.listed = listed
	s.mu.Unlock()
}

// forget removes sites that left the configuration long ago. The time of a site's folder is when it was last in use.
func (s *Store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed == nil || s.files == nil {
		return
	}
	now := s.Now()
	tops := map[string]bool{}
	for dir := range s.files {
		tops[store.TopDir(dir)] = true
	}
	for top := range tops {
		info, err := s.root.Stat(top)
		switch {
		case err != nil:
		case s.listed[top]:
			_ = s.root.Chtimes(top, now, now)
		case now.Sub(info.ModTime()) > store.ForgetAfter:
			for _, dir := range slices.Sorted(maps.Keys(s.files)) { // the longer path is the deeper folder
				if dir != top && store.TopDir(dir) == top {
					s.removeDirLocked(dir)
				}
			}
			s.removeDirLocked(top)
		}
	}
}
