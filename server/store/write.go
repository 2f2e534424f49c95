package store

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"time"
)

const (
	lookTimeout  = 10 * time.Second
	writeTimeout = 30 * time.Second // a page may have many megabytes
	flushTime    = 5 * time.Second  // for what waits when the store is closed
	firstPause   = time.Second      // after a write that failed; doubled after each that follows
	lastPause    = 30 * time.Second // the longest of these pauses
	keepEvery    = time.Hour        // between searches for sites that have left the configuration
)

// SavePage has a page written, unless that very page was. It reports whether it will be: not when the queue is full, and then it
// may be saved again. Its bytes must not change.
func (s *Store) SavePage(p *PageRecord) bool {
	kept := *p
	return s.enqueue(&job{
		Name: p.name(), version: p.mark(), ahead: p.Ahead, size: int64(len(p.Body) + len(p.Gzipped)),
		encode: func() ([]byte, error) { return encodePage(&kept) },
	})
}

// SaveBlog has the record of a blog written. Pages that it does not list are removed then.
func (s *Store) SaveBlog(b *BlogRecord) bool {
	pages := b.pages()
	return s.saveRecord(&job{
		Name: blogName(b.Site, b.Key), size: int64(200 * len(b.Sitemaps.Files)),
		encode: func() ([]byte, error) { return encode(blogName(b.Site, b.Key), b, nil) },
		keeps:  func(n Name) bool { return n.Kind != kindPage || n.Blog != b.Key || pages[n.Key] },
		prunes: s.listsOther(blogName(b.Site, b.Key), pages),
	})
}

// listsOther notes which pages the record of a blog lists, and reports whether there may be others of it.
func (s *Store) listsOther(name Name, pages map[string]bool) bool {
	var sum uint64
	for page := range pages {
		sum += maphash.String(s.seed, page)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.lists[name]
	s.lists[name] = sum
	return known && before != sum
}

// SaveSite has the record of a site written. What belongs to blogs that it does not list is removed then.
func (s *Store) SaveSite(site *SiteRecord) bool {
	listed := make(map[string]bool, len(site.Blogs))
	for _, key := range site.Blogs {
		listed[key] = true
	}
	return s.saveRecord(&job{
		Name: siteName(site.Name), size: int64(100 * (len(site.Blogs) + len(site.Gone))),
		encode: func() ([]byte, error) { return encode(siteName(site.Name), site, nil) },
		keeps:  func(n Name) bool { return n.Blog == "" || listed[n.Blog] },
		prunes: true,
	})
}

// SaveNote has a note written, of a value in JSON that must not change.
func (s *Store) SaveNote(n Note, value any) bool {
	return s.enqueue(&job{Name: n.name(), size: 4096, encode: func() ([]byte, error) { return encode(n.name(), value, nil) }})
}

// saveRecord has a record written, again where the store loses it.
func (s *Store) saveRecord(j *job) bool {
	s.mu.Lock()
	if waits := s.queue.at(j.Name); waits != nil {
		j.prunes = j.prunes || waits.prunes
	}
	kept := *j
	s.records[j.Name] = &kept
	s.mu.Unlock()
	return s.enqueue(j)
}

func (s *Store) enqueue(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.knownOf(j.Name)
	if j.version != "" && before != nil && before.version == s.hash(j.version) && s.queue.at(j.Name) == nil {
		return true
	}
	if j.ahead && s.roomFor(j, j.size+jobOverhead) < 0 || !s.queue.add(j) {
		s.stats.Missed++
		return false
	}
	s.noteList(j.Name)
	notify(s.wake)
	return true
}

func (s *Store) hash(version string) uint64 { return max(1, maphash.String(s.seed, version)) }

// roomFor is what room is left with so many bytes in the place of a blob. s.mu is held.
func (s *Store) roomFor(j *job, size int64) int64 {
	room := s.room() - size
	if before := s.knownOf(j.Name); before != nil {
		room += before.size
	}
	if waits := s.queue.at(j.Name); waits != nil {
		room += waits.size
	}
	return room
}

// Run writes what is saved until ctx ends, and then for some seconds what still waits.
func (s *Store) Run(ctx context.Context) {
	pause := firstPause
	look, keep := time.NewTimer(0), time.NewTicker(keepEvery)
	defer look.Stop()
	defer keep.Stop()
	for ctx.Err() == nil {
		s.mu.Lock()
		troubled, wake := s.trouble() != nil, s.wake
		s.mu.Unlock()
		if troubled {
			wake = nil // until it answers
		}
		select {
		case <-ctx.Done():
		case <-wake:
			if s.write(ctx) != nil {
				look.Reset(pause)
			}
		case <-keep.C:
			s.keep(ctx)
		case <-s.check:
			look.Reset(min(pause, s.Beat))
		case <-look.C:
			err := s.look(ctx)
			if err == nil && troubled {
				err = s.write(ctx)
			}
			if err != nil {
				look.Reset(min(pause, max(s.Beat, firstPause)))
				pause = min(2*pause, lastPause)
				continue
			}
			pause = firstPause
			look.Reset(s.Beat)
		}
	}
	last, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	_ = s.write(last) // it has logged why
	_ = s.blobs.Close()
}

// write writes what waits. The first failure ends that: the next blob would fare no better.
func (s *Store) write(ctx context.Context) error {
	for ctx.Err() == nil {
		s.mu.Lock()
		j := s.queue.next()
		s.writing = j
		s.mu.Unlock()
		if j == nil {
			break
		}
		if err := s.writeJob(ctx, j); err != nil {
			s.mu.Lock()
			s.stats.Failed++
			s.writing = nil
			s.queue.retry(j)
			unreachable := s.unreachable
			s.mu.Unlock()
			if ctx.Err() == nil {
				s.set(unreachable, err)
			}
			return err
		}
	}
	s.mu.Lock()
	unreachable := s.unreachable
	s.mu.Unlock()
	s.set(unreachable, nil)
	return nil
}

func (s *Store) writeJob(ctx context.Context, j *job) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if j.encode == nil {
		return s.remove(ctx, []Name{j.Name}, false)
	}
	data, err := j.encode()
	if err != nil { // the next try would fail, too
		s.mu.Lock()
		s.stats.Failed++
		s.mu.Unlock()
		s.Log.Error("an entry cannot be encoded for the store", "kind", j.Kind, "site", j.Site, "name", j.Key, "reason", err,
			"hint", "report it with this log entry")
		return nil
	}
	size := int64(len(data))
	if fits, err := s.makeRoom(ctx, j, size); err != nil {
		return err
	} else if !fits {
		s.mu.Lock()
		s.stats.Missed++
		s.mu.Unlock()
		return nil
	}
	if err := s.blobs.Save(ctx, Blob{Name: j.Name, Version: j.version}, data); err != nil {
		return err
	}
	s.mu.Lock()
	s.stats.Written++
	s.note(j.Name, known{s.hash(j.version), size})
	s.mu.Unlock()
	if !j.prunes {
		return nil
	}
	all, err := s.blobs.List(ctx, j.Site)
	if err != nil {
		return err
	}
	var gone []Name
	for _, b := range all {
		if !j.keeps(b.Name) {
			gone = append(gone, b.Name)
		}
	}
	return s.remove(ctx, gone, true)
}

