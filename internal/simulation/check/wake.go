package check

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// checkWake: the sweeper sends no second wake for a mark, while the first may still
// come, as far as its process can know. It is asked when the send is begun.
func (w *checker) checkWake(p *world.Process, body string) {
	if len(w.notesOf(p).listed) == 0 || p.Dead {
		return
	}
	item, err := w.Item(body)
	if err != nil {
		return
	}
	r, ok := w.notesOf(p).listed[item.Instance]
	if item.Kind != wire.Wake || item.Number == 0 || item.Hops > 0 || !ok || r.Stamp != item.Number || r.Problem == nil || r.Problem.WokenMS == 0 {
		return
	}
	if since := w.Clock.Now().Sub(time.UnixMilli(r.Problem.WokenMS)); since < 23*time.Hour {
		w.Violate("M-15", "%s sends a wake for mark %d of %s, and has read that one was sent %s ago", p.Name, r.Stamp, r.Instance, since)
	}
}
