//go:build !nobinlog

package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"sync"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/google/uuid"
)

// Built reports whether a binlog can be followed.
const Built = true

// Follow reports to h what is written after a place, until ctx ends or the connection does. It returns the place to
// go on from: nothing before it was missed, and some of what comes after may have been reported already. The error
// names no content of the database; it is ErrPurged or ErrDenied or ErrForm where one of these is the reason.
func Follow(ctx context.Context, s Server, from Position, h Handler) (Position, error) {
	r := &reader{h: h, mariadb: s.MariaDB, at: from}
	err := r.open()
	if err == nil && !r.behind(s.End) {
		return from, fmt.Errorf("%w: it was begun anew", ErrPurged)
	}
	if err == nil {
		err = r.follow(ctx, s, s.TLS != nil)
	}
	if s.PlainToo && err != nil && strings.Contains(err.Error(), "does not support TLS") {
		err = r.follow(ctx, s, false)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.place(), plain(err)
}

func (r *reader) follow(ctx context.Context, s Server, secure bool) error {
	flavor := mysql.MySQLFlavor
	if s.MariaDB {
		flavor = mysql.MariaDBFlavor
	}
	line := &line{dial: s.Dial}
	defer line.close()
	cfg := replication.BinlogSyncerConfig{
		ServerID: randomID(s.ID), Flavor: flavor, Host: s.Addr, User: s.User, Password: s.Password,
		Localhost: "wpsitemapd", Dialer: line.open,
		// Whole events, so that it is ours to say which are unpacked; one at a time, so that none wait in memory.
		RawModeEnabled: true, SynchronousEventHandler: r,
		HeartbeatPeriod: heartbeat, ReadTimeout: silence, DisableRetrySync: true,
		Logger: slog.New(slog.DiscardHandler), // it logs what is in events
	}
	if secure {
		cfg.TLSConfig = s.TLS.Clone()
	}
	syncer := replication.NewBinlogSyncer(cfg)
	defer syncer.Close()
	stop := context.AfterFunc(ctx, line.close)
	defer stop()

	r.parser = replication.NewBinlogParser()
	r.parser.SetFlavor(flavor)
	r.parser.SetRowsEventDecodeFunc(r.decodeRows)
	r.within, r.pending = false, nil
	stream, err := r.start(syncer)
	if err != nil {
		return err
	}
	// It returns nothing but the end, as events go to HandleEvent. It is waited for until the library's reader has
	// ended, which it does once the connection is closed: Close writes what that reader uses.
	_, err = stream.GetEvent(context.WithoutCancel(ctx))
	return err
}

// randomID is what the server is to know us by. Administrators number their servers from one,
// or by addresses; one that has our number already would be cut off, once, as each attempt
// takes another.
func randomID(not uint32) uint32 {
	for {
		if id := 1<<31 + rand.Uint32N(1<<31-1); id != not {
			return id
		}
	}
}

// line makes one connection. The library wants another one for KILL when it closes the first, by a number that may be
// somebody else's after a restart of the server.
type line struct {
	dial func(context.Context) (net.Conn, error)
	mu   sync.Mutex
	conn net.Conn
	used bool
}

func (l *line) open(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used {
		return nil, net.ErrClosed
	}
	l.used = true
	var err error
	l.conn, err = l.dial(ctx)
	return l.conn, err
}

func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = true
	if l.conn != nil {
		l.conn.Close()
	}
}

// reader reads one stream of events after the other.
type reader struct {
	h       Handler
	mariadb bool
	parser  *replication.BinlogParser
	at      Position // File and Offset, between two transactions
	within  bool     // a transaction has begun
	pending func()   // notes the GTID of that transaction
	event   replication.EventType

	// What is before that place; nil: there are no GTIDs.
	domains map[uint32]mysql.MariadbGTID
	set     *mysql.MysqlGTIDSet
}

