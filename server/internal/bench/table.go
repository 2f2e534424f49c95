package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// table is what a run prints: what has a bound first, and then everything else.
type table struct {
	bound [][3]string // measure, must, measured
	rows  [][3]string // measure, result, beside it
}

// must adds a row with a bound.
func (t *table) must(measure, bound, measured string, args ...any) {
	t.bound = append(t.bound, [3]string{measure, bound, fmt.Sprintf(measured, args...)})
}

// add adds a row: what was measured, the result, and how.
func (t *table) add(measure, result, how string, args ...any) {
	t.rows = append(t.rows, [3]string{measure, result, fmt.Sprintf(how, args...)})
}

func (t *table) print(w io.Writer) {
	printRows(w, "| measure | must | measured |", t.bound)
	printRows(w, "| measure | result | beside it |", t.rows)
}

func printRows(w io.Writer, head string, rows [][3]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%s\n| --- | --- | --- |\n", head)
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %s | %s |\n", r[0], r[1], r[2])
	}
	fmt.Fprintln(w)
}

// thousands writes a number as a person reads it.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// values are one measure taken several times.
type values []float64

func (s values) sorted() values { return slices.Sorted(slices.Values(s)) }

// quantile returns the value at q, from 0 to 1; at 0.99 of 100 values it is the second highest.
func (s values) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	return s.sorted()[min(len(s)-1, int(q*float64(len(s)-1)+0.5))]
}

func (s values) median() float64 { return s.quantile(0.5) }

func (s values) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(max(1, len(s)))
}

// ratio says what s is of another values, pair by pair.
func (s values) ratio(of values) values {
	r := make(values, 0, len(s))
	for i := range min(len(s), len(of)) {
		r = append(r, s[i]/of[i])
	}
	return r
}

// spread writes the median with its lowest and highest.
func (s values) spread(format string) string {
	return fmt.Sprintf("**"+format+"** ("+format+" to "+format+")", s.median(), s.quantile(0), s.quantile(1))
}

// duration writes seconds as a person reads them.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}

func megabytes(n float64) string { return fmt.Sprintf("%.0f MB", n/(1<<20)) }
