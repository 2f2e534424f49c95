package wptest

import (
	"bytes"
	"strings"
	"sync"
)

// Buffer collects what a log or a program writes to it. It is safe for concurrent use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns everything that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// End returns the last 4,000 bytes that were written.
func (b *Buffer) End() string {
	s := b.String()
	return s[max(0, len(s)-4000):]
}

// Count returns how often a text occurs in what was written.
func (b *Buffer) Count(text string) int { return strings.Count(b.String(), text) }
