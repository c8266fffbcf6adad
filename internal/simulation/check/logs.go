package check

import (
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"log/slog"
)

// saysWhere checks that a line says what it is about.
func (w *checker) saysWhere(p *world.Process, r *slog.Record, given []string) {
	has := map[string]bool{}
	for _, key := range given {
		has[key] = true
	}
	r.Attrs(func(a slog.Attr) bool {
		has[a.Key] = true
		return true
	})
	for _, key := range []string{"instance", "execution_id", "event_id"} {
		if !has[key] {
			w.Violate("logs", "%s says %q without %s", p.Name, r.Message, key)
		}
	}
}
