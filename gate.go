package turnstile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/gating"
)

// A gate is an instance of an orchestration that every App has. It hands out the places of
// one key of [Limit] in the order in which it is asked, and waits for the end of each instance
// that has asked, as a parent does that leaves its child. So each end gives a place back:
// also a cancel, a terminate or a purge, and also where the process dies that brings it about.
//
// It attaches itself when it is asked and not when it gives the place: the instance certainly
// exists then, so that the start of the attachment never begins one. And the end of one
// that waits takes it out of the line.
//
// An instance that begins again asks anew. Its end is heard before that, because the message
// that ends an instance keeps its place in its group until the end is sent on.
var (
	gates     = NewOrchestration[gating.Line, None](gating.Orchestration)
	questions = NewEvent[gating.Question](gating.Questions).Rejecting()
	orders    = NewEvent[gating.Order](gating.Orders).Rejecting()

	gate = internal(gates.With(KeepExecutions(10)).Implement(runGate))
)

func internal(p Part) engine.Orchestration {
	entry := p.(orchestrationPart).entry
	entry.Internal = true
	return entry
}

const (
	// An execution of a gate has so many events, and so many for each instance that the next
	// has to watch anew.
	gateEvents, gateEventsAPlace = 300, 10
	// mostLine is how many bytes a line may have: it is the input of the next execution.
	mostLine = MaxPayload / 4 * 3
	// While instances wait, the gate looks each day whether those that run are still there: one whose
	// end was a dead letter may have been purged. A purged id refuses the look for fifteen days, and is
	// not begun by it.
	lookAgain = 24 * time.Hour
)

// gateRunner is one execution of a gate. Its branches share it: one runs at a time.
type gateRunner struct {
	gating.Line
	run *engine.Context
	// looks: a branch is going to look whether those that run are still there.
	looks bool
}

func runGate(ctx Context, line gating.Line) (None, error) {
	// A cancel of the gate would be one of all who wait at it.
	ctx = WithoutCancel(ctx)
	g := &gateRunner{Line: line, run: ctx.engine("gate")}
	// What an earlier execution has watched tells this one of its end.
	for _, p := range slices.Concat(g.Running, g.Waiting) {
		g.watch(ctx, p)
	}
	if err := g.admit(ctx); err != nil {
		return None{}, err
	}
	// A branch takes an order and carries it out in one go, so none is lost when the gate continues as new.
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
			return None{}, gates.ContinueAsNew(ctx, g.Line)
		}
	}
}

// asked takes a question.
func (g *gateRunner) asked(ctx Context, q gating.Question) error {
	if g.Declared > 0 && g.Declared != q.N {
		g.Other, g.OtherMS = g.Declared, q.SinceMS
	}
	g.Declared = q.N
	same := func(p gating.Place) bool { return p.Instance == q.Instance && p.ExecutionID >= q.ExecutionID }
	earlier := func(p gating.Place) bool { return p.Instance == q.Instance && p.ExecutionID < q.ExecutionID }
	switch {
	case slices.ContainsFunc(g.Running, same): // It is asked again, for the answer may have been lost.
		if err := g.answer(q.Place); err != nil {
			return err
		}
	case slices.ContainsFunc(g.Waiting, same):
	case g.full():
		return g.run.RefuseInstance(q.Instance, fmt.Sprintf("the line of the limit %q is full: %d instances wait", g.Key, len(g.Waiting)), placeOf(q.Place))
	default:
		// An earlier execution has ended, whether or not that was heard.
		g.Running, g.Waiting = slices.DeleteFunc(g.Running, earlier), slices.DeleteFunc(g.Waiting, earlier)
		g.Waiting = append(g.Waiting, q.Place)
		g.watch(ctx, q.Place)
	}
	return g.admit(ctx)
}

// mostEvents is after how many events the execution continues as new.
func (g *gateRunner) mostEvents() int64 {
	return cmp.Or(g.Events, int64(gateEvents+gateEventsAPlace*(len(g.Running)+len(g.Waiting))))
}

// full reports whether nobody else can wait.
func (g *gateRunner) full() bool {
	bytes := 0
	for _, p := range slices.Concat(g.Running, g.Waiting) {
		bytes += len(p.Instance) + len(p.Name) + 100
	}
	return len(g.Waiting) >= gating.Longest || bytes > mostLine
}

// ordered carries out an order.
func (g *gateRunner) ordered(ctx Context, o gating.Order) error {
	if o.N != 0 || o.Close {
		g.Set, g.Closed, g.SetBy, g.SetAtMS = max(o.N, 0), o.Close, o.By, o.AtMS
	}
	if i := slices.IndexFunc(g.Waiting, func(p gating.Place) bool { return p.Instance == o.First }); i > 0 {
		first := g.Waiting[i]
		g.Waiting = slices.Insert(slices.Delete(g.Waiting, i, i+1), 0, first)
	}
	return g.admit(ctx)
}

// watch starts a branch that waits for the end of an instance.
func (g *gateRunner) watch(ctx Context, p gating.Place) {
	instance := NewOrchestration[any, any](p.Name).With(InstanceID(p.Instance), UseExisting())
	Go(ctx, func(ctx Context) (None, error) {
		for {
			_, err := instance.Call(ctx, nil)
			if !unattached(err) {
				break // Completed, failed, cancelled, terminated or purged: it has ended.
			}
			if err := Sleep(ctx, time.Minute); err != nil {
				return None{}, err
			}
		}
		same := func(other gating.Place) bool {
			return other.Instance == p.Instance && other.ExecutionID == p.ExecutionID
		}
		g.Running, g.Waiting = slices.DeleteFunc(g.Running, same), slices.DeleteFunc(g.Waiting, same)
		return None{}, g.admit(ctx)
	})
}

// look starts a branch that looks, while instances wait, whether those that run are still there.
func (g *gateRunner) look(ctx Context) {
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
					g.watch(ctx, p) // One more that waits for its end.
				}
			}
		}
		g.looks = false
		return None{}, nil
	})
}

// unattached reports whether the gate is not attached to an instance, because the queue has
// rejected the message that asks for it. The instance may run.
func unattached(err error) bool {
	failed, ok := err.(*ChildError)
	return ok && failed.Kind == KindTooLarge && strings.HasPrefix(failed.Message, "the input of ")
}

// admit gives the free places to the first that wait, and shows the line.
func (g *gateRunner) admit(ctx Context) error {
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
	shown := g.Line
	shown.Waiting = shown.Waiting[:min(g.Length, gating.Shown)]
	return SetCustomStatus(ctx, shown)
}

// answer has an instance begin, or go on.
func (g *gateRunner) answer(p gating.Place) error {
	return g.run.ResumeInstance(p.Instance, placeOf(p))
}

// placeOf names the wait of an instance.
func placeOf(p gating.Place) []byte {
	place, _ := json.Marshal(gating.Place{ExecutionID: p.ExecutionID, EventID: p.EventID})
	return place
}
