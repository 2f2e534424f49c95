package wp

import "wpsitemapd/wp/db"

// password is what a query says of a post_password. PHP reads NULL as an empty one, and so does WordPress where it asks
// for a password; a condition of SQL such as post_password = ” is not true of it.
type password struct {
	set  bool // not empty
	null bool
}

// Scan reads the condition post_password <> ”.
func (p *password) Scan(value any) (err error) {
	p.null = value == nil
	p.set, err = db.Condition(value)
	return err
}
