package store

import "context"

// For tests in package store_test.

var DecodePage, EncodePage, Encode = decodePage, encodePage, encode

const MaxBody = maxBody

// Keep does what Run does now and then.
func (s *Store) Keep() { s.removeOld(context.Background()) }

// Look does what Run does at every beat.
func (s *Store) Look() error { return s.look(context.Background()) }

// SetLimit changes the limit.
func (s *Store) SetLimit(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Limit = bytes
}

// List returns what there is of all sites.
func (s *Store) List() ([]Blob, error) { return s.blobs.List(context.Background(), "") }
