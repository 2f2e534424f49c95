package writes

import (
	"context"
	"time"
)

// The account of [watch] can look for writes in all databases of its server, so that a thousand accounts need no
// thousand polls. It needs no right to read a row. If it does not see all tables of a database, the database's own
// account polls that database.

// watchTimeout bounds opening the connection of [watch] and asking which tables its account sees.
const watchTimeout = 10 * time.Second

// hintWatch says what to do if the account of [watch] cannot be used.
const hintWatch = "correct what reason says; wpsitemapd grants prints what the account needs"

// watcher returns the poller of the account of [watch] for a database. It returns nil if no such account is
// configured or usable at the server, or if the account does not see all tables of the database.
func (f *Feed) watcher(ctx context.Context, db *Database) *poller {
	if f.opt.Watch == nil || db.DB.SQLite {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	opened, err, _ := f.opening.Do(db.DB.Server, func() (any, error) { return f.openWatcher(ctx, db.DB.Server) })
	p := opened.(*poller)
	if p == nil && err == nil {
		return nil
	}
	var sees func(*Database) bool
	if err == nil {
		sees, err = p.through.sees(ctx)
	}
	switch {
	case err != nil:
		f.opt.Log.Warn("the account of [watch] cannot be used", "server", db.DB.Server, "reason", err, "hint", hintWatch)
		return nil
	case !sees(db):
		f.warnHidden(db)
		return nil
	}
	return p
}

func (f *Feed) warnHidden(db *Database) {
	f.opt.Log.Warn("the account of [watch] does not see a database", "server", db.DB.Server, "database", db.DB.Schema,
		"hint", "run the statements that wpsitemapd grants prints")
}

func (f *Feed) openWatcher(ctx context.Context, server string) (*poller, error) {
	key := account{server: server, watches: true}
	f.mu.Lock()
	p := f.accounts[key]
	f.mu.Unlock()
	if p != nil {
		return p, nil
	}
	through, err := f.opt.Watch(ctx, server)
	if err != nil || through == nil {
		return nil, err
	}
	p = newPoller(f, key)
	p.through = through
	f.mu.Lock()
	defer f.mu.Unlock()
	f.accounts[key] = p
	return p, nil
}

// toOwn moves databases from p to the pollers of their own accounts. The caller must hold the token of the server, so
// that no poll runs. The next poll by such an account looks back at least to the time of the last poll of p.
func (p *poller) toOwn(subs []*Subscription) {
	f := p.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range subs {
		if s.poller.Load() != p || !s.polled() {
			continue
		}
		own := f.own(s.db)
		at := &own.progress
		if at.since == 0 || at.since > p.progress.since {
			at.since = p.progress.since
		}
		if at.since == 0 { // it is unknown what was written meanwhile
			at.failures = max(at.failures, 1)
		}
		f.exit(s)
		f.enter(s, own)
		s.report(Anything(time.Now()))
	}
}
