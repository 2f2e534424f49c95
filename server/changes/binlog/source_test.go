package binlog

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/changes/binlog/stream"
)

// What goes wrong with a row has the sites read, and the binlog is followed on.
func TestFollowerGuards(t *testing.T) {
	var log bytes.Buffer
	source := New(slog.New(slog.NewTextHandler(&log, nil)), 0)
	sub := &changes.Subscription{} // whose database is nil
	group := changes.NewGroup("a", sub)
	h := &eventHandler{Follower: newFollower(source, group), ctx: t.Context()}
	h.Statement("a", "TRUNCATE wp_posts")
	if e := sub.Take(); !e.Anywhere() {
		t.Errorf("told %+v", e)
	}
	if h.Wants(stream.Table{Schema: "a", Name: "wp_posts"}) {
		t.Error("it wants what it cannot take")
	}
	if e := sub.Take(); !e.Anywhere() || strings.Count(log.String(), "internal error") != 2 {
		t.Errorf("told %+v\n%s", e, log.String())
	}
}

// A server's connections are not spent on many accounts' followers.
func TestFollowersOfAServer(t *testing.T) {
	source := New(nil, 0)
	for range mostFollowed {
		if !source.begin("a") {
			t.Fatal("there is room")
		}
	}
	if source.begin("a") || !source.begin("b") {
		t.Error("no bound for one server, or one for both")
	}
	source.end("a")
	if !source.begin("a") {
		t.Error("room is not given back")
	}
}
