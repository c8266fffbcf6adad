package deciding

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// take handles the messages in their order. Arrivals that are recorded are handled together, in a
// round, up to an item that is handled by itself.
func (t *Turn) take() (Plan, error) {
	starts, rest := starting{t.Known}, &t.progress.rest
	for {
		if p, err := t.round.decide(); err != nil || !p.empty() {
			return p, err
		}
		for len(*rest) > 0 && (*rest)[0].State != inbox.Unsettled {
			*rest = (*rest)[1:]
		}
		if len(*rest) == 0 {
			return Plan{}, nil
		}
		m := (*rest)[0]
		if p, err := starts.fork(m); err != nil || !p.empty() {
			return p, err
		}
		if p, err := starts.restart(m); err != nil || !p.empty() {
			return p, err
		}
		if n := starts.apart(*rest); n > 0 {
			p := t.round.open((*rest)[:n])
			if *rest = (*rest)[n:]; starts.found(m) {
				*rest = nil // They are left for the turn that follows the acknowledgement of the start (restart).
			}
			if !p.empty() {
				return p, nil
			}
			continue
		}
		if m.Item.Kind == wire.PurgeInstance {
			return purging{t.Known}.purge(m)
		}
		if p := t.terminate(m); !p.empty() {
			return p, nil
		}
	}
}

// terminate ends the execution without running any code.
func (t *Turn) terminate(m *inbox.Message) Plan {
	k, r := t.Known, &t.round
	switch n := m.Item.ExecutionID; {
	case (absent{k}).foreignParent(m):
		return absent{k}.ofAnotherParent(m)
	case k.Running.Creating():
		// The start among the messages comes after the terminate.
		return absent{k}.early(m)
	case n != 0 && n != k.Running.Execution, k.Running.X.Ended():
		return settle(m, "late")
	}
	r.reset(ending)
	r.draft, r.arrivals = nil, []judged{{m, engine.Verdict{Kind: engine.Recorded}}}
	r.end = forced(history.ForcedByOperator, m.Item.Actor, history.Failure{Kind: history.FailureTerminated, Message: cmp.Or(m.Item.Reason, "terminated")})
	return Plan{}
}

// inOrder puts the messages into the order of the batch, except that the start that creates the
// instance is first. So the events of any other start are recorded at the position of that start.
func (k *Known) inOrder() {
	var first *inbox.Message
	if k.Running.Creating() && k.Running.Redriven == nil { // A redrive keeps its position.
		first = NewStart(k.View.Record, k.Group.Open())
	}
	if first != nil && restarts(first) {
		first = nil // A restart keeps its position too.
	}
	place := func(m *inbox.Message) int {
		if m == first {
			return -1
		}
		return m.Place
	}
	compare := func(a, b *inbox.Message) int { return cmp.Compare(place(a), place(b)) }
	if behind := behindPurges(k.Group.Messages); !slices.IsSortedFunc(k.Group.Messages[behind:], compare) {
		k.Group.Messages = slices.Clone(k.Group.Messages)
		slices.SortStableFunc(k.Group.Messages[behind:], compare)
	}
}

// apart returns the number of messages before the first that is handled by itself: a terminate, a
// purge, or a start that may restart the instance, because the messages before it may end the
// instance.
func (s starting) apart(messages []*inbox.Message) int {
	for n, m := range messages {
		if m.Item.Kind == wire.TerminateInstance || m.Item.Kind == wire.PurgeInstance || n > 0 && (restarts(m) || s.found(messages[0])) {
			return n
		}
	}
	return len(messages)
}

// found reports whether a start that may restart the instance has found the instance running
// without leaving a trace in the history. A redelivered start whose events the execution has
// accepted has no effect.
func (s starting) found(m *inbox.Message) bool {
	return restarts(m) && !s.Running.Creating() && m.Item.ID != s.Running.Started().Start.StartID && len(s.brought(m)) == 0
}
