package provision

import (
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
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/weburl"
)

// install is an install of WordPress that was found.
type install struct {
	file       string // wp-config.php
	name, home string
	versions   []string // of WordPress and its plugins
	grants     *wp.Grants
	dsn        string  // of the account that is made; "" for none
	configured bool    // the configuration names it already
	blocks     []block // of a web server that serve it
}

// account is the name of the account that is made.
const account = "sitemaps"

// find looks for installs in folders. Of several with the same home only the first is taken.
func (s *Setup) find(ctx context.Context, folders []string, cfg *config.Config) (found []*install) {
	homes, names := map[string]string{}, map[string]bool{}
	if cfg != nil {
		for _, site := range cfg.Sites {
			names[site.Name] = true
		}
	}
	for _, file := range wpConfigs(folders) {
		in, err := s.inspect(ctx, file, cfg)
		switch {
		case err != nil:
			s.left("%s is left out: %v", file, err)
			continue
		case homes[in.home] != "":
			s.left("%s is left out: it has the home %s of %s", file, in.home, homes[in.home])
			continue
		}
		for n, base := 2, in.name; names[in.name] && !in.configured; n++ {
			in.name = fmt.Sprintf("%s-%d", base, n)
		}
		homes[in.home], names[in.name] = file, true
		found = append(found, in)
	}
	return found
}

// wpConfigs are the files wp-config.php in folders or below, or in the folder above, where WordPress looks for it, too. A
// folder may be such a file itself.
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

// inspect reads an install by the account of its wp-config.php.
func (s *Setup) inspect(ctx context.Context, file string, cfg *config.Config) (*install, error) {
	in := &install{file: file}
	one, err := config.Parse(siteText("found", file, ""), "init", "/")
	if err != nil {
		return nil, err
	}
	of := &one.Sites[0]
	if cfg != nil {
		i := slices.IndexFunc(cfg.Sites, func(s config.Site) bool { return resolved(s.WPConfig) == resolved(file) })
		if in.configured = i >= 0; in.configured {
			of, in.name = &cfg.Sites[i], cfg.Sites[i].Name
		}
	}
	n, blogs, err := site.Blogs(ctx, of)
	if n != nil {
		defer n.Close()
	}
	if err != nil {
		return nil, err
	}
	if len(blogs) == 0 {
		return nil, errors.New("it has no blog")
	}
	in.home = blogs[0].Home()
	for _, is := range blogs[0].Installed() {
		in.versions = append(in.versions, is.String())
	}
	if len(blogs) > 1 {
		in.versions = append(in.versions, report.Count(len(blogs), "blog"))
	}
	if !in.configured {
		host, path := weburl.Split(in.home)
		in.name = strings.ReplaceAll(strings.Trim(host+"-"+strings.ReplaceAll(path, "/", "-"), "-"), ":", "-")
		in.grants, err = wp.ReadGrants(ctx, site.SourceOf(of))
	}
	return in, err
}

// accounts makes one account at each database server, and gives it its rights.
func (s *Setup) accounts(ctx context.Context, installs []*install) error {
	servers := map[string][]*install{}
	for _, in := range installs {
		if in.grants != nil && in.grants.Schema != "" { // else it is configured, or a SQLite file
			servers[in.grants.Server()] = append(servers[in.grants.Server()], in)
		}
	}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		if err := s.accountAt(ctx, server, servers[server]); err != nil {
			return err
		}
	}
	return nil
}

// accountAt makes the account at one server.
func (s *Setup) accountAt(ctx context.Context, server string, installs []*install) error {
	first := installs[0].grants
	_, host := db.SplitAccount(first.Account)
	admin, refused := first.Administrator(ctx)
	name, password := account, rand.Text()
	if refused == nil {
		defer admin.Close()
	}
	for n := 2; refused == nil; n++ { // until a name is free
		if has, err := admin.HasAccount(ctx, name+"@"+host); err != nil {
			return err
		} else if !has {
			break
		}
		name = account + strconv.Itoa(n)
	}
	full := name + "@" + host
	statements := []string{db.CreateUser(full, password)}
	for _, in := range installs {
		statements = append(statements, in.grants.Statements(full)...)
	}
	sql := strings.Join(statements, "\n")
	masked := strings.ReplaceAll(sql, password, "***")
	s.say("\nThe account %s at %s, which may read %s and write nothing.", full, server, report.Count(len(statements)-1, "table"))
	if refused != nil {
		if s.DryRun {
			sql = masked
		}
		s.say("It cannot be made from here: %v. Run as an administrator of the database:\n\n%s\n", refused, sql)
		s.left("make the account by the statements above, then run wpsitemapd init again")
	} else {
		s.say("%s", masked)
		if !s.agreed("Make it? Without it the account of wp-config.php is used, to read only.") {
			return nil
		}
		err := s.record.add(deed{Account: full, Socket: admin.Socket})
		if err == nil {
			err = admin.Run(ctx, statements)
		}
		if err != nil {
			return err
		}
	}
	for _, in := range installs {
		in.dsn = in.grants.DSN(name, password)
	}
	return nil
}

// siteText is a [[site]].
func siteText(name, wpConfig, dsn string) string {
	text := fmt.Sprintf("[[site]]\nname      = %s\nwp_config = %s   # the database, WP_HOME, multisite\n", config.Quote(name), config.Quote(wpConfig))
	if dsn != "" {
		text += fmt.Sprintf("dsn       = %s   # an account that may only read\n", config.Quote(dsn))
	}
	return text
}

// group may read the configuration; the unit of the service names it.
const group = "sitemaps"

// configure writes the configuration, or adds what it does not have.
func (s *Setup) configure(installs []*install, cfg *config.Config) error {
	var sites strings.Builder
	for _, in := range installs {
		if !in.configured {
			sites.WriteString("\n" + siteText(in.name, in.file, in.dsn))
		}
	}
	if sites.Len() == 0 {
		return nil
	}
	text := sites.String()
	if cfg == nil {
		s.listen = freeAddress(8080)
		text = fmt.Sprintf(`# %s, written by wpsitemapd init. config.example.toml has every key.
# "wpsitemapd check" says whether all is in order, "wpsitemapd init --undo" takes everything back.

listen = %q   # the web server asks here
admin  = %q   # status page and metrics, for this machine only
`, s.Config, s.listen, freeAddress(9090)) + text
	}
	s.say("\nThe configuration %s:\n", s.Config)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "dsn ") {
			line = line[:strings.Index(line, ":")+1] + "***" + line[strings.Index(line, "@"):]
		}
		s.say("  %s", strings.TrimRight(line, "\n"))
	}
	if !s.agreed("Write it?") {
		return nil
	}
	if cfg != nil {
		info, err := os.Stat(s.Config)
		if err != nil {
			return err
		}
		return s.record.insert(s.Config, int(info.Size()), text)
	}
	mode, gid := fs.FileMode(0o600), -1
	if g, err := user.LookupGroup(group); err == nil {
		mode = 0o640
		gid, _ = strconv.Atoi(g.Gid) // which is a number on Unix
	} else {
		s.left("%s is for root alone, as there is no group %s: let the daemon's user read it", s.Config, group)
	}
	return s.record.write(s.Config, text, mode, gid)
}

// freeAddress is an address of this machine that nobody listens at: at a port, or at one of the next twenty.
func freeAddress(from int) string {
	address := ""
	for port := from; port < from+20; port++ {
		address = "127.0.0.1:" + strconv.Itoa(port)
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			break
		}
	}
	return address
}
