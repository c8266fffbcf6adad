// Package logattr adds attributes to each line of a log that the context of the
// line knows of.
package logattr

import (
	"context"
	"log/slog"
	"slices"
)

// Handler adds attributes to each line, where neither the line nor its logger has
// them. They stand at the top, also where the logger has a group.
type Handler struct {
	base  slog.Handler
	attrs func(context.Context) []slog.Attr
	// has are the keys that the logger was given.
	has []string
	// inner is what was done with the handler since its first group: in a group
	// nothing can be added to the line as a whole.
	inner []func(slog.Handler) slog.Handler
}

// New returns a handler that adds what attrs says to the lines that go to base.
func New(base slog.Handler, attrs func(context.Context) []slog.Attr) *Handler {
	return &Handler{base: base, attrs: attrs}
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.base.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	own := h.has
	if len(h.inner) == 0 {
		own = slices.Clone(own)
		r.Attrs(func(a slog.Attr) bool {
			own = append(own, a.Key)
			return true
		})
	}
	var missing []slog.Attr
	for _, a := range h.attrs(ctx) {
		if !slices.Contains(own, a.Key) {
			missing = append(missing, a)
		}
	}
	if len(h.inner) == 0 {
		r = r.Clone()
		r.AddAttrs(missing...)
		return h.base.Handle(ctx, r)
	}
	to := h.base.WithAttrs(missing)
	for _, f := range h.inner {
		to = f(to)
	}
	return to.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(h.inner) > 0 {
		return h.within(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
	}
	own := slices.Clone(h.has)
	for _, a := range attrs {
		own = append(own, a.Key)
	}
	return &Handler{base: h.base.WithAttrs(attrs), attrs: h.attrs, has: own}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.within(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h *Handler) within(f func(slog.Handler) slog.Handler) slog.Handler {
	return &Handler{base: h.base, attrs: h.attrs, has: h.has, inner: append(slices.Clip(h.inner), f)}
}
