package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wpconfig"
)

// install is an install of WordPress that init has found. The operator has named only a folder. wp-config.php and the
// database may say anything, because the people of the install write both.
type install struct {
	file       string // path of wp-config.php
	name, home string
	versions   []string          // of WordPress and its plugins
	admin      *wp.Administrator // of the database server that has the account of wp-config.php
	refused    error             // why admin is nil
	grants     *wp.Grants
	dsn        string   // of the new account; "" if none was made
	configured bool     // the configuration already has the install
	blocks     []*block // the blocks of a web server that serve the install
}

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

// withoutCopies returns the installs that are not copies. A copy is an install whose home is on a host that belongs to another
// install. The configuration and the web server decide which install has the host. If two installs have the same home, and it
// is not decided between them, withoutCopies leaves out both.
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
			s.left("%[1]s is left out: it has the same home as %[3]s, %[2]s. If this install is the right one, name only its "+
				"folder: wpsitemapd init %[4]s",
				in.file, in.home, rival.file, filepath.Dir(in.file))
		default:
			s.left("%s is left out: its home %s is on the host of %s. To serve this install, too, write a [[site]] for it",
				in.file, in.home, rival.file)
		}
	}
	return all
}

// hasHost reports whether the web server serves the install at a host. If the configuration has the install already, hasHost returns
// true for every host.
func (in *install) hasHost(host string) bool {
	return in.configured || slices.ContainsFunc(in.blocks, func(b *block) bool { return b.names(host) })
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
		return nil, errors.New("its path contains a control character or one of * ? [ ] \\ { } $, which [[discover]] cannot contain: rename the folder")
	}
	one, err := config.Parse(discovered("found", in.file, ""), "init", "/")
	if err != nil {
		return nil, err
	}
	if len(one.Sites) != 1 {
		return nil, errors.New("the file is gone; run wpsitemapd init again")
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
		return errors.New("its database has no blog")
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
