// Package disk keeps the last good copies of all sites in a folder, so that they outlive the process and can be
// served when neither database nor upstream answers.
//
// Only readers wait for the disk. What is saved goes through a bounded queue, in which a later copy of a page
// replaces an earlier one, and is written in batches. A file is written beside its name, flushed and renamed, and its
// checksum covers every byte, so that a copy is complete, in its old or its new form, whatever ends the process or
// the machine. A damaged file is dropped and counted, never returned. A folder that cannot be written is logged once.
//
// One process at a time writes to a folder: the one that holds the lock on its file "lock". Others read the same
// copies and save nothing; the next of them takes over when the first ends. So a daemon that is replaced by a new one
// hands its copies over.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"wpsitemapd/server/store"
)

const (
	flushTime  = 5 * time.Second // for what waits when the store is closed
	lockEvery  = 2 * time.Second // between checks whether another process has released the folder
	firstPause = 2 * time.Second // after a write that failed; doubled after each that follows
	lastPause  = time.Minute     // the longest of these pauses
	pruneEvery = time.Hour       // between searches for sites that have left the configuration
	maxBad     = 1000            // unusable files remembered
)

// Store is a folder of copies. It is safe for concurrent use. Set its fields before Open.
type Store struct {
	Dir   string           // made if it is not there
	Limit int64            // bytes of all files; those written longest ago go first
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: slog.Default

	root *os.Root // of Dir/sites; nil: out of reach
	lock *os.File // held by the process that writes; for Run alone

	mu      sync.Mutex
	waiting store.Queue
	writing string                      // path of the one that is not in the queue any more; ""
	files   map[string]map[string]*file // by folder and name; nil while this process does not write
	held    int64                       // bytes of files
	listed  map[string]bool             // folders of the sites in the configuration; nil: not known yet
	bad     map[string]time.Time        // unusable files that were logged, with their times
	stats   store.Stats
	wake    chan struct{}
}

// New returns a store in a folder.
func New(dir string, opt store.Options) *Store {
	return &Store{Dir: dir, Limit: opt.Limit, Now: opt.Now, Log: opt.Log}
}

// Kind is a folder, the path of which is the location.
var Kind = store.Kind{
	Check: func(string) error { return nil },
	Probe: func(_ context.Context, dir string) string {
		if err := Writable(dir); err != nil {
			return fmt.Sprintf("state %s cannot be written: %v; let the user that runs the daemon write there, and run check as that user", dir, err)
		}
		return ""
	},
	Open:  func(dir string, opt store.Options) (store.Store, error) { return New(dir, opt), nil },
	Holds: holds,
}

// String is the folder.
func (s *Store) String() string { return s.Dir }

// file is one that is on disk.
type file struct {
	size    int64
	written time.Time
	mark    string // identifies the content; "" for unknown
}

// Stats returns the counters of the store.
func (s *Store) Stats() store.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Bytes, stats.Queued, stats.Limit = s.held, s.waiting.Len(), s.Limit
	if s.writing != "" {
		stats.Queued++
	}
	for _, dir := range s.files {
		stats.Files += len(dir)
	}
	return stats
}

const (
	folderMode = 0o700
	fileMode   = 0o600
	sitesName  = "sites-" + store.Version
	lockName   = "lock"
)

// Open makes the folder ready to be read. Where that fails the store holds nothing, and Run
// tries again.
func (s *Store) Open() error {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	s.wake, s.bad = make(chan struct{}, 1), map[string]time.Time{}
	err := s.open()
	s.trouble(err)
	if _, old := os.Stat(filepath.Join(s.Dir, "sites")); old == nil && err == nil {
		s.Log.Info("pages of an earlier version of wpsitemapd are not used", "folder", filepath.Join(s.Dir, "sites"), "hint", "delete the folder")
	}
	return err
}

func (s *Store) open() error {
	if err := os.MkdirAll(filepath.Join(s.Dir, sitesName), folderMode); err != nil {
		return err
	}
	if err := ownFolder(s.Dir, false); err != nil {
		return err
	}
	if err := ownFolder(filepath.Join(s.Dir, sitesName), false); err != nil {
		return err
	}
	if s.root != nil {
		there, err := os.Stat(filepath.Join(s.Dir, sitesName))
		if err != nil {
			return err
		}
		if held, err := s.root.Stat("."); err == nil && os.SameFile(held, there) {
			return nil
		}
	}
	root, err := os.OpenRoot(filepath.Join(s.Dir, sitesName))
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.root = root // the one before is closed by the garbage collector: somebody may be reading from it
	s.mu.Unlock()
	return nil
}

