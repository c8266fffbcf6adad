package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// underLimit are instances under one limit, each with an activity, and an operator who sends orders
// to the coordinator of the limit, and redrives the failed ones.
type underLimit struct {
	places
	// n is the limit that the starts name.
	n        int
	visitors []visitor
	orders   []coordination.Order
	// stayed are the visitors that had not ended when the coordinator was closed.
	stayed []string
}

type visitor struct {
	instance string
	// continues is set if it continues as new once. fails is set if its activity fails in its first
	// execution, late if it fails in the next one. again is set if it is started once more, and
	// restarts if it has ended.
	continues, fails, late, again bool
	// ends is the kind of message that ends it from outside; empty for none.
	ends wire.Kind
}

const coordinatedKey = "k"

var (
	visit = turnstile.NewOrchestration[string, string]("Visit")
	tour  = turnstile.NewActivity[string, string]("tour")
)

func newUnderLimit(w *world.World) *underLimit {
	at := w.Choices.At(choice.OfProgram, "the gate")
	s := &underLimit{n: 1 + w.Choices.IntN(at, 2)}
	s.places = places{most: map[string]int{coordinatedKey: s.n}, moved: map[string]bool{}}
	for i := range 2 + w.Choices.IntN(at, 5) {
		v := visitor{instance: fmt.Sprintf("visitor%d", i)}
		own := w.Choices.At(choice.OfProgram, v.instance)
		v.continues = w.Choices.OneIn(own, 4)
		v.fails, v.again = w.Choices.OneIn(own, 3), w.Choices.OneIn(own, 4)
		v.late = v.continues && v.fails && w.Choices.Even(w.Choices.At(own, "late"))
		if w.Choices.OneIn(own, 4) {
			v.ends = []wire.Kind{wire.CancelInstance, wire.TerminateInstance}[w.Choices.IntN(own, 2)]
		}
		s.visitors = append(s.visitors, v)
	}
	if w.Choices.OneIn(at, 2) {
		for range 1 + w.Choices.IntN(at, 3) {
			o := coordination.Order{First: s.visitors[w.Choices.IntN(at, len(s.visitors))].instance, N: w.Choices.IntN(at, 5) - 1}
			s.orders, s.moved[coordinatedKey] = append(s.orders, o), true
			s.most[coordinatedKey] = max(s.most[coordinatedKey], o.N)
		}
	}
	if w.Choices.OneIn(at, 8) { // So many that the coordinator continues as new.
		s.orders = append(s.orders, make([]coordination.Order, 120)...)
	}
	return s
}

func (s *underLimit) Size() string { return world.Plural(len(s.visitors), "visitor") }

func (s *underLimit) String() string {
	return fmt.Sprintf("a coordinator with %d permits, with the orders %+v, and the visitors %+v\n", s.n, s.orders, s.visitors)
}

func (s *underLimit) Working() *world.Build {
	return &world.Build{Name: "working", Orchestrations: turnstile.NewApp(visit.Implement(func(ctx turnstile.Context, in string) (string, error) {
		out, err := tour.Call(ctx, in)
		if info := turnstile.Info(ctx); err == nil && !strings.HasSuffix(in, again) && s.visitor(info.Instance).continues {
			return "", visit.ContinueAsNew(ctx, in+again)
		}
		return out, err
	})).Orchestrations()}
}

func (s *underLimit) visitor(instance string) visitor {
	for _, v := range s.visitors {
		if v.instance == instance {
			return v
		}
	}
	return visitor{}
}

func (s *underLimit) Broken(w *world.World) *world.Build {
	return broken(w, coordination.Orchestration, visit.Name())
}

func (s *underLimit) Activities(p *world.Process) *activities.Registry {
	return turnstile.NewApp(tour.Implement(func(ctx context.Context, in string) (string, error) {
		info, _ := activities.InfoFrom(ctx)
		s.runs(p, &info)
		if err := p.TakeTime(ctx, info.Instance); err != nil {
			return "", err
		}
		if v := s.visitor(info.Instance); v.fails && (info.ExecutionID == 1 && !v.late || info.ExecutionID == 2 && v.late && strings.HasSuffix(in, again)) {
			return "", errors.New("it fails once")
		}
		return in, nil
	})).Activities()
}

func (s *underLimit) Inline(*world.Process) *activities.Registry { return nil }

func (s *underLimit) Start(w *world.World) {
	s.close(w, 14, false)
	later := func(what string, f func()) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, what), 3600))*time.Second, f)
	}
	for _, v := range s.visitors {
		later(v.instance, func() {
			w.SendItem(s.start(v, "start"))
		})
		if v.again {
			later("the second start of "+v.instance, func() {
				item := s.start(v, "start-2")
				item.OnConflict = wire.ConflictRestart
				w.SendItem(item)
			})
		}
		if v.ends != "" {
			later("the end of "+v.instance, func() { w.SendItem(wire.Item{Kind: v.ends, Instance: v.instance, ID: "end"}) })
		}
	}
	for i, o := range s.orders {
		data, _ := json.Marshal(o)
		later(fmt.Sprint("order ", i), func() {
			w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: coordination.InstanceID(coordinatedKey), Name: coordination.Orders, Data: data, ID: fmt.Sprint("order-", i)})
		})
	}
}

