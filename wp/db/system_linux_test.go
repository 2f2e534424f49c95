package db

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A connection reaches the listener of its own address, else that of all addresses of its family, else one of IPv6.
func TestListenerRank(t *testing.T) {
	at := netip.MustParseAddrPort("127.0.0.1:3306")
	six := netip.MustParseAddrPort("[::1]:3306")
	for _, tt := range []struct {
		listens    string
		four, over int
	}{
		{"127.0.0.1:3306", 3, 0},
		{"0.0.0.0:3306", 2, 0},
		{"[::]:3306", 1, 2},
		{"[::1]:3306", 0, 3},
		{"127.0.0.2:3306", 0, 0},
		{"127.0.0.1:3307", 0, 0},
	} {
		l := listener{at: netip.MustParseAddrPort(tt.listens)}
		expect.Equal(t, l.rank(at), tt.four, tt.listens, "127.0.0.1")
		expect.Equal(t, l.rank(six), tt.over, tt.listens, "::1")
	}
}

func TestAccountsOfTheSystem(t *testing.T) {
	for account, want := range map[uint64]bool{0: true, 999: true, 1000: false, 60000: false, 61184: true, 65519: true, 65534: false, 100000: false} {
		expect.Equal(t, ofSystem(account), want, account)
	}
}

func TestParseKernelAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:0CEA":                         "127.0.0.1:3306",
		"00000000:0CEA":                         "0.0.0.0:3306",
		"00000000000000000000000001000000:0CEA": "[::1]:3306",
		"0000000000000000FFFF00000100007F:0CEA": "127.0.0.1:3306",
		"0100007F":                              "",
		"010000:0CEA":                           "",
		"X:Y":                                   "",
		"0100007F:0CEG":                         "",
		"0100007F:FFFF":                         "127.0.0.1:65535",
		"0100007F:10000":                        "",
		"":                                      "",
	} {
		got, err := parseKernelAddress(text)
		if err != nil {
			expect.Equal(t, want, "", text, err)
		} else {
			expect.Equal(t, got.String(), want, text)
		}
	}
}

// The listening sockets stand first in the kernel's list. A list that is not understood is an error.
func TestReadListeners(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
	const own, other = "0: 0100007F:0CEA 00000000:0000 0A 0:0 0:0 0 999\n", "1: 00000000:0CEB 00000000:0000 0A 0:0 0:0 0 1000 0 77\n"
	const connected = "2: 0100007F:0CEC 0100007F:0001 01 0:0 0:0 0 5\n"
	for text, want := range map[string]string{
		"":                             "",
		head:                           "",
		head + own:                     "127.0.0.1:3306 999",
		head + own + other:             "127.0.0.1:3306 999, 0.0.0.0:3307 1000",
		head + own + connected + other: "127.0.0.1:3306 999",
		head + "0: 0100007F:0CEA 00000000:0000 0A 0:0 0:0 0\n": "",
		head + own + "1: X:Y 0:0 0A 0:0 0:0 0 999\n":           "error",
		head + strings.Replace(own, "999", "4294967295", 1):    "127.0.0.1:3306 4294967295",
		head + strings.Replace(own, "999", "4294967296", 1):    "error",
		head + strings.Replace(own, "999", "root", 1):          "error",
		head + own + strings.Repeat("x", 1<<17):                "error",
	} {
		file := filepath.Join(t.TempDir(), "tcp")
		wptest.Must(t, os.WriteFile(file, []byte(text), 0o600))
		var got []string
		all, err := readListeners(file)
		for _, l := range all {
			got = append(got, fmt.Sprint(l.at, " ", l.account))
		}
		if err != nil {
			got = []string{"error"}
		}
		expect.Equal(t, strings.Join(got, ", "), want, text[:min(len(text), 200)], err)
	}
	_, err := readListeners(filepath.Join(t.TempDir(), "tcp"))
	expect.Equal(t, errors.Is(err, fs.ErrNotExist), true, err)
}

// A server that another account than one of the system has started is not logged in to.
func TestOnlySystemAccounts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	own, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer own.Close()
	wptest.Must(t, SystemListens(own.Addr().String()))
	if err := SystemListens("127.0.0.2" + strings.TrimPrefix(own.Addr().String(), "127.0.0.1")); !errors.Is(err, ErrNotSystem) {
		t.Errorf("where nobody listens: %v", err)
	}

	every, err := net.Listen("tcp4", "0.0.0.0:0")
	wptest.Must(t, err)
	defer every.Close()
	_, port, _ := net.SplitHostPort(every.Addr().String())
	wptest.Must(t, SystemListens("127.0.0.1:"+port))
	wptest.Must(t, SystemListens("192.0.2.1:"+port)) // if this is an address of this machine

	runtime.LockOSThread() // whose sockets are a tenant's for a moment
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, firstPerson, 0, 0)
	tenant, err := net.Listen("tcp", "127.0.0.1:0")
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	runtime.UnlockOSThread()
	wptest.Must(t, err)
	defer tenant.Close()
	cfg := hostile(t, nil)
	cfg.Addr = tenant.Addr().String()
	OnlySystem(cfg)
	_, err = OpenMySQL(t.Context(), cfg, Options{})
	expect.Equal(t, errors.Is(err, ErrNotSystem), true, err)
}
