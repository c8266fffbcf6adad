package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// places records which instances run under a limit and which wait, from the turns that have landed: it uses
// nothing of the coordinators except the data of their requests.
type places struct {
	// most is the number of permits by key, moved the keys whose waiting list an operator has changed.
	most  map[string]int
	moved map[string]bool
	// waits are the instances that wait for a permit, inside the keys of those that have got one and have
	// not ended. An instance that starts because of a cancel or an operator's resume is not among them: it
	// runs outside the limit.
	waits  map[string]wait
	inside map[string]string
	// lines are the requests by key, in the order in which the coordinator has recorded them.
	lines map[string][]*question
}

// wait is the wait of an execution. suspended is set if a client has suspended it since.
type wait struct {
	execution int64
	key       string
	suspended bool
}

// question is a request that a coordinator has recorded. given is set if the coordinator has answered it
// with a permit.
type question struct {
	coordination.Request
	given bool
}

// landed processes a turn of an instance under a limit, or of a coordinator.
func (s *places) landed(w *world.World, t *store.Turn) {
	own := t.Events // without what a redrive or a fork has copied
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
				w.Violate("outcome", "the coordinator: %s/%d is cancelled, but still waits for a permit", t.Instance, t.ExecutionID)
			}
		case e.Kind == history.OrchestrationResumed:
			if wait, ok := s.waits[t.Instance]; ok && strings.HasPrefix(e.SenderID, "admit-") {
				note(&s.inside, t.Instance, wait.key)
			}
			delete(s.waits, t.Instance)
		case e.Kind.Terminal() && e.Kind != history.OrchestrationContinuedAsNew:
			delete(s.waits, t.Instance)
			delete(s.inside, t.Instance)
		case e.Kind == history.ExternalEvent && e.Name == coordination.Questions:
			s.asks(coordination.KeyOf(t.Instance), e)
		case e.Kind == history.SystemCall && e.Op == history.OpResumeInstance:
			s.gives(w, coordination.KeyOf(t.Instance), e)
		}
	}
	s.asksAgain(w, t, own)
	s.shows(w, t)
	inside := map[string]int{}
	for instance, key := range s.inside {
		if w.Ledger.Hidden[instance] < w.Ledger.Last[instance] { // Otherwise it was purged with a damaged history.
			inside[key]++
		}
	}
	for key, n := range inside {
		if n > s.most[key] {
			w.Violate("outcome", "the coordinator: %v run under %q, which allows %d", s.inside, key, s.most[key])
		}
	}
}

// asksAgain processes a redrive of an instance that started under a limit, whether or not it has continued
// as new since: it needs a new permit.
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
		w.Violate("outcome", "the coordinator: %s/%d is redriven outside the limit of %q, under which its execution %d started", t.Instance, t.ExecutionID, begun.Events[waits].LimitKey, n)
	}
}

// runs checks an attempt that starts: its instance must not be waiting for a permit. Inline activities run
// before the commit that records the permit.
func (s *places) runs(p *world.Process, info *activities.Info) {
	if own, waits := s.waits[info.Instance]; waits && own.execution == info.ExecutionID && !info.Inline {
		p.W.Violate("outcome", "the coordinator: an attempt of %s/%d runs, although the instance waits for a permit", info.Instance, info.ExecutionID)
	}
}

// asks records a request. Requests that a coordinator has not processed are carried over to its next
// execution, and an instance asks again if the answer may have been lost.
func (s *places) asks(key string, e *history.Event) {
	var q coordination.Question
	if json.Unmarshal(e.Payload, &q) != nil || s.asked(key, q.Request) != nil {
		return
	}
	note(&s.lines, key, append(s.lines[key], &question{Request: q.Request}))
}

func (s *places) asked(key string, p coordination.Request) *question {
	for _, q := range s.lines[key] {
		if q.Instance == p.Instance && q.ExecutionID == p.ExecutionID && q.EventID == p.EventID {
			return q
		}
	}
	return nil
}

// gives processes an answer: no earlier request without a permit is from an instance that still waits.
func (s *places) gives(w *world.World, key string, e *history.Event) {
	var p coordination.Request
	if json.Unmarshal(e.Payload, &p) != nil {
		w.Violate("outcome", "the coordinator of %q answers with %s", key, e.Payload)
		return
	}
	p.Instance = e.Instance
	q := s.asked(key, p)
	if q == nil {
		w.Violate("outcome", "the coordinator of %q gives a permit to %+v, which has not asked", key, p)
		return
	}
	if q.given {
		return
	}
	q.given = true
	if s.over(w, key, q) {
		return // It gets this answer although a later request started it; it takes no permit.
	}
	for _, before := range s.lines[key] {
		if before == q {
			return
		}
		if !before.given && !s.moved[key] && !s.over(w, key, before) {
			w.Violate("outcome", "the coordinator of %q gives %s a permit, although %s asked first", key, q.Instance, before.Instance)
		}
	}
}

// over reports whether the instance of a request has ended since, was purged, or has asked again in a later
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

// free reports whether a coordinator with n permits has a free one.
func (s *places) free(w *world.World, key string, n int) bool {
	for _, q := range s.lines[key] {
		if q.given && !s.over(w, key, q) {
			n--
		}
	}
	return n > 0
}
