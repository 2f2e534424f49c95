package faults

import (
	"bytes"
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// askUnread opens a connection of HTTP/2 whose streams have no room for a byte, asks for every path as often as the
// daemon allows, with and without compression, and leaves it open. What the daemon sends is read, so that it waits
// for the room of the streams only.
func askUnread(address, host string, paths []string) (net.Conn, error) {
	conn, err := net.DialTimeout("tcp", address, answerPatience)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return conn, err
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return conn, err
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		return conn, err
	}
	streams := uint32(250)
	for told := false; !told; {
		frame, err := framer.ReadFrame()
		if err != nil {
			return conn, err
		}
		if settings, ok := frame.(*http2.SettingsFrame); ok && !settings.IsAck() {
			told = true
			if n, ok := settings.Value(http2.SettingMaxConcurrentStreams); ok {
				streams = min(streams, n)
			}
		}
	}
	if err := framer.WriteSettingsAck(); err != nil {
		return conn, err
	}
	var head bytes.Buffer
	fields := hpack.NewEncoder(&head)
	for i := range streams {
		head.Reset()
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", host}, {":path", paths[int(i)%len(paths)]}} {
			if err := fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
				return conn, err
			}
		}
		if i%2 == 0 {
			if err := fields.WriteField(hpack.HeaderField{Name: "accept-encoding", Value: "gzip"}); err != nil {
				return conn, err
			}
		}
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i +
			1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
			return conn, err
		}
	}
	go func() {
		_ = conn.SetDeadline(time.Time{})
		_, _ = io.Copy(io.Discard, conn) // until either end closes it
	}()
	return conn, nil
}
