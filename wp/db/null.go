package db

import (
	"database/sql"
	"math"
)

// Every column is read as one that may be NULL, whatever WordPress declares: tools that repair, convert or import
// databases leave such columns behind. NULL is what PHP makes of it: an empty text, the number 0, false.

// Number scans an integer column. MySQL's are unsigned where WordPress keeps ids: what
// int64, and PHP, cannot hold becomes the highest number they can, so that one absurd row
// does not take its site down.
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

// Text scans a column of text; "" for one that is longer than its bound.
func Text(p *string) sql.Scanner { return (*textColumn)(p) }

type textColumn string

func (t *textColumn) Scan(value any) error {
	var v Value
	err := v.Scan(value)
	*t = textColumn(v.Text)
	return err
}

// Bool scans a condition.
func Bool(p *bool) sql.Scanner { return (*booleanColumn)(p) }

type booleanColumn bool

func (b *booleanColumn) Scan(value any) error {
	yes, err := Condition(value)
	*b = booleanColumn(yes)
	return err
}

// Condition reads the value of a condition.
func Condition(value any) (bool, error) {
	if n, ok := value.(int64); ok {
		return n != 0, nil
	}
	var b sql.NullBool
	err := b.Scan(value)
	return b.Bool, err
}
