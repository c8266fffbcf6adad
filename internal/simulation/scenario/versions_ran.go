package scenario

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Landed checks a turn that has landed against the limits of instances, and against the versions of
// its process's build: V-01 to V-03. The lists are those that the build was made of, oldest first;
// this code does not compare versions.
func (s *Random) Landed(w *world.World, p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if s.limits != nil {
		s.limits.landed(w, t)
	}
	if len(s.registered) == 0 || p.Code == nil {
		return
	}
	s.notesChained(t)
	started := &x.Events[0]
	has, ok := s.registered[p.Code][started.Name]
	if !ok {
		return // It has only one version, or is not a program.
	}
	if t.First() == 1 {
		s.checkChosen(w, p, x, t, has)
	}
	if !slices.Contains(has, started.Version) {
		for i := range t.Events {
			if e := &t.Events[i]; !e.Kind.Arrival() && e.Forced == "" && !takenOver(started, e) {
				w.Violate("V-02", "%s, whose build has %q, responds to %s/%d, which runs version %q", p.Name, has, t.Instance, t.ExecutionID, started.Version)
			}
		}
		return
	}
	if t.First() > 1 && len(t.Events) > 0 && !t.Parked && started.Version != has[len(has)-1] {
		w.Reached("V-01, a newer one is there")
	}
}

// takenOver reports whether a redrive or a fork has copied the event: code of an earlier execution
// has recorded it.
func takenOver(started, e *history.Event) bool {
	o := started.Start.Origin
	return o != nil && e.EventID <= o.EventID
}

// checkChosen checks that a start records the requested version, or otherwise the newest version of
// the build that recorded it.
func (s *Random) checkChosen(w *world.World, p *world.Process, x *ledger.Recorded, t *store.Turn, has []string) {
	rule, asked := "V-01", ""
	started := &x.Events[0]
	before := w.Ledger.Executions[ledger.At(t.Instance, w.Ledger.Before(t.Instance, t.ExecutionID))]
	switch {
	case before != nil && t.ExecutionID > w.Ledger.First(t.Instance) && before.End() != nil && before.End().Kind != history.OrchestrationContinuedAsNew,
		started.Start.Origin != nil, strings.HasPrefix(started.Start.StartID, world.RedriveID):
		return // It continues with the version that it had, which the checker verifies.
	case t.ExecutionID > w.Ledger.First(t.Instance) && before != nil:
		rule, asked = "V-03", s.program(started.Name).Next
		if end := before.End(); end == nil || end.Version != asked {
			w.Violate(rule, "%s/%d continues as new, but does not request version %q", t.Instance, t.ExecutionID-1, asked)
		}
	case started.Start.Parent != nil:
		if up := w.Ledger.Executions[ledger.At(started.Start.Parent.Instance, started.Start.Parent.ExecutionID)]; up != nil {
			asked = up.Events[started.Start.Parent.EventID-1].Version
		}
	case s.chained[t.Instance] != "":
		asked = s.chained[t.Instance]
	default:
		asked = s.asked[t.Instance+" "+started.Start.StartID]
	}
	want := asked
	if want == "" && len(has) > 0 {
		want = has[len(has)-1]
	}
	if started.Version != want {
		w.Violate(rule, "%s/%d by %s, whose build has %q, has version %q, but %q was requested", t.Instance, t.ExecutionID, p.Name, has, started.Version, asked)
	}
	switch {
	case asked != "":
		w.Reached(rule + ", asked for")
	case len(has) > 1:
		w.Reached(rule + ", the newest")
	}
}

// notesChained records the versions that detached starts request.
func (s *Random) notesChained(t *store.Turn) {
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == history.OrchestrationChained && e.Version != "" {
			note(&s.chained, e.Instance, e.Version)
		}
	}
}

// versionsRan returns the versions that the executions of an instance recorded; nil if its program
// has only one.
func versionsRan(w *world.World, instance string, p *program.Program) []string {
	if p.Versions == nil {
		return nil
	}
	var all []string
	var before *ledger.Recorded
	for _, x := range w.Ledger.Executed(instance) {
		if before != nil && before.End() != nil && before.End().Kind != history.OrchestrationContinuedAsNew {
			all = all[:len(all)-1] // It was redriven, and continues with its last round.
		}
		all, before = append(all, x.Events[0].Version), x
	}
	return all
}

// Marked checks a record: V-02, if the instance continues after it was stuck because of its version;
// rule 13, if it is stuck because its code dropped what ContinueAsNew returns.
func (s *Random) Marked(w *world.World, r *store.Record) {
	if s.forgetful && r.Problem != nil && r.Problem.Kind == "panic" && strings.Contains(r.Problem.Message, "ContinueAsNew") {
		w.Reached("rule 13, dropped")
	}
	if len(s.registered) == 0 {
		return
	}
	switch p := s.program(r.Name); {
	case p == nil || p.Versions == nil:
	case r.Status != store.StatusStuck:
		if s.missed[r.Instance] {
			delete(s.missed, r.Instance)
			w.Reached("V-02")
		}
	case r.Problem != nil && r.Problem.Kind == "not_registered" && slices.Contains(p.Versions, r.Version):
		note(&s.missed, r.Instance, true)
	}
}

// eventOrder returns the order in which the events of an instance were first recorded since it was
// purged, by payload.
func eventOrder(w *world.World, instance string) map[string]int {
	order := map[string]int{}
	for _, x := range w.Ledger.Executed(instance) {
		events := x.Events
		for i := range events {
			if events[i].Kind != history.ExternalEvent {
				continue
			}
			payload, _ := program.EventText(events[i].Payload)
			if _, ok := order[payload]; !ok {
				order[payload] = len(order) + 1
			}
		}
	}
	return order
}

// rejected returns the events of an instance that its waits have rejected, by the text of their
// data.
func rejected(w *world.World, instance string) map[string]bool {
	all := map[string]bool{}
	for _, x := range w.Ledger.Executed(instance) {
		for id := range x.Rejected {
			text, _ := program.EventText(x.Events[id-1].Payload)
			all[text] = true
		}
	}
	return all
}
