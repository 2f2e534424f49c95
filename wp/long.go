package wp

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"wpsitemapd/wp/db"
)

// mostLong is the number at which the count of too long values of one meta key stops.
const mostLong = 1000

// longMeta counts values that are too long to be read, by meta key or column. It is safe for concurrent use.
type longMeta struct {
	mu  sync.Mutex
	ids map[string]map[int64]bool
}

func (l *longMeta) add(key string, id int64) {
	if l == nil { // blogs in tests have none
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil {
		l.ids = map[string]map[int64]bool{}
	}
	if l.ids[key] == nil {
		l.ids[key] = map[int64]bool{}
	}
	if len(l.ids[key]) < mostLong {
		l.ids[key][id] = true
	}
}

// NoteLong records that a value of the object with this id is too long to be read. key is a meta key or a column.
func (b *Blog) NoteLong(key string, id int64) { b.long.add(key, id) }

// warnings returns a sentence for each key with the number of its values that were not read. The sentence contains none
// of these values.
func (l *longMeta) warnings() (texts []string) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(l.ids)) {
		most := db.MaxMeta
		if key == "post_content" {
			most = db.MaxContent
		}
		texts = append(texts, fmt.Sprintf("%d values of %s are longer than %d MiB and count as empty", len(l.ids[key]), key, most>>20))
	}
	return texts
}
