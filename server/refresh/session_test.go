package refresh

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
)

// unreadable is a database that opens, and cannot be read then.
type unreadable struct{ site.Database }

func (unreadable) Walk(context.Context, *site.Walk) (*site.Walk, error) {
	return nil, errors.New("it is being restored")
}

// polling returns a feed for the time of a test.
func polling(t *testing.T) *changes.Feed {
	return changes.NewFeed(changes.Options{
		Log: slog.New(slog.DiscardHandler), Start: func(run func(context.Context)) { go run(t.Context()) },
		Polled: func(time.Duration, bool) {}, Changed: func() {}, Silent: func(string, error) {}, Answered: func(string) {},
	})
}

// A database that opens but cannot be read does not take the place of the one in use: not for breaker and slots, nor for polls.
func TestDatabaseIsAdoptedOnceItWasRead(t *testing.T) {
	r, _ := newTestRefresher(t)
	r.session = session{site: r.site, daemon: r.daemon}
	r.daemon.Feed, r.daemon.Answered = polling(t), func(string) {}
	open := func(dsn string) site.Database {
		install := config.DefaultSite()
		install.Name, install.DSN = "a", config.Secret(dsn)
		d, err := site.Open(t.Context(), &install, site.SourceOf(&install), time.Now, slog.New(slog.DiscardHandler))
		wptest.Must(t, err)
		return d
	}
	first, second := open(wptest.Load(t, wptest.SQLite, "basic")), open(wptest.Load(t, wptest.SQLite, "basic"))
	databases := []site.Database{first, unreadable{second}, second}
	r.daemon.Open = func(context.Context, *site.Site, func(context.Context, string)) (site.Database, error) {
		next := databases[0]
		databases = databases[1:]
		return next, nil
	}
	defer r.Close()
	for _, tt := range []struct {
		read bool
		want site.Database
	}{{true, first}, {false, first}, {true, second}} {
		if r.session.prefer.Store(true); tt.want == second { // it was closed
			databases[0] = open("sqlite:" + second.Network().Writes().Server)
			tt.want = databases[0]
		}
		if read, _ := r.ReadOnce(t.Context()); read != tt.read {
			t.Fatalf("read: %v, %v", read, r.site.Snapshot().Err)
		}
		if server := tt.want.Network().Writes().Server; r.site.DatabaseServer() != server || r.session.inUse.Load().server != server {
			t.Errorf("%s and %s are in use, want %s", r.site.DatabaseServer(), r.session.inUse.Load().server, server)
		}
	}
}
