package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// limits are random programs under limits of instances: roots and the instances that they start, however
// they start, end, continue or restart.
type limits struct {
	places
	// rootsKey is the key that the starts of the roots name; empty for none. rootsLimit is how many of
	// them may run.
	rootsKey   string
	rootsLimit int
	orders     []ordered
	// events is the number of events after which a coordinator continues as new, 0 for the default.
	events int64
	// coming is set if the operator's next visit is scheduled; visits counts them. stood are the
	// executions that waited although a permit was free at the previous visit, settled the coordinators
	// that had nothing to wait for then.
	coming  bool
	visits  int
	stood   map[string]int64
	settled map[string]bool
}

// ordered is an operator's order to the coordinator of a key.
type ordered struct {
	key string
	coordination.Order
}

const (
	// The operator visits every third day. Instances that wait after this many visits are behind one that
	// never ends, such as a fork that waits for an event that was sent only to its original.
	betweenVisits = 72 * time.Hour
	mostVisits    = 14
)

// drawLimits decides what is under limits, in a run of random programs about limits.
func (s *Random) drawLimits(w *world.World) {
	at := w.Choices.At(choice.OfProgram, "instances")
	l := &limits{places: places{most: map[string]int{}, moved: map[string]bool{}}}
	s.limits = l
	s.Programs.LimitInstances(&w.Choices)
	var keys []string
	limit := func(key string, n int) { l.most[key], keys = n, append(keys, key) }
	for _, p := range s.Programs {
		if p.Limit > 0 {
			limit(p.Name, p.Limit)
		}
	}
	if w.Choices.OneIn(at, 3) {
		l.rootsKey, l.rootsLimit = "roots", 1+w.Choices.IntN(at, 2)
		limit(l.rootsKey, l.rootsLimit)
	}
	l.events = w.ShortCoordinators(w.Choices.At(at, "short"))
	for i, key := range keys {
		own := w.Choices.At(at, key)
		for range w.Choices.IntN(own, 3) {
			o := ordered{key, coordination.Order{N: w.Choices.IntN(own, 5) - 1}}
			if w.Choices.Even(own) {
				o.First = s.roots[(i+w.Choices.IntN(own, len(s.roots)))%len(s.roots)].instance
				l.moved[key] = true
			}
			l.orders = append(l.orders, o)
			l.most[key] = max(l.most[key], o.N)
		}
	}
}

func (l *limits) String() string {
	text := fmt.Sprintf("coordinators continue as new after %d events (0: the default)\n", l.events)
	if l.rootsKey != "" {
		text += fmt.Sprintf("at most %d roots run\n", l.rootsLimit)
	}
	for _, o := range l.orders {
		text += fmt.Sprintf("the coordinator of %s has the order %+v\n", o.key, o.Order)
	}
	return text
}

// coordinator returns the orchestration of coordinators, which may have to continue as new after few
// events.
func (s *Random) coordinator(d program.Defect) engine.Orchestration {
	built, err := turnstile.NewApp().Orchestrations().Lookup(coordination.Orchestration, "")
	if err != nil {
		panic(err)
	}
	short := *built
	short.Func = func(ctx *engine.Context, input []byte) ([]byte, error) {
		var line coordination.State
		if err := json.Unmarshal(input, &line); err != nil {
			return nil, err
		}
		line.Events = s.limits.events
		input, _ = json.Marshal(line)
		return built.Func(ctx, input)
	}
	if d.Kind == "gate" {
		short.Func = func(ctx *engine.Context, _ []byte) ([]byte, error) {
			ctx.Activity(engine.ActivityCall{Name: "intruder"})
			panic("this build does not work")
		}
	}
	return short
}

// limited makes a client's start of a root name a limit.
func (s *Random) limited(start *wire.Item) {
	if s.limits != nil && s.limits.rootsKey != "" {
		start.LimitKey, start.Limit = s.limits.rootsKey, s.limits.rootsLimit
	}
}

// starts sends the orders of operators.
func (l *limits) starts(w *world.World) {
	for i, o := range l.orders {
		data, _ := json.Marshal(o.Order)
		id := fmt.Sprint("order-", i)
		after := time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, id), 3*3600)) * time.Second
		w.Clock.AfterFunc(after, func() {
			w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: coordination.InstanceID(o.key), Name: coordination.Orders, Data: data, ID: id})
		})
	}
}

