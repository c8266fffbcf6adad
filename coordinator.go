package turnstile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
)

// coordinators is the orchestration that every App has for limits ([Limit]). Each key of a limit
// has one instance of this orchestration: the coordinator of the limit. The coordinator grants
// permits in the order in which instances request them, and waits for the end of each such instance
// as a parent waits for a child. So every end returns the permit, including a cancel, a terminate
// or a purge, even if the process that ends the instance dies.
//
// The coordinator attaches itself to an instance when the instance requests a permit, not when it
// gets the permit. The instance certainly exists at that moment, so attaching never starts one. A
// waiting instance that ends is removed from the waiting list.
//
// An instance that is restarted requests a permit again. The coordinator first receives the end of
// the earlier execution, because the message that ended it blocks the instance's message group
// until the end has been sent.
var (
	coordinators = NewOrchestration[coordination.State, None](coordination.Orchestration)
	questions    = NewEvent[coordination.Question](coordination.Questions).Rejecting()
	orders       = NewEvent[coordination.Order](coordination.Orders).Rejecting()

	gateStatus = NewState[coordination.State](history.ListedState)

	coordinator = internal(coordinators.With(KeepExecutions(10)).Implement(runCoordinator))
)

func internal(p Component) engine.Orchestration {
	entry := p.(orchestrationPart).entry
	entry.Internal = true
	return entry
}

const (
	// An execution of a coordinator continues as new after coordinatorEvents events, plus eventsPerInstance for each
	// instance that the next execution has to watch again.
	coordinatorEvents, eventsPerInstance = 300, 10
	// mostWaitingBytes is the maximum size of the waiting list in bytes. The list is the input of the next
	// execution.
	mostWaitingBytes = MaxPayload / 4 * 3
	// While instances wait, the coordinator attaches itself to the running instances again once a
	// day, because an instance whose end became a dead letter may have been purged. For 15 days
	// after the purge, the id of the purged instance rejects the attachment, so the attachment does
	// not start an instance.
	lookAgain = 24 * time.Hour
)

// coordinatorRun is one execution of a coordinator. Its branches share it; only one runs at a time.
type coordinatorRun struct {
	coordination.State
	run *engine.Context
	// looks is true while a branch checks once a day whether running instances still exist.
	looks bool
}

func runCoordinator(ctx Context, state coordination.State) (None, error) {
	// Cancelling the coordinator would cancel every instance that waits for it.
	ctx = WithoutCancel(ctx)
	g := &coordinatorRun{State: state, run: ctx.engine("gate")}
	// This execution receives the ends of instances that an earlier execution watched.
	for _, p := range slices.Concat(g.Running, g.Waiting) {
		g.watch(ctx, p)
	}
	if err := g.admit(ctx); err != nil {
		return None{}, err
	}
	// A branch receives an order and carries it out without blocking in between, so no order is lost when the
	// coordinator continues as new.
	Go(ctx, func(ctx Context) (None, error) {
		for {
			o, err := orders.Wait(ctx)
			if err != nil {
				return None{}, err
			}
			if err := g.ordered(ctx, o); err != nil {
				return None{}, err
			}
		}
	})
	for {
		q, err := questions.Wait(ctx)
		if err != nil {
			return None{}, err
		}
		if err := g.asked(ctx, q); err != nil {
			return None{}, err
		}
		if Info(ctx).HistoryLength > g.mostEvents() {
			return None{}, coordinators.ContinueAsNew(ctx, g.State)
		}
	}
}

// asked handles the request of an instance.
func (g *coordinatorRun) asked(ctx Context, q coordination.Question) error {
	if g.Declared > 0 && g.Declared != q.N {
		g.Other, g.OtherMS = g.Declared, q.SinceMS
	}
	g.Declared = q.N
	same := func(p coordination.Request) bool { return p.Instance == q.Instance && p.ExecutionID >= q.ExecutionID }
	earlier := func(p coordination.Request) bool { return p.Instance == q.Instance && p.ExecutionID < q.ExecutionID }
	switch {
	case slices.ContainsFunc(g.Running, same): // The instance repeats its request, because the answer may have been lost.
		if err := g.answer(q.Request); err != nil {
			return err
		}
	case slices.ContainsFunc(g.Waiting, same):
	case g.full():
		// Replay compares the reason: a changed text makes running coordinators stuck.
		return g.run.RefuseInstance(q.Instance, fmt.Sprintf("the waiting list of the limit %q is full: %d instances wait", g.Key, len(g.Waiting)), requestJSON(q.Request))
	default:
		// An earlier execution of the instance has ended, even if the coordinator has not received its end.
		g.Running, g.Waiting = slices.DeleteFunc(g.Running, earlier), slices.DeleteFunc(g.Waiting, earlier)
		g.Waiting = append(g.Waiting, q.Request)
		g.watch(ctx, q.Request)
	}
	return g.admit(ctx)
}

