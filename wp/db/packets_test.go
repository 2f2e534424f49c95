package db

import (
	"context"
	"database/sql/driver"
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
			if err == nil || !LoginRefused(err) || len(err.Error()) > 600 || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(),
				"\x1b\r\n\x00\u202e") {
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
		for _, size := range []int{3, 4, 5, 1 << 20} {
			c := &checked{first: true}
			ok := true
			for piece := range slices.Chunk(tt.text, size) {
				ok = ok && c.pass(piece)
			}
			expect.Equal(t, ok, tt.ok, tt.name, size)
		}
	}
}

// told is a connection that takes what is written, and answers with a text.
type told struct {
	net.Conn
	answer string
	closed bool
}

func (c *told) Write(b []byte) (int, error) { return len(b), nil }
func (c *told) Read(b []byte) (int, error)  { return copy(b, c.answer), nil }
func (c *told) Close() error                { c.closed = true; return nil }

// An answer is checked if it is the first one after a statement, and if TLS has not begun.
func TestCheckedAnswers(t *testing.T) {
	const refused = "\x08\x00\x00\x01\xfd\xff\xff\xff"
	for _, tt := range []struct {
		name    string
		written [][]byte
		ok      bool
	}{
		{"a statement", [][]byte{packet(0, 3, 'S')}, false},
		{"the shortest packet", [][]byte{packet(0)}, false},
		{"no whole packet", [][]byte{{0, 0, 0}}, true},
		{"the answer to a greeting", [][]byte{packet(1, 0)}, true},
		{"TLS", [][]byte{packet(1, make([]byte, 32)...), packet(0, 3, 'S')}, true},
		{"shorter than TLS", [][]byte{packet(1, make([]byte, 31)...), packet(0, 3, 'S')}, false},
		{"a statement as long as the request of TLS", [][]byte{packet(0, make([]byte, 32)...), packet(0, 3, 'S')}, false},
	} {
		below := &told{answer: refused}
		c := &checked{Conn: below}
		for _, b := range tt.written {
			_, err := c.Write(b)
			wptest.Must(t, err)
		}
		n, err := c.Read(make([]byte, 100))
		if tt.ok {
			expect.Equal(t, n, len(refused), tt.name, err)
		} else {
			expect.Equal(t, errors.Is(err, errAnswer), true, tt.name, err)
		}
		expect.Equal(t, below.closed, !tt.ok, tt.name, "closed")
	}
	_, err := (&checked{Conn: &told{}}).SyscallConn()
	expect.Equal(t, errors.Is(err, errors.ErrUnsupported), true, err)
}

// The number of a connection is one row with one number. The rest of an answer is not waited for.
func TestNumberOfTheConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		rows []driver.Value
		want int64
		ok   bool
	}{
		"a number":         {[]driver.Value{int64(7)}, 7, true},
		"no row":           {nil, 0, false},
		"two rows":         {[]driver.Value{int64(7), int64(8)}, 0, false},
		"a word":           {[]driver.Value{"seven"}, 0, false},
		"a word, then one": {[]driver.Value{"seven", int64(8)}, 0, false},
	} {
		got, err := thread(t.Context(), &values{left: tt.rows})
		expect.Equal(t, err == nil, tt.ok, name, err)
		expect.Equal(t, got, tt.want, name)
	}
}

// values answers every statement with rows of one value.
type values struct{ left []driver.Value }

func (v *values) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return v, nil
}
func (v *values) Columns() []string { return []string{"CONNECTION_ID()"} }
func (v *values) Close() error      { return nil }
func (v *values) Next(row []driver.Value) error {
	if len(v.left) == 0 {
		return io.EOF
	}
	row[0], v.left = v.left[0], v.left[1:]
	return nil
}
