package livetrace

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// LogHandler returns a handler that shows log lines of at least a level between the turns: those of
// the code, which are written when the turn is committed, and those of the host, except those that
// the trace already shows.
func (t *Trace) LogHandler(least slog.Leveler) slog.Handler {
	return &logHandler{trace: t, least: least}
}

// shown are lines of the host with the same information as ProblemChanged.
var shown = []string{"instance is stuck", "history is corrupt"}

type logHandler struct {
	trace    *Trace
	least    slog.Leveler
	instance string
	attrs    string
	group    string
}

func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.least.Level()
}

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	if slices.Contains(shown, r.Message) {
		return nil
	}
	line := *h
	r.Attrs(func(a slog.Attr) bool {
		// Every line has it; the lines of the code follow their turn.
		if a.Key != "event_id" || r.Level >= slog.LevelWarn {
			line.add(a)
		}
		return true
	})
	t := h.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	text := printable.Line(r.Message) + line.attrs
	switch {
	case r.Level >= slog.LevelError:
		text = t.paint.red("error: " + text)
	case r.Level >= slog.LevelWarn:
		text = t.paint.yellow("warning: " + text)
	}
	var b block
	b.line("")
	// It has no time, because the time of a record is that of the machine, not of the runtime. The
	// turns around it have one.
	b.line("%s", t.entry(strings.Repeat(" ", utf8.RuneCountInString(t.when(r.Time))), line.instance, text))
	t.write(&b)
	return nil
}

// add adds an attribute; the ids of the instance come first in the line.
func (h *logHandler) add(a slog.Attr) {
	value := a.Value.Resolve()
	switch {
	case a.Equal(slog.Attr{}), a.Key == "execution_id":
	case a.Key == "instance" && h.group == "" && h.instance == "":
		h.instance = printable.Line(value.String())
	case value.Kind() == slog.KindGroup:
		inner := *h
		if a.Key != "" {
			inner.group += a.Key + "."
		}
		for _, each := range value.Group() {
			inner.add(each)
		}
		h.attrs = inner.attrs
	default:
		text := value.String()
		if strings.ContainsAny(text, " \"=") || text == "" {
			text = fmt.Sprintf("%q", text)
		}
		h.attrs += " " + printable.Line(h.group+a.Key) + "=" + printable.Line(text)
	}
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attrs {
		with.add(a)
	}
	return &with
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	with := *h
	with.group += name + "."
	return &with
}
