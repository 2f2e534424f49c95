package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/site"
)

// reloadTimeout is how long a reload waits for the first attempt to read new databases. A database that hangs must not
// delay the other sites.
const reloadTimeout = 2 * time.Second

// placesTimeout is how long the start waits until the addresses of all sites are known. Catalogs are built after that.
const placesTimeout = 10 * time.Second

// lastReload returns the result of the last Reload. Before the first one, it returns a good result with the time of the start.
func (s *Server) lastReload() admin.Reload {
	if status := s.reloaded.Load(); status != nil {
		return *status
	}
	return admin.Reload{Good: s.view.Started}
}

// Reload reads the configuration again and puts it in force. New sites start, and removed sites retire. A changed site
// is replaced after its successor has tried to read its database. All other sites keep their connections, catalogs and
// pages. A changed site that cannot be read continues with what was read before. If the configuration cannot be used,
// nothing changes. Some keys are read at the start only, such as the addresses to listen on: a change of these is logged.
func (s *Server) Reload(ctx context.Context) error {
	if s.ready.Load() {
		listen.Notify(listen.Reloading, s.log)
		defer listen.Notify(listen.Ready, s.log)
	}
	return s.reload(ctx)
}

func (s *Server) reload(ctx context.Context) error {
	if s.Load == nil {
		return errors.New("this server has no configuration file to read again")
	}
	select {
	case <-s.started: // before Run has started the installs, reload would start them, too
	case <-ctx.Done():
		return ctx.Err()
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if err := s.work.Err(); err != nil {
		return err // the daemon is stopping
	}
	next, err := s.readAgain()
	if err != nil {
		return err
	}
	s.logChanges(next)
	running := s.running()
	kept, started := s.installsFor(next, running)
	for _, w := range started {
		s.start(w)
	}
	awaitFirst(ctx, started, reloadTimeout)
	s.putInForce(next, running, kept)
	for _, w := range started {
		w.server.pages.PrerenderSoon(w.Site) // pages are not rendered before the install is in force
	}
	var again, gone []string
	for _, w := range running {
		if slices.Contains(kept, w) {
			continue
		}
		successor := named(started, w.Config.Name)
		if successor != nil {
			again = append(again, w.Config.Name)
		} else {
			gone = append(gone, w.Config.Name)
		}
		s.retire(w, successor)
	}
	if len(started)+len(gone) > 0 {
		s.log.Info("configuration in force", "sites", len(kept), "added", len(started)-len(again),
			"restarted", strings.Join(again, " "), "removed", strings.Join(gone, " "))
	}
	return nil
}

// readAgain reads the configuration again, and records whether it can be used.
func (s *Server) readAgain() (*config.Config, error) {
	next, err := s.Load(s.settings())
	status := &admin.Reload{At: s.now(), Good: s.lastReload().Good}
	s.counted.Reloads.Add(1)
	if err != nil {
		s.counted.ReloadFails.Add(1)
		status.Error = err.Error()
		if s.lastReload().Error != status.Error { // a file with a mistake is read again every few seconds
			s.log.Error("the configuration cannot be used; the previous one stays in force", "reason", err,
				"hint", "correct what reason names; the file is read again automatically")
		}
		s.reloaded.Store(status)
		return nil, err
	}
	if s.lastReload().Error != "" {
		s.log.Info("the configuration can be used again")
	}
	status.Good = status.At
	s.reloaded.Store(status)
	next.KeepFound(s.settings())
	return next, nil
}

// logChanges logs the changed keys that need a restart, and new warnings.
func (s *Server) logChanges(next *config.Config) {
	old := s.settings()
	if keys := strings.Join(s.atStart.NeedsRestart(next), " "); keys != s.restartKeys {
		if s.restartKeys = keys; keys != "" {
			s.log.Warn("some changed keys take effect only after a restart", "keys", keys, "hint", "restart the daemon")
		} else {
			s.log.Info("the keys that needed a restart have their earlier values again: no restart is needed")
		}
	}
	for _, text := range next.Warnings {
		if !slices.Contains(old.Warnings, text) {
			s.log.Warn(text)
		}
	}
}

// installsFor returns all installs of a configuration as kept: those that run and did not change, and new ones. started has
// only the new ones, which do not run yet. A new install takes over the state of the install that it replaces.
func (s *Server) installsFor(next *config.Config, running []*install) (kept, started []*install) {
	for _, c := range next.Sites {
		i := slices.IndexFunc(running, func(w *install) bool { return w.Config.Equal(c) })
		if i >= 0 {
			kept = append(kept, running[i])
			continue
		}
		before := named(running, c.Name)
		w := s.newInstall(c, before)
		if before != nil {
			w.inherit(before)
		} else {
			w.restore()
			s.owners.Recall([]*site.Site{w.Site}, s.store)
		}
		started = append(started, w)
		kept = append(kept, w)
	}
	return kept, started
}

// putInForce publishes a configuration with its installs.
func (s *Server) putInForce(next *config.Config, running, kept []*install) {
	s.publishing.Lock()
	s.config, s.installs = next, kept
	for _, w := range slices.Concat(running, kept) {
		w.InForce.Store(slices.Contains(kept, w))
	}
	s.publishing.Unlock()
	s.front.Configure(next)
	s.crawlers.SetVerify(next.VerifyCrawlers)
	s.pages.SetLimit(cacheBytes(next))
	s.route()
	s.retain()
}

func named(installs []*install, name string) *install {
	i := slices.IndexFunc(installs, func(w *install) bool { return w.Config.Name == name })
	if i < 0 {
		return nil
	}
	return installs[i]
}

// awaitFirst waits until every install has tried to read its database or has stopped, but no longer than atMost.
func awaitFirst(ctx context.Context, installs []*install, atMost time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for _, i := range installs {
		select {
		case <-i.FirstAttempt():
		case <-i.retired.Done():
		case <-ctx.Done():
			return
		}
	}
}

// watch returns a watcher. It reloads the configuration, and the certificate if it is not nil, after their files change.
func (s *Server) watch(certificate *listen.Certificate) *watcher {
	var warned time.Time
	w := &watcher{file: s.Watch, config: s.settings, every: s.pace.look, look: func(ctx context.Context, changed bool) {
		if certificate != nil {
			s.followCertificate(certificate, changed, &warned)
		}
		switch { // each of these has logged its error
		case changed:
			_ = s.Reload(ctx)
		case s.lastReload().Error != "": // a file that the refused configuration names (dsn_file) may have changed
			_ = s.reload(ctx)
		}
	}}
	w.seen = w.stamp()
	return w
}

// expiryRepeat is the time between two warnings that a certificate ends soon.
const expiryRepeat = 24 * time.Hour

// followCertificate loads the certificate again if its files may have changed, and warns if it ends soon. It does not
// report files that cannot be used, because the reload of the configuration does.
func (s *Server) followCertificate(c *listen.Certificate, changed bool, warned *time.Time) {
	if changed {
		if another, err := c.Reload(); err == nil && another {
			end, _ := c.End(s.now())
			s.log.Info("certificate reloaded", "until", end)
		}
	}
	if end, soon := c.End(s.now()); soon && s.now().Sub(*warned) >= expiryRepeat {
		*warned = s.now()
		s.log.Warn("the certificate ends soon, or has ended", "until", end, "hint", "renew it; new files are loaded automatically")
	}
}
