package store

import (
	"encoding/json"
	"path/filepath"
)

const (
	MaxQueue    = 32 << 20 // bytes that wait to be written
	JobOverhead = 512      // bytes a job takes beside those of its copy
)

// Job is one that is to be written.
type Job struct {
	Dir, Name string
	Mark      string // "" for a record
	Ahead     bool   // see Copy.Ahead
	Size      int64  // about
	Encode    func() ([]byte, error)
	After     func() // once it is written
}

// Path is where it is written, below the root of all sites.
func (j *Job) Path() string { return filepath.Join(j.Dir, j.Name) }

// Queue is what waits to be written, one for each path, in the order they came. Its size in bytes is
// bounded.
type Queue struct {
	jobs   []*Job
	byPath map[string]*Job
	bytes  int64
}

func (q *Queue) Has(j *Job) bool { return q.byPath[j.Path()] != nil }

// Add puts a job in, in place of one with its path. It is false where there is no room.
func (q *Queue) Add(j *Job) bool {
	j.Size += JobOverhead
	before := q.byPath[j.Path()]
	bytes := q.bytes + j.Size
	if before != nil {
		bytes -= before.Size
	}
	if bytes > MaxQueue {
		return false
	}
	if q.bytes = bytes; before != nil {
		j.Ahead = j.Ahead && before.Ahead
		*before = *j
		return true
	}
	q.put(j)
	return true
}

// Len is the number of jobs that wait, and Bytes about what they take.
func (q *Queue) Len() int     { return len(q.byPath) }
func (q *Queue) Bytes() int64 { return q.bytes }

// At returns the job that waits under a path, nil when there is none.
func (q *Queue) At(path string) *Job { return q.byPath[path] }

func (q *Queue) put(j *Job) {
	if q.byPath == nil {
		q.byPath = map[string]*Job{}
	}
	q.jobs = append(q.jobs, j)
	q.byPath[j.Path()] = j
}

// Next takes the first job out, nil when there is none.
func (q *Queue) Next() *Job {
	if len(q.jobs) == 0 {
		q.jobs = nil
		return nil
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	q.bytes -= j.Size
	delete(q.byPath, j.Path())
	return j
}

// Retry puts a job back, behind the others, unless a newer one has come.
func (q *Queue) Retry(j *Job) {
	if !q.Has(j) {
		q.bytes += j.Size
		q.put(j)
	}
}

// CopyJob has a page written.
func CopyJob(c *Copy) *Job {
	kept := *c
	return &Job{
		Dir:    BlogDir(c.Site, c.Blog),
		Name:   CopyName(c.Name, c.Page),
		Mark:   c.Mark(),
		Ahead:  c.Ahead,
		Size:   int64(len(c.Body) + len(c.Gzipped) + len(c.Brotli)),
		Encode: func() ([]byte, error) { return EncodeCopy(&kept) },
	}
}

// BlogJob has the record of a blog written.
func BlogJob(b *Blog) *Job {
	return &Job{
		Dir: BlogDir(b.Site, b.Key), Name: blogName, Size: int64(200 * len(b.Sitemaps.Files)),
		Encode: func() ([]byte, error) { return encode(kindBlog, b) },
	}
}

// SiteJob has the record of a site written.
func SiteJob(site *Site) *Job {
	return &Job{
		Dir: SiteDir(site.Name), Name: SiteName, Size: int64(100 * (len(site.Blogs) + len(site.Gone))),
		Encode: func() ([]byte, error) { return encode(kindSite, site) },
	}
}

// NoteJob has a note written.
func NoteJob(n Note, value any, body []byte) *Job {
	return &Job{
		Dir: n.dir(), Name: safe(n.Name) + NoteSuffix, Size: int64(len(body)) + 4096,
		Encode: func() ([]byte, error) { return EncodeNote(n, value, body) },
	}
}

// EncodeNote makes the file of a note.
func EncodeNote(n Note, value any, body []byte) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return encode(kindNote, noteHead{n, text}, body)
}

// Reader hands what is kept under a name to decode, and reports whether it was there and whole.
type Reader func(dir, name string, decode func([]byte) error) bool

// ReadCopy reads a page; nil where there is none, or a damaged one.
func ReadCopy(read Reader, key Key) (c *Copy) {
	if !read(BlogDir(key.Site, key.Blog), CopyName(key.Name, key.Page), func(data []byte) (err error) {
		if c, err = DecodeCopy(data); err == nil && c.Key != key {
			err = Damaged("it is a copy of another page")
		}
		return err
	}) {
		return nil
	}
	return c
}

// ReadSite reads the records of a site and of its blogs; nil for those that are missing or damaged.
func ReadSite(read Reader, name string) (*Site, []*Blog) {
	site := &Site{}
	if !read(SiteDir(name), SiteName, func(data []byte) error {
		return decodeRecord(data, kindSite, site, func() bool { return site.Name == name })
	}) {
		return nil, nil
	}
	var blogs []*Blog
	for _, key := range site.Blogs {
		b := &Blog{}
		if read(BlogDir(name, key), blogName, func(data []byte) error {
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
		err = Damaged("it is the record of another")
	}
	return err
}

// ReadNote reads a note into value, and returns its body; ok is false where there is none, or a damaged one.
func ReadNote(read Reader, n Note, value any) (body []byte, ok bool) {
	ok = read(n.dir(), safe(n.Name)+NoteSuffix, func(data []byte) (err error) {
		var head noteHead
		if body, err = decode(data, kindNote, &head); err != nil {
			return err
		}
		if head.Note != n {
			return Damaged("it is another note")
		}
		if err := json.Unmarshal(head.Value, value); err != nil {
			return Damaged("value: %v", err)
		}
		return nil
	})
	if !ok {
		return nil, false
	}
	return body, true
}
