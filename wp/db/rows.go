package db

import (
	"cmp"
	"database/sql"
	"math"
)

// Rows1 returns a function that reads a row of one column and calls fn with it.
func Rows1[A any](fn func(A)) func(*sql.Rows) error {
	var a A
	return Row(func() { fn(a) }, &a)
}

// Rows2 returns a function that reads a row of two columns and calls fn with them.
func Rows2[A, B any](fn func(A, B)) func(*sql.Rows) error {
	var a A
	var b B
	return Row(func() { fn(a, b) }, &a, &b)
}

// Rows3 returns a function that reads a row of three columns and calls fn with them.
func Rows3[A, B, C any](fn func(A, B, C)) func(*sql.Rows) error {
	var a A
	var b B
	var c C
	return Row(func() { fn(a, b, c) }, &a, &b, &c)
}

// Rows4 returns a function that reads a row of four columns and calls fn with them.
func Rows4[A, B, C, D any](fn func(A, B, C, D)) func(*sql.Rows) error {
	var a A
	var b B
	var c C
	var d D
	return Row(func() { fn(a, b, c, d) }, &a, &b, &c, &d)
}

// Row returns a function that reads a row into places and then calls fn. Columns of numbers, texts and conditions may
// be NULL. If the texts of all rows together are too long, the function returns an error, see Kept.
func Row(fn func(), places ...any) func(*sql.Rows) error {
	var texts []func() string
	for i, place := range places {
		switch p := place.(type) {
		case *int64:
			places[i] = Number(p)
		case *int:
			places[i] = Number(p)
		case *string:
			places[i] = Text(p)
			texts = append(texts, func() string { return *p })
		case *Value:
			texts = append(texts, func() string { return p.Text })
		case *bool:
			places[i] = Bool(p)
		}
	}
	var kept Kept
	return func(rows *sql.Rows) error {
		err := rows.Scan(places...)
		for _, text := range texts {
			err = cmp.Or(err, kept.Add(text()))
		}
		if err == nil {
			fn()
		}
		return err
	}
}

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
