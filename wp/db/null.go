package db

import (
	"database/sql"
	"math"
)

// Every column is read as one that may be NULL, even if WordPress declares it NOT NULL. Tools that repair, convert
// or import databases change such columns. NULL becomes what PHP makes of it: "", 0 or false.

// Number returns a Scanner for an integer column. WordPress stores ids as unsigned integers. A number above
// math.MaxInt64 becomes math.MaxInt64, so that one wrong row does not stop its site.
func Number[T int | int64](p *T) sql.Scanner { return integer[T]{p} }

type integer[T int | int64] struct{ to *T }

func (i integer[T]) Scan(value any) error {
	if u, ok := value.(uint64); ok {
		*i.to = T(min(u, math.MaxInt64))
		return nil
	}
	var n sql.NullInt64
	err := n.Scan(value)
	*i.to = T(n.Int64)
	return err
}

// Text returns a Scanner for a column of text. A text that is longer than its bound becomes "".
func Text(p *string) sql.Scanner { return (*textColumn)(p) }

type textColumn string

func (t *textColumn) Scan(value any) error {
	var v Value
	err := v.Scan(value)
	*t = textColumn(v.Text)
	return err
}

// Bool returns a Scanner for a condition.
func Bool(p *bool) sql.Scanner { return (*booleanColumn)(p) }

type booleanColumn bool

func (b *booleanColumn) Scan(value any) error {
	yes, err := Condition(value)
	*b = booleanColumn(yes)
	return err
}

// Condition returns the value of a condition that the database has computed. NULL is false.
func Condition(value any) (bool, error) {
	if n, ok := value.(int64); ok {
		return n != 0, nil
	}
	var b sql.NullBool
	err := b.Scan(value)
	return b.Bool, err
}
