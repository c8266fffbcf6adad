package console

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
)

// export returns the history of an execution as `turnstile history --export` writes it: without
// tokens and secrets.
func (h *handler) export(r *request) error {
	execution := r.query.Get("execution")
	if execution == "" {
		execution = "current"
	}
	x, err := h.execution(r.Context(), r.vars["id"], execution)
	if err != nil {
		return err
	}
	out := exports.New(r.vars["id"], x.number, x.turns)
	out.Events = h.open(x, out.Events)
	text := history.EncodeExport(out)
	r.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	r.w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", fileName(r.vars["id"], x.number)))
	// If the reader has gone, no one needs the response.
	_, _ = r.w.Write(text)
	return nil
}

// fileName returns a name for the export of an instance that every file system accepts.
func fileName(instance string, execution int64) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, instance)
	if len(safe) > 80 {
		safe = safe[:80]
	}
	return fmt.Sprintf("history-%s-%d.json", safe, execution)
}
