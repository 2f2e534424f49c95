package provision

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wpconfig"
)

// unit is the name of the service's unit.
const unit = "wpsitemapd.service"

// service lets the systemd service read the files of the installs, by a drop-in file of its unit. Then it enables and
// restarts the service. Without systemd, it changes nothing.
func (s *Setup) service(ctx context.Context, installs []*install) error {
	if !exists(s.Systemd) {
		if s.daemonRuns(ctx) {
			s.say("\nA daemon runs already. It finds new sites in %s automatically. After other changes there, restart the daemon.", s.Config)
		} else {
			s.left("start the daemon: wpsitemapd serve --config %s", s.Config)
		}
		return nil
	}
	dropIn := s.dropIn(installs)
	path := filepath.Join(s.Units, unit+".d", "init.conf")
	if before, err := os.ReadFile(path); err == nil && string(before) == dropIn {
		dropIn = ""
	}
	active, enabled := s.systemctl(ctx, "is-active") == nil, s.systemctl(ctx, "is-enabled") == nil
	if active && enabled && dropIn == "" {
		return nil
	}
	s.say("\nThe service %s is enabled and started.", unit)
	if dropIn != "" {
		s.say("%s:\n\n  %s", path, strings.ReplaceAll(strings.TrimSpace(dropIn), "\n", "\n  "))
	}
	if !s.agreed("Do it?") {
		return nil
	}
	if dropIn != "" {
		reload := []string{"systemctl", "daemon-reload"}
		if err := s.record.add(deed{Undo: reload}); err != nil { // recorded before the file, so that Undo reloads after it has removed the file
			return err
		}
		if err := s.record.write(deed{File: path, New: dropIn}, 0o644, keep); err != nil {
			return err
		}
		if _, err := s.run(ctx, reload...); err != nil {
			return err
		}
	}
	if !enabled {
		if err := s.do(ctx, deed{Do: []string{"systemctl", "enable", unit}, Undo: []string{"systemctl", "disable", "--now", unit}}); err != nil {
			return err
		}
	}
	if err := s.systemctl(ctx, "restart"); err != nil {
		s.left("the service does not start (%v): journalctl --unit %s says why", err, unit)
	}
	return nil
}

func (s *Setup) systemctl(ctx context.Context, verb string) error {
	_, err := s.run(ctx, "systemctl", verb, unit)
	return err
}

// mainProcess returns the number of the service's main process, or 0 if the service does not run. It asks systemd, because
// any process may have the name of the program.
func (s *Setup) mainProcess(ctx context.Context) int {
	if !exists(s.Systemd) {
		return 0
	}
	out, _ := s.run(ctx, "systemctl", "show", "--property=MainPID", "--value", unit)
	pid, _ := strconv.Atoi(strings.TrimSpace(out)) // 0 if the text is no number
	return pid
}

// dropIn returns the text of a drop-in file for the unit, with the settings that the service needs to read the installs. It
// returns "" if the unit of the package is enough.
func (s *Setup) dropIn(installs []*install) string {
	var groups []string
	home := false
	for _, in := range installs {
		files := []string{in.file}
		if above := filepath.Dir(filepath.Dir(in.file)); exists(filepath.Join(above, "config/application.php")) && exists(filepath.Join(above, ".env")) {
			files = append(files, filepath.Join(above, ".env")) // Bedrock keeps its settings there
		}
		for _, file := range files {
			need, ok := groupsFor(file)
			if !ok {
				s.left("no group lets the service read %s: run setfacl -m g:%s:r on it, and setfacl -m g:%[2]s:x on the folders above", file, group)
			}
			groups = append(groups, need...)
		}
		for _, dir := range []string{"/home/", "/root/", "/run/user/"} {
			home = home || strings.HasPrefix(resolved(in.file), dir)
		}
	}
	var text strings.Builder
	slices.Sort(groups)
	if groups = slices.Compact(groups); len(groups) > 0 {
		fmt.Fprintf(&text, "# Only these groups may read wp-config.php.\nSupplementaryGroups=%s\n", strings.Join(groups, " "))
	}
	if home {
		text.WriteString("# wp-config.php is below /home.\nProtectHome=read-only\n")
	}
	if text.Len() == 0 {
		return ""
	}
	return "# Written by wpsitemapd init.\n[Service]\n" + text.String()
}

// groupsFor returns the groups that a process must have to read a file. The list is empty if everybody may read the file. ok
// is false if no group helps. It is also false for a link, because the people of the install choose its target.
func groupsFor(file string) (groups []string, ok bool) {
	way, err := wpconfig.Way(file)
	if err != nil || !way[len(way)-1].Mode.IsRegular() {
		return nil, false
	}
	for i, step := range way {
		bit := os.FileMode(0o1)
		if i == len(way)-1 {
			bit = 0o4
		}
		switch {
		case step.Mode.Perm()&bit != 0:
		case step.Mode.Perm()&(bit<<3) == 0:
			return nil, false
		default:
			groups = append(groups, groupName(step.GID))
		}
	}
	return groups, true
}

// groupName returns the name of a group, or its number if it has none.
func groupName(gid int) string {
	id := strconv.Itoa(gid)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}

// daemonRuns reports whether a daemon answers at the admin listener of the configuration.
func (s *Setup) daemonRuns(ctx context.Context) bool {
	cfg, err := config.Load(s.Config)
	if err != nil {
		return false
	}
	for _, a := range cfg.Admin {
		network, address := a.Dial()
		if network == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
		defer cancel()
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", nil)
		if err != nil {
			continue
		}
		if resp, err := client.Do(r); err == nil {
			resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		}
	}
	return false
}

// aliveTimeout is how long a daemon may take to answer.
const aliveTimeout = 4 * time.Second