// note takes up what is known of a blob. s.mu is held.
func (s *Store) note(n Name, k known) {
	if s.known[n.Site] == nil {
		s.known[n.Site] = map[uint64]known{}
	}
	if before := s.knownOf(n); before != nil {
		s.used.Bytes -= before.size
		s.used.Blobs--
	}
	s.known[n.Site][maphash.Comparable(s.seed, n)] = k
	s.used.Bytes += k.size
	s.used.Blobs++
}

// noteList notes that there is a page that the record of its blog may not list. s.mu is held.
func (s *Store) noteList(n Name) {
	blog := blogName(n.Site, n.Blog)
	if _, known := s.lists[blog]; n.Kind == kindPage && !known {
		s.lists[blog] = 0 // the sum of no page
	}
}

// remove removes blobs.
func (s *Store) remove(ctx context.Context, names []Name, pruned bool) error {
	if len(names) == 0 {
		return nil
	}
	if err := s.blobs.Delete(ctx, names); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		if before := s.knownOf(n); before != nil {
			s.used.Bytes -= before.size
			s.used.Blobs--
			delete(s.known[n.Site], maphash.Comparable(s.seed, n))
		}
	}
	if pruned {
		s.stats.Pruned += len(names)
	}
	return nil
}

// makeRoom reports whether a blob of so many bytes has room, and makes room for it where that is due: pages of sites that are not
// in the configuration go first, then what was used least, and indexes last. Records stay.
func (s *Store) makeRoom(ctx context.Context, j *job, size int64) (fits bool, err error) {
	s.mu.Lock()
	limit, listed := s.Limit, slices.Clone(s.listed)
	room := limit - s.used.Bytes - size
	if before := s.knownOf(j.Name); before != nil {
		room += before.size
	}
	if j.ahead {
		room -= s.queue.bytes
	}
	s.mu.Unlock()
	if limit == 0 || room >= 0 {
		return true, nil
	}
	if j.ahead || j.Kind == kindPage && size > limit {
		return false, nil
	}
	all, err := s.blobs.List(ctx, "")
	if err != nil {
		return false, err
	}
	rank := func(b Blob) int {
		switch {
		case listed != nil && !slices.Contains(listed, b.Site):
			return 0
		case b.Kind != kindPage:
			return 3
		case b.Key == indexKey:
			return 2
		}
		return 1
	}
	slices.SortFunc(all, func(a, b Blob) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Used.Compare(b.Used), cmp.Compare(a.Key, b.Key))
	})
	var victims []Name
	for _, b := range all { // somewhat more than needed, so that not every page has to make room
		if room >= limit/20 || rank(b) == 3 {
			break
		}
		if b.Name != j.Name {
			victims = append(victims, b.Name)
			room += b.Size
		}
	}
	return room >= 0 || j.Kind != kindPage, s.remove(ctx, victims, true)
}

