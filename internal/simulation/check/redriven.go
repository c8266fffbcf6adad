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

// takenOver describes the events that the commit of a redrive has copied from the previous execution.
type takenOver struct {
	// events is the number of first events of the commit that were copied; carried are those after
	// OrchestrationRedriven, by event id.
	events  int
	carried map[int64]bool
	// from is the execution that had them; for a fork, one of another instance.
	from ledger.Execution
	// seen and stood are set for a fork: how many events of the original it has seen at least, and how many
	// there were.
	seen, stood int
	// at is the step at which it landed.
	at int
}

// has reports whether the previous execution recorded an event.
func (k *takenOver) has(e *history.Event) bool {
	return k != nil && (e.EventID <= int64(k.events) || k.carried[e.EventID])
}

// rest returns the commit without the events copied from the previous execution.
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

// checkRedriven is O-10: a redrive copies the history of the previous execution up to the failure, and
// results that were recorded after it. It omits no result, and copies no failure and no cancel. Nil for a
// commit that starts no redriven execution.
func (w *checker) checkRedriven(p *world.Process, t *store.Turn) *takenOver {
	last := w.Ledger.Before(t.Instance, t.ExecutionID)
	before := w.Ledger.Executions[ledger.At(t.Instance, last)]
	if t.First() != 1 || before == nil || last <= w.Ledger.Hidden[t.Instance] {
		return nil
	}
	violate := func(format string, args ...any) {
		w.Violate("O-10", "%s/%d: "+format, append([]any{t.Instance, t.ExecutionID}, args...)...)
	}
	k := &takenOver{carried: map[int64]bool{}, at: w.Steps, from: ledger.At(t.Instance, last)}
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
		k.events = 1 // It starts from the beginning.
	default:
		return nil
	}
	w.Reached("O-10")
	if own.Name != started.Name || own.Version != started.Version || !bytes.Equal(own.Payload, started.Payload) {
		violate("its start differs from that of the previous execution")
	}
	for i := 1; i < k.events; i++ {
		if i >= len(before.Events) || !ledger.Alike(&before.Events[i], &t.Events[i]) {
			violate("event %d differs from that of the previous execution", i+1)
			return k
		}
	}
	w.checkCarriedOn(before, t, k, violate)
	return k
}

// sendsHeld is O-10 for the open operations of a redrive or a fork: they are sent when the code has agreed
// with the copied history.
func (w *checker) sendsHeld(p *world.Process, body string) {
	item, err := w.Item(body)
	if err != nil || w.ByForger(item) {
		return
	}
	at, id := ledger.At(item.Instance, item.ExecutionID), item.SchedulingEventID
	switch {
	case item.Kind == wire.ActivityExecute:
	case item.Kind == wire.TimerFired:
		id = item.SourceEventID
	case item.Kind == wire.StartOrchestration && item.Parent != nil:
		at, id = ledger.At(item.Parent.Instance, item.Parent.ExecutionID), item.Parent.EventID
	default:
		return
	}
	x := w.Ledger.Executions[at]
	if x == nil || w.taken[at] == nil || id > int64(w.taken[at].events) {
		return
	}
	w.Reached("O-10, held")
	if x.HeldBack(id, int64(len(x.Events))+1) {
		w.Violate("O-10", "%s sends event %d of %s/%d, which was copied, before its code has agreed with the history", p.Name, id, at.Instance, at.Execution)
	}
}

// sendsChild is O-10 for the start of a child that a redriven parent has copied: it attaches to the child if
// that runs or has completed, and makes it continue if it failed.
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
		w.Violate("O-10", "the child %s that %s/%d has copied is started with the policy %q", item.Instance, item.Parent.Instance, item.Parent.ExecutionID, item.OnConflict)
	}
	w.Reached("O-10, a child")
}

// prefixOf returns how many events a first commit has before its OrchestrationRedriven; 0 without one.
func prefixOf(t *store.Turn) int {
	for i := len(t.Events) - 1; i > 0; i-- {
		if t.Events[i].Kind == history.OrchestrationRedriven {
			return i
		}
	}
	return 0
}

// checkCarriedOn checks the events that follow the copied ones.
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
			violate("event %d carries a failure over", e.EventID)
		}
		f := fact{e.Kind, e.SourceEventID, e.SenderID}
		if was, is := want[f]; is && bytes.Equal(was.Payload, e.Payload) {
			k.carried[e.EventID] = true
			delete(want, f)
		}
	}
	for _, e := range want {
		if e.EventID != redrivenFrom(t.Events[0].Start) { // From there on, everything runs again.
			violate("%s at %d of the previous execution is lost", e.Kind, e.EventID)
		}
	}
}

// redrives reports whether a redrive starts an execution. The message of a process that died, and whose write
// lands late, is still in its queue.
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

// redrivenFrom returns the event from which a redrive continues, 0 for where the execution failed.
func redrivenFrom(start *history.Start) int64 {
	_, from, _ := strings.Cut(start.StartID, world.RedrivenFrom)
	n, _ := strconv.ParseInt(from, 10, 64)
	return n
}

// redriven reports whether an instance was redriven since it was purged.
func (w *checker) redriven(instance string) bool {
	for n := w.Ledger.Hidden[instance] + 1; n <= w.Ledger.Last[instance]; n++ {
		if w.taken[ledger.At(instance, n)] != nil {
			return true
		}
	}
	return false
}

// redrivenAbove reports whether an instance, or one of its ancestors, was redriven or forked.
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

// checkKeys is O-10 for an activity that a redrive starts again: an open one keeps its idempotency key, and a
// failed one gets a new key.
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
		w.Violate("O-10", "%s starts activity %d of %s/%d under key %s, and its effect under %s is unknown",
			p.Name, key.EventID, key.Instance, key.ExecutionID, info.IdempotencyKey, was)
	}
	if carried := x.CarriedFrom(key.EventID, before.ExecutionID); carried != (was == info.IdempotencyKey) {
		w.Violate("O-10", "%s starts activity %d of %s/%d under key %s, and it had %s; that it was open is %t",
			p.Name, key.EventID, key.Instance, key.ExecutionID, info.IdempotencyKey, was, carried)
	}
}

// missed reports whether an instance may wait for ever because it was redriven, or has restarted while a late
// message was on its way: an event that arrived while it had ended is not delivered again. The same applies
// to an instance whose child waits.
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

// checkStartStays is O-10 at the end of a run: an instance whose first execution was redriven, and perhaps
// later ones too, started before the events that these copied.
func (w *checker) checkStartStays(r *store.Record) {
	n := r.ExecutionID
	for {
		x := w.Ledger.Executions[ledger.At(r.Instance, n)]
		if x == nil {
			return
		}
		first := &x.Events[0]
		if s := first.Start; s != nil && s.Origin != nil && s.Origin.EventID > 0 && s.Origin.Instance == r.Instance {
			n = s.Origin.ExecutionID
			continue
		}
		if s := first.Start; s != nil && s.Origin != nil {
			return // It is a fork, and has copied events from before its own start.
		}
		// Another execution may have started on a process with a different clock.
		if w.Ledger.Before(r.Instance, n) <= w.Ledger.Hidden[r.Instance] && n < r.ExecutionID && r.CreatedAt.UnixMilli() > first.AtMS {
			w.Violate("O-10", "according to its record %s started at %d, but its execution %d has copied an event from %d", r.Instance, r.CreatedAt.UnixMilli(), r.ExecutionID, first.AtMS)
		}
		return
	}
}
