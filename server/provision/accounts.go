package provision

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/report"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// account is the user name of the first database account that init creates. Further accounts get a number.
const account = "sitemaps"

// administratorOf returns the root connection to the database server on which the account of a wp-config.php works. If this
// machine has no such server, or the server does not let root in, administratorOf returns the reason as an error.
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

// accounts creates database accounts that may only read. A new account may read no more than the account in the wp-config.php of
// the install. Only installs with the same account there share a new account. Otherwise an install could name the tables of another
// install in its wp-config.php, and the daemon would serve their content.
func (s *Setup) accounts(ctx context.Context, installs []*install) error {
	if s.DryRun {
		s.say("\nFor each database account in these files, init would make an account %s. It may read what sitemaps need of the "+
			"same tables, and write nothing.", account)
		return nil
	}
	alike := map[string][]*install{}
	for _, in := range installs {
		switch {
		case in.grants == nil || in.grants.Schema == "": // the configuration has the install already, or it uses SQLite
		case in.admin == nil:
			s.left("the daemon uses the account of %s, because init cannot make another one (%v). For an account that may only "+
				"read, run the statements that wpsitemapd grants prints, and write its dsn below wp_config", in.file, in.refused)
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
	if len(all) == 0 || !s.agreed("Make this account? If not, the daemon reads with the account of wp-config.php.") {
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
	name, password string // the name has the form user@host
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
