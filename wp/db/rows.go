package db

import (
	"cmp"
	"database/sql"
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
