package server

import (
	"context"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/changes/binlog"
	"wpsitemapd/server/changes/poll"
)

// binlogRetry is the pause after which a binlog is tried again that cannot be followed before the operator has done something.
var binlogRetry = 5 * time.Minute

// newFeed returns the feed of writes, from all sources there are. Databases are polled; those of another source have the
// name by which a site asks for it with the key changes.
func (s *Server) newFeed() *changes.Feed {
	better := map[string]changes.Source{}
	if binlog.Built {
		better["binlog"] = binlog.New(s.log, binlogRetry)
	}
	start := func(run func(context.Context)) { s.tasks.Go(func() { run(s.work) }) }
	return changes.NewFeed(start, poll.New(poll.Options{
		Log:      s.log,
		Polled:   s.countPoll,
		Changed:  func() { s.counted.Changes.Add(1) },
		Silent:   s.pages.Breaker.Trip,
		Answered: s.pages.Breaker.Reset,
	}), better)
}

func (s *Server) countPoll(took time.Duration, failed bool) {
	s.counted.Looks.Add(1)
	s.counted.LookTime.Add(took)
	if failed {
		s.counted.LookFails.Add(1)
	}
}
