package wptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// Hostile is a database server that lets everybody in and then answers as no server does. It is a stream: nothing
// of what it sends is in memory here.
type Hostile struct {
	Addr string
	TLS  bool // it offers TLS
	// Login, if not nil, takes the place of the login, after the greeting.
	Login func(*Wire)
	// Answer is called for every statement but those by which a session is set up.
	Answer func(w *Wire, statement string)
}

// Wire is the server's end of a connection.
type Wire struct {
	net.Conn
	Sequence byte
}

// Packet sends a packet; its error ends the connection.
func (w *Wire) Packet(body ...byte) error {
	head := []byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), w.Sequence}
	w.Sequence++
	_, err := w.Write(append(head, body...))
	return err
}

// Column describes a column of text by the name of x.
func (w *Wire) Column() error {
	return w.Packet(append([]byte("\x03def\x00\x00\x00\x01x\x00\x0c"), 0x2d, 0, 0, 1, 0, 0, 0xfd, 0, 0, 0, 0, 0)...)
}

// OK ends an answer, EOF a result.
func (w *Wire) OK() error  { return w.Packet(0, 0, 0, 2, 0, 0, 0) }
func (w *Wire) EOF() error { return w.Packet(0xfe, 0, 0, 2, 0) }

// Result sends a result of one text.
func (w *Wire) Result(text string) error {
	w.Packet(1)
	w.Column()
	w.EOF()
	w.Packet(append([]byte{byte(len(text))}, text...)...)
	return w.EOF()
}

// Start listens until the test ends.
func (h *Hostile) Start(t testing.TB) *Hostile {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	h.Addr = l.Addr().String()
	config := selfSigned(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go func() {
				defer c.Close()
				h.serve(&Wire{Conn: c}, config)
			}()
		}
	}()
	return h
}

// DSN leads to the server.
func (h *Hostile) DSN() string {
	dsn := "somebody:secret@tcp(" + h.Addr + ")/example"
	if h.TLS {
		dsn += "?tls=skip-verify"
	}
	return dsn
}

const (
	canProtocol41 = 1 << 9
	canTLS        = 1 << 11
	canSecure     = 1 << 15
	canPlugins    = 1 << 19
)

func (h *Hostile) serve(w *Wire, config *tls.Config) {
	can := uint32(1 | canProtocol41 | canSecure | canPlugins)
	if h.TLS {
		can |= canTLS
	}
	greeting := append([]byte("\x0a10.11.99-MariaDB\x00"), 7, 0, 0, 0)
	greeting = append(greeting, "12345678\x00"...)
	greeting = binary.LittleEndian.AppendUint16(greeting, uint16(can))
	greeting = append(greeting, 0x2d, 2, 0)
	greeting = binary.LittleEndian.AppendUint16(greeting, uint16(can>>16))
	greeting = append(greeting, append(make([]byte, 11), "123456789012\x00mysql_native_password\x00"...)...)
	greeting[len("\x0a10.11.99-MariaDB\x00")+4+9+2+3+2] = 21
	if w.Packet(greeting...) != nil {
		return
	}
	if h.TLS {
		if _, err := w.read(); err != nil {
			return
		}
		w.Conn = tls.Server(w.Conn, config)
	}
	if _, err := w.read(); err != nil {
		return
	}
	if h.Login != nil {
		h.Login(w)
		return
	}
	w.OK()
	for {
		command, err := w.read()
		if err != nil || len(command) == 0 {
			return
		}
		switch statement := string(command[1:]); {
		case command[0] == 1:
			return
		case strings.HasPrefix(statement, "SELECT @@max_allowed_packet"):
			w.Result("16777216")
		case strings.HasPrefix(statement, "SELECT VERSION()"):
			w.Result("10.11.99-MariaDB")
		case strings.HasPrefix(statement, "SET ") && !strings.HasPrefix(statement, "SET STATEMENT "):
			w.OK()
		default:
			h.Answer(w, statement)
		}
	}
}

// read reads a packet of the client.
func (w *Wire) read() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(w, head[:]); err != nil {
		return nil, err
	}
	w.Sequence = head[3] + 1
	body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err := io.ReadFull(w, body)
	return body, err
}

func selfSigned(t testing.TB) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// Attacks are answers that a server may kill a reader with.
var Attacks = map[string]func(w *Wire){
	"2^40 columns":       func(w *Wire) { w.Packet(0xfe, 0, 0, 0, 0, 0, 1, 0, 0); hold(w) },
	"16 million columns": func(w *Wire) { w.Packet(0xfd, 0xff, 0xff, 0xff); hold(w) },
	"endless columns": func(w *Wire) {
		w.Packet(0xfc, 0, 16)
		for w.Column() == nil {
		}
	},
	"a row without an end": func(w *Wire) { begin(w); endlessRow(w) },
	"rows without end": func(w *Wire) {
		begin(w)
		row := make([]byte, 1<<20)
		row[0], row[1], row[2], row[3] = 0xfd, 0xfc, 0xff, 0x0f
		for w.Packet(row...) == nil {
		}
	},
	"a file is asked for": func(w *Wire) { w.Packet(append([]byte{0xfb}, "/etc/passwd"...)...); hold(w) },
	"results without end": func(w *Wire) {
		for w.Packet(0, 0, 0, 10, 0, 0, 0) == nil {
		}
	},
	"an empty packet":            func(w *Wire) { w.Packet(); hold(w) },
	"a cut end":                  func(w *Wire) { begin(w); w.Packet(0xfe); hold(w) },
	"a column that is cut":       func(w *Wire) { w.Packet(1); w.Packet(3, 'd', 'e', 'f', 0xfe, 1); hold(w) },
	"a length beyond the row":    func(w *Wire) { begin(w); w.Packet(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f); hold(w) },
	"a result behind the result": func(w *Wire) { begin(w); w.EOF(); w.Packet(0xfe, 0, 0, 0, 0, 0, 1, 0, 0); hold(w) },
	"an error that is cut":       func(w *Wire) { w.Packet(0xff); hold(w) },
}

func begin(w *Wire) {
	w.Packet(1)
	w.Column()
	w.EOF()
}

func endlessRow(w *Wire) {
	chunk := make([]byte, 1<<16)
	for first := true; ; first = false {
		if _, err := w.Write([]byte{0xff, 0xff, 0xff, w.Sequence}); err != nil {
			return
		}
		w.Sequence++
		for sent := 0; sent < 1<<24-1; {
			n := min(len(chunk), 1<<24-1-sent)
			if first && sent == 0 {
				chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5] = 0xfe, 0, 0, 0, 0, 16
			}
			if _, err := w.Write(chunk[:n]); err != nil {
				return
			}
			sent += n
			clear(chunk[:9])
		}
	}
}

// hold keeps the connection until the other end closes it.
func hold(w *Wire) { _, _ = io.Copy(io.Discard, w) }

// Logins are logins that a server may hold a reader with.
var Logins = map[string]func(w *Wire){
	"a login without an end": func(w *Wire) {
		for w.Packet(append([]byte{0xfe}, "mysql_native_password\x0012345678901234567890\x00"...)...) == nil {
			if _, err := w.read(); err != nil {
				return
			}
		}
	},
	"a login of megabytes": func(w *Wire) { w.Packet(make([]byte, 1<<20)...); hold(w) },
	"a login that is cut":  func(w *Wire) { w.Packet(0xfe); hold(w) },
}