// ownFolder refuses a folder in which other users could put pages for us to serve: one that every user can
// write to, or that belongs to another one, who could let them. With asRoot that one may be the daemon's user.
func ownFolder(path string, asRoot bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("every user of this machine can write to %s: choose another folder, such as /var/lib/wpsitemapd", path)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() && !asRoot {
		return fmt.Errorf("%s belongs to another user (%d), who could change what is served: choose another folder", path, owner.Uid)
	}
	return nil
}

// trouble notes why the folder cannot be used, nil when it can, and logs when that changes.
func (s *Store) trouble(err error) {
	s.mu.Lock()
	before := s.stats.Error
	s.stats.Error = ""
	if err != nil {
		s.stats.Error = err.Error()
	}
	s.mu.Unlock()
	switch {
	case err != nil && before == "":
		s.Log.Error("stored pages cannot be written; they are kept in memory only",
			"state", s.Dir, "reason", err, "hint", "check the space and the rights of the folder; the daemon retries automatically")
	case err == nil && before != "":
		s.Log.Info("stored pages can be written again", "state", s.Dir)
	}
}

// Run writes what is saved until ctx ends, and then for some seconds what still waits.
func (s *Store) Run(ctx context.Context) {
	defer s.release()
	if !s.takeOver(ctx) {
		return
	}
	s.poke() // for what came before
	pause := time.Duration(0)
	prune := time.NewTimer(0)
	defer prune.Stop()
	for {
		var retry <-chan time.Time
		if pause > 0 {
			retry = time.After(pause)
		}
		wake := s.wake
		if pause > 0 {
			wake = nil
		}
		select {
		case <-ctx.Done():
			s.writeQueue(time.Now().Add(flushTime))
			return
		case <-prune.C:
			s.forget()
			prune.Reset(pruneEvery)
			continue
		case <-wake:
		case <-retry:
		}
		if err := s.writeQueue(time.Time{}); err == nil {
			pause = 0
			s.trouble(nil)
			continue
		}
		pause = min(max(2*pause, firstPause), lastPause)
		if s.lost() {
			s.release()
			if !s.takeOver(ctx) {
				return
			}
		}
	}
}

// takeOver waits until this process may write to the folder, and lists what is there.
func (s *Store) takeOver(ctx context.Context) bool {
	for {
		err := s.tryLock()
		s.mu.Lock()
		told := s.stats.Shared
		if s.stats.Shared = errors.Is(err, errShared); s.stats.Shared {
			s.stats.Error = ""
		}
		s.mu.Unlock()
		switch {
		case err == nil:
			if told {
				s.Log.Info("this process writes to the state folder now", "state", s.Dir)
			}
			s.trouble(nil)
			return true
		case !errors.Is(err, errShared):
			s.trouble(err)
		case !told:
			s.Log.Warn("another process writes to the state folder; this one only reads it until the other ends",
				"state", s.Dir, "hint", "nothing while a daemon is replaced by a new one; otherwise give each its own folder")
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lockEvery):
		}
	}
}

var errShared = errors.New("another process writes to it")

func (s *Store) tryLock() error {
	if s.lock == nil {
		if err := s.open(); err != nil { // it may be another folder by now
			return err
		}
		f, err := os.OpenFile(filepath.Join(s.Dir, lockName), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, fileMode)
		if err != nil {
			return err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return errShared
			}
			return fmt.Errorf("lock: %w", err)
		}
		s.lock = f
	}
	return s.scan()
}

// lost reports whether the folder is no longer the one that was locked: somebody has removed
// it, or put another one in its place.
func (s *Store) lost() bool {
	held, err := s.lock.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(filepath.Join(s.Dir, lockName))
	return err != nil || !os.SameFile(held, there)
}

// release lets the folder go. Files can still be read.
func (s *Store) release() {
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
	s.mu.Lock()
	s.files, s.held = nil, 0
	s.mu.Unlock()
}

// scan takes stock of the folder, and removes what a process that was killed left unfinished.
func (s *Store) scan() error {
	files := map[string]map[string]*file{}
	var held int64
	strangers := 0
	err := fs.WalkDir(s.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil && path == ".":
			return err
		case err != nil:
			s.Log.Warn("a part of the state folder cannot be read", "state", s.Dir, "reason", err)
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		dir, name := filepath.Split(path)
		dir = filepath.Clean(dir)
		switch {
		case !store.Ours(dir, name) || !d.Type().IsRegular():
			strangers++
			return nil
		case filepath.Ext(name) == store.NewSuffix:
			_ = s.root.Remove(path) // it is written over at the latest
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		if files[dir] == nil {
			files[dir] = map[string]*file{}
		}
		files[dir][name] = &file{size: info.Size(), written: info.ModTime()}
		held += info.Size()
		return nil
	})
	if err != nil {
		return err
	}
	if strangers > 0 {
		s.Log.Warn("the state folder holds foreign files; they are left alone", "state", s.Dir, "files", strangers)
	}
	s.mu.Lock()
	s.files, s.held = files, held
	s.mu.Unlock()
	return nil
}

