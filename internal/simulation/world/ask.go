package world

import (
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// asksForSweep sees a process of a named build ask for its sweep. The queue must not
// drop the sweep as a repeat of one that the same build asked for before another build
// took its place: what the other build was stuck with would wait until it is due. A
// sweep that went round the delay queue is not asked for anew. A process whose clock is
// wrong is not judged, nor is a build that comes back within the
// second for which the sweeps of many processes are one.
func (w *World) asksForSweep(p *Process, to *Queue, m *queue.Outgoing) {
	if !w.named || p.clock.off != 0 || m.Group != wire.SweepGroup || p.Code != w.Build {
		return
	}
	item, err := w.Item(m.Body)
	if err != nil || item.Hops > 0 || !strings.HasPrefix(item.ID, "build-") {
		return
	}
	if _, repeat := to.Remembered()[m.Group+"\n"+m.DedupID]; !repeat {
		if w.asked == nil {
			w.asked = map[string]time.Time{}
		}
		w.asked[m.DedupID] = w.Clock.Now()
		return
	}
	sent := time.UnixMilli(item.SentMS) // The call may take effect later.
	if sent.Before(w.changed) {
		return
	}
	if before, judged := w.asked[m.DedupID]; judged && before.Before(w.changed) && sent.Sub(before) >= time.Second {
		w.Violate("R-18", "build %s is back and asks for a sweep, which the queue drops as a repeat of one from before another build was there", p.Code.Name)
	}
}