func (s *underLimit) start(v visitor, id string) wire.Item {
	input, _ := json.Marshal(world.Marker)
	return wire.Item{Kind: wire.StartOrchestration, Instance: v.instance, Name: visit.Name(), Input: input, ID: id, LimitKey: coordinatedKey, Limit: s.n}
}

// close terminates the coordinator after this many days. If a visitor still exists as many days
// later, both are terminated, because an instance that waits for ever is a fault in this world.
func (s *underLimit) close(w *world.World, days int, last bool) {
	w.Clock.AfterFunc(time.Duration(days)*24*time.Hour, func() {
		for _, v := range s.visitors {
			r, err := w.Describe(v.instance)
			switch {
			case err != nil || r.Status.Terminal():
			case !last:
				s.close(w, days, true)
				return
			default:
				s.stayed = append(s.stayed, v.instance)
				w.SendSurely(wire.Item{Kind: wire.TerminateInstance, Instance: v.instance, ID: "over"})
			}
		}
		w.SendSurely(wire.Item{Kind: wire.TerminateInstance, Instance: coordination.InstanceID(coordinatedKey), ID: "over"})
	})
}

func (s *underLimit) Created(*world.World, string, string) {}

// Landed implements scenario.
func (s *underLimit) Landed(w *world.World, _ *world.Process, _ *ledger.Recorded, t *store.Turn) {
	s.landed(w, t)
	v := s.visitor(t.Instance)
	for i := range t.Events {
		if e := &t.Events[i]; v.fails && e.Kind == history.OrchestrationFailed && e.Failure.Kind == history.FailureApplication {
			s.redrive(w, v, t.ExecutionID)
		}
	}
}

// redrive lets the operator redrive a visitor that has failed.
func (s *underLimit) redrive(w *world.World, v visitor, execution int64) {
	at := w.Choices.At(choice.OfClient, "the redrive of "+v.instance)
	w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 7200))*time.Second, func() {
		w.SendItem(wire.Item{Kind: wire.StartOrchestration, Instance: v.instance, Name: visit.Name(), ID: fmt.Sprint("redrive-", execution),
			OnConflict: wire.ConflictRedrive, Origin: &history.Origin{Instance: v.instance, ExecutionID: execution}})
	})
}

func (s *underLimit) Marked(*world.World, *store.Record) {}
func (s *underLimit) Program(string) *program.Program    { return nil }
func (s *underLimit) IsRandom() bool                     { return false }

// Purge implements scenario: the outcome of a visitor must stay.
func (s *underLimit) Purge(*world.World) {}

// Check looks for instances that wait while a permit is free, and for permits that no instance holds.
func (s *underLimit) Check(w *world.World) {
	if err := s.judge(w); err != nil {
		w.Violate("outcome", "the coordinator: %v", err)
	}
}

func (s *underLimit) judge(w *world.World) error {
	r, err := w.Describe(coordination.InstanceID(coordinatedKey))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil // No visitor has started.
	case err != nil:
		return err
	case r.Failure != nil && r.Failure.Kind == history.FailureTooLarge:
		return nil // Commits are small in this world, or the queue rejects messages.
	case len(s.stayed) > 0:
		return fmt.Errorf("%v wait for ever", s.stayed)
	}
	for _, v := range s.visitors {
		r, err := w.Describe(v.instance)
		switch {
		case errors.Is(err, store.ErrNotFound): // Its start was not sent.
		case err != nil:
			return err
		case !r.Status.Terminal():
			return fmt.Errorf("%s is %s", v.instance, r.Status)
		case r.Status == store.StatusFailed && v.fails && r.Failure.Kind == history.FailureApplication:
			// The redrive may have become a dead letter.
		case r.Status == store.StatusFailed && !excused(w)[r.Failure.Kind]:
			return fmt.Errorf("%s failed: %+v", v.instance, r.Failure)
		case r.Status != store.StatusCompleted && r.Status != store.StatusFailed && v.ends == "":
			return fmt.Errorf("%s is %s, although nothing has ended it", v.instance, r.Status)
		}
	}
	var line coordination.State
	if err := json.Unmarshal(history.StateNamed(r.States, history.ListedState), &line); err != nil {
		return fmt.Errorf("it shows %q: %w", r.States, err)
	}
	if len(line.Running)+line.Length > 0 {
		return fmt.Errorf("all have ended, but it shows %+v", line)
	}
	return nil
}
