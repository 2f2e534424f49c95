package provision

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wpconfig"
)

// install is an install of WordPress that init has found. The operator has named only a folder. wp-config.php and the
// database may say anything, because the people of the install write both.
type install struct {
	file       string // path of wp-config.php
	name, home string
	versions   []string // of WordPress and its plugins
	admin      *wp.Administrator
	refused    error // why admin is nil
	grants     *wp.Grants
	dsn        string  // of the new account; "" if none was made
	configured bool    // the configuration already has the install
	blocks     []block // the blocks of a web server that serve the install
}

// account is the user name of the first database account that init creates. Further accounts get a number.
const account = "sitemaps"

// find returns the installs in and below folders.
func (s *Setup) find(ctx context.Context, folders []string, cfg *config.Config) (found []*install) {
	names := map[string]bool{}
	if cfg != nil {
		for _, site := range cfg.Sites {
			names[site.Name] = true
		}
	}
	for _, file := range wpConfigs(folders) {
		in, err := s.inspect(ctx, file, cfg)
		if err != nil {
			s.left("%s is left out: %v", file, err)
			continue
		}
		for n, base := 2, in.name; names[in.name] && !in.configured; n++ {
			in.name = fmt.Sprintf("%s-%d", base, n)
		}
		names[in.name] = true
		found = append(found, in)
	}
	return found
}

// withoutCopies returns the installs without copies: installs whose home is on the host of another install. The configuration
// and the web server decide which install has the host. If they do not decide between installs with the same home,
// withoutCopies leaves out all of these.
func (s *Setup) withoutCopies(installs []*install) (all []*install) {
	for _, in := range installs {
		host, path := weburl.Split(in.home)
		sure, rival := in.hasHost(host), (*install)(nil)
		twin := false // the rival has the same home
		for _, other := range installs {
			otherHost, otherPath := weburl.Split(other.home)
			if other == in || host == "" || bare(otherHost) != bare(host) || sure && !other.hasHost(host) {
				continue
			}
			same := strings.EqualFold(otherPath, path)
			if same || !sure && other.hasHost(host) {
				rival, twin = other, same
			}
		}
		switch {
		case in.configured || rival == nil:
			all = append(all, in)
		case twin:
			s.left("%s is left out: it has the home %s of %s; if it is the right one, name its folder alone: wpsitemapd init %s",
				in.file, in.home, rival.file, filepath.Dir(in.file))
		default:
			s.left("%s is left out: its home %s is on the host of %s", in.file, in.home, rival.file)
		}
	}
	return all
}

// hasHost reports whether the install is the right one for a host: the configuration has it, or the web server serves it
// there.
func (in *install) hasHost(host string) bool {
	return in.configured || slices.ContainsFunc(in.blocks, func(b block) bool { return b.names(host) })
}

// bare returns a host without www.
func bare(host string) string { return strings.TrimPrefix(host, "www.") }

// wpConfigs returns the paths of the wp-config.php files in and below folders. If a folder has none, wpConfigs looks in the
// folder above, as WordPress does. An element of folders may also be the path of a wp-config.php.
func wpConfigs(folders []string) (files []string) {
	for _, folder := range folders {
		if abs, err := filepath.Abs(folder); err == nil {
			folder = abs
		}
		pattern, above := folder+"/**/wp-config.php", filepath.Dir(folder)
		if filepath.Ext(folder) == ".php" {
			pattern = folder
		}
		search := config.Search{Patterns: []string{pattern}}
		found := search.Find().Found
		if len(found) == 0 && !exists(filepath.Join(above, "wp-settings.php")) {
			search.Patterns = []string{filepath.Join(above, "wp-config.php")}
			found = search.Find().Found
		}
		for _, f := range found {
			if !slices.Contains(files, f.File) {
				files = append(files, f.File)
			}
		}
	}
	return files
}

// inspect reads wp-config.php and the database of an install. A dry run does not read the database.
func (s *Setup) inspect(ctx context.Context, file string, cfg *config.Config) (*install, error) {
	in := &install{file: file}
	if _, err := wpconfig.Way(file); err != nil {
		return nil, err
	}
	of, err := s.siteOf(in, cfg)
	if err != nil {
		return nil, err
	}
	src := site.SourceOf(of)
	if err := src.ReadConfig(ctx); err != nil {
		return nil, err
	}
	if s.DryRun {
		in.home = wp.HomeInConfig(ctx, src)
	} else if err := s.look(ctx, in, src); err != nil {
		return nil, err
	}
	if !in.configured {
		host, path := weburl.Split(in.home)
		name := config.Found{File: file, Name: cmp.Or(strings.Trim(strings.NewReplacer("/", "-", ":", "-").Replace(host+path), "-"), "site")}
		in.name = name.PlainName()
	}
	return in, nil
}

// siteOf returns the site that the configuration has for an install, or the site that init would add for it.
func (s *Setup) siteOf(in *install, cfg *config.Config) (*config.Site, error) {
	if cfg != nil {
		i := slices.IndexFunc(cfg.Sites, func(s config.Site) bool { return resolved(s.WPConfig) == resolved(in.file) })
		if in.configured = i >= 0; in.configured {
			in.name = cfg.Sites[i].Name
			return &cfg.Sites[i], nil
		}
	}
	if strings.ContainsAny(in.file, "*?[]\\{}$") || in.file != report.Line(in.file) {
		return nil, errors.New("its path has signs that a configuration cannot hold")
	}
	one, err := config.Parse(discovered("found", in.file, ""), "init", "/")
	if err != nil {
		return nil, err
	}
	if len(one.Sites) != 1 {
		return nil, errors.New("it is gone")
	}
	return &one.Sites[0], nil
}

