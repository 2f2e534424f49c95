package store

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"time"

	"wpsitemapd/sitemap/catalog"
)

const (
	lookTimeout  = 10 * time.Second // for a check of the store, and for reading a record or a note
	writeTimeout = 30 * time.Second // for one write; a page may have many megabytes
	flushTime    = 5 * time.Second  // for writing what waits when the store is closed
	firstPause   = time.Second      // after the first failure; doubled after each further one
	lastPause    = 30 * time.Second // the longest pause
	keepEvery    = time.Hour        // time between two searches for sites that have left the configuration
)

// SavePage queues a page to be written, unless the same content is stored already. It returns false if there is no room; the
// caller may try again later. The bytes of the page must not change.
func (s *Store) SavePage(p *PageRecord) bool {
	kept := *p
	return s.enqueue(&job{
		Name: p.name(), version: p.mark(), ahead: p.Ahead, size: int64(len(p.Body) + len(p.Gzipped)),
		encode: func() ([]byte, error) { return encodePage(&kept) },
	})
}

// valueJob returns a job for a value in JSON. size is its size in bytes, about. The value must not change.
func valueJob(n Name, size int, value any) *job {
	return &job{Name: n, size: int64(size), encode: func() ([]byte, error) { return encode(value, nil) }}
}

// SaveBlog queues the record of a blog to be written as JSON. The record must not change. After the write, pages that the
// outline does not list are removed.
func (s *Store) SaveBlog(site, blog string, o *catalog.Outline, record any) bool {
	j, pages := valueJob(blogName(site, blog), 200*len(o.Files), record), pagesOf(o)
	j.gone = func() (gone []Name) {
		for e := range s.known[site][blog] {
			if e.kind == kindPage && !pages[e.key] {
				gone = append(gone, Name{e.kind, site, blog, e.key})
			}
		}
		return gone
	}
	return s.enqueue(j)
}

// SaveSite queues the record of a site to be written as JSON. The record must not change. blogs are the keys of all blogs of the
// site. After the write, everything that is stored for other blogs of the site is removed.
func (s *Store) SaveSite(site string, blogs []string, record any) bool {
	listed := map[string]bool{"": true}
	for _, key := range blogs {
		listed[key] = true
	}
	j := valueJob(siteName(site), 100*len(blogs), record)
	j.gone = func() (gone []Name) {
		for blog, stored := range s.known[site] {
			for e := range stored {
				if listed[blog] {
					break
				}
				gone = append(gone, Name{e.kind, site, blog, e.key})
			}
		}
		return gone
	}
	return s.enqueue(j)
}

// SaveNote queues a note to be written as JSON. The value must not change.
func (s *Store) SaveNote(n Note, value any) bool { return s.enqueue(valueJob(n.name(), 4096, value)) }

func (s *Store) enqueue(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, stored := s.knownOf(j.Name)
	if j.version != "" && stored && before.version == s.hash(j.version) && s.queue.at(j.Name) == nil {
		return true
	}
	room := s.room() + before.size - j.size - jobOverhead
	if waits := s.queue.at(j.Name); waits != nil {
		room += waits.size
	}
	if j.ahead && room < 0 || !s.queue.add(j) {
		s.stats.Missed++
		return false
	}
	notify(s.wake)
	return true
}

func (s *Store) hash(version string) uint64 { return max(1, maphash.String(s.seed, version)) }

// Run writes what waits in the queue until ctx ends. Then it goes on for at most flushTime, and closes the store.
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
			wake = nil // do not write until the store answers again
		}
		select {
		case <-ctx.Done():
		case <-wake:
			if s.write(ctx) != nil {
				look.Reset(pause)
			}
		case <-keep.C:
			s.removeOld(ctx)
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
	_ = s.write(last) // write has logged why
	_ = s.blobs.Close()
}

// write writes what waits. It stops at the first failure, because the next write would fail too.
func (s *Store) write(ctx context.Context) (err error) {
	for ctx.Err() == nil && err == nil {
		s.mu.Lock()
		j := s.queue.next()
		s.writing = j
		s.mu.Unlock()
		if j == nil {
			break
		}
		if err = s.writeJob(ctx, j); err != nil {
			s.mu.Lock()
			s.stats.Failed++
			s.writing = nil
			s.queue.retry(j)
			s.mu.Unlock()
		}
	}
	if ctx.Err() == nil {
		s.set(&s.unwritable, err)
	}
	return err
}