func (r *reader) open() error {
	if r.at.GTID == "" {
		return nil
	}
	if !r.mariadb {
		set, err := mysql.ParseMysqlGTIDSet(r.at.GTID)
		if err == nil {
			r.set = set.(*mysql.MysqlGTIDSet)
		}
		return err
	}
	r.domains = map[uint32]mysql.MariadbGTID{}
	for text := range strings.SplitSeq(r.at.GTID, ",") {
		gtid, err := mysql.ParseMariadbGTID(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		r.domains[gtid.DomainID] = *gtid
	}
	return nil
}

// behind reports whether the place is not beyond the end. A server would wait for the end to reach it, and send
// nothing until then.
func (r *reader) behind(end Position) bool {
	last := &reader{mariadb: r.mariadb, at: end}
	if last.open() != nil {
		return false
	}
	switch {
	case r.set != nil:
		return last.set != nil && last.set.Contain(r.set)
	case r.domains != nil:
		for domain, gtid := range r.domains {
			if last.domains[domain].SequenceNumber < gtid.SequenceNumber {
				return false
			}
		}
		return true
	}
	// Names end in a number of six digits, or more.
	return len(r.at.File) < len(end.File) || len(r.at.File) == len(end.File) &&
		(r.at.File < end.File || r.at.File == end.File && r.at.Offset <= end.Offset)
}

func (r *reader) place() Position {
	p := r.at
	switch {
	case r.set != nil:
		p.GTID = r.set.String()
	case r.domains != nil:
		var all []string
		for _, gtid := range r.domains {
			all = append(all, gtid.String())
		}
		p.GTID = strings.Join(all, ",")
	}
	return p
}

// start asks for what comes after the place.
func (r *reader) start(syncer *replication.BinlogSyncer) (*replication.BinlogStreamer, error) {
	switch {
	case r.set != nil:
		return syncer.StartSyncGTID(r.set.Clone())
	case r.domains != nil:
		set, err := mysql.ParseMariadbGTIDSet(r.place().GTID)
		if err != nil {
			return nil, err
		}
		return syncer.StartSyncGTID(set)
	}
	return syncer.StartSync(mysql.Position{Name: r.at.File, Pos: r.at.Offset})
}

// HandleEvent is called by the library for every event.
func (r *reader) HandleEvent(e *replication.BinlogEvent) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = broken{r.event} // v may hold content of the event
		}
	}()
	r.event = e.Header.EventType
	switch r.event {
	case replication.FORMAT_DESCRIPTION_EVENT, replication.TABLE_MAP_EVENT,
		replication.QUERY_EVENT, replication.MARIADB_QUERY_COMPRESSED_EVENT,
		replication.WRITE_ROWS_EVENTv0, replication.UPDATE_ROWS_EVENTv0, replication.DELETE_ROWS_EVENTv0,
		replication.WRITE_ROWS_EVENTv1, replication.UPDATE_ROWS_EVENTv1, replication.DELETE_ROWS_EVENTv1,
		replication.WRITE_ROWS_EVENTv2, replication.UPDATE_ROWS_EVENTv2, replication.DELETE_ROWS_EVENTv2,
		replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, replication.MARIADB_UPDATE_ROWS_COMPRESSED_EVENT_V1,
		replication.MARIADB_DELETE_ROWS_COMPRESSED_EVENT_V1, replication.PARTIAL_UPDATE_ROWS_EVENT,
		replication.MARIADB_GTID_EVENT, replication.GTID_EVENT, replication.GTID_TAGGED_LOG_EVENT:
		parsed, err := r.parser.Parse(e.RawData)
		if err != nil {
			return broken{r.event}
		}
		return r.take(parsed)
	case replication.TRANSACTION_PAYLOAD_EVENT:
		return r.payload(e)
	case replication.ROTATE_EVENT:
		rotate, ok := e.Event.(*replication.RotateEvent)
		if !ok || rotate.Position > math.MaxUint32 {
			return broken{r.event}
		}
		r.at.File, r.at.Offset = string(rotate.NextLogName), uint32(rotate.Position)
	case replication.XID_EVENT, replication.XA_PREPARE_LOG_EVENT:
		r.end(e.Header)
	}
	return nil
}

// take hands on an event that was parsed.
func (r *reader) take(e *replication.BinlogEvent) error {
	switch event := e.Event.(type) {
	case *replication.FormatDescriptionEvent:
		r.h.Started()
	case *replication.RowsEvent:
		r.report(event)
	case *replication.MariadbGTIDEvent:
		r.begin(!event.IsStandalone())
		if gtid := event.GTID; r.domains != nil {
			r.pending = func() { r.domains[gtid.DomainID] = gtid }
		}
	case *replication.GtidTaggedLogEvent:
		return r.beginMySQL(&event.GTIDEvent)
	case *replication.GTIDEvent:
		return r.beginMySQL(event)
	case *replication.QueryEvent:
		switch text := strings.TrimSpace(string(event.Query)); {
		case strings.EqualFold(text, "BEGIN"), len(text) >= 8 && strings.EqualFold(text[:8], "XA START"):
			r.within = true
		case strings.EqualFold(text, "COMMIT"), strings.EqualFold(text, "ROLLBACK"):
			r.end(e.Header)
		default:
			r.h.Statement(string(event.Schema), text)
			if !r.within {
				r.end(e.Header)
			}
		}
	}
	return nil
}

// begin notes that a transaction begins, or a statement alone.
func (r *reader) begin(within bool) {
	r.commit() // one whose end is none that is known here
	r.within = within
}

func (r *reader) beginMySQL(e *replication.GTIDEvent) error {
	r.begin(false) // a statement BEGIN follows, or another one
	if r.set == nil {
		return nil
	}
	id, err := uuid.FromBytes(e.SID)
	if err != nil {
		return broken{r.event}
	}
	tag, number := e.Tag, e.GNO
	r.pending = func() { r.set.AddGTIDWithTag(id, tag, number) }
	return nil
}

