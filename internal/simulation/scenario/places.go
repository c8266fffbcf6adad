package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// places is who runs under a limit of instances, and who waits, by what has landed: it shares
// nothing with the gates but the data of their questions.
type places struct {
	// most is how many may be inside by key, moved the keys whose line an operator has
	// changed.
	most  map[string]int
	moved map[string]bool
	// waits are the instances that wait for their turn, inside the keys of those whose turn
	// has come and that have not ended. Whoever begins by a cancel or an operator's resume
	// is not among them: it runs beside the limit.
	waits  map[string]wait
	inside map[string]string
	// lines are the questions by key, in the order in which the gate has recorded them.
	lines map[string][]*question
}

// wait is that of an execution; suspended: a client has suspended it since.
type wait struct {
	execution int64
	key       string
	suspended bool
}

// question is one that a gate has recorded; given: the gate has answered that its turn has come.
type question struct {
	gating.Place
	given bool
}

// landed takes a turn of an instance under a limit, or of a gate.
func (s *places) landed(w *world.World, t *store.Turn) {
	own := t.Events // without what a redrive or a fork has taken over
	if first := &t.Events[0]; first.Start != nil && first.Start.Origin != nil {
		own = t.Events[min(int(first.Start.Origin.EventID), len(t.Events)):]
	}
	for i := range own {
		switch e := &own[i]; {
		case e.Kind == history.OrchestrationSuspended && e.LimitKey != "":
			note(&s.waits, t.Instance, wait{execution: t.ExecutionID, key: e.LimitKey})
			delete(s.inside, t.Instance)
		case e.Kind == history.OrchestrationSuspended:
			if wait, ok := s.waits[t.Instance]; ok {
				wait.suspended = true
				s.waits[t.Instance] = wait
			}
		case e.Kind == history.OrchestrationCancelRequested:
			if wait, ok := s.waits[t.Instance]; ok && !wait.suspended && (i+1 == len(own) || own[i+1].Kind != history.OrchestrationResumed) {
				w.Violate("outcome", "the gate: %s/%d is cancelled, and waits for its turn all the same", t.Instance, t.ExecutionID)
			}
		case e.Kind == history.OrchestrationResumed:
			if wait, ok := s.waits[t.Instance]; ok && strings.HasPrefix(e.SenderID, "admit-") {
				note(&s.inside, t.Instance, wait.key)
			}
			delete(s.waits, t.Instance)
		case e.Kind.Terminal() && e.Kind != history.OrchestrationContinuedAsNew:
			delete(s.waits, t.Instance)
			delete(s.inside, t.Instance)
		case e.Kind == history.ExternalEvent && e.Name == gating.Questions:
			s.asks(gating.KeyOf(t.Instance), e)
		case e.Kind == history.SystemCall && e.Op == history.OpResumeInstance:
			s.gives(w, gating.KeyOf(t.Instance), e)
		}
	}
	s.asksAgain(w, t, own)
	s.shows(w, t)
	inside := map[string]int{}
	for instance, key := range s.inside {
		if w.Ledger.Hidden[instance] < w.Ledger.Last[instance] { // Otherwise it was purged, whose history was damaged.
			inside[key]++
		}
	}
	for key, n := range inside {
		if n > s.most[key] {
			w.Violate("outcome", "the gate: %v are inside, of %q at most %d may be", s.inside, key, s.most[key])
		}
	}
}

