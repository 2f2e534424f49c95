package provision

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
)

// existing loads the configuration. It returns nil without an error if the file is missing, or is still as the package has
// installed it.
func (s *Setup) existing() (*config.Config, error) {
	s.listen = deploy.Listen
	text, err := os.ReadFile(s.Config)
	if errors.Is(err, os.ErrNotExist) || err == nil && string(text) == deploy.Config {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(s.Config)
	if err != nil {
		return nil, err
	}
	for _, a := range cfg.Listen { // where the web server reaches the daemon
		if network, address := a.Dial(); network == "tcp" {
			s.listen = address
			return cfg, nil
		}
	}
	s.left("listen in the configuration is no TCP address: correct the address of the daemon in the web server's include")
	return cfg, nil
}

// discovered returns a [[discover]] section for one install. A [[site]] would trust wp-config.php, but the people of the
// install write that file, not the operator.
func discovered(name, wpConfig, dsn string) string {
	text := fmt.Sprintf("[[discover]]\nwp_config = %s   # the database, WP_HOME, multisite\nname      = %s\n", config.Quote(wpConfig),
		config.Quote(name))
	if dsn != "" {
		text += fmt.Sprintf("dsn       = %s   # an account that may only read\n", config.Quote(dsn))
	}
	return text
}

// group is the group that may read the configuration. The unit of the service names it.
const group = "sitemaps"

// configure writes a new configuration with the installs. If there is a configuration already, it adds the installs that are
// missing there.
func (s *Setup) configure(ctx context.Context, installs []*install, cfg *config.Config) error {
	var sites strings.Builder
	for _, in := range installs {
		if !in.configured {
			sites.WriteString("\n" + discovered(in.name, in.file, in.dsn))
		}
	}
	if sites.Len() == 0 {
		return nil
	}
	text := sites.String()
	if cfg == nil {
		text = s.beginning(ctx) + text
	}
	s.say("\nThe configuration %s:\n", s.Config)
	for line := range strings.Lines(text) {
		s.say("  %s", strings.TrimRight(secret.ReplaceAllString(line, "$1***"), "\n"))
	}
	if !s.agreed("Write it?") {
		return nil
	}
	if cfg != nil {
		return s.append(text)
	}
	if _, err := config.Parse(text, s.Config, filepath.Dir(s.Config)); err != nil {
		return err
	}
	mode, gid := fs.FileMode(0o600), keep
	if g, err := user.LookupGroup(group); err == nil {
		mode = 0o640
		gid, _ = strconv.Atoi(g.Gid) // a number on Unix
	} else {
		s.left("only root can read %s, because there is no group %s: let the daemon's user read the file", s.Config, group)
	}
	return s.record.write(deed{File: s.Config, New: text}, mode, gid)
}

// append adds sites to the configuration.
func (s *Setup) append(text string) error {
	before, err := os.ReadFile(s.Config)
	if err != nil {
		return err
	}
	if _, err := config.Parse(string(before)+text, s.Config, filepath.Dir(s.Config)); err != nil {
		return err
	}
	return s.record.insert(deed{File: s.Config, New: text}, string(before))
}

// secret matches a password in a line of the configuration, with the text before it.
var secret = regexp.MustCompile(`^(dsn .*?:|admin_token += )[^@ ]+`)

// beginning returns the first lines of a new configuration.
func (s *Setup) beginning(ctx context.Context) string {
	daemon := s.mainProcess(ctx)
	listen, taken := freeAddress(8080, daemon)
	s.listen = listen
	admin, adminTaken := freeAddress(9090, daemon)
	text := fmt.Sprintf(`# %s, written by wpsitemapd init. config.example.toml has every key.
# "wpsitemapd check" says whether all is in order, "wpsitemapd init --undo" takes everything back.

listen      = %q   # the web server asks here%s
admin       = %q   # status page and metrics, for this machine only%s
admin_token = %q   # its password, with any name
`, s.Config, s.listen, taken, admin, adminTaken, rand.Text())
	if !exists(s.Systemd) { // systemd would create this folder
		text += fmt.Sprintf("state       = %q   # keeps pages over restarts; the folder must belong to the user that runs the daemon\n", s.State)
	}
	return text
}

// freeAddress returns an address of this machine at the port from, or at one of the next 19 ports. It skips ports on which a
// process listens, except the running daemon, whose process number is daemon. taken is a text that names the skipped ports, for
// a comment in the configuration.
func freeAddress(from, daemon int) (address, taken string) {
	for port := from; port < from+20; port++ {
		address = "127.0.0.1:" + strconv.Itoa(port)
		l, err := net.Listen("tcp", address)
		if err == nil {
			l.Close()
			return address, taken
		}
		pid, name := listener(port)
		switch {
		case pid != 0 && pid == daemon: // the daemon will use its new configuration
			return address, taken
		case pid != 0:
			taken += fmt.Sprintf("; %d is taken by PID %d (%s)", port, pid, name)
		default:
			taken += fmt.Sprintf("; %d is taken by another process", port)
		}
	}
	return address, taken
}

// listener returns the number and the name of the process that listens at a port. The name proves nothing, because anybody
// can choose it. pid is 0 if the process is not known.
func listener(port int) (pid int, name string) {
	inode := "none"
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
				inode = f[9]
			}
		}
	}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		if link, _ := os.Readlink(file); link == "socket:["+inode+"]" {
			of := strings.Split(file, "/")[2]
			pid, _ = strconv.Atoi(of) // a number
			text, _ := os.ReadFile("/proc/" + of + "/comm")
			return pid, report.Line(strings.TrimSpace(string(text)))
		}
	}
	return 0, ""
}
