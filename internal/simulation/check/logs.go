package check

import (
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"log/slog"
)

// saysWhere checks that a log line names its subject.
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
			w.Violate("logs", "%s logs %q without %s", p.Name, r.Message, key)
		}
	}
}
