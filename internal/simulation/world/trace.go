package world

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Log writes a line of the story, if the run is traced.
func (w *World) Log(format string, args ...any) {
	if !w.Tracing {
		return
	}
	fmt.Fprintf(&w.trace, "%s  ", w.at(w.Clock.Now()))
	fmt.Fprintf(&w.trace, format, args...)
	w.trace.WriteByte('\n')
}

// at formats a time, counted from the start.
func (w *World) at(t time.Time) string {
	d := t.Sub(epoch)
	sign := ""
	if d < 0 {
		d, sign = -d, "-"
	}
	return fmt.Sprintf("%s%03d:%02d:%02d.%03d", sign, int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, d.Milliseconds()%1000)
}

func batchText(batch []Delivered) string {
	var all []string
	for _, m := range batch {
		ghost := ""
		if m.Ghost {
			ghost = " (a ghost)"
		}
		if m.Copied {
			ghost = " (a copy)"
		}
		all = append(all, fmt.Sprintf("%s×%d%s %s", m.ID, m.ReceiveCount, ghost, BodyText(m.Body)))
	}
	return strings.Join(all, ", ")
}

// BodyText is a short description of a message.
func BodyText(body string) string {
	i, err := wire.Parse(wire.Unwrap([]byte(body)))
	if err != nil {
		return fmt.Sprintf("%.80q", body)
	}
	s := fmt.Sprintf("%s(%s", i.Kind, i.Target())
	if n := i.TargetExecution(); n > 0 {
		s += fmt.Sprintf("/%d", n)
	}
	if n := max(i.SourceEventID, i.SchedulingEventID); n > 0 {
		s += fmt.Sprintf(" event %d", n)
	}
	if i.Attempt > 1 {
		s += fmt.Sprintf(" attempt %d", i.Attempt)
	}
	if i.Name != "" {
		s += " " + i.Name
	}
	if i.ID != "" {
		s += " id " + i.ID
	}
	if i.Number > 0 {
		s += fmt.Sprintf(" number %d", i.Number)
	}
	if i.Hops > 0 {
		s += fmt.Sprintf(" hop %d", i.Hops)
	}
	return s + ")"
}

// spotText returns the text that locates a decision about a call: the parts of the call's
// description that stay the same if a smaller run leaves out something else. Numbers of
// events, executions, attempts and messages do not, and are removed.
func spotText(what string) string {
	for _, end := range []string{": ", " event", " id "} {
		what, _, _ = strings.Cut(what, end)
	}
	b := make([]byte, 0, len(what))
	inner := false // after a / or . in an id
	name := false  // after a letter, or a digit of its number
	for i := range len(what) {
		c := what[i]
		letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9'
		switch {
		case c == '/' || c == '.':
			inner = true
		case !letter && !digit:
			inner = false
		}
		name = letter || digit && name
		if digit && !name || inner && (letter || digit) {
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

func delayText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " in " + d.String()
}

func commitText(c *store.Commit) string {
	var all []string
	for i := range c.Turns {
		t := &c.Turns[i]
		s := fmt.Sprintf("%s/%d: %s", t.Instance, t.ExecutionID, eventsText(t.Events))
		if t.Parked {
			s += " (parked)"
		}
		if len(t.Cancelled) > 0 {
			s += fmt.Sprintf(" cancels %v", t.Cancelled)
		}
		all = append(all, s)
	}
	s := "commits " + strings.Join(all, " and ")
	if c.Record != nil {
		s += "; record: " + changeText(c.Record)
	}
	return s
}

func changeText(c *store.RecordChange) string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if c.Create != nil {
		add("created")
	}
	if c.ExecutionID != nil {
		add("execution %d", *c.ExecutionID)
	}
	if c.Status != nil {
		add("%s", *c.Status)
	}
	if c.Problem != nil && *c.Problem != nil {
		add("problem %s, try %d", (*c.Problem).Kind, (*c.Problem).Tries)
	}
	if c.Suspect != nil {
		add("suspect %q", *c.Suspect)
	}
	if c.Dispatched != nil {
		add("dispatched %q", *c.Dispatched)
	}
	if c.Stamp != nil {
		add("stamp %d", *c.Stamp)
	}
	return strings.Join(all, ", ")
}

func eventsText(events []history.Event) string {
	var all []string
	for i := range events {
		e := &events[i]
		s := fmt.Sprintf("%d %s", e.EventID, e.Kind)
		if e.Name != "" {
			s += "(" + e.Name + ")"
		}
		if e.SourceEventID > 0 {
			s += fmt.Sprintf("←%d", e.SourceEventID)
		}
		if len(e.Payload) > 0 {
			s += fmt.Sprintf(" %.60s", e.Payload)
		}
		if e.Failure != nil {
			s += fmt.Sprintf(" [%s: %.60s]", e.Failure.Kind, withoutRoot(e.Failure.Message))
		}
		all = append(all, s)
	}
	return strings.Join(all, " | ")
}

// LeftText describes the messages and schedules that remain.
func (w *World) LeftText() string {
	var all []string
	for _, q := range w.Sources {
		for _, m := range q.Queue.Peek() {
			all = append(all, q.Name+" holds "+BodyText(m.Body))
		}
	}
	for _, s := range w.Timer.Pending() {
		all = append(all, "a schedule for "+BodyText(s.Body))
	}
	if len(all) > 12 {
		all = append(all[:12], "…")
	}
	return strings.Join(all, "; ")
}

// counted is an observation that a process reports.
type counted struct {
	counter host.Counter
	reason  string
}

// observer counts the observations of a living process.
type observer struct {
	host.NoObserver
	p *Process
}

func (o observer) Count(c host.Counter, reason string, n int) {
	if !o.p.Dead {
		o.p.W.Watch.Counts(o.p, c, reason, n)
		o.p.W.counts[counted{c, reason}] += n
	}
}

// logger writes the log lines of a process into the story, and passes them to the watcher
// if the process encodes.
func (w *World) logger(p *Process) *slog.Logger {
	if !w.Tracing && !p.Encodes {
		return nil
	}
	return slog.New(storyHandler{p: p})
}

type storyHandler struct {
	p *Process
	// given are the keys that the logger has for all its lines.
	given []string
}

func (h storyHandler) Enabled(context.Context, slog.Level) bool { return !h.p.Dead }

func (h storyHandler) Handle(_ context.Context, r slog.Record) error {
	h.p.W.Watch.Logs(h.p, &r, h.given)
	if !h.p.W.Tracing {
		return nil
	}
	var b strings.Builder
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%.200s", a.Key, withoutRoot(a.Value.String()))
		return true
	})
	h.p.W.Log("%s says: %s", h.p.Name, b.String())
	return nil
}

func (h storyHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.given = slices.Clone(h.given)
	for _, a := range attrs {
		h.given = append(h.given, a.Key)
	}
	return h
}

func (h storyHandler) WithGroup(string) slog.Handler { return h }
