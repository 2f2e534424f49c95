package store

import (
	"context"
	"errors"
	"time"
)

// maxReads is how many reads run at the same time.
const maxReads = 8

// ask calls get, and waits for it no longer than a timeout. After a failure, later calls fail at once until the store answers again.
func ask[T any](s *Store, timeout time.Duration, get func(context.Context) (T, error)) (answer T, err error) {
	s.mu.Lock()
	err = s.unreachable
	s.mu.Unlock()
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	select {
	case s.reads <- struct{}{}:
	case <-ctx.Done():
		return answer, errors.New("the store is busy")
	}
	type result struct {
		answer T
		err    error
	}
	done := make(chan result, 1) // the result may come after the timeout
	go func() {
		defer func() { <-s.reads }()
		answer, err := get(ctx)
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		answer, err = r.answer, r.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.set(&s.unreachable, err)
		notify(s.check)
	}
	return answer, err
}

// load loads a blob and calls the function read with it. It reports whether the blob was there and complete. It removes a damaged
// blob. A page must come within Kind.Timeout, because a request waits for it; records and notes have more time.
func (s *Store) load(n Name, read func([]byte) error) bool {
	timeout := lookTimeout
	if n.Kind == kindPage {
		timeout = s.kind.Timeout
	}
	data, err := ask(s, timeout, func(ctx context.Context) ([]byte, error) { return s.blobs.Load(ctx, n) })
	if err != nil || data == nil {
		return false
	}
	if err = read(data); err == nil {
		return true
	}
	s.count(&s.stats.Damaged)
	s.Log.Error("discarded a damaged entry of the store", "state", s.shown, "kind", n.Kind, "site", n.Site, "name", n.Key, "reason", err,
		"hint", "if this repeats, check the disk, or find out who else writes there")
	s.drop(n)
	return false
}

// drop queues the removal of a blob.
func (s *Store) drop(n Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.at(n) == nil && (s.writing == nil || s.writing.Name != n) { // else a job that replaces the blob is under way
		s.queue.add(&job{Name: n})
		notify(s.wake)
	}
}

// Page returns a cached page, nil if it is not cached.
func (s *Store) Page(key Key) (p *PageRecord) {
	if !s.load(key.name(), func(data []byte) (err error) {
		p, err = decodePage(data, key)
		return err
	}) {
		return nil
	}
	return p
}

// Site reads the record of a site into value. Site, Blog and Note return false if the value is missing or damaged, or if the store
// does not answer.
func (s *Store) Site(name string, value any) bool { return s.value(siteName(name), value) }

// Blog reads the record of a blog into value.
func (s *Store) Blog(site, key string, value any) bool { return s.value(blogName(site, key), value) }

func (s *Store) Note(n Note, value any) bool { return s.value(n.name(), value) }

func (s *Store) value(n Name, value any) bool {
	return s.load(n, func(data []byte) error {
		_, err := decode(data, value)
		return err
	})
}
