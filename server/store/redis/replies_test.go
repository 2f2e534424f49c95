package redis

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/server/internal/storetest"
)

// endless is a reply that never ends.
type endless struct{ piece string }

// hostileReplies are what a server may send in place of an answer.
var hostileReplies = map[string]any{
	"a push of any length":         ">2147483647\r\n",
	"a map of any length":          "%2147483647\r\n",
	"a list of any length":         "*2147483647\r\n",
	"a set of any length":          "~2147483647\r\n",
	"attributes of any length":     "|2147483647\r\n",
	"a text of any length":         "$2147483647\r\n",
	"an error of any length":       "!2147483647\r\n",
	"a verbatim of any length":     "=2147483647\r\n",
	"a length beyond all numbers":  "*9223372036854775807\r\n",
	"a negative length":            "*-2147483648\r\n",
	"a length with a sign":         "*+2147483647\r\n",
	"a length that is told later":  "*?\r\n",
	"a list in a list":             "*2\r\n+a\r\n*2147483647\r\n",
	"a list in a map":              "%1\r\n+a\r\n*2147483647\r\n",
	"many long lists":              strings.Repeat("*1000000\r\n", 100),
	"many long maps":               strings.Repeat("%1000000\r\n", 100),
	"lists in lists for ever":      endless{"*1\r\n"},
	"maps in maps for ever":        endless{"%1\r\n+k\r\n"},
	"attributes for ever":          endless{"|1\r\n+k\r\n+v\r\n"},
	"a line for ever":              endless{"+" + strings.Repeat("x", 4095)},
	"an error for ever":            endless{"-" + strings.Repeat("x", 4095)},
	"no Redis":                     "HTTP/1.1 400 Bad Request\r\n\r\n",
	"an empty line":                "\r\n",
	"a push behind a good answer":  "+OK\r\n>2147483647\r\n",
	"a list of an error's length":  "-ERR\r\n*2147483647\r\n",
	"a text in a push of any size": ">2\r\n+message\r\n$2147483647\r\n",
}

// hostile is a server that answers everything with one reply, and returns its address and how often it was asked.
func hostile(t *testing.T, reply any, secure *tls.Config) (address string, asked func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	t.Cleanup(func() { l.Close() })
	times := make(chan struct{}, 1000)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			times <- struct{}{}
			go func() {
				defer conn.Close()
				if _, err := bufio.NewReader(conn).ReadByte(); err != nil {
					return
				}
				switch r := reply.(type) {
				case string:
					io.WriteString(conn, r)
					io.Copy(io.Discard, conn) // and keeps the client waiting
				case endless:
					for piece := []byte(strings.Repeat(r.piece, 16)); err == nil; {
						if strings.HasPrefix(r.piece, "+") || strings.HasPrefix(r.piece, "-") {
							piece = bytes.Repeat([]byte("x"), 1<<16)
						}
						_, err = conn.Write(piece)
					}
				}
			}()
		}
	}()
	return l.Addr().String(), func() int { return len(times) }
}

// A server that announces more than any memory holds is one that does not answer: it is told, nothing
// is found, and it is tried again.
func TestHostileServerIsTriedAgain(t *testing.T) {
	cert, key := certificate(t, "127.0.0.1")
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, reply := range hostileReplies {
		for _, form := range []string{"redis://:x@%s", "redis+cluster://%s", "redis+sentinel://%s/mymaster", "rediss://%s?ca=" + ca} {
			scheme, _, _ := strings.Cut(form, ":")
			t.Run(name+", "+scheme, func(t *testing.T) {
				t.Parallel()
				var secure *tls.Config
				if scheme == "rediss" {
					secure = &tls.Config{Certificates: []tls.Certificate{pair}}
				}
				address, asked := hostile(t, reply, secure)
				r := openRedis(t, fmt.Sprintf(form, address))
				if r.Stats().Error == "" {
					t.Error("it is said to be well")
				}
				storetest.Until(t, "tried again", func() bool { return asked() > 1 })
				if c := storetest.Copy(t, "a", "1 https://a.test", "post", 1); r.Copy(c.Key) != nil {
					t.Error("a copy was found")
				}
			})
		}
	}
}

// Bounds are those of one reply, wherever its pieces end.
func TestRepliesAreFollowed(t *testing.T) {
	for _, tt := range []struct {
		rule, text string
		want       bool
	}{
		{"texts, numbers and nothing", "+OK\r\n:1\r\n$-1\r\n_\r\n*-1\r\n$0\r\n\r\n$4\r\na\r\nb\r\n#t\r\n,1.5\r\n(12345\r\n-ERR x\r\n", true},
		{"what looks like a length in a text is none", "$15\r\n*2147483647\r\n\r\n\r\n+OK\r\n", true},
		{"lists in lists", "*2\r\n*0\r\n*2\r\n+a\r\n*1\r\n$1\r\nb\r\n+OK\r\n", true},
		{"a map, a set and a push", "%1\r\n+a\r\n~1\r\n:1\r\n>2\r\n+message\r\n=5\r\ntxt:a\r\n", true},
		{"as deep as allowed, often", strings.Repeat(strings.Repeat("*1\r\n", maxNesting)+":1\r\n", 100), true},
		{"deeper", strings.Repeat("*1\r\n", maxNesting+1), false},
		{"as many elements as allowed, often", strings.Repeat(fmt.Sprintf("*%d\r\n", maxElements)+strings.Repeat("_\r\n", maxElements), 2), true},
		{"one more", fmt.Sprintf("*%d\r\n", maxElements+1), false},
		{"more on the second level", fmt.Sprintf("*2\r\n*%d\r\n", maxElements-1), false},
		{"as long as allowed", fmt.Sprintf("$%d\r\n", maxReply-10), true},
		{"two of these in one", fmt.Sprintf("*2\r\n$%d\r\n", maxReply/2) + strings.Repeat("x", maxReply/2) + fmt.Sprintf("\r\n$%d\r\n", maxReply/2), false},
		{"a line without CR", "+OK\n", false},
	} {
		for _, piece := range []int{len(tt.text), 1 << 12, 7} {
			if piece == 7 && len(tt.text) > 1<<20 {
				continue
			}
			var r replies
			got := true
			for p := []byte(tt.text); len(p) > 0 && got; p = p[min(piece, len(p)):] {
				got = r.follow(p[:min(piece, len(p))])
			}
			if got != tt.want {
				t.Errorf("%s, in pieces of %d: %v", tt.rule, piece, got)
			}
		}
	}
}

// What a real server says to a client of a cluster is within the bounds.
func TestLongRepliesOfRedisAreWithinBounds(t *testing.T) {
	host, _ := redistest.Start(t)
	conn, err := dial(nil)(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "AUTH "+redistest.Password+"\r\nHELLO 3\r\nCOMMAND\r\nCOMMAND DOCS\r\nPING\r\n")
	text := bufio.NewReader(conn)
	for {
		line, err := text.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "+PONG\r\n" {
			return
		}
	}
}
