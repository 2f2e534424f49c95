package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
)

// The numbers of some errors of MariaDB and MySQL.
const (
	codeSchema      = 1044 // the account may not use the database
	codeLogin       = 1045 // unknown user, or wrong password
	codeNoSchema    = 1049 // there is no database of this name
	codeNoColumn    = 1054
	codeNoTableGet  = 1142 // the account may not read the table
	codeNoColumnGet = 1143 // the account may not read the column
	codeNoTable     = 1146
	codeNoIndex     = 1176 // FORCE INDEX names an index that the table does not have
	codeEnded       = 1317 // somebody ended the statement, with KILL QUERY
	codeNoLogin     = 1698 // as codeLogin, for an account without a password; for an unknown account MariaDB answers with either
	codeTimeMariaDB = 1969 // the statement took longer than max_statement_time
	codeTimeMySQL   = 3024 // the statement took longer than max_execution_time
)

// code returns the number of an error from MariaDB or MySQL, or 0 for any other error.
func code(err error) uint16 {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return my.Number
	}
	return 0
}

// LoginRefused reports whether err says that the server refuses an account or does not know it.
func LoginRefused(err error) bool { return code(err) == codeLogin || code(err) == codeNoLogin }

// SchemaDenied reports whether err says that the account may not use the database.
func SchemaDenied(err error) bool { return code(err) == codeSchema }

// MissingSchema reports whether err says that the server has no database of the name.
func MissingSchema(err error) bool { return code(err) == codeNoSchema }

// Denied reports whether err says that the account may not read a table or column.
func Denied(err error) bool { return code(err) == codeNoTableGet || code(err) == codeNoColumnGet }

// MissingTable reports whether err says that a table does not exist.
func MissingTable(err error) bool { return code(err) == codeNoTable || ofSQLite(err, "no such table") }

// MissingIndex reports whether err says that an index does not exist. SQLite returns no such error, because its
// statements force no index.
func MissingIndex(err error) bool { return code(err) == codeNoIndex }

// Unreadable reports whether err says that a table does not exist, may not be read, or lacks a column. Another
// version of a plugin may have other columns.
func Unreadable(err error) bool {
	return MissingTable(err) || Denied(err) || code(err) == codeNoColumn || ofSQLite(err, "no such column")
}

// ofSQLite reports whether err is no error of a server and contains a text. SQLite has one number for all mistakes in
// a statement, so only the text tells them apart.
func ofSQLite(err error, text string) bool {
	return err != nil && code(err) == 0 && strings.Contains(err.Error(), text)
}

// Ended reports whether err says that somebody ended the statement.
func Ended(err error) bool { return code(err) == codeEnded }

// OutOfTime reports whether err says that a statement took longer than its limit, at the server or here.
func OutOfTime(err error) bool {
	return code(err) == codeTimeMariaDB || code(err) == codeTimeMySQL || errors.Is(err, context.DeadlineExceeded)
}

// Unreachable reports whether an error means that the database server did not answer, or refuses for now. The
// caller can soon ask again at little cost.
func Unreachable(err error) bool {
	if number := code(err); number != 0 {
		switch number {
		case 1040, 1203, 1226, // no connection left
			1053, 1077, 1079, 1927, // going down
			1290, 1836, 3032, // not ready for this
			1205: // a table is locked
			return true
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, context.DeadlineExceeded) ||
		err != nil && strings.Contains(err.Error(), "unexpected EOF")
}

// maxText is the longest text of an error in bytes. A database server or a SQLite file may put any text there.
const maxText = 512

// plainText returns a text in one line, cut at maxText bytes. A question mark stands for each character that is not printable.
func plainText(s string) string {
	end := ""
	if len(s) > maxText {
		s, end = s[:maxText], "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return '?'
	}, s) + end
}

// plain returns an error whose text is plain, see plainText. An error of MySQL keeps its number. Any other error keeps its causes
// only if its text is plain already.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		my.Message = plainText(my.Message)
		return err
	}
	if text := plainText(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}
