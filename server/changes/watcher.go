package changes

import (
	"context"
	"time"

	"wpsitemapd/wp/writes"
)

// One account may look for the databases of others at its server, so that a thousand accounts need no thousand polls: that of
// [watch], which needs no right to read a row, or one that the operator has named for a site. Never one of a wp-config.php:
// its people could slow it down. A database that it does not see as its own account does is polled by that.

// watchTimeout is for opening what an account that watches may see, and for asking what that is.
const watchTimeout = 10 * time.Second

// watcher returns the poller of the account that watches the server of a database, nil where none does or it does not see
// all of it.
func (f *Feed) watcher(ctx context.Context, db *writes.Database) *poller {
	if f.Watch == nil || db.SQLite {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	opened, err, _ := f.opening.Do(db.Server, func() (any, error) { return f.openWatcher(ctx, db.Server) })
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
		f.Log.Warn("the account that watches cannot be used", "server", db.Server, "reason", err)
		return nil
	case !sees(db):
		f.warnHidden(db)
		return nil
	}
	return p
}

func (f *Feed) warnHidden(db *writes.Database) {
	f.Log.Warn("the account that watches does not see a database", "server", db.Server, "database", db.Schema,
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
	through, err := f.Watch(ctx, server)
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

// split returns the databases of the account, and those of others.
func (p *poller) split() (own, others []*Subscription) {
	for _, s := range p.subscriptions() {
		if p.watches || s.db.User != p.user {
			others = append(others, s)
		} else {
			own = append(own, s)
		}
	}
	return own, others
}

// takeOver has databases of other accounts polled by this one, which the operator has named, where it has a right to all their
// tables at this very server. through is its connection. The caller holds the token of the server.
func (p *poller) takeOver(ctx context.Context, through *writes.Database) {
	f := p.feed
	if p.watches || !through.Named || !f.besides(p) {
		return
	}
	sees, err := through.Sees(ctx)
	if err != nil {
		f.Log.Debug("it is not known what an account sees", "server", p.server, "reason", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(p.subscriptions())
	for _, o := range f.accounts {
		if _, others := o.split(); o == p || o.server != p.server || o.since == 0 || o.failures > 0 || len(others) > 0 {
			continue
		}
		for _, s := range o.subscriptions() {
			if s.alone || !sees(s.db) {
				continue
			}
			p.since = min(p.since, o.since)
			p.closely[s] = o.closely[s]
			f.exit(s)
			f.enter(s, p)
		}
	}
	if taken := len(p.subscriptions()) - before; taken > 0 {
		f.Log.Info("an account polls databases of others, too", "server", p.server, "account", p.user, "databases", taken)
	}
}

// besides reports whether other accounts are polled at the server.
func (f *Feed) besides(p *poller) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.accounts {
		if o != p && o.server == p.server && !o.watches {
			return true
		}
	}
	return false
}

// toOwn has databases polled by their own accounts from now on. The caller holds the token of their server: no poll of it is
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
		s.alone = true
		s.report(Anything(time.Now()))
	}
}
