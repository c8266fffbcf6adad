package check

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// waking is how far an invocation has progressed with the wakes of the instances that it
// has listed.
type waking struct {
	// due are the instances whose wake was due when they were listed; begun are those for
	// which a wake was about to be sent, accepted those whose wake is in its queue.
	due, begun, accepted ledger.ByInstance[bool]
}

// listsDue records which wakes are due in a list that a sweep has read.
func (w *checker) listsDue(p *world.Process, records []store.Record) {
	if p.Running == nil || w.Faults[fault.Skew] > 0 {
		return
	}
	now := w.Clock.Now()
	for i := range records {
		r := &records[i]
		if m := r.Problem; m != nil && r.Status == store.StatusStuck && m.WokenMS == 0 && !time.UnixMilli(m.NextMS).After(now) {
			w.of(p.Running).waking.due.Set(r.Instance, true)
		}
	}
}

// noteWake records a wake that is about to be sent, or was accepted.
func (w *checker) noteWake(p *world.Process, body string, accepted bool) {
	if p.Dead || p.Running == nil || len(w.of(p.Running).waking.due) == 0 {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.Wake || item.Number == 0 || item.Hops > 0 {
		return
	}
	if k := &w.of(p.Running).waking; accepted {
		k.accepted.Set(item.Instance, true)
	} else {
		k.begun.Set(item.Instance, true)
	}
}

// checkSwept is M-15: a sweep sends a wake for each problem that is due. A sweep ends early
// if a call was refused or too little time is left.
func (w *checker) checkSwept(inv *world.Invocation) {
	k := &w.of(inv).waking
	if len(k.begun) == 0 || len(k.accepted) < len(k.begun) || inv.Slowed || inv.Deadline.Sub(w.Clock.Now()) < 20*time.Second {
		return
	}
	for _, due := range k.due {
		if r, err := w.Describe(due.Instance); err != nil || r.Problem == nil {
			continue // Another process has cleared the problem since it was listed.
		}
		if !k.begun.Of(due.Instance) {
			w.Violate("M-15", "%s has swept, but has sent no wake for the problem of %s, which was due", inv.P.Name, due.Instance)
		}
	}
}
