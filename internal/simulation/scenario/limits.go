package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// limits are random programs under limits of instances: roots and what they start, in whatever
// way they begin, end, go on or begin again.
type limits struct {
	places
	// rootsKey is the key that the starts of the roots name; empty for none. rootsLimit is how
	// many of them may run.
	rootsKey   string
	rootsLimit int
	orders     []ordered
	// events is after how many events a gate continues as new, 0 for as many as it needs.
	events int64
	// coming: the operator is to come, for whom visits counts. stood are the executions that
	// waited beside a free place when the operator was there before, settled the gates that had
	// nothing to wait for then.
	coming  bool
	visits  int
	stood   map[string]int64
	settled map[string]bool
}

// ordered is an order for the gate of a key.
type ordered struct {
	key string
	gating.Order
}

const (
	// The operator comes every third day. Instances that wait after so many visits stand behind
	// one that comes to no end, as a fork may that waits for what was told its original alone.
	betweenVisits = 72 * time.Hour
	mostVisits    = 14
)

// drawLimits decides what is under limits in a run of random programs that is about them.
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
	l.events = w.ShortGates(w.Choices.At(at, "short"))
	for i, key := range keys {
		own := w.Choices.At(at, key)
		for range w.Choices.IntN(own, 3) {
			o := ordered{key, gating.Order{N: w.Choices.IntN(own, 5) - 1}}
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
	text := fmt.Sprintf("gates continue as new after %d events (0: after as many as they need)\n", l.events)
	if l.rootsKey != "" {
		text += fmt.Sprintf("at most %d roots run\n", l.rootsLimit)
	}
	for _, o := range l.orders {
		text += fmt.Sprintf("the gate of %s has the order %+v\n", o.key, o.Order)
	}
	return text
}

// gate is the orchestration of gates. It continues as new after few events, if it is to.
func (s *Random) gate(d program.Defect) engine.Orchestration {
	built, err := turnstile.NewApp().Orchestrations().Lookup(gating.Orchestration, "")
	if err != nil {
		panic(err)
	}
	short := *built
	short.Func = func(ctx *engine.Context, input []byte) ([]byte, error) {
		var line gating.Line
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

// limited has a client's start of a root name a limit.
func (s *Random) limited(start *wire.Item) {
	if s.limits != nil && s.limits.rootsKey != "" {
		start.LimitKey, start.Limit = s.limits.rootsKey, s.limits.rootsLimit
	}
}

// begins sends the orders of operators.
func (l *limits) begins(w *world.World) {
	for i, o := range l.orders {
		data, _ := json.Marshal(o.Order)
		id := fmt.Sprint("order-", i)
		after := time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, id), 3*3600)) * time.Second
		w.Clock.AfterFunc(after, func() {
			w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: gating.InstanceID(o.key), Name: gating.Orders, Data: data, ID: id})
		})
	}
}

// landed implements Scenario.Landed.
func (l *limits) landed(w *world.World, t *store.Turn) {
	l.places.landed(w, t)
	if _, waits := l.waits[t.Instance]; waits || strings.HasPrefix(t.Instance, gating.InstanceID("")) {
		l.comes(w)
	}
}

// comes has the operator come, who ends the gates when nothing runs any more, and looks for instances that
// wait beside a free place.
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

// visit looks at all instances. It judges what it sees for the second time, long after the faults
// have stopped: what is on its way has come by then.
func (l *limits) visit(w *world.World) {
	quiet := !w.Calmed.IsZero() && w.Clock.Now().Sub(w.Calmed) > 24*time.Hour
	var gates []store.Record
	stood, settled := map[string]int64{}, map[string]bool{}
	runs := false
	for _, instance := range w.Ledger.Instances() {
		r, err := w.Describe(instance)
		switch {
		case err != nil || r.Status.Terminal():
			continue
		case r.Name == gating.Orchestration:
			gates = append(gates, r)
			continue
		}
		runs = true
		if r.Status != store.StatusQueued {
			continue
		}
		l.comes(w)
		key := r.Suspension.LimitKey
		gate, err := w.Describe(gating.InstanceID(key))
		line := lineShown(&gate)
		switch {
		case r.Suspension.UntilMS > w.Clock.Now().Add(-24*time.Hour).UnixMilli():
		case err != nil || gate.Status.Terminal() || l.visits > mostVisits || w.Ledger.Forsaken[gating.InstanceID(key)]:
			// Or a holder was purged whose end has not been told: its place stays taken.
			w.SendSurely(wire.Item{Kind: wire.ResumeInstance, Instance: instance, ID: fmt.Sprintf("operator-lets-in-%d-%s", l.visits, instance)})
		case !quiet || !l.free(w, key, line.N):
		case l.stood[instance] == r.ExecutionID:
			w.Violate("outcome", "the gate: %s/%d waits, and a place of %q is free: %+v", instance, r.ExecutionID, key, line)
		default:
			stood[instance] = r.ExecutionID
		}
	}
	for i := range gates {
		l.ends(w, &gates[i], runs, quiet, settled)
	}
	l.stood, l.settled = stood, settled
}

// ends ends a gate if nothing runs that may come to it: what it shows then, for the second time, is
// an empty line.
func (l *limits) ends(w *world.World, gate *store.Record, runs, quiet bool, settled map[string]bool) {
	line := lineShown(gate)
	if runs && l.visits <= mostVisits || !quiet && l.visits <= mostVisits || !runs && !l.settled[gate.Instance] {
		settled[gate.Instance] = !runs && quiet
		l.comes(w)
		return
	}
	if !runs && l.visits <= mostVisits && !w.Ledger.Forsaken[gate.Instance] && len(line.Running)+line.Length > 0 {
		w.Violate("outcome", "all have ended, and %s shows %+v", gate.Instance, line)
	}
	w.SendSurely(wire.Item{Kind: wire.TerminateInstance, Instance: gate.Instance, ID: fmt.Sprint("gate-over-", l.visits)})
}

// lineShown is the line of a gate, as it shows it.
func lineShown(gate *store.Record) (line gating.Line) {
	_ = json.Unmarshal(gate.CustomStatus, &line) // It shows nothing at its beginning.
	return line
}

// gateBroken reports whether the gate is what does not work in a build.
func (s *Random) gateBroken(w *world.World) bool {
	return s.limits != nil && w.Choices.OneIn(w.Choices.At(w.How(fault.Deployed), "the gate"), 4)
}
