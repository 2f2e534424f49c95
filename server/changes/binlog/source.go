// Package binlog notices writes by following the binary log of a MariaDB or MySQL server, as a replica would: it
// reports which rows were written, and at once. While it cannot be followed another source reports the writes. Start
// reading at Follower.Run; the events of the log become changes.Event in handler.go. Package stream below it speaks
// the protocol.
package binlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/changes/binlog/stream"
	"wpsitemapd/wp/writes"
)

const (
	followRetry    = time.Second // after a lost connection, doubled each time
	lastRetry      = time.Minute // the longest of these pauses
	askTimeout     = 10 * time.Second
	columnsTimeout = 10 * time.Second
	mostFollowed   = 8 // accounts on one server: each holds a connection
)

// Built reports whether this program can follow a binlog.
const Built = stream.Built

// ErrUnbuilt says that it cannot.
var ErrUnbuilt = stream.ErrUnbuilt

// Source follows binlogs.
type Source struct {
	log   *slog.Logger
	retry time.Duration // the pause after a failure that only the operator can fix

	mu     sync.Mutex
	active map[string]int // accounts whose binlog is followed or tried, by server
}

// New returns a source. After a failure that only the operator can fix it tries again after retry.
func New(log *slog.Logger, retry time.Duration) *Source {
	return &Source{log: log, retry: retry, active: map[string]int{}}
}

// Watch implements changes.Source.
func (s *Source) Watch(g *changes.Group) changes.Watcher { return newFollower(s, g) }

// Follower follows the binlog for the databases of one account.
type Follower struct {
	source  *Source
	group   *changes.Group
	log     *slog.Logger
	joined  chan struct{} // holds one signal: a database has come
	pending outbox
}

func newFollower(s *Source, g *changes.Group) *Follower {
	return &Follower{source: s, group: g, log: s.log.With("server", g.Server), joined: make(chan struct{}, 1)}
}

// Joined implements changes.Watcher.
func (f *Follower) Joined(context.Context) {
	select {
	case f.joined <- struct{}{}:
	default: // it has a signal already
	}
}

// place is how far a binlog was read, and of which server it is.
type place struct {
	stream.Position
	server string
}

// Run implements changes.Watcher.
func (f *Follower) Run(ctx context.Context) {
	defer f.pending.stop()
	var at *place
	failures := 0
	logged := map[string]bool{} // why it cannot be, since it last could
	for ctx.Err() == nil {
		next, err := f.follow(ctx, at)
		followed := f.ended()
		if ctx.Err() != nil {
			return
		}
		if followed > lastRetry {
			failures = 0
		}
		if followed > 0 {
			clear(logged)
		}
		failures++
		pause := min(followRetry<<min(failures-1, 10), lastRetry)
		cannot, ok := errors.AsType[*writes.BinlogError](err)
		if errors.Is(err, stream.ErrForm) && at == nil && followed == 0 { // not even the login
			cannot, ok = &writes.BinlogError{Reason: err.Error(), Hint: `set changes = "poll", and report it`}, true
		}
		switch {
		case errors.Is(err, errNobody): // the last site that wants it has left, or the first is about to join
			at, failures = nil, 0
			select {
			case <-ctx.Done():
			case <-f.joined:
			}
			continue
		case ok:
			at, failures, pause = nil, 0, f.source.retry
			if why := err.Error(); !logged[why] {
				logged[why] = true
				f.log.Warn("the binlog cannot be followed; tables are polled instead",
					"reason", why, "hint", cannot.Hint, "again_after", f.source.retry)
			}
		case errors.Is(err, stream.ErrPurged), errors.Is(err, stream.ErrForm):
			at = nil
			f.group.ReportAll()
			f.log.Warn("the binlog has a gap; all sites are read anew", "reason", err, "again_after", pause)
		default:
			at = next
			if failures == 1 {
				f.log.Info("the binlog is not followed at the moment; tables are polled meanwhile", "reason", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

var errNobody = errors.New("no site wants it")

// follow follows for as long as the connection lasts, from a place or else from now on, and returns the place to go on
// from.
func (f *Follower) follow(ctx context.Context, from *place) (*place, error) {
	subs := f.group.Subscriptions()
	if len(subs) == 0 {
		return nil, errNobody
	}
	if !f.source.begin(f.group.Server) {
		return nil, &writes.BinlogError{
			Reason: fmt.Sprintf("that of %d other accounts of the server is followed", mostFollowed),
			Hint:   "give the sites of this server one database account",
		}
	}
	defer f.source.end(f.group.Server)
	databases := make([]*writes.Database, len(subs))
	for i, s := range subs {
		databases[i] = s.DB
	}
	n := databases[0]
	timed, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	now, err := n.Binlog(timed, databases)
	if err != nil {
		return from, err
	}
	login, err := n.Login()
	if err != nil {
		return from, err
	}
	at := place{stream.Position{File: now.File, Offset: now.Offset, GTID: now.GTID}, now.Server}
	end := at.Position
	if from != nil {
		if from.server != now.Server && from.GTID == "" {
			return nil, fmt.Errorf("%w: it is another server", stream.ErrPurged)
		}
		at.Position = from.Position
	}
	at.Position, err = stream.Follow(ctx, stream.Server{
		MariaDB: now.MariaDB, ID: now.ServerID, End: end, Addr: login.Addr, User: login.User, Password: login.Password,
		TLS: login.TLS, PlainToo: login.PlainToo, Dial: n.Dial,
	}, at.Position, &eventHandler{Follower: f, ctx: ctx})
	if errors.Is(err, stream.ErrDenied) {
		err = &writes.BinlogError{Reason: err.Error(), Hint: n.BinlogHint()}
	}
	return &at, err
}

// begin reports whether the binlog of another account of a server may be followed.
func (s *Source) begin(server string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[server] >= mostFollowed {
		return false
	}
	s.active[server]++
	return true
}

func (s *Source) end(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[server]--
}

// ended notes that the binlog reports nothing any more, and returns for how long it did.
func (f *Follower) ended() time.Duration {
	followed := f.group.End()
	unwatched := func(s *changes.Subscription) bool { return !s.Watched() }
	if followed > 0 && slices.ContainsFunc(f.group.Subscriptions(), unwatched) { // by no other source
		f.group.ReportAll()
	}
	return followed
}
