package db

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// packet is a packet of MySQL's protocol.
func packet(number byte, payload ...byte) []byte {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	head[3] = number
	return append(head, payload...)
}

// greeting is the first packet of a server, which asks for a password of the old form.
var greeting = packet(0, slices.Concat([]byte("\x0a8.0.0\x00\x01\x00\x00\x0012345678\x00\xff\xf7\x21\x02\x00\xff\xde\x15"), make([]byte, 10),
	[]byte("123456789012\x00mysql_native_password\x00"))...)

// hostile is a server that lets everybody in, and answers every statement with the same bytes.
func hostile(t *testing.T, answer []byte) *mysql.Config {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := make([]byte, 1<<16)
				for _, out := range [][]byte{greeting, packet(2, 0, 0, 0, 2, 0, 0, 0)} {
					if _, err := conn.Write(out); err != nil {
						return
					}
					if _, err := conn.Read(in); err != nil {
						return
					}
				}
				_, _ = conn.Write(answer)
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = "u", "p", "tcp", listener.Addr().String(), &mysql.NopLogger{}
	return cfg
}

// Whatever a server announces, no memory is allocated beyond what a statement can ask for.
func TestHostileAnswers(t *testing.T) {
	eight := func(n uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{0xfe}, n) }
	column := packet(2, []byte("\x03def\x00\x00\x00\x01c\x00\x0c\x21\x00\xff\xff\xff\xff\xfc\x00\x00\x00\x00\x00")...)
	long := slices.Concat(packet(1, 1), column, packet(3, 0xfe, 0, 0, 2, 0))
	for n := range byte(10) {
		long = append(long, packet(4+n, make([]byte, fullPacket)...)...)
	}
	for name, answer := range map[string][]byte{
		"2^40 columns":     packet(1, eight(1<<40)...),
		"all columns":      packet(1, eight(1<<63)...),
		"16 M columns":     packet(1, 0xfd, 0xff, 0xff, 0xff),
		"an endless row":   long,
		"an answer cut":    packet(1, 0xfc),
		"an error cut":     packet(1, 0xff),
		"columns cut":      slices.Concat(packet(1, 1), packet(2, 3)),
		"nothing of a row": slices.Concat(packet(1, 1), column, packet(3, 0xfe, 0, 0, 2, 0), packet(4, 0xfe)),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := OpenMySQL(t.Context(), hostile(t, answer), Options{})
			if err == nil {
				d.Close()
				t.Fatal("it was taken")
			}
			if bounded := strings.Contains(name, "columns") && !strings.Contains(name, "cut") || strings.Contains(name, "endless"); bounded {
				expect.Equal(t, errors.Is(err, errAnswer) || errors.Is(err, mysql.ErrInvalidConn), true, err.Error())
			}
		})
	}
}

// The text of a server's error is one short line. It cannot control a terminal or look like a line of the log.
func TestTextOfErrors(t *testing.T) {
	refusal := func(text string) []byte { return packet(1, []byte("\xff\x15\x04#28000"+text)...) }
	for name, text := range map[string]string{
		"long": strings.Repeat("a", 1<<20), "control characters": "a\x1b[31m\r\n  OK  all is well\x00\xff\u202e", "both": strings.Repeat("\n", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenMySQL(t.Context(), hostile(t, refusal(text)), Options{})
			if err == nil || !LoginRefused(err) || len(err.Error()) > 600 || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\x1b\r\n\x00\u202e") {
				t.Errorf("%d bytes: %.700q", len(err.Error()), err)
			}
			// the driver prints a value that it cannot convert
			if err := plain(fmt.Errorf("sql: Scan error on column index 0: parsing %s", text)); len(err.Error()) > 600 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%d bytes: %.700q", len(err.Error()), err)
			}
		})
	}
	if err := plain(fmt.Errorf("reading: %w", io.EOF)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// The bounds hold for any pieces in which an answer arrives.
func TestAnswersInPieces(t *testing.T) {
	row := slices.Concat(packet(1, make([]byte, fullPacket)...), packet(2, make([]byte, fullPacket)...))
	for _, tt := range []struct {
		name string
		text []byte
		ok   bool
	}{
		{"two rows of 32 MiB", slices.Concat(row, packet(3, 0), row, packet(3, 0)), true},
		{"a row of 64 MiB", slices.Concat(row, row), false},
		{"65,535 columns", packet(1, 0xfc, 0xff, 0xff), true},
		{"65,536 columns", packet(1, 0xfd, 0, 0, 1), false},
		{"a row that begins like such a count", slices.Concat(packet(1, 1), packet(2, 0xfd, 0, 0, 1, 'x')), true},
		{"the end of an answer", slices.Concat(packet(1, 1), packet(2, 0xfe, 0, 0, 2, 0)), true},
	} {
		for _, size := range []int{3, 5, 1 << 20} {
			c := &checked{first: true}
			ok := true
			for piece := range slices.Chunk(tt.text, size) {
				ok = ok && c.pass(piece)
			}
			expect.Equal(t, ok, tt.ok, tt.name, size)
		}
	}
}
