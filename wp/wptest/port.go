package wptest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

var givenPorts sync.Map

// FreePort returns a free port of loopback, for a program that cannot report which port it chose. The port is below those that
// the kernel chooses, and no other test of the process gets it.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port of loopback is free")
	return ""
}
