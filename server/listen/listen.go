package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
)

// probeTimeout is how long to wait for the process behind a Unix socket that exists already.
const probeTimeout = 2 * time.Second

// Set is the addresses of one service of the daemon.
type Set struct {
	Key       string // the key of the configuration, for errors
	Addresses []Address
	Mode      fs.FileMode // of Unix sockets
	TLS       bool        // use TLS, unless an address excludes it
}

// Listener is an open socket. It does not do TLS itself; the HTTP server that uses the socket does.
type Listener struct {
	net.Listener
	tls bool
}

// Open opens all addresses of all sets, in their order. If one fails, it closes all of them and returns an error.
func Open(sets ...Set) (listeners [][]*Listener, err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, set := range listeners {
			for _, l := range set {
				l.Close()
			}
		}
		listeners = nil
	}()
	inherited, named, err := inherit(sets)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		var opened []*Listener
		for _, a := range set.Addresses {
			network, rest, plain := a.split()
			var sockets []net.Listener
			switch network {
			case "systemd":
				sockets, err = take(inherited, rest, named)
			case "unix":
				sockets = make([]net.Listener, 1)
				sockets[0], err = openUnix(rest, set.Mode)
			default:
				sockets = make([]net.Listener, 1)
				sockets[0], err = net.Listen("tcp", rest)
				if op, ok := errors.AsType[*net.OpError](err); ok {
					err = fmt.Errorf("%s: %w", rest, op.Err) // without "listen tcp", because the key is listen
				}
			}
			if err != nil {
				return append(listeners, opened), fmt.Errorf("%s: %w%s", set.Key, err, hint(err))
			}
			for _, s := range sockets {
				opened = append(opened, &Listener{s, set.TLS && !plain && s.Addr().Network() != "unix"})
			}
		}
		listeners = append(listeners, opened)
	}
	return listeners, nil
}

// hint returns what to do about an address that cannot be opened, "" if nothing is known.
func hint(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return ": choose another address, or stop the program that listens there (ss -ltnp names it)"
	}
	return ""
}

// inherit returns the sockets that systemd passed, and the names that addresses ask for.
func inherit(sets []Set) (sockets map[string][]net.Listener, named map[string]bool, err error) {
	asked := false
	named = map[string]bool{}
	for _, set := range sets {
		for _, a := range set.Addresses {
			if network, name, _ := a.split(); network == "systemd" {
				asked, named[name] = true, true
			}
		}
	}
	if !asked {
		return nil, named, nil
	}
	if sockets, err = activation.ListenersWithNames(); err != nil {
		err = fmt.Errorf("sockets of systemd: %w", err)
	}
	return sockets, named, err
}

// take returns the sockets that systemd passed under a name. For the name "", it returns the sockets that no other address names.
// named are the names in all addresses.
func take(inherited map[string][]net.Listener, name string, named map[string]bool) ([]net.Listener, error) {
	var found []net.Listener
	for _, n := range slices.Sorted(maps.Keys(inherited)) {
		if n != name && (name != "" || named[n]) {
			continue
		}
		for _, socket := range inherited[n] {
			if socket == nil {
				return nil, fmt.Errorf("the socket %q of systemd is not a stream socket: use ListenStream= in its socket unit", n)
			}
			found = append(found, socket)
		}
	}
	switch names := strings.Join(slices.Sorted(maps.Keys(inherited)), ", "); {
	case len(found) > 0:
		return found, nil
	case names == "":
		return nil, errors.New("systemd passed no socket: start the daemon by its socket unit")
	case name == "":
		return nil, errors.New(`listen has "systemd", but no socket is left for it: other addresses name ` + names +
			`. Remove "systemd", or add a socket to wpsitemapd.socket`)
	default:
		return nil, fmt.Errorf("systemd passed no socket named %q, only %s: correct the name after \"systemd:\", or "+
			"FileDescriptorName in the socket unit", name, names)
	}
}

// openUnix listens on a Unix socket. It replaces the socket of a dead process. If another process listens there, or if the file
// is not a socket, it returns an error.
func openUnix(path string, mode fs.FileMode) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("unix:%s exists and is not a socket: move the file away, or choose another path", path)
		}
		conn, err := net.DialTimeout("unix", path, probeTimeout)
		switch {
		case err == nil:
			conn.Close()
			return nil, fmt.Errorf("unix:%s: another process listens there: stop it, or choose another path", path)
		case !errors.Is(err, syscall.ECONNREFUSED):
			return nil, fmt.Errorf("unix:%s exists, and it is not known whether it is in use: %w", path, err)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("cannot remove an unused socket: %w", err)
		}
	}
	// Nobody may connect between bind and chmod. The mask belongs to the whole process, but the process is just starting.
	mask := syscall.Umask(0o177)
	socket, err := net.Listen("unix", path)
	syscall.Umask(mask)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		socket.Close()
		return nil, fmt.Errorf("setting the permissions of the socket: %w", err)
	}
	return socket, nil
}

// TLS reports whether the listener uses TLS.
func (l *Listener) TLS() bool { return l.tls }

// String returns the actual address of the listener, in the form of an Address.
func (l *Listener) String() string {
	if a := l.Addr(); a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return l.Addr().String()
}
