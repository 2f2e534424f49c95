package listen

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestInheritedSockets(t *testing.T) {
	a1, a2, b, c := socketNamed("a1"), socketNamed("a2"), socketNamed("b"), socketNamed("c")
	all := map[string][]net.Listener{"web": {a1, a2}, "admin": {b}, "other": {c}}
	for _, tt := range []struct {
		rule      string
		inherited map[string][]net.Listener
		name      string
		addresses string // the names in all addresses
		want      []net.Listener
		complaint string
	}{
		{"by its name", all, "admin", "admin", []net.Listener{b}, ""},
		{"several of one name", all, "web", "web admin", []net.Listener{a1, a2}, ""},
		{"all if no address has a name", all, "", "", []net.Listener{b, c, a1, a2}, ""},
		{"the rest", all, "", "web", []net.Listener{b, c}, ""},
		{"the rest of all", all, "", "web admin other", nil, `no socket is left for it: other addresses name admin, other, web. Remove "systemd"`},
		{"an unknown name", all, "wb", "wb", nil, `no socket named "wb", only admin, other, web: correct the name`},
		{"none at all", nil, "", "", nil, "systemd passed no socket: start the daemon by its socket unit"},
		{"none at all for a name", nil, "web", "web", nil, "systemd passed no socket: start"},
		{"a datagram socket", map[string][]net.Listener{"web": {a1, nil}}, "web", "web", nil, `the socket "web" of systemd is not a stream socket`},
		{"a datagram socket of another name", map[string][]net.Listener{"web": {a1}, "x": {nil}}, "web", "web", []net.Listener{a1}, ""},
	} {
		named := map[string]bool{}
		for _, name := range strings.Fields(tt.addresses) {
			named[name] = true
		}
		got, err := take(tt.inherited, tt.name, named)
		expect.Same(t, tt.want, got, tt.rule)
		if text := fmt.Sprint(err); tt.complaint == "" && err != nil || !strings.Contains(text, tt.complaint) {
			t.Errorf("%s: %v", tt.rule, err)
		}
	}
}

// socketNamed is an inherited socket that only its name tells from others.
type socketNamed string

func (socketNamed) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (socketNamed) Close() error              { return nil }
func (s socketNamed) Addr() net.Addr          { return &net.UnixAddr{Name: string(s), Net: "unix"} }

// The process asks systemd only for the sockets that an address needs.
func TestNamesThatAddressesAskFor(t *testing.T) {
	sockets, named, err := inherit([]Set{{Addresses: []Address{"127.0.0.1:0", "unix:/run/a", "systemd:web"}}, {Addresses: []Address{"plain:systemd"}}})
	wptest.Must(t, err)
	expect.Same(t, map[string]bool{"web": true, "": true}, named)
	expect.Equal(t, len(sockets), 0)
	if sockets, named, err = inherit([]Set{{Addresses: []Address{":80"}}}); sockets != nil || len(named) != 0 || err != nil {
		t.Errorf("%v, %v, %v", sockets, named, err)
	}
}

// A socket of which it is not known whether it is in use stays.
func TestSocketThatCannotBeProbed(t *testing.T) {
	dir, err := os.MkdirTemp("", "listen") // names of sockets are short
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	wptest.Must(t, err)
	defer datagrams.Close()
	_, err = Open(Set{Key: "listen", Addresses: []Address{Address("unix:" + path)}})
	if err == nil || !strings.Contains(err.Error(), "it is not known whether it is in use") {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error("the socket was removed:", err)
	}
	missing := Address("unix:" + filepath.Join(dir, "missing", "s"))
	if _, err := Open(Set{Key: "listen", Addresses: []Address{missing}}); err == nil || !strings.HasPrefix(err.Error(), "listen: ") {
		t.Error(err)
	}
}

// Sockets have no mode of the process's mask, and the mask is as before.
func TestMaskStays(t *testing.T) {
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	dir, err := os.MkdirTemp("", "listen")
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	socket, err := openUnix(filepath.Join(dir, "s"), 0o666)
	wptest.Must(t, err)
	socket.Close()
	if mask := syscall.Umask(0o027); mask != 0o027 {
		t.Errorf("the mask is now %o", mask)
	}
}

func TestAddressIsNamed(t *testing.T) {
	l, _ := served(t, Set{})
	if got := l.String(); !strings.HasPrefix(got, "127.0.0.1:") || strings.HasSuffix(got, ":0") {
		t.Error(got)
	}
}

// Sets and their addresses are opened in their order.
func TestOrderOfAddresses(t *testing.T) {
	dir, err := os.MkdirTemp("", "listen")
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	at := func(name string) Address { return Address("unix:" + filepath.Join(dir, name)) }
	sets, err := Open(Set{Addresses: []Address{at("b"), at("a")}, Mode: 0o600}, Set{}, Set{Addresses: []Address{at("c")}, Mode: 0o600})
	wptest.Must(t, err)
	var got []string
	for i, set := range sets {
		for _, l := range set {
			got = append(got, fmt.Sprint(i, " ", l))
			l.Close()
		}
	}
	expect.Same(t, []string{"0 " + string(at("b")), "0 " + string(at("a")), "2 " + string(at("c"))}, got)
	expect.Equal(t, len(sets), 3)
}

func TestStatesForSystemd(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	t.Setenv("NOTIFY_SOCKET", "")
	Notify(Ready, log)
	expect.Equal(t, text.String(), "", "without systemd")

	received := notifySocket(t)
	Notify(Ready, log)
	expect.Equal(t, received(wptest.Patience), "READY=1")
	Notify(Stopping, log)
	expect.Equal(t, received(wptest.Patience), "STOPPING=1")
	Notify(Reloading, log)
	if got := received(wptest.Patience); !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("%q", got)
	}
	expect.Equal(t, text.String(), "")

	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "missing"))
	Notify(Ready, log)
	if got := text.String(); !strings.Contains(got, "systemd cannot be notified") || !strings.Contains(got, `state="READY=1"`) {
		t.Errorf("%q", got)
	}
}

func TestWatchdogOfABadUnit(t *testing.T) {
	for _, tt := range []struct {
		rule, usec, pid string
		warns           bool
	}{
		{"no number", "often", fmt.Sprint(os.Getpid()), true},
		{"never", "0", fmt.Sprint(os.Getpid()), true},
		{"another process", "100000", "1", false},
		{"no watchdog", "", "", false},
	} {
		var text bytes.Buffer
		t.Setenv("WATCHDOG_USEC", tt.usec)
		t.Setenv("WATCHDOG_PID", tt.pid)
		Watch(t.Context(), nil, slog.New(slog.NewTextHandler(&text, nil))) // returns at once
		expect.Equal(t, strings.Contains(text.String(), "the unit's watchdog setting cannot be used"), tt.warns, tt.rule)
	}
}
