package world

import (
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// asksForSweep checks the request of a process of a named build for its sweep. The queue
// must not drop the request as a duplicate of one that the same build made before another
// build replaced it: the instances that were stuck with the other build would wait until
// their wake is due. A sweep that is requeued through the delay queue is not a new request.
// The check leaves out a process whose clock is wrong, and a build that returns within the
// second for which the sweeps of many processes count as one.
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
