package check

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// takenOver is what a commit has from the execution before: by a redrive.
type takenOver struct {
	// events are the first so many of the commit; carried are those behind
	// OrchestrationRedriven, by event id.
	events  int
	carried map[int64]bool
}

// has reports whether an event was recorded by the execution before.
func (k *takenOver) has(e *history.Event) bool {
	return k != nil && (e.EventID <= int64(k.events) || k.carried[e.EventID])
}

// rest is the commit without what it has from the execution before.
func (k *takenOver) rest(t *store.Turn) *store.Turn {
	if k == nil {
		return t
	}
	own := *t
	own.Events = nil
	for i := range t.Events {
		if !k.has(&t.Events[i]) {
			own.Events = append(own.Events, t.Events[i])
		}
	}
	return &own
}

// checkRedriven is O-10: what a redrive takes over is what the execution before has, with
// what completed behind it; it leaves nothing out that was completed, and brings no failure
// and no cancel along. Nil for a commit that begins no redriven execution.
func (w *checker) checkRedriven(p *world.Process, t *store.Turn) *takenOver {
	before := w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID-1)]
	if t.First() != 1 || before == nil || t.ExecutionID <= w.Ledger.Hidden[t.Instance]+1 {
		return nil
	}
	violate := func(format string, args ...any) {
		w.Violate("O-10", "%s/%d: "+format, append([]any{t.Instance, t.ExecutionID}, args...)...)
	}
	k := &takenOver{carried: map[int64]bool{}}
	defer func() {
		if k.events > 0 {
			note(&w.taken, ledger.At(t.Instance, t.ExecutionID), k)
		}
	}()
	for i := len(t.Events) - 1; i > 0 && k.events == 0; i-- {
		if t.Events[i].Kind == history.OrchestrationRedriven {
			k.events = i
		}
	}
	started, own := &before.Events[0], &t.Events[0]
	switch {
	case k.events > 0:
	case before.End() != nil && before.End().Kind != history.OrchestrationContinuedAsNew && w.redrives(p, t):
		k.events = 1 // It begins from the beginning.
	default:
		return nil
	}
	w.Reached("O-10")
	if own.Name != started.Name || own.Version != started.Version || !bytes.Equal(own.Payload, started.Payload) {
		violate("it begins otherwise than the execution before")
	}
	for i := 1; i < k.events; i++ {
		if i >= len(before.Events) || !ledger.Alike(&before.Events[i], &t.Events[i]) {
			violate("event %d is not that of the execution before", i+1)
			return k
		}
	}
	w.checkCarriedOn(before, t, k, violate)
	return k
}

// checkCarriedOn looks at what stands behind what was taken over.
func (w *checker) checkCarriedOn(before *ledger.Recorded, t *store.Turn, k *takenOver, violate func(string, ...any)) {
	type fact struct {
		kind   history.Kind
		source int64
		sender string
	}
	want := map[fact]history.Event{}
	for _, e := range before.Events[k.events:] {
		completes := completes(e.Kind)
		if e.Kind == history.ExternalEvent || completes != history.KindUnknown && e.SourceEventID <= int64(k.events) && e.Failure == nil {
			want[fact{e.Kind, e.SourceEventID, e.SenderID}] = e
		}
	}
	redriven := k.events // its index, where there is one
	if t.Events[redriven%len(t.Events)].Kind == history.OrchestrationRedriven {
		redriven++
	}
	for _, e := range t.Events[redriven:] {
		if !e.Kind.Arrival() {
			break
		}
		f := fact{e.Kind, e.SourceEventID, e.SenderID}
		if was, is := want[f]; is && bytes.Equal(was.Payload, e.Payload) {
			k.carried[e.EventID] = true
			delete(want, f)
		}
	}
	for _, e := range want {
		if e.EventID != redrivenFrom(t.Events[0].Start) { // There it happens again.
			violate("%s at %d of the execution before is lost", e.Kind, e.EventID)
		}
	}
}

// redrives reports whether an execution is begun by a redrive.
func (w *checker) redrives(p *world.Process, t *store.Turn) bool {
	if t.Events[0].Start == nil || p.Running == nil {
		return false
	}
	for _, m := range p.Running.Batch {
		item, err := w.Item(m.Body)
		if err == nil && item.Kind == wire.StartOrchestration && item.OnConflict.Redrives() && item.WithID(m.ID).ID == t.Events[0].Start.StartID {
			return true
		}
	}
	return false
}

// redrivenFrom is the event from which a redrive is, 0 for where the execution failed.
func redrivenFrom(start *history.Start) int64 {
	_, from, _ := strings.Cut(start.StartID, world.RedrivenFrom)
	n, _ := strconv.ParseInt(from, 10, 64)
	return n
}

// redriven reports whether an instance was, since it was purged.
func (w *checker) redriven(instance string) bool {
	for n := w.Ledger.Hidden[instance] + 1; n <= w.Ledger.Last[instance]; n++ {
		if w.taken[ledger.At(instance, n)] != nil {
			return true
		}
	}
	return false
}
