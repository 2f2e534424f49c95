package db

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
)

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
