//go:build !nobinlog

package stream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

// heard notes what it is told.
type heard struct{ bytes.Buffer }

func (h *heard) Started()         { h.WriteString("started ") }
func (h *heard) Wants(Table) bool { return true }
func (h *heard) Row(t Table, before, after []any) {
	fmt.Fprint(h, t.Name, before, after, " ")
}
func (h *heard) Statement(schema, text string) { fmt.Fprint(h, schema, ":", text, " ") }
func (h *heard) Much()                         { h.WriteString("much ") }

// event makes an event of the older form, without a checksum.
func event(kind replication.EventType, end uint32, body []byte) *replication.BinlogEvent {
	raw := make([]byte, replication.EventHeaderSize, replication.EventHeaderSize+len(body))
	raw[4] = byte(kind)
	binary.LittleEndian.PutUint32(raw[9:], uint32(replication.EventHeaderSize+len(body)))
	binary.LittleEndian.PutUint32(raw[13:], end)
	raw = append(raw, body...)
	return &replication.BinlogEvent{RawData: raw, Header: &replication.EventHeader{EventType: kind, LogPos: end}}
}

// format is the first event of a MySQL server's stream.
func format() *replication.BinlogEvent {
	body := make([]byte, 2+50+4+1)
	body[0] = 4
	copy(body[2:], "8.0.44")
	body[56] = replication.EventHeaderSize
	lengths := make([]byte, 40)
	lengths[replication.TABLE_MAP_EVENT-1] = 8
	for _, kind := range []replication.EventType{replication.WRITE_ROWS_EVENTv2, replication.UPDATE_ROWS_EVENTv2, replication.DELETE_ROWS_EVENTv2} {
		lengths[kind-1] = 10
	}
	return event(replication.FORMAT_DESCRIPTION_EVENT, 0, append(append(body, lengths...), 0, 0, 0, 0, 0))
}

func query(text string) []byte {
	body := make([]byte, 13)
	body[8] = 1 // length of the schema
	return append(append(body, 'd', 0), text...)
}

func gtid(number uint64) []byte {
	body := make([]byte, 42)
	body[1] = 7 // of the server
	binary.LittleEndian.PutUint64(body[17:], number)
	return body
}

func newReader(h Handler, mariadb bool, at Position) *reader {
	r := &reader{h: h, mariadb: mariadb, at: at, parser: replication.NewBinlogParser()}
	r.parser.SetRowsEventDecodeFunc(r.decodeRows)
	if err := r.open(); err != nil {
		panic(err)
	}
	return r
}

// Transactions of MySQL are counted once they have ended, and places are between them.
func TestTransactionsOfMySQL(t *testing.T) {
	const server = "07000000-0000-0000-0000-000000000000"
	h := &heard{}
	r := newReader(h, false, Position{"bin.000001", 4, server + ":1-5"})
	rotate := event(replication.ROTATE_EVENT, 0, nil)
	rotate.Event = &replication.RotateEvent{Position: 4, NextLogName: []byte("bin.000002")}
	for _, step := range []struct {
		event *replication.BinlogEvent
		file  string
		at    uint32
		set   string
	}{
		{format(), "bin.000001", 4, "1-5"},
		{event(replication.GTID_EVENT, 100, gtid(6)), "bin.000001", 4, "1-5"},
		{event(replication.QUERY_EVENT, 150, query("BEGIN")), "bin.000001", 4, "1-5"},
		{event(replication.QUERY_EVENT, 170, query("UPDATE x")), "bin.000001", 4, "1-5"},
		{event(replication.XID_EVENT, 200, make([]byte, 8)), "bin.000001", 200, "1-6"},
		{event(replication.GTID_EVENT, 250, gtid(7)), "bin.000001", 200, "1-6"},
		{event(replication.QUERY_EVENT, 300, query("DROP TABLE x")), "bin.000001", 300, "1-7"},
		{rotate, "bin.000002", 4, "1-7"},
		{event(replication.GTID_EVENT, 350, gtid(8)), "bin.000002", 4, "1-7"},
		{event(replication.GTID_EVENT, 400, gtid(10)), "bin.000002", 4, "1-8"}, // the one before has ended in a way of its own
		{event(replication.QUERY_EVENT, 450, query("begin")), "bin.000002", 4, "1-8"},
		{event(replication.QUERY_EVENT, 500, query("COMMIT")), "bin.000002", 500, "1-8:10"},
	} {
		if err := r.HandleEvent(step.event); err != nil {
			t.Fatal(step.event.Header.EventType, err)
		}
		if got, want := r.place(), (Position{step.file, step.at, server + ":" + step.set}); got != want {
			t.Errorf("after %v: %+v, want %+v", step.event.Header.EventType, got, want)
		}
	}
	if got := h.String(); got != "started d:UPDATE x d:DROP TABLE x " {
		t.Errorf("told %q", got)
	}
}