func (s *Store) writeJob(ctx context.Context, j *job) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if j.encode == nil {
		return s.remove(ctx, []Name{j.Name}, false)
	}
	data, err := j.encode()
	if err != nil { // another try would fail too
		s.count(&s.stats.Failed)
		s.Log.Error("an entry cannot be encoded for the store", "kind", j.Kind, "site", j.Site, "name", j.Key, "reason", err,
			"hint", "report it with this log entry")
		return nil
	}
	size := int64(len(data))
	if fits, err := s.makeRoom(ctx, j, size); err != nil {
		return err
	} else if !fits {
		s.count(&s.stats.Missed)
		return nil
	}
	if err := s.blobs.Save(ctx, Blob{Name: j.Name, Version: j.version}, data); err != nil {
		return err
	}
	s.mu.Lock()
	s.stats.Written++
	s.learn(j.Name, known{s.hash(j.version), size})
	var gone []Name
	if j.gone != nil {
		gone = j.gone()
	}
	s.mu.Unlock()
	return s.remove(ctx, gone, true)
}

// remove removes blobs. pruned says whether to count them as pruned.
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
		s.forget(n)
	}
	if pruned {
		s.stats.Pruned += len(names)
	}
	return nil
}

// makeRoom reports whether a blob of size bytes may be written. If there is no room, it removes the pages that were used
// longest ago. It removes nothing for a page that nobody has asked for. It never removes records and notes, and always lets
// them be written.
func (s *Store) makeRoom(ctx context.Context, j *job, size int64) (fits bool, err error) {
	s.mu.Lock()
	limit := s.Limit
	before, _ := s.knownOf(j.Name)
	room := limit - s.used.Bytes + before.size - size
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
	slices.SortFunc(all, func(a, b Blob) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Key, b.Key)) })
	var victims []Name
	for _, b := range all { // remove somewhat more than necessary, so that not every page has to make room
		if room < limit/20 && b.Kind == kindPage && b.Name != j.Name {
			victims = append(victims, b.Name)
			room += b.Size
		}
	}
	return room >= 0 || j.Kind != kindPage, s.remove(ctx, victims, true)
}

// look checks whether the store answers and still holds what was written.
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
		blogs, listed := s.known[site]
		n := 0
		for _, stored := range blogs {
			n += len(stored)
		}
		s.mu.Unlock()
		if usage[site].Blobs < n || !listed {
			var gone bool
			gone, err = s.list(ctx, site)
			lost = lost || gone
		}
	}
	if err == nil {
		s.mu.Lock()
		s.used = Usage{}
		for _, u := range usage {
			s.used.Blobs += u.Blobs
			s.used.Bytes += u.Bytes
		}
		s.mu.Unlock()
	}
	s.set(&s.unreachable, err)
	if lost {
		s.Log.Warn("the store has lost cached pages; they are written again", "state", s.shown,
			"hint", "if nobody emptied the folder or the Redis on purpose, find out what deletes its data; for a Redis, switch persistence on")
		s.losses.Add(1)
		if s.Lost != nil {
			s.Lost()
		}
	}
	return err
}

// list updates what is known of the blobs of a site. gone reports whether a blob has disappeared.
func (s *Store) list(ctx context.Context, site string) (gone bool, err error) {
	all, err := s.blobs.List(ctx, site)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, used := s.known[site], s.used
	s.known[site] = map[string]entries{}
	for _, b := range all {
		k := before[b.Blog][entry{b.Kind, b.Key}]
		k.size = b.Size
		if b.Version != "" {
			k.version = s.hash(b.Version)
		}
		s.learn(b.Name, k)
	}
	s.used = used // the sum for all sites is right already
	for blog, stored := range before {
		for e := range stored {
			if _, there := s.known[site][blog][e]; !there {
				gone = true
			}
		}
	}
	return gone, nil
}

// removeOld removes the blobs of sites that left the configuration long ago.
func (s *Store) removeOld(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	s.mu.Lock()
	listed := s.listed
	s.mu.Unlock()
	if s.kind.Shared || listed == nil {
		return
	}
	all, _ := s.blobs.List(ctx, "") // look logs the error
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
	_ = s.remove(ctx, gone, true) // the next call tries again
}
