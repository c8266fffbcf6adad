package deciding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// ContinueNumber is the number of a wake that continues a turn which ran out of time. No problem has it
// as its stamp.
const ContinueNumber = math.MaxInt32

// wake handles wakes. A sweeper's wake names the stamp of a problem, and is dropped if the record
// has a different stamp: an earlier delivery may have sent a change of the problem, but that change
// requires the stamp that the wake names, so it can no longer succeed. The commits of that delivery
// were sent again before this.
//
// One wake is one try. A wake is dropped, together with the wakes before it, if the problem says
// that this try was made. In that case a duplicate invocation has made the try and acknowledges the
// wake for both invocations. Nothing would redeliver the wake if this process, whose code may work,
// died after its commit.
//
// Before the code is run, a wake sends again the messages that may not have been sent: those of the
// open operations of the last turn or, for an operator's wake, of the current execution. If this
// turn starts the instance, there is nothing to resend.
func (r *round) wake() (Plan, error) {
	r.step = beginning
	if len(r.wakes) == 0 || r.k.Running.Creating() {
		return Plan{}, nil
	}
	r.step = waking
	if r.resend.gathered == nil {
		r.resend.begin()
	}
	problem, tried := r.k.View.Problem(), -1
	if problem != nil {
		tried = slices.IndexFunc(r.wakes, func(j judged) bool { return j.Item.ID == problem.Wake })
	}
	for i := range r.wakes {
		if j := &r.wakes[i]; j.Kind == engine.Pending {
			kind, err := wakeBy(&r.resend, j.Message, problem, i <= tried)
			if err != nil {
				return Plan{}, err
			}
			if j.Kind = kind; kind == obsolete {
				return settle(j.Message, "obsolete_wake"), nil
			}
		}
	}
	r.step = beginning
	return Plan{Again: r.resend.found()}, nil
}

// runs reports whether a wake runs the code even without an arrival.
func (r *round) runs() bool {
	return slices.ContainsFunc(r.wakes, func(j judged) bool { return j.Kind == engine.Recorded || j.Kind == engine.Duplicate })
}

// try returns the id of a wake that may run even an instance whose turn ended its process; empty if
// there is none. The try that this wake causes moves or clears the problem, whatever the result of
// the try.
func (r *round) try() (id string) {
	for _, j := range r.wakes {
		if j.Kind == engine.Recorded && r.end == nil {
			id = j.Item.ID
		}
	}
	return id
}

// obsolete is the verdict on a wake that is dropped.
const obsolete = engine.Misaddressed

// wakeBy judges one wake, and gathers the commits that the wake resends. tried is set if the wake
// does not follow the wake that caused the last try.
func wakeBy(a *resend, m *inbox.Message, problem *store.Problem, tried bool) (engine.VerdictKind, error) {
	switch stamp := m.Item.Number; {
	case stamp > 0 && problem != nil && stamp == a.View.Record.Stamp:
		// Each try moves the problem, so the try of this wake was not made, whatever was requeued
		// earlier.
		return engine.Recorded, a.gathered.LastTurn()
	case tried && stamp != ContinueNumber:
		return obsolete, nil
	case stamp == ContinueNumber:
		kind := engine.Duplicate
		if a.swept() {
			kind = engine.Late
		}
		if m.Item.Hops > 0 || m.Redriven() {
			// Later messages may have overtaken the wake, so the commits that it resends need not
			// be those of the last turn.
			return kind, a.gathered.Everything(m.Item.ExecutionID)
		}
		if m.Item.ExecutionID != a.Running.Execution || m.Item.SchedulingEventID != a.Running.X.LastEventID() {
			// Another message has continued the turn, and what it committed may not have been sent.
			return kind, a.gathered.LastTurn()
		}
		return kind, nil
	case stamp == 0:
		return engine.Recorded, a.gathered.Current()
	case problem == nil:
		// The problem was cleared, but the actions that follow may not have been
		// carried out.
		return engine.Duplicate, nil
	}
	return obsolete, nil
}

// continueLater returns the wake with which another invocation continues a turn that ran out of time.
// All commits of the turn are dispatched by then, and the wake names their last event. Its id is
// new for each invocation, because SQS would otherwise drop it as a repeat of a wake that was
// handled a minute ago.
func (r *round) continueLater() *wire.Item {
	k := r.k
	m, last := k.Group.Messages[0], k.Running.X.LastEventID()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", m.ID, m.ReceiveCount, k.Running.Execution, last, k.View.Instance))
	return &wire.Item{V: wire.Version, Kind: wire.Wake, Instance: k.View.Instance, ExecutionID: k.Running.Execution, SchedulingEventID: last,
		ID: "go-on-" + hex.EncodeToString(sum[:16]), Number: ContinueNumber, Depth: k.Chain.Deepest()}
}
