package binlog

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/changes/binlog/stream"
	"wpsitemapd/wp/writes"
)

// mostNames is how many names of tables are kept at a time.
const mostNames = 10_000

// eventHandler makes events for the subscriptions of what one connection sends.
type eventHandler struct {
	*Follower
	ctx     context.Context
	subs    []*changes.Subscription
	targets map[tableName][]*target
}

type tableName struct{ schema, table string }

// target is a table as one database has it.
type target struct {
	*changes.Subscription
	table   writes.WrittenTable
	columns writes.Columns
	asked   bool // for columns
	known   bool // columns
}

// Started implements stream.Handler.
func (h *eventHandler) Started() {
	if h.group.Begin() {
		h.log.Info("the binlog is followed", "sites", len(h.group.Subscriptions()))
	}
}

// guard has everything read where an event could not be taken in.
func (h *eventHandler) guard() {
	if v := recover(); v != nil {
		h.source.log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
		h.group.ReportAll()
	}
}

// Wants implements stream.Handler.
func (h *eventHandler) Wants(t stream.Table) bool {
	defer h.guard()
	now := time.Now()
	wants := false
	for _, to := range h.find(t) {
		to.NoteWrite(now)
		switch {
		case !to.table.RowsTell():
			h.report(to, to.table.Written())
		case h.pending.full(to.Subscription, to.table.Name, to.posts()):
			h.report(to, writes.WrittenRow{Matters: true})
		case !h.columnsOf(to):
			h.report(to, writes.WrittenRow{Matters: true})
		default:
			wants = true
		}
	}
	return wants
}

// find returns the databases that have a table.
func (h *eventHandler) find(t stream.Table) []*target {
	if subs := h.group.Subscriptions(); !slices.Equal(subs, h.subs) || len(h.targets) >= mostNames {
		h.subs, h.targets = subs, map[tableName][]*target{}
	}
	key := tableName{t.Schema, t.Name}
	found, ok := h.targets[key]
	if !ok {
		for _, s := range h.subs {
			if table, ok := s.DB.WrittenTable(t.Schema, t.Name); ok {
				found = append(found, &target{Subscription: s, table: table})
			}
		}
		h.targets[key] = found
	}
	return found
}

// columnsOf finds the columns of a table, once until a statement may have changed them.
func (h *eventHandler) columnsOf(to *target) bool {
	if !to.asked {
		ctx, cancel := context.WithTimeout(h.ctx, columnsTimeout)
		defer cancel()
		var err error
		to.columns, to.known, err = to.DB.Columns(ctx, to.table)
		to.asked = err == nil
	}
	return to.known
}

// Row implements stream.Handler.
func (h *eventHandler) Row(t stream.Table, before, after []any) {
	defer h.guard()
	for _, to := range h.find(t) {
		if to.known {
			h.report(to, to.table.Row(to.columns, before, after))
		}
	}
}

// Statement implements stream.Handler.
func (h *eventHandler) Statement(schema, text string) {
	defer h.guard()
	now := time.Now()
	for _, s := range h.group.Subscriptions() {
		if s.DB.Concerns(schema, text) {
			s.NoteWrite(now)
			h.pending.put(s, changes.Unknown(now.Add(repeatAfter)))
			h.subs, h.targets = nil, nil // and with it the columns
		}
	}
}

// Much implements stream.Handler.
func (h *eventHandler) Much() {
	now := time.Now()
	for _, s := range h.group.Subscriptions() {
		s.NoteWrite(now)
		h.pending.put(s, changes.Unknown(now.Add(repeatAfter)))
	}
}

func (to *target) posts() changes.Kind { return changes.Kind{Posts: to.table.Posts} }

// report has an event reported to a database.
func (h *eventHandler) report(to *target, row writes.WrittenRow) {
	if !row.Matters {
		return
	}
	event := &changes.Event{Tables: map[string]bool{to.table.Name: true}, Settled: time.Now().Add(repeatAfter)}
	if row.Exact {
		event.Detail = changes.Complete
	}
	for _, id := range row.Posts {
		event.Concern(to.posts(), id)
	}
	for _, id := range row.Terms {
		event.Concern(changes.Kind{Posts: to.table.Posts, Terms: true}, id)
	}
	h.pending.put(to.Subscription, event)
}
