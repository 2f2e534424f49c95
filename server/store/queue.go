package store

const (
	// MaxQueue is how many bytes may wait to be written.
	MaxQueue = 32 << 20
	// jobOverhead is about how many bytes a job takes beside its content.
	jobOverhead = 512
)

// job is a blob to be written. If encode is nil, the blob is to be removed.
type job struct {
	Name
	version string // "" for a record, which is always written
	ahead   bool   // see PageRecord.Ahead
	size    int64  // about how many bytes the job takes
	encode  func() ([]byte, error)
	gone    func() []Name // lists what to remove after the write, called with the store's mu held; nil: nothing
}

// queue holds the jobs that wait, one for each name, in the order they came. Its size in bytes is bounded.
type queue struct {
	jobs   []*job
	byName map[Name]*job
	bytes  int64
}

// add adds a job, and replaces one with the same name. It returns false if there is no room.
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

// at returns the waiting job for a name, or nil.
func (q *queue) at(name Name) *job { return q.byName[name] }

// next removes and returns the job that has waited longest, nil if the queue is empty.
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

// retry puts a job back at the end, unless there is a newer job for the same name.
func (q *queue) retry(j *job) {
	if q.at(j.Name) == nil {
		q.bytes += j.size
		q.put(j)
	}
}
