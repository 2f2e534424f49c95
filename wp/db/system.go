package db

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// A port of this machine belongs to the account that listens there first. While no database server runs, any account may listen
// at MySQL's port.

const (
	listeners    = "/proc/self/net/tcp" // the sockets of IPv4; a 6 at the end names those of IPv6
	stateListens = "0A"
	// firstPerson is the lowest account number of people and tenants. Services have lower numbers.
	firstPerson = 1000
	// Services with DynamicUser= in their unit have these numbers (systemd.io/UIDS-GIDS).
	firstDynamic, lastDynamic = 61184, 65519
)

// ErrNotSystem means that a person or a tenant may be listening at a port of this machine.
var ErrNotSystem = errors.New("the program that listens there is not on this machine, or it does not run under a system account")

// OnlySystem makes cfg connect only to a server of this machine, and only if an account of the system listens there.
func OnlySystem(cfg *mysql.Config) { cfg.DialFunc = dialSystem }

func dialSystem(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	at := conn.RemoteAddr().String()
	if to, parsed := netip.ParseAddrPort(at); parsed != nil || !to.Addr().Unmap().IsLoopback() {
		err = ErrNotSystem // the DNS may lead a name such as "localhost." to another machine
	} else {
		err = SystemListens(at)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return conn, nil
}

// SystemListens returns nil if the listener at addr belongs to an account of the system or to the account of this
// process. addr is an IP address of this machine with a port. If the listener belongs to another account, or if nobody
// listens, the error is ErrNotSystem. If the kernel has no list of sockets, the error is both ErrNotSystem and
// fs.ErrNotExist.
func SystemListens(addr string) error {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	best, account := 0, uint64(0)
	for _, file := range []string{listeners, listeners + "6"} {
		all, err := readListeners(file)
		if errors.Is(err, fs.ErrNotExist) && file != listeners { // the kernel has no IPv6
			continue
		}
		if err != nil {
			return fmt.Errorf("%w, or this machine does not say so: %w", ErrNotSystem, err)
		}
		for _, l := range all {
			if rank := l.rank(at); rank > best || rank == best && l.account > account {
				best, account = rank, l.account
			}
		}
	}
	if best == 0 || !ofSystem(account) && account != uint64(os.Geteuid()) {
		return ErrNotSystem
	}
	return nil
}

// ofSystem reports whether an account number belongs to a service or to root.
func ofSystem(account uint64) bool {
	return account < firstPerson || account >= firstDynamic && account <= lastDynamic
}

// listener is a listening TCP socket of this machine, with the number of the account that opened it.
type listener struct {
	at      netip.AddrPort
	account uint64
}

// rank returns how closely a listener matches an address; 0 means not at all. A connection reaches the listener with the highest
// rank.
func (l listener) rank(at netip.AddrPort) int {
	host, own := at.Addr().Unmap(), l.at.Addr()
	switch {
	case l.at.Port() != at.Port():
		return 0
	case own == host:
		return 3
	case own.IsUnspecified() && own.Is4() == host.Is4():
		return 2
	case own.IsUnspecified() && host.Is4(): // a socket of IPv6 may also accept IPv4
		return 1
	}
	return 0
}

// readListeners returns the listening sockets in one of the kernel's lists of sockets. Listening sockets come first in
// such a list.
func readListeners(file string) (all []listener, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // the names of the columns
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || fields[3] != stateListens {
			break
		}
		at, err := parseKernelAddress(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		account, err := strconv.ParseUint(fields[7], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, listener{at, account})
	}
	return all, lines.Err()
}

// parseKernelAddress parses an address in the kernel's lists: words of four bytes in the machine's byte order, then the port.
func parseKernelAddress(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(host)
	if err != nil || len(bytes)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", text)
	}
	for word := range slices.Chunk(bytes, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, ok := netip.AddrFromSlice(bytes)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", text)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
}