// landed implements Scenario.Landed.
func (l *limits) landed(w *world.World, t *store.Turn) {
	l.places.landed(w, t)
	if _, waits := l.waits[t.Instance]; waits || strings.HasPrefix(t.Instance, coordination.InstanceID("")) {
		l.comes(w)
	}
}

// comes schedules the operator, who ends the coordinators when no instance is running any more, and looks
// for instances that wait although a permit is free.
func (l *limits) comes(w *world.World) {
	if l.coming {
		return
	}
	l.coming = true
	w.Clock.AfterFunc(betweenVisits, func() {
		l.coming = false
		l.visits++
		l.visit(w)
	})
}

// visit checks all instances. It judges what it sees for the second time, long after the faults have
// stopped: by then every message on its way has arrived.
func (l *limits) visit(w *world.World) {
	quiet := !w.Calmed.IsZero() && w.Clock.Now().Sub(w.Calmed) > 24*time.Hour
	var coordinators []store.Record
	stood, settled := map[string]int64{}, map[string]bool{}
	runs := false
	for _, instance := range w.Ledger.Instances() {
		r, err := w.Describe(instance)
		switch {
		case err != nil || r.Status.Terminal():
			continue
		case r.Name == coordination.Orchestration:
			coordinators = append(coordinators, r)
			continue
		}
		runs = true
		if r.Status != store.StatusQueued {
			continue
		}
		l.comes(w)
		key := r.Suspension.LimitKey
		coordinator, err := w.Describe(coordination.InstanceID(key))
		line := stateShown(&coordinator)
		switch {
		case r.Suspension.UntilMS > w.Clock.Now().Add(-24*time.Hour).UnixMilli():
		case err != nil || coordinator.Status.Terminal() || l.visits > mostVisits || w.Ledger.Forsaken[coordination.InstanceID(key)]:
			// Or a holder of a permit was purged and its end not reported: its permit stays taken.
			w.SendSurely(wire.Item{Kind: wire.ResumeInstance, Instance: instance, ID: fmt.Sprintf("operator-lets-in-%d-%s", l.visits, instance)})
		case !quiet || !l.free(w, key, line.N):
		case l.stood[instance] == r.ExecutionID:
			w.Violate("outcome", "the coordinator: %s/%d waits, and a permit of %q is free: %+v", instance, r.ExecutionID, key, line)
		default:
			stood[instance] = r.ExecutionID
		}
	}
	for i := range coordinators {
		l.ends(w, &coordinators[i], runs, quiet, settled)
	}
	l.stood, l.settled = stood, settled
}

// ends ends a coordinator if no running instance may still send to it: what it shows then, at the second
// visit, is an empty waiting list.
func (l *limits) ends(w *world.World, coordinator *store.Record, runs, quiet bool, settled map[string]bool) {
	line := stateShown(coordinator)
	if runs && l.visits <= mostVisits || !quiet && l.visits <= mostVisits || !runs && !l.settled[coordinator.Instance] {
		settled[coordinator.Instance] = !runs && quiet
		l.comes(w)
		return
	}
	if !runs && l.visits <= mostVisits && !w.Ledger.Forsaken[coordinator.Instance] && len(line.Running)+line.Length > 0 {
		w.Violate("outcome", "all have ended, but %s shows %+v", coordinator.Instance, line)
	}
	w.SendSurely(wire.Item{Kind: wire.TerminateInstance, Instance: coordinator.Instance, ID: fmt.Sprint("gate-over-", l.visits)})
}

// stateShown returns the waiting list of a coordinator, as its state shows it.
func stateShown(coordinator *store.Record) (line coordination.State) {
	_ = json.Unmarshal(history.StateNamed(coordinator.States, history.ListedState), &line) // It shows nothing at its start.
	return line
}

// coordinatorBroken reports whether the coordinator is the orchestration that does not work in a build.
func (s *Random) coordinatorBroken(w *world.World) bool {
	return s.limits != nil && w.Choices.OneIn(w.Choices.At(w.How(fault.Deployed), "the gate"), 4)
}