// look reads the home, the versions and the grants of an install from its database. If a database server on this machine lets
// root in and accepts the account of wp-config.php, look uses the socket of that server.
func (s *Setup) look(ctx context.Context, in *install, src wp.Source) error {
	if !in.configured {
		if in.admin, in.refused = s.administratorOf(ctx, src); in.admin != nil {
			src.Socket = in.admin.Socket
		}
	}
	n, err := wp.Open(ctx, src)
	if err != nil {
		return err
	}
	defer n.Close()
	blogs, err := address.ReadAll(ctx, n)
	if err != nil {
		return err
	}
	if len(blogs) == 0 {
		return errors.New("it has no blog")
	}
	in.home = blogs[0].Blog.Home()
	for _, is := range blogs[0].Blog.Installed() {
		in.versions = append(in.versions, is.String())
	}
	if len(blogs) > 1 {
		in.versions = append(in.versions, report.Count(len(blogs), "blog"))
	}
	if !in.configured {
		in.grants, err = wp.ReadGrants(ctx, src)
	}
	return err
}

// administratorOf returns the administrator of the database server that accepts the account of a wp-config.php. If there is
// none, it returns the reason as an error.
func (s *Setup) administratorOf(ctx context.Context, src wp.Source) (*wp.Administrator, error) {
	if s.admins == nil {
		s.admins, s.refused = []*wp.Administrator{}, errors.New("there is no socket of a database server here")
		for _, socket := range s.Sockets {
			if !exists(socket) || slices.ContainsFunc(s.admins, func(a *wp.Administrator) bool { return resolved(a.Socket) == resolved(socket) }) {
				continue
			}
			if a, err := wp.OpenAdministrator(ctx, socket); err != nil {
				s.refused = err
			} else {
				s.admins = append(s.admins, a)
			}
		}
	}
	refused := s.refused
	for _, a := range s.admins {
		if refused = a.Knows(ctx, src); refused == nil {
			return a, nil
		}
	}
	return nil, refused
}

// accounts creates database accounts that may only read. A new account may read only what the account of a wp-config.php may
// read. Installs share a new account only if their wp-config.php files have the same account. So an install that names the
// tables of another install gets nothing from them.
func (s *Setup) accounts(ctx context.Context, installs []*install) error {
	if s.DryRun {
		s.say("\nFor each account in these files an account %s is made, which may read what sitemaps need of the same tables and write nothing.", account)
		return nil
	}
	alike := map[string][]*install{}
	for _, in := range installs {
		switch {
		case in.grants == nil || in.grants.Schema == "": // the configuration has the install already, or it uses SQLite
		case in.admin == nil:
			s.left("%s is read by the account that it names, because no other account can be made from here (%v): wpsitemapd grants prints the "+
				"statements for an account that may only read; write its dsn below wp_config", in.file, in.refused)
		default:
			of := in.admin.Socket + " " + in.grants.Account
			alike[of] = append(alike[of], in)
		}
	}
	var all []*newAccount
	for _, of := range slices.Sorted(maps.Keys(alike)) {
		a, err := newAccountFor(ctx, alike[of], all)
		if err != nil {
			return err
		}
		all = append(all, a)
		s.say("\nThe account %s, which may read %s and write nothing:", a.name, report.Count(len(a.statements)-1, "table"))
		for _, statement := range a.statements {
			s.say("%s", report.Line(strings.ReplaceAll(statement, a.password, "***")))
		}
	}
	if len(all) == 0 || !s.agreed("Make it? Without it the account of wp-config.php is used, to read only.") {
		return nil
	}
	for _, a := range all {
		admin := a.installs[0].admin
		err := s.record.add(deed{Account: a.name, Socket: admin.Socket})
		if err == nil {
			err = admin.Run(ctx, a.statements)
		}
		if err != nil {
			return err
		}
		for _, in := range a.installs {
			user, _ := db.SplitAccount(a.name)
			in.dsn = in.grants.DSN(user, a.password)
		}
	}
	return nil
}

// newAccount is an account that is to be created.
type newAccount struct {
	name, password string // user@host
	statements     []string
	installs       []*install
}

// newAccountFor plans an account for installs. It chooses a name that is free on the server, and that no other plan uses.
func newAccountFor(ctx context.Context, installs []*install, others []*newAccount) (*newAccount, error) {
	a := &newAccount{password: rand.Text(), installs: installs}
	for n := 1; ; n++ {
		a.name = account + "@localhost"
		if n > 1 {
			a.name = account + strconv.Itoa(n) + "@localhost"
		}
		has, err := installs[0].admin.HasAccount(ctx, a.name)
		if err != nil {
			return nil, err
		}
		if !has && !slices.ContainsFunc(others, func(o *newAccount) bool { return o.name == a.name }) {
			break
		}
	}
	a.statements = []string{db.CreateUser(a.name, a.password)}
	for _, in := range installs {
		a.statements = append(a.statements, in.grants.Statements(a.name)...)
	}
	return a, nil
}

// discovered returns a [[discover]] section for one install. It is not a [[site]], because the people of the install write
// wp-config.php, not the operator.
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

// configure writes a new configuration with the installs, or adds to an existing one the installs that it lacks.
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
		s.left("only root can read %s, because there is no group %s: let the daemon's user read it", s.Config, group)
	}
	return s.record.write(s.Config, text, mode, gid)
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
	return s.record.insert(s.Config, len(before), text)
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
		text += fmt.Sprintf("state       = %q   # pages that outlive the daemon, whose user this folder must belong to\n", s.State)
	}
	return text
}

// freeAddress returns an address of this machine at the port from, or at one of the next 19 ports. It skips ports on
// which another process than the daemon listens. taken is a text that names the skipped ports, for a comment in the configuration.
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
