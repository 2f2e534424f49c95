package changes

import (
	"context"
	"time"

	"wpsitemapd/wp/writes"
)

// The account of [watch] may look for the databases of all others at its server, so that a thousand accounts need no thousand polls. It
// needs no right to read a row. A database that it does not see as its own account does is polled by its own account.

// watchTimeout is for opening what an account that watches may see, and for asking what that is.
const watchTimeout = 10 * time.Second

// watcher returns the poller of the account that watches the server of a database, nil where none does or it does not see
// all of it.
func (f *Feed) watcher(ctx context.Context, db *writes.Database) *poller {
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
	var sees func(*writes.Database) bool
	if err == nil {
		sees, err = p.through.Sees(ctx)
	}
	switch {
	case err != nil:
		f.opt.Log.Warn("the account that watches cannot be used", "server", db.DB.Server, "reason", err)
		return nil
	case !sees(db):
		f.warnHidden(db)
		return nil
	}
	return p
}

func (f *Feed) warnHidden(db *writes.Database) {
	f.opt.Log.Warn("the account that watches does not see a database", "server", db.DB.Server, "database", db.DB.Schema,
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

// toOwn makes the accounts of databases poll them from now on. The caller holds the token of their server: no poll of it is
// under way, and the next one begins where the last one of p did.
func (p *poller) toOwn(subs []*Subscription) {
	f := p.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range subs {
		if s.poller.Load() != p || !s.polled() {
			continue
		}
		own := f.own(s.db)
		if own.since == 0 || own.since > p.since {
			own.since = p.since
		}
		if own.since == 0 { // what was written meanwhile is not known
			own.failures = max(own.failures, 1)
		}
		f.exit(s)
		f.enter(s, own)
		s.report(Anything(time.Now()))
	}
}
