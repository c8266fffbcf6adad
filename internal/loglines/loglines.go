// Package loglines keeps the last lines of a log that are about instances, for the console
// of a program that runs them itself.
package loglines

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	// mostKept is how many lines are kept, and mostShown how many lines of one instance are
	// returned.
	mostKept, mostShown = 5000, 500
	// longest is how many bytes of a message, or of an attribute, are kept, and mostAttrs how
	// many attributes of a line.
	longest, mostAttrs = 2000, 30
)

// Line is one line of a log.
type Line struct {
	At      time.Time `json:"at"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	// ExecutionID, EventID and Attempt of the line, if it has them.
	ExecutionID int64 `json:"execution_id,omitempty"`
	EventID     int64 `json:"event_id,omitempty"`
	Attempt     int   `json:"attempt,omitempty"`
	// Attributes are the other attributes of the line.
	Attributes map[string]string `json:"attributes,omitempty"`
	instance   string
}

// Kept are the last lines about instances. It is safe for concurrent use.
type Kept struct {
	on atomic.Bool

	mu    sync.Mutex
	lines []Line // a ring
	next  int    // index of the next line
	lost  bool   // a line was overwritten
}

// Keep starts keeping lines. Before that, a logger has no cost.
func (k *Kept) Keep() { k.on.Store(true) }

// Handler returns a handler that keeps lines of level Info and above, and passes lines on to base
// if base has their level enabled; base may be nil.
func (k *Kept) Handler(base slog.Handler) slog.Handler {
	if base == nil {
		base = slog.DiscardHandler
	}
	return &handler{kept: k, base: base}
}

// Of returns the last lines about an instance, oldest first; more reports whether there were, or
// may have been, earlier ones.
func (k *Kept) Of(instance string) (lines []Line, more bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.lines {
		if l := &k.lines[(k.next+i)%len(k.lines)]; l.instance == instance {
			lines = append(lines, *l)
		}
	}
	if n := len(lines) - mostShown; n > 0 {
		return lines[n:], true
	}
	return lines, k.lost
}

// Says describes what is kept.
func (k *Kept) Says() string {
	return fmt.Sprintf("The last %d lines about instances, of level INFO and above, since this program started.", mostKept)
}

func (k *Kept) add(l Line) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.lines) < mostKept {
		k.lines = append(k.lines, l)
		return
	}
	k.lines[k.next], k.next, k.lost = l, (k.next+1)%mostKept, true
}

type handler struct {
	kept *Kept
	base slog.Handler
	// attrs are the attributes of the logger, with the groups in their names; group is the open
	// group, followed by a dot.
	attrs []slog.Attr
	group string
}

func (h *handler) keeps(level slog.Level) bool { return level >= slog.LevelInfo && h.kept.on.Load() }

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.keeps(level) || h.base.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if h.keeps(r.Level) {
		l := Line{At: r.Time, Level: r.Level.String(), Message: cut(r.Message)}
		for _, a := range h.attrs {
			l.take("", a)
		}
		r.Attrs(func(a slog.Attr) bool { l.take(h.group, a); return true })
		if l.instance != "" {
			h.kept.add(l)
		}
	}
	if !h.base.Enabled(ctx, r.Level) {
		return nil
	}
	return h.base.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	n.base = h.base.WithAttrs(attrs)
	n.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		n.attrs = append(n.attrs, a)
	}
	return &n
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	n := *h
	n.base, n.group = h.base.WithGroup(name), h.group+name+"."
	return &n
}

// take adds an attribute to the line, as text, because values of the program may change after the
// call.
func (l *Line) take(group string, a slog.Attr) {
	key, v := group+a.Key, a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		inner := key + "."
		if a.Key == "" {
			inner = group
		}
		for _, of := range v.Group() {
			l.take(inner, of)
		}
		return
	}
	if a.Key == "" {
		return
	}
	n, isNumber := number(v)
	switch {
	case key == "instance" && l.instance == "":
		l.instance = v.String()
	case key == "execution_id" && isNumber && l.ExecutionID == 0:
		l.ExecutionID = n
	case key == "event_id" && isNumber && l.EventID == 0:
		l.EventID = n
	case key == "attempt" && isNumber && l.Attempt == 0:
		l.Attempt = int(n)
	case len(l.Attributes) < mostAttrs:
		if l.Attributes == nil {
			l.Attributes = map[string]string{}
		}
		l.Attributes[cut(key)] = cut(v.String())
	}
}

func number(v slog.Value) (int64, bool) {
	switch v.Kind() {
	case slog.KindInt64:
		return v.Int64(), true
	case slog.KindUint64:
		return int64(v.Uint64()), true //nolint:gosec // A number of an event, which is small.
	default:
		n, err := strconv.ParseInt(v.String(), 10, 64)
		return n, err == nil
	}
}

// cut clones the part that it keeps, so that a large text does not stay in memory because of a part
// of it.
func cut(s string) string {
	if len(s) <= longest {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	end := longest
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.ToValidUTF8(strings.Clone(s[:end]), "\ufffd") + "…"
}