// mostEvents is the number of events after which the execution continues as new.
func (g *coordinatorRun) mostEvents() int64 {
	return cmp.Or(g.Events, int64(coordinatorEvents+eventsPerInstance*(len(g.Running)+len(g.Waiting))))
}

// full reports whether the waiting list is full.
func (g *coordinatorRun) full() bool {
	bytes := 0
	for _, p := range slices.Concat(g.Running, g.Waiting) {
		bytes += len(p.Instance) + len(p.Name) + 100
	}
	return len(g.Waiting) >= coordination.Longest || bytes > mostWaitingBytes
}

// ordered carries out an order of an operator.
func (g *coordinatorRun) ordered(ctx Context, o coordination.Order) error {
	if o.N != 0 || o.Close {
		g.Set, g.Closed, g.SetBy, g.SetAtMS = max(o.N, 0), o.Close, o.By, o.AtMS
	}
	if i := slices.IndexFunc(g.Waiting, func(p coordination.Request) bool { return p.Instance == o.First }); i > 0 {
		first := g.Waiting[i]
		g.Waiting = slices.Insert(slices.Delete(g.Waiting, i, i+1), 0, first)
	}
	return g.admit(ctx)
}

// watch starts a branch that waits for the end of an instance.
func (g *coordinatorRun) watch(ctx Context, p coordination.Request) {
	instance := NewOrchestration[any, any](p.Name).With(InstanceID(p.Instance), UseExisting())
	Go(ctx, func(ctx Context) (None, error) {
		for {
			_, err := instance.Call(ctx, nil)
			if !unattached(err) {
				break // The instance has ended: completed, failed, cancelled, terminated or purged.
			}
			if err := Sleep(ctx, time.Minute); err != nil {
				return None{}, err
			}
		}
		same := func(other coordination.Request) bool {
			return other.Instance == p.Instance && other.ExecutionID == p.ExecutionID
		}
		g.Running, g.Waiting = slices.DeleteFunc(g.Running, same), slices.DeleteFunc(g.Waiting, same)
		return None{}, g.admit(ctx)
	})
}

// look starts a branch that checks, while other instances wait, whether the running ones still exist.
func (g *coordinatorRun) look(ctx Context) {
	if g.looks || len(g.Waiting) == 0 || !Patched(ctx, "look again") {
		return
	}
	g.looks = true
	Go(ctx, func(ctx Context) (None, error) {
		for len(g.Waiting) > 0 {
			running := slices.Clone(g.Running)
			if err := Sleep(ctx, lookAgain); err != nil {
				return None{}, err
			}
			for _, p := range running {
				if len(g.Waiting) > 0 && slices.Contains(g.Running, p) {
					g.watch(ctx, p) // Attach a second time.
				}
			}
		}
		g.looks = false
		return None{}, nil
	})
}

// unattached reports whether the coordinator failed to attach to an instance because the queue
// rejected the message with that request. The instance may still run.
func unattached(err error) bool {
	failed, ok := err.(*ChildError)
	return ok && failed.Kind == KindTooLarge && strings.HasPrefix(failed.Message, "the input of ")
}

// admit gives free permits to the first waiting instances, and publishes the list.
func (g *coordinatorRun) admit(ctx Context) error {
	if g.N = cmp.Or(g.Set, g.Declared); g.Closed {
		g.N = 0
	}
	if len(g.Running) < g.N && len(g.Waiting) > 0 {
		now := Now(ctx).UnixMilli()
		for len(g.Running) < g.N && len(g.Waiting) > 0 {
			first := g.Waiting[0]
			if err := g.answer(first); err != nil {
				return err
			}
			first.SinceMS = now
			g.Waiting, g.Running = g.Waiting[1:], append(g.Running, first)
		}
	}
	g.look(ctx)
	g.Length = len(g.Waiting)
	shown := g.State
	shown.Waiting = shown.Waiting[:min(g.Length, coordination.Shown)]
	return gateStatus.Set(ctx, shown)
}

// answer lets an instance start or continue.
func (g *coordinatorRun) answer(p coordination.Request) error {
	return g.run.ResumeInstance(p.Instance, requestJSON(p))
}

// requestJSON encodes the execution and event at which an instance waits.
func requestJSON(p coordination.Request) []byte {
	text, _ := json.Marshal(coordination.Request{ExecutionID: p.ExecutionID, EventID: p.EventID})
	return text
}
