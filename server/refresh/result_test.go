package refresh

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// The trouble of one blog is no trouble of the site, unless the database is silent. If the database of a network is
// silent, not all blogs are tried.
func TestResultOfAScan(t *testing.T) {
	broken, silent := errors.New("no such table"), &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		name    string
		network bool
		errs    []error
		want    result
		cut     bool
	}{
		{"a site", false, []error{nil}, allRead, false},
		{"a site that fails", false, []error{broken}, nothingRead, false},
		{"one of two languages fails", false, []error{nil, broken}, someRead, false},
		{"a site without blogs", false, nil, nothingRead, false},
		{"a network of which nothing is due", true, nil, allRead, false},
		{"a network", true, []error{nil, nil}, allRead, false},
		{"a blog of a network fails", true, []error{nil, broken}, someRead, false},
		{"the only blog that was due fails", true, []error{broken}, someRead, false},
		{"a network is silent", true, []error{silent, silent, silent}, nothingRead, true},
		{"it falls silent", true, []error{nil, silent, silent, silent}, someRead, true},
		{"silent now and then", true, []error{silent, silent, nil, silent, silent}, someRead, false},
		{"a site is silent in all its languages", false, []error{silent, silent, silent}, nothingRead, false},
	} {
		got := tally{network: tt.network}
		for _, err := range tt.errs {
			got.note(err)
		}
		expect.Equal(t, got.result(), tt.want, tt.name)
		expect.Equal(t, got.cut, tt.cut, tt.name, "cut")
	}
}
