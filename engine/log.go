package engine

import (
	"context"
	"log/slog"
)

// Logger returns a logger that is silent during replay. Each line is logged once, when
// the code first reaches it, and emitted after the turn is committed (Turn.Logs). It is
// not recorded in the history. Lines from a goroutine that the code started itself are
// dropped; use a different logger there.
func (c *Context) Logger() *slog.Logger {
	base := c.x.cfg.Options.LogHandler
	if base == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(&logHandler{x: c.x, base: base}).With("instance", c.x.cfg.Instance, "execution_id", c.x.cfg.ExecutionID)
}

type logHandler struct {
	x    *Execution
	base slog.Handler
}

func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.x.firstTime() && h.base.Enabled(ctx, level)
}

// firstTime reports whether the running code reaches this point for the first time: it is
// neither replayed nor unwound.
func (x *Execution) firstTime() bool {
	return x.owned() && x.cursor.live && !x.run.quiet && !x.current.unwinding
}

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	if !h.x.owned() {
		return nil
	}
	h.x.run.logs = append(h.x.run.logs, Log{Handler: h.base, Record: r.Clone(), EventID: h.x.reached()})
	return nil
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{x: h.x, base: h.base.WithAttrs(attrs)}
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{x: h.x, base: h.base.WithGroup(name)}
}
