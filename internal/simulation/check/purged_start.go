package check

import (
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// W-08 for the one answer that needs no commit, and so would not show that a process
// knows only an old state of the instance: no process answers a start whose id a purged
// instance holds by saying that its instance exists.

// noteGone notes the instances that are purged when an invocation begins and that one
// of its messages is to start.
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

// countsStarts notes the starts of which an invocation has told that their instances exist.
func (w *checker) countsStarts(p *world.Process, c host.Counter, reason string, n int) {
	if c == host.CountMessages && reason == "exists" {
		w.of(p.Running).exist += n
	}
}

// checkGone: as many as may have found one have. A process that has it in its cache does
// not see that its damaged history was purged.
func (w *checker) checkGone(inv *world.Invocation) {
	told := w.of(inv).exist
	if told == 0 {
		return
	}
	may := 0
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.StartOrchestration && (!w.of(inv).gone.Of(item.Instance) || !w.isGone(item.Instance) || w.Ledger.Unread[item.Instance] > 0) {
			may++
		}
	}
	if told > may {
		w.Violate("W-08", "%s tells of %d starts that their instances exist, and only %d can have found one that was not purged before", inv.P.Name, told, may)
	}
}