// asksAgain looks at a redrive of an instance that has begun under a limit, whether or not it has continued
// as new since: its turn has to come anew.
func (s *places) asksAgain(w *world.World, t *store.Turn, own []history.Event) {
	first := &t.Events[0]
	if first.Start == nil || first.Start.Origin == nil || first.Start.Origin.Instance != t.Instance {
		return
	}
	n := first.Start.Origin.ExecutionID
	begun := w.Ledger.Executions[ledger.At(t.Instance, n)]
	for begun != nil {
		before := w.Ledger.Executions[ledger.At(t.Instance, n-1)]
		if before == nil || before.End() == nil || before.End().Kind != history.OrchestrationContinuedAsNew {
			break
		}
		begun, n = before, n-1
	}
	if begun == nil {
		return
	}
	waits := slices.IndexFunc(begun.Events, func(e history.Event) bool { return e.Kind == history.OrchestrationSuspended && e.LimitKey != "" })
	if waits < 0 {
		return
	}
	w.Reached("the gate, a redrive")
	if !slices.ContainsFunc(own, func(e history.Event) bool {
		return e.Kind == history.OrchestrationSuspended && e.LimitKey != "" || e.Kind == history.OrchestrationCancelRequested || e.Kind.Terminal()
	}) {
		w.Violate("outcome", "the gate: %s/%d is redriven beside the limit of %q, with which its execution %d began", t.Instance, t.ExecutionID, begun.Events[waits].LimitKey, n)
	}
}

// runs looks at an attempt that begins: its instance does not wait. Inline activities run ahead of the
// commit that records that the turn has come.
func (s *places) runs(p *world.Process, info *activities.Info) {
	if own, waits := s.waits[info.Instance]; waits && own.execution == info.ExecutionID && !info.Inline {
		p.W.Violate("outcome", "the gate: an attempt of %s/%d runs, which waits for its turn", info.Instance, info.ExecutionID)
	}
}

// asks notes a question. What a gate has not taken goes over into its next execution, and an
// instance asks again where the answer may have been lost.
func (s *places) asks(key string, e *history.Event) {
	var q gating.Question
	if json.Unmarshal(e.Payload, &q) != nil || s.asked(key, q.Place) != nil {
		return
	}
	note(&s.lines, key, append(s.lines[key], &question{Place: q.Place}))
}

func (s *places) asked(key string, p gating.Place) *question {
	for _, q := range s.lines[key] {
		if q.Instance == p.Instance && q.ExecutionID == p.ExecutionID && q.EventID == p.EventID {
			return q
		}
	}
	return nil
}

// gives takes an answer: nobody has asked before whose turn has not come, and who waits still.
func (s *places) gives(w *world.World, key string, e *history.Event) {
	var p gating.Place
	if json.Unmarshal(e.Payload, &p) != nil {
		w.Violate("outcome", "the gate of %q answers with %s", key, e.Payload)
		return
	}
	p.Instance = e.Instance
	q := s.asked(key, p)
	if q == nil {
		w.Violate("outcome", "the gate of %q gives %+v a place, which has not asked", key, p)
		return
	}
	if q.given {
		return
	}
	q.given = true
	if s.over(w, key, q) {
		return // It is told so all the same, where it was let in by a later question: it takes no place.
	}
	for _, before := range s.lines[key] {
		if before == q {
			return
		}
		if !before.given && !s.moved[key] && !s.over(w, key, before) {
			w.Violate("outcome", "the gate of %q gives %s a place, before which %s has asked", key, q.Instance, before.Instance)
		}
	}
}

// over reports whether who has asked has ended since, or is purged, or has asked again in a later
// execution.
func (s *places) over(w *world.World, key string, q *question) bool {
	if w.Ledger.Hidden[q.Instance] >= q.ExecutionID {
		return true
	}
	for n := q.ExecutionID; n <= w.Ledger.Last[q.Instance]; n++ {
		x := w.Ledger.Executions[ledger.At(q.Instance, n)]
		if x == nil {
			return true // It was pruned, so it has ended.
		}
		if end := x.End(); end != nil && end.Kind != history.OrchestrationContinuedAsNew {
			return true
		}
	}
	return slices.ContainsFunc(s.lines[key], func(other *question) bool {
		return other.Instance == q.Instance && other.ExecutionID > q.ExecutionID
	})
}

// free reports whether a gate that lets in n has a place for one more.
func (s *places) free(w *world.World, key string, n int) bool {
	for _, q := range s.lines[key] {
		if q.given && !s.over(w, key, q) {
			n--
		}
	}
	return n > 0
}
