package state

import (
	"encoding/json"
	"path/filepath"
)

const (
	maxQueue    = 32 << 20 // bytes that wait to be written
	jobOverhead = 512      // bytes a job takes beside those of its copy
)

// job is one that is to be written.
type job struct {
	dir, name string
	mark      string // "" for a record
	ahead     bool   // see Copy.Ahead
	size      int64  // about
	encode    func() ([]byte, error)
	after     func() // once it is written
}

func (j *job) path() string { return filepath.Join(j.dir, j.name) }

// queue is what waits to be written, one for each path, in the order they came. Its size in bytes is
// bounded.
type queue struct {
	jobs   []*job
	byPath map[string]*job
	bytes  int64
}

func (q *queue) has(j *job) bool { return q.byPath[j.path()] != nil }

// add puts a job in, in place of one with its path. It is false where there is no room.
func (q *queue) add(j *job) bool {
	j.size += jobOverhead
	before := q.byPath[j.path()]
	bytes := q.bytes + j.size
	if before != nil {
		bytes -= before.size
	}
	if bytes > maxQueue {
		return false
	}
	if q.bytes = bytes; before != nil {
		j.ahead = j.ahead && before.ahead
		*before = *j
		return true
	}
	q.put(j)
	return true
}

func (q *queue) put(j *job) {
	if q.byPath == nil {
		q.byPath = map[string]*job{}
	}
	q.jobs = append(q.jobs, j)
	q.byPath[j.path()] = j
}

// next takes the first job out, nil when there is none.
func (q *queue) next() *job {
	if len(q.jobs) == 0 {
		q.jobs = nil
		return nil
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	q.bytes -= j.size
	delete(q.byPath, j.path())
	return j
}

// retry puts a job back, behind the others, unless a newer one has come.
func (q *queue) retry(j *job) {
	if !q.has(j) {
		q.bytes += j.size
		q.put(j)
	}
}

func copyJob(c *Copy) *job {
	kept := *c
	return &job{
		dir: blogDir(c.Site, c.Blog), name: copyName(c.Name, c.Page), mark: c.mark(), ahead: c.Ahead, size: int64(len(c.Body) + len(c.Gzipped) + len(c.Brotli)),
		encode: func() ([]byte, error) { return encodeCopy(&kept) },
	}
}

func blogJob(b *Blog) *job {
	return &job{
		dir: blogDir(b.Site, b.Key), name: blogName, size: int64(200 * len(b.Outline.Files)),
		encode: func() ([]byte, error) { return encode(kindBlog, b) },
	}
}

func siteJob(site *Site) *job {
	return &job{
		dir: siteDir(site.Name), name: siteName, size: int64(100 * (len(site.Blogs) + len(site.Gone))),
		encode: func() ([]byte, error) { return encode(kindSite, site) },
	}
}

func noteJob(n Note, value any, body []byte) *job {
	return &job{
		dir: n.dir(), name: safe(n.Name) + noteSuffix, size: int64(len(body)) + 4096,
		encode: func() ([]byte, error) { return encodeNote(n, value, body) },
	}
}

func encodeNote(n Note, value any, body []byte) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return encode(kindNote, noteHead{n, text}, body)
}

// reader hands what is kept under a name to decode, and tells whether it was there and whole.
type reader func(dir, name string, decode func([]byte) error) bool

func readCopy(read reader, key Key) (c *Copy) {
	if !read(blogDir(key.Site, key.Blog), copyName(key.Name, key.Page), func(data []byte) (err error) {
		if c, err = decodeCopy(data); err == nil && c.Key != key {
			err = damaged("it is a copy of another page")
		}
		return err
	}) {
		return nil
	}
	return c
}

func readSite(read reader, name string) (*Site, []*Blog) {
	site := &Site{}
	if !read(siteDir(name), siteName, func(data []byte) error {
		return decodeRecord(data, kindSite, site, func() bool { return site.Name == name })
	}) {
		return nil, nil
	}
	var blogs []*Blog
	for _, key := range site.Blogs {
		b := &Blog{}
		if read(blogDir(name, key), blogName, func(data []byte) error {
			return decodeRecord(data, kindBlog, b, func() bool { return b.Site == name && b.Key == key })
		}) {
			blogs = append(blogs, b)
		}
	}
	return site, blogs
}

func decodeRecord(data []byte, kind string, record any, right func() bool) error {
	_, err := decode(data, kind, record)
	if err == nil && !right() {
		err = damaged("it is the record of another")
	}
	return err
}

func readNote(read reader, n Note, value any) (body []byte, ok bool) {
	ok = read(n.dir(), safe(n.Name)+noteSuffix, func(data []byte) (err error) {
		var head noteHead
		if body, err = decode(data, kindNote, &head); err != nil {
			return err
		}
		if head.Note != n {
			return damaged("it is another note")
		}
		if err := json.Unmarshal(head.Value, value); err != nil {
			return damaged("value: %v", err)
		}
		return nil
	})
	if !ok {
		return nil, false
	}
	return body, true
}