// What cannot be read ends the stream with an error that does not hold it.
func TestBrokenEvents(t *testing.T) {
	r := newReader(&heard{}, false, Position{"bin.000001", 4, ""})
	const secret = "hush-hush"
	if err := r.HandleEvent(event(replication.QUERY_EVENT, 9, []byte(secret))); err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
	if err := r.HandleEvent(event(replication.TABLE_MAP_EVENT, 9, []byte(secret))); err == nil { // before the format
		t.Error("no error")
	}
	if err := r.HandleEvent(format()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []replication.EventType{
		replication.TABLE_MAP_EVENT, replication.WRITE_ROWS_EVENTv2, replication.GTID_EVENT, replication.TRANSACTION_PAYLOAD_EVENT,
		replication.ROTATE_EVENT,
	} {
		for size := range len(secret) {
			err := r.HandleEvent(event(kind, 9, []byte(secret[:size])))
			if err == nil && kind != replication.GTID_EVENT || err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, %d bytes: %v", kind, size, err)
			}
		}
	}
	for _, err := range []error{
		errors.New("row event: " + secret), &replication.EventError{Header: &replication.EventHeader{}, Err: secret, Data: []byte(secret)},
	} {
		if text := plain(err).Error(); strings.Contains(text, secret) {
			t.Error(text)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		rule string
		err  error
		is   error
		text string
	}{
		{
			"a place that is gone", &mysql.MyError{Code: 1236, Message: "Could not find first log file name"}, ErrPurged,
			"the place is not in the binlog any more: server error 1236: Could not find first log file name",
		},
		{
			"a right that is missing", fmt.Errorf("a: %w", &mysql.MyError{Code: 1227, Message: "Access denied"}), ErrDenied,
			"the account may not read the binlog: server error 1227: Access denied",
		},
		{"a connection that ends", mysql.ErrBadConn, nil, "the connection has ended"},
		{"one that is refused", &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, nil, "dial tcp: connection refused"},
		{"the end of all", context.Canceled, context.Canceled, "context canceled"},
	} {
		if got := plain(tt.err); got.Error() != tt.text || tt.is != nil && !errors.Is(got, tt.is) {
			t.Errorf("%s: %v", tt.rule, got)
		}
	}
}

// A place beyond the end is of a binlog that was begun anew.
func TestBehind(t *testing.T) {
	const a, b = "07000000-0000-0000-0000-000000000000", "08000000-0000-0000-0000-000000000000"
	for _, tt := range []struct {
		rule    string
		mariadb bool
		at, end Position
		want    bool
	}{
		{"the end itself", true, Position{"bin.000001", 9, ""}, Position{"bin.000001", 9, ""}, true},
		{"beyond it", true, Position{"bin.000001", 10, ""}, Position{"bin.000001", 9, ""}, false},
		{"a file before", false, Position{"bin.000001", 10, ""}, Position{"bin.000002", 4, ""}, true},
		{"a file after", false, Position{"bin.000003", 4, ""}, Position{"bin.000002", 9, ""}, false},
		{"more digits", false, Position{"bin.999999", 4, ""}, Position{"bin.1000000", 9, ""}, true},
		{"MariaDB's number before", true, Position{"x", 9, "0-1-7"}, Position{"a", 4, "0-2-8,1-1-1"}, true},
		{"MariaDB's number beyond", true, Position{"a", 4, "0-1-7,1-1-2"}, Position{"x", 9, "0-2-8,1-1-1"}, false},
		{"MariaDB's domain gone", true, Position{"a", 4, "0-1-7"}, Position{"x", 9, ""}, false},
		{"MySQL's set", false, Position{"x", 4, a + ":1-7"}, Position{"a", 9, a + ":1-8," + b + ":1"}, true},
		{"MySQL's set is not all there", false, Position{"a", 4, a + ":1-7," + b + ":1"}, Position{"x", 9, a + ":1-8"}, false},
		{"MySQL's set is gone", false, Position{"a", 4, a + ":1-7"}, Position{"x", 9, ""}, false},
	} {
		if got := newReader(nil, tt.mariadb, tt.at).behind(tt.end); got != tt.want {
			t.Errorf("%s: %v", tt.rule, got)
		}
	}
}

// A compressed transaction tells its size before it is unpacked.
func TestUnpackedSize(t *testing.T) {
	for _, tt := range []struct {
		body []byte
		want uint64
		ok   bool
	}{
		{[]byte{2, 1, 0, 3, 1, 200, 1, 1, 9, 0}, 200, true},
		{[]byte{3, 3, 0xfc, 0x34, 0x12, 0}, 0x1234, true},
		{[]byte{3, 9, 0xfe, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 1 << 32, true},
		{[]byte{2, 1, 0, 0}, 0, false},
		{[]byte{3, 9, 0xfe}, 0, false},
		{nil, 0, false},
	} {
		if got, ok := unpackedSize(tt.body); got != tt.want || ok != tt.ok {
			t.Errorf("%v: %d, %v", tt.body, got, ok)
		}
	}
	h := &heard{}
	r := newReader(h, false, Position{"bin.000001", 4, ""})
	if err := r.HandleEvent(event(replication.TRANSACTION_PAYLOAD_EVENT, 500, []byte{3, 9, 0xfe, 0, 0, 0, 0, 1, 0, 0, 0, 0})); err != nil {
		t.Fatal(err)
	}
	if h.String() != "much " || r.place().Offset != 500 {
		t.Errorf("%q, %+v", h, r.place())
	}
}

func TestRandomID(t *testing.T) {
	seen := map[uint32]bool{}
	for range 1000 {
		id := randomID(1)
		if id < 1<<31 || id == 1<<32-1 {
			t.Fatal(id)
		}
		seen[id] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d of 1000 are different", len(seen))
	}
}
