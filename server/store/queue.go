package store

const (
	// MaxQueue is how many bytes wait to be written at most.
	MaxQueue = 32 << 20
	// jobOverhead is about what a job takes beside its bytes.
	jobOverhead = 512
)

// job is a blob that is to be written.
type job struct {
	Name
	version string // "" for a record: it is always written
	ahead   bool   // see Page.Ahead
	size    int64  // about
	encode  func() ([]byte, error)
	gone    func() []Name // what is to be removed once it is written, while the store's mu is held; nil: nothing
}

// queue is what waits to be written, one job for each name, in the order they came. Its size in bytes is bounded.
type queue struct {
	jobs   []*job
	byName map[Name]*job
	bytes  int64
}

// add puts a job in, in the place of one with its name. It is false where there is no room.
func (q *queue) add(j *job) bool {
	j.size += jobOverhead
	before := q.byName[j.Name]
	bytes := q.bytes + j.size
	if before != nil {
		bytes -= before.size
	}
	if bytes > MaxQueue {
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
	if q.byName == nil {
		q.byName = map[Name]*job{}
	}
	q.jobs = append(q.jobs, j)
	q.byName[j.Name] = j
}

// at returns the job that waits under a name, or nil.
func (q *queue) at(name Name) *job { return q.byName[name] }

// next takes the job that has waited for longest, nil for an empty queue.
func (q *queue) next() *job {
	if len(q.jobs) == 0 {
		q.jobs = nil
		return nil
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	q.bytes -= j.size
	delete(q.byName, j.Name)
	return j
}

// retry puts a job back, behind the others, unless a newer one has come.
func (q *queue) retry(j *job) {
	if q.at(j.Name) == nil {
		q.bytes += j.size
		q.put(j)
	}
}