// look checks whether the store answers and holds what was written. What is missing is written again.
func (s *Store) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	s.mu.Lock()
	sites := slices.Clone(s.listed)
	s.mu.Unlock()
	usage, err := s.blobs.Stats(ctx, sites)
	for site := range usage {
		if !slices.Contains(sites, site) {
			sites = append(sites, site)
		}
	}
	lost := false
	for _, site := range sites {
		if err != nil {
			break
		}
		s.mu.Lock()
		all, listed := s.known[site]
		fewer := usage[site].Blobs < len(all)
		s.mu.Unlock()
		if fewer || !listed {
			var gone bool
			gone, err = s.list(ctx, site)
			lost = lost || gone
		}
	}
	s.mu.Lock()
	unwritable := s.unwritable
	if err == nil {
		s.used = Usage{}
		for _, u := range usage {
			s.used.Blobs += u.Blobs
			s.used.Bytes += u.Bytes
		}
	}
	s.mu.Unlock()
	s.set(err, unwritable)
	if lost {
		s.writeAgain()
	}
	return err
}

// list takes up which blobs of a site are there, and reports whether any is missing that was.
func (s *Store) list(ctx context.Context, site string) (gone bool, err error) {
	all, err := s.blobs.List(ctx, site)
	if err != nil {
		return false, err
	}
	now := make(map[uint64]known, len(all))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range all {
		k := known{size: b.Size}
		if b.Version != "" {
			k.version = s.hash(b.Version)
		} else if before := s.knownOf(b.Name); before != nil {
			k.version = before.version
		}
		now[maphash.Comparable(s.seed, b.Name)] = k
		s.noteList(b.Name)
	}
	for hash := range s.known[site] {
		if _, there := now[hash]; !there {
			gone = true
		}
	}
	s.known[site] = now
	return gone, nil
}

// writeAgain has everything written that is not there any more.
func (s *Store) writeAgain() {
	s.mu.Lock()
	for _, j := range s.records {
		again := *j
		s.queue.add(&again)
	}
	s.mu.Unlock()
	notify(s.wake)
	s.Log.Warn("the store has lost cached pages; they are written again", "state", s.shown)
	if s.Lost != nil {
		s.Lost()
	}
}

// keep says of the sites of the configuration that they are in use, and removes those that left it long ago.
func (s *Store) keep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	s.mu.Lock()
	listed := slices.Clone(s.listed)
	for n, j := range s.records {
		if n.Kind == kindSite && slices.Contains(listed, n.Site) {
			again := *j
			s.queue.add(&again)
		}
		if listed != nil && !slices.Contains(listed, n.Site) {
			delete(s.records, n)
		}
	}
	s.mu.Unlock()
	notify(s.wake)
	if s.backend.Shared || listed == nil {
		return
	}
	all, err := s.blobs.List(ctx, "")
	if err != nil {
		return // look tells of it
	}
	newest := map[string]time.Time{}
	for _, b := range all {
		if b.Used.After(newest[b.Site]) {
			newest[b.Site] = b.Used
		}
	}
	var gone []Name
	for _, b := range all {
		if !slices.Contains(listed, b.Site) && s.Now().Sub(newest[b.Site]) > ForgetAfter {
			gone = append(gone, b.Name)
		}
	}
	_ = s.remove(ctx, gone, true) // else the next time
}
