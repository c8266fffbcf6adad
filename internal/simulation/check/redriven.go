package check

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// takenOver is what a commit has from the execution before: by a redrive.
type takenOver struct {
	// events are the first so many of the commit; carried are those after
	// OrchestrationRedriven, by event id.
	events  int
	carried map[int64]bool
	// from is the execution that had them: of another instance for a fork.
	from ledger.Execution
	// seen and stood are of a fork: how many events of the original it has seen at least, and how
	// many there were.
	seen, stood int
	// at is the step at which it landed.
	at int
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
// what completed after it; it leaves nothing out that was completed, and brings no failure
// and no cancel along. Nil for a commit that begins no redriven execution.
func (w *checker) checkRedriven(p *world.Process, t *store.Turn) *takenOver {
	before := w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID-1)]
	if t.First() != 1 || before == nil || t.ExecutionID <= w.Ledger.Hidden[t.Instance]+1 {
		return nil
	}
	violate := func(format string, args ...any) {
		w.Violate("O-10", "%s/%d: "+format, append([]any{t.Instance, t.ExecutionID}, args...)...)
	}
	k := &takenOver{carried: map[int64]bool{}, at: w.Steps, from: ledger.At(t.Instance, t.ExecutionID-1)}
	defer func() {
		if k.events > 0 {
			note(&w.taken, ledger.At(t.Instance, t.ExecutionID), k)
		}
	}()
	k.events = prefixOf(t)
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

// checkFollows is O-10 and O-12: the code follows what an instance takes over; otherwise the redrive,
// or the fork, is refused. For its parent a child goes on all the same, and is stuck.
func (w *checker) checkFollows(c *store.Commit, t *store.Turn, k *takenOver) {
	if k == nil || c.Record == nil || c.Record.Create == nil || t.Events[0].Start == nil || t.Events[0].Start.Parent != nil {
		return
	}
	if p := c.Record.Create.Problem; p != nil && p.EventID > 0 && p.EventID <= int64(prefixOf(t)) {
		w.Violate("O-10", "%s/%d takes over %d events, which its code does not follow: %s at event %d", t.Instance, t.ExecutionID, prefixOf(t), p.Kind, p.EventID)
	}
}

// sendsChild is O-10 for the start of a child that a redriven parent has taken over: it uses the
// child where that runs or has completed, and has it go on where it failed.
func (w *checker) sendsChild(body string) {
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.StartOrchestration || item.Parent == nil || w.ByForger(item) {
		return
	}
	k := w.taken[ledger.At(item.Parent.Instance, item.Parent.ExecutionID)]
	if k == nil || item.Parent.EventID > int64(k.events) || k.from.Instance != item.Parent.Instance {
		return
	}
	if item.OnConflict != wire.ConflictUseOrRedrive {
		w.Violate("O-10", "the child %s that %s/%d has taken over is started with the policy %q", item.Instance, item.Parent.Instance, item.Parent.ExecutionID, item.OnConflict)
	}
	w.Reached("O-10, a child")
}

// prefixOf is how many events a first commit has before its OrchestrationRedriven; 0 without one.
func prefixOf(t *store.Turn) int {
	for i := len(t.Events) - 1; i > 0; i-- {
		if t.Events[i].Kind == history.OrchestrationRedriven {
			return i
		}
	}
	return 0
}

// checkCarriedOn looks at the events that follow the ones taken over.
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
		if e.Failure != nil && e.SourceEventID > 0 && e.SourceEventID <= int64(k.events) && !t.Events[e.SourceEventID-1].Inline {
			violate("event %d brings a failure along", e.EventID)
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

// redrives reports whether an execution is begun by a redrive. The message of a process that
// has died, and whose write lands late, is in its queue still.
func (w *checker) redrives(p *world.Process, t *store.Turn) bool {
	start := t.Events[0].Start
	if start == nil || strings.HasPrefix(start.StartID, world.RedriveID) {
		return start != nil
	}
	begins := func(body, id string) bool {
		item, err := w.Item(body)
		return err == nil && item.Kind == wire.StartOrchestration && item.OnConflict.Redrives() && item.WithID(id).ID == start.StartID
	}
	if p.Running == nil {
		queued := func(body string) bool { return begins(body, "") }
		return w.FIFO.Queue.Any(queued) || w.DeadFIFO.Queue.Any(queued)
	}
	return slices.ContainsFunc(p.Running.Batch, func(m world.Delivered) bool { return begins(m.Body, m.ID) })
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

// redrivenAbove reports whether an instance was redriven, or forked, or one whose child it is.
func (w *checker) redrivenAbove(instance string) bool {
	for range 20 {
		if w.redriven(instance) {
			return true
		}
		x := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])]
		if x == nil || x.Events[0].Start == nil || x.Events[0].Start.Parent == nil {
			return false
		}
		instance = x.Events[0].Start.Parent.Instance
	}
	return false
}

// checkKeys is O-10 for an activity that a redrive starts anew: what was open keeps its
// idempotency key, and what had failed gets a new one.
func (w *checker) checkKeys(p *world.Process, key store.ActivityKey, info *activities.Info) {
	note(&w.keys, key, info.IdempotencyKey)
	x, before := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)], key
	k := w.taken[ledger.At(key.Instance, key.ExecutionID)]
	if x == nil || k == nil || key.EventID > int64(k.events) {
		return
	}
	before.Instance, before.ExecutionID = k.from.Instance, k.from.Execution
	was, ran := w.keys[before]
	if k.from == x.Of {
		w.checkForkedKey(p, key, was, info.IdempotencyKey, ran)
		return
	}
	if !ran {
		return
	}
	of := w.Ledger.Executions[k.from]
	if of != nil && outcomeOf(of, key.EventID, len(of.Events)) == "unsure" && was != info.IdempotencyKey {
		w.Violate("O-10", "%s begins activity %d of %s/%d under key %s, and nobody knows whether it had its effect under %s",
			p.Name, key.EventID, key.Instance, key.ExecutionID, info.IdempotencyKey, was)
	}
	if carried := x.CarriedFrom(key.EventID, before.ExecutionID); carried != (was == info.IdempotencyKey) {
		w.Violate("O-10", "%s begins activity %d of %s/%d under key %s, and it had %s; that it was open is %t",
			p.Name, key.EventID, key.Instance, key.ExecutionID, info.IdempotencyKey, was, carried)
	}
}

// missed reports whether an instance may wait for ever, because it was redriven, or has begun again
// beside what is late: an event that came while it had ended is not told again. So does one whose child does.
func (w *checker) missed(instance string) bool {
	x := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])]
	if x == nil {
		return false
	}
	waits := false
	for i := range x.Events {
		e := &x.Events[i]
		if x.Completed[e.EventID] != 0 || x.Stopped[e.EventID] || x.Never[e.EventID] {
			continue
		}
		switch e.Kind {
		case history.ActivityScheduled, history.TimerCreated:
			return false
		case history.SubOrchestrationScheduled:
			if !w.missed(e.Instance) {
				return false
			}
			waits = true
		case history.ExternalSubscribed:
			waits = waits || w.redrivenAbove(instance) || w.Overtook[instance]
		}
	}
	return waits
}