func (r *reader) commit() {
	if r.pending != nil {
		r.pending()
		r.pending = nil
	}
}

// end notes that a transaction has ended.
func (r *reader) end(h *replication.EventHeader) {
	r.within = false
	if h.LogPos > 0 { // newer MariaDB does not always set it
		r.at.Offset = h.LogPos
	}
	r.commit()
}

// decodeRows is called for events with rows; it unpacks what is wanted.
func (r *reader) decodeRows(e *replication.RowsEvent, data []byte) error {
	at, err := e.DecodeHeader(data)
	if err != nil || e.Table == nil || !r.h.Wants(tableOf(e.Table)) {
		return err
	}
	return e.DecodeData(at, data)
}

func tableOf(t *replication.TableMapEvent) Table {
	return Table{string(t.Schema), string(t.Table), int(t.ColumnCount)}
}

// tell hands on the rows of an event, if they were unpacked.
func (r *reader) report(e *replication.RowsEvent) {
	t := tableOf(e.Table)
	switch e.Type() {
	case replication.EnumRowsEventTypeInsert:
		for _, row := range e.Rows {
			r.h.Row(t, nil, row)
		}
	case replication.EnumRowsEventTypeDelete:
		for _, row := range e.Rows {
			r.h.Row(t, row, nil)
		}
	case replication.EnumRowsEventTypeUpdate:
		for i := 0; i+1 < len(e.Rows); i += 2 {
			r.h.Row(t, e.Rows[i], e.Rows[i+1])
		}
	}
}

// payload unpacks a compressed transaction of MySQL.
func (r *reader) payload(e *replication.BinlogEvent) error {
	size, ok := unpackedSize(e.RawData[replication.EventHeaderSize:])
	if !ok {
		return broken{r.event}
	}
	if size > mostUnpacked {
		r.h.Much()
		r.end(e.Header)
		return nil
	}
	parsed, err := r.parser.Parse(e.RawData)
	if err != nil {
		return broken{r.event}
	}
	for _, inner := range parsed.Event.(*replication.TransactionPayloadEvent).Events {
		if inner.Header.EventType == replication.XID_EVENT {
			continue
		}
		inner.Header.LogPos = 0 // there is no place to go on from within
		if err := r.take(inner); err != nil {
			return err
		}
	}
	r.end(e.Header)
	return nil
}

// unpackedSize reads the fields before a payload: number, length and value of each.
func unpackedSize(data []byte) (uint64, bool) {
	for len(data) > 2 && data[0] != replication.OTW_PAYLOAD_HEADER_END_MARK {
		field, length := data[0], int(data[1])
		if length > 9 || len(data) < 2+length {
			break
		}
		value := data[2 : 2+length]
		if field == replication.OTW_PAYLOAD_UNCOMPRESSED_SIZE_FIELD {
			return lengthEncoded(value)
		}
		data = data[2+length:]
	}
	return 0, false
}

// lengthEncoded is MySQL's form of numbers.
func lengthEncoded(b []byte) (uint64, bool) {
	var full [8]byte
	switch {
	case len(b) == 0:
		return 0, false
	case b[0] < 0xfb:
		return uint64(b[0]), true
	case len(b) > 9:
		return 0, false
	}
	copy(full[:], b[1:])
	return binary.LittleEndian.Uint64(full[:]), true
}

// broken is an event that cannot be read.
type broken struct{ event replication.EventType }

func (b broken) Error() string { return fmt.Sprintf("an event of type %v cannot be read", b.event) }

// plain turns an error of the library into one that can be shown: theirs may hold rows.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if server, ok := errors.AsType[*mysql.MyError](err); ok {
		text := fmt.Errorf("server error %d: %s", server.Code, server.Message)
		switch server.Code {
		case mysql.ER_MASTER_FATAL_ERROR_READING_BINLOG:
			return fmt.Errorf("%w: %w", ErrPurged, text)
		case mysql.ER_SPECIFIC_ACCESS_DENIED_ERROR, mysql.ER_ACCESS_DENIED_ERROR:
			return fmt.Errorf("%w: %w", ErrDenied, text)
		}
		return text
	}
	if b, ok := errors.AsType[broken](err); ok {
		return fmt.Errorf("%w: %w", ErrForm, b)
	}
	if e, ok := errors.AsType[net.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, mysql.ErrBadConn) || strings.Contains(err.Error(), "connection was bad") || strings.Contains(err.Error(), "EOF") {
		return errors.New("the connection has ended")
	}
	if strings.Contains(err.Error(), "does not support TLS") {
		return errors.New("the server does not support TLS")
	}
	return fmt.Errorf("%w, or the login has", ErrForm) // whatever it says may hold rows
}