// Copy returns a page's copy, nil when there is none.
func (s *Store) Copy(key store.Key) *store.Copy {
	dir, name := store.BlogDir(key.Site, key.Blog), store.CopyName(key.Name, key.Page)
	c := store.ReadCopy(s.read, key)
	if c != nil {
		s.know(dir, name, c.Mark())
	}
	return c
}

// Site returns what was remembered of a site and of those of its blogs that can be served;
// nil when there is nothing.
func (s *Store) Site(name string) (*store.Site, []*store.Blog) { return store.ReadSite(s.read, name) }

// read hands a file to decode. A damaged file is removed; one that cannot be used is logged once.
func (s *Store) read(dir, name string, decode func([]byte) error) bool {
	s.mu.Lock()
	root := s.root
	s.mu.Unlock()
	if root == nil {
		return false
	}
	path := filepath.Join(dir, name)
	data, written, err := readFile(root, path)
	if err == nil {
		err = decode(data)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, fs.ErrNotExist):
		return false
	}
	broken := errors.Is(err, store.ErrDamaged)
	s.mu.Lock()
	at, known := s.bad[path]
	known = known && at.Equal(written)
	if broken && !known {
		s.stats.Damaged++
	}
	if broken && s.files != nil {
		s.removeLocked(dir, name)
	}
	if len(s.bad) < maxBad {
		s.bad[path] = written // it may still be there
	}
	s.mu.Unlock()
	switch {
	case known:
	case broken:
		s.Log.Error("discarded a corrupt file on disk", "state", s.Dir, "file", path, "reason", err, "hint", "if this repeats, check the disk")
	default:
		s.Log.Error("a file in the state folder cannot be read",
			"state", s.Dir, "file", path, "reason", err, "hint", "check the rights of the folder and the health of the disk")
	}
	return false
}

// readFile reads a whole file. It does not wait for one that is not a regular file.
func readFile(root *os.Root, path string) (data []byte, written time.Time, err error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, written, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, written, err
	}
	written = info.ModTime()
	switch {
	case !info.Mode().IsRegular():
		return nil, written, store.Damaged("not a file")
	case info.Size() > store.MaxFile:
		return nil, written, store.Damaged("%d bytes are too many", info.Size())
	}
	data = make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, written, store.Damaged("cut off")
	} else if err != nil {
		return nil, written, err
	}
	return data, written, nil
}

// know notes what is in a file.
func (s *Store) know(dir, name, mark string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[dir][name]; f != nil {
		f.mark = mark
	}
}

// Save has a copy written, unless that very copy is on disk. It reports whether it will be:
// not when the queue is full, and then it may be saved again.
// Its bytes must not change.
func (s *Store) Save(c *store.Copy) bool { return s.enqueue(store.CopyJob(c)) }

// SaveBlog has a blog's record written. Copies of pages that it does not list are removed
// then.
func (s *Store) SaveBlog(b *store.Blog) bool {
	j := store.BlogJob(b)
	j.After = func() { s.pruneBlog(j.Dir, b) }
	return s.enqueue(j)
}

// SaveSite has a site's record written. What belongs to blogs that it does not list is
// removed then.
func (s *Store) SaveSite(site *store.Site) bool {
	j := store.SiteJob(site)
	j.After = func() { s.pruneSite(j.Dir, site) }
	return s.enqueue(j)
}

// Claim reports whether this process is the one that writes.
func (s *Store) Claim(string, string, time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.stats.Shared
}

func (s *Store) enqueue(j *store.Job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[j.Dir][j.Name]; !s.waiting.Has(j) && f != nil && f.mark != "" && f.mark == j.Mark {
		return true
	}
	if j.Ahead && s.freeLocked(j) < j.Size+store.JobOverhead {
		s.stats.Missed++
		return false
	}
	if !s.waiting.Add(j) {
		if !s.stats.Shared {
			s.stats.Missed++
		}
		return false
	}
	s.poke()
	return true
}

func (s *Store) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // Run has a signal already
	}
}

// SaveNote has a note written, of a value in JSON and a body. It reports whether it will be: not
// when the queue is full, and then it may be saved again. Value and body must not change.
func (s *Store) SaveNote(n store.Note, value any, body []byte) bool {
	return s.enqueue(store.NoteJob(n, value, body))
}

// Note reads a note into value, and returns its body. It is false where there is none, or none
// that is whole.
func (s *Store) Note(n store.Note, value any) (body []byte, ok bool) {
	return store.ReadNote(s.read, n, value)
}

// holds reports whether a folder has stored pages.
func holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, sitesName))
	return err == nil
}
