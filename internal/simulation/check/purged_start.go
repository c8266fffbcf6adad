package check

import (
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// W-08 for the only response that needs no commit, so that no conflict reveals a process with an
// old state of the instance: if the id of a start belongs to a purged instance, no process reports
// that the instance exists.

// noteGone records which purged instances the messages of an invocation are to start, as of
// its start.
func (w *checker) noteGone(inv *world.Invocation) {
	if len(w.Ledger.Purged) == 0 {
		return
	}
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil || item.Kind != wire.StartOrchestration {
			continue
		}
		if w.isGone(item.Instance) {
			w.of(inv).gone.Set(item.Instance, true)
		}
	}
}

// isGone reports whether the id belongs to a purged instance.
func (w *checker) isGone(instance string) bool {
	hidden := w.Ledger.Hidden[instance]
	return hidden > 0 && hidden == w.Ledger.Last[instance]
}

// countsStarts counts the starts for which an invocation has reported that their instances
// exist.
func (w *checker) countsStarts(p *world.Process, c host.Counter, reason string, n int) {
	if c == host.CountMessages && reason == "exists" {
		w.of(p.Running).exist += n
	}
}

// checkGone: the number of these reports is at most the number of starts that may have
// found an instance. A process that has the instance in its cache does not see that its
// damaged history was purged.
func (w *checker) checkGone(inv *world.Invocation) {
	reported := w.of(inv).exist
	if reported == 0 {
		return
	}
	may := 0
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.StartOrchestration && (!w.of(inv).gone.Of(item.Instance) || !w.isGone(item.Instance) || w.Ledger.Unread[item.Instance] > 0) {
			may++
		}
	}
	if reported > may {
		w.Violate("W-08", "%s reports for %d starts that their instances exist, but only %d can have found one that was not purged before", inv.P.Name, reported, may)
	}
}
