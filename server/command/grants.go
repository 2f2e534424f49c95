package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

func grantsCommand() *command {
	var from setup
	var site, user string
	return &command{
		name:     "grants",
		synopsis: "[--config FILE | --wp FOLDER] [--site NAME] [--user ACCOUNT]",
		summary:  "prints the GRANT statements that an account needs",
		about: `Finds out which tables each site has, and prints the statements that let an account read them, and nothing else. Run them as
an administrator of the database: wpsitemapd grants | mariadb. grants itself changes nothing. If the account cannot log in,
the first statement creates it unless it exists. Its password is that of dsn, or a random one if dsn does not name the account.

The account is that of dsn. If only wp_config is set, the account is called sitemaps, with the host of the account of
wp-config.php. grants asks for the tables with the account of wp-config.php if there is one, because an account sees only
tables that it may read. Without it, grants prints the statements for tables that only some sites have as comments.`,
		exits:   "a database could not be asked; its statements are missing",
		example: "wpsitemapd grants --config /etc/wpsitemapd.toml --site example",
		flags: append(from.options()[:2:2], siteOption(&site),
			textOption("user", "ACCOUNT", "the account of dsn", "The account that the statements are for: NAME, or NAME@HOST.", &user)),
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := from.load()
			if err != nil {
				return err
			}
			sites, err := chosen(cfg, site)
			if err != nil {
				return err
			}
			var failed error
			fail := func(err error) {
				if err != nil {
					fmt.Fprintf(p.stderr, "wpsitemapd grants: %s\n", report.Printable(err.Error()))
					failed = errTrouble
				}
			}
			var all []*wp.Grants
			for i := range sites {
				g, err := printGrants(ctx, p.stdout, &sites[i], user)
				if fail(err); err == nil {
					all = append(all, g)
				}
			}
			for _, dsn := range cfg.Watch {
				fail(printWatchGrants(ctx, p.stdout, dsn, all))
			}
			return failed
		},
	}
}

// noteTo returns a function that writes SQL comments.
func noteTo(w io.Writer) func(format string, args ...any) {
	return func(format string, args ...any) {
		fmt.Fprintln(w, "-- "+strings.ReplaceAll(report.Printable(fmt.Sprintf(format, args...)), "\n", "\n-- "))
	}
}

// printWatchGrants prints the statements that let an account of [watch] see the databases of sites.
func printWatchGrants(ctx context.Context, w io.Writer, dsn config.Secret, sites []*wp.Grants) error {
	watcher, err := wp.ReadWatchGrants(ctx, dsn.Reveal(), nil)
	if err != nil {
		return err
	}
	note := noteTo(w)
	note("[watch]: %s sees when tables are written, and reads none.", watcher.Account)
	if watcher.Refused != nil {
		createRefused(w, watcher.Account, watcher)
	}
	granted := map[string]bool{}
	for _, g := range sites {
		if g.Schema != "" && g.Server() == watcher.Server() && !granted[g.Schema] {
			granted[g.Schema] = true
			fmt.Fprintln(w, g.ToWatch(watcher.Account))
		}
	}
	return nil
}

// createRefused prints the statement that creates the account of a dsn, because the account cannot log in.
func createRefused(w io.Writer, account string, g *wp.Grants) {
	note := noteTo(w)
	note("The account cannot log in (%v). If it does not exist, the next statement creates it with the password of dsn.", g.Refused)
	note("If it exists and has another password, write that password into dsn. Or give the account the password of dsn:")
	note("ALTER USER %s IDENTIFIED BY '…';", db.QuoteAccount(account))
	create(w, account, g.Password)
}

// create prints the statement that creates an account unless it exists, and one that shows whether it existed: the client
// prints no notes by itself, so the operator would not learn that the account keeps its password.
func create(w io.Writer, account, password string) {
	fmt.Fprintf(w, "%s\nSHOW WARNINGS;\n", db.CreateUser(account, password))
}

// printGrants prints the statements for a site, and returns the data they are made of.
func printGrants(ctx context.Context, w io.Writer, s *config.Site, user string) (*wp.Grants, error) {
	g, err := wp.ReadGrants(ctx, site.SourceOf(s))
	if err != nil {
		return nil, err
	}
	note := noteTo(w)
	if g.Schema == "" {
		note("Site %s is a SQLite file, which knows no accounts: the user of the daemon must be able to read it.", s.Name)
		return g, nil
	}
	own := s.DSN != "" && user == ""
	account := grantee(g.Account, user, own)
	note("Site %s: what %s needs of the database %s.", s.Name, account, g.Schema)
	switch {
	case own && g.Refused != nil:
		createRefused(w, account, g)
	case !own:
		note("If the account does not exist, it gets a random password. If it exists, it keeps its password. To set the password of dsn:")
		note("ALTER USER %s IDENTIFIED BY '…';", db.QuoteAccount(account))
		create(w, account, rand.Text())
	}
	for _, t := range g.Tables {
		fmt.Fprintln(w, g.To(account, t))
	}
	if len(g.Unseen) > 0 {
		note("%s cannot see yet whether these tables exist. After the statements above, run wpsitemapd grants again,", account)
		note("on a network once for its own tables and once for those of its blogs. Or set wp_config: its account sees all tables.")
		for _, t := range g.Unseen {
			note("%s", g.To(account, t))
		}
	}
	return g, nil
}

// grantee returns the account that the statements are for. If own is true, the statements are for reader, the account that
// reads the site. Else they are for user, or for "sitemaps" if user is empty. If user has no host, grantee adds the host of
// reader.
func grantee(reader, user string, own bool) string {
	if own {
		return reader
	}
	if strings.Contains(user, "@") {
		return user
	}
	host := reader[strings.LastIndexByte(reader, '@')+1:]
	return cmp.Or(user, "sitemaps") + "@" + host
}
