package timeline

import (
	"cmp"
	"slices"
	"time"
)

// Step summarizes the operations of one kind and name over the executions of an orchestration.
type Step struct {
	Kind Kind `json:"kind"`
	// Name names the activity, child, event or update; for a timer it is the label, which may be empty.
	Name string `json:"name,omitempty"`
	// Took are the durations of the operations that ended with a result or a failure, since they were scheduled, shortest first.
	Took []time.Duration `json:"-"`
	// Failed counts those that ended with a failure. Retries counts the attempts after their first ones.
	Failed  int `json:"failed"`
	Retries int `json:"retries"`
	// Open counts operations that have not ended, Stopped those that were cancelled or left open by the end of their execution.
	Open    int `json:"open,omitempty"`
	Stopped int `json:"stopped,omitempty"`
}

// Sum returns their total duration.
func (s *Step) Sum() (sum time.Duration) {
	for _, d := range s.Took {
		sum += d
	}
	return sum
}

// Steps summarizes operations over many executions.
type Steps struct {
	of map[stepKey]*Step
}

type stepKey struct {
	kind Kind
	name string
}

// Add adds the activities, children, timers, waits and updates of executions. It leaves out what a redrive or a fork has copied, because that ran in
// the original execution.
func (s *Steps) Add(t *Timeline) {
	for i := range t.Executions {
		x := &t.Executions[i]
		takenOver := int64(0)
		if x.Origin != nil {
			takenOver = x.Origin.EventID
		}
		s.addRows(t.Rows[x.FirstRow:x.FirstRow+x.Rows], takenOver)
	}
}

func (s *Steps) addRows(rows []Row, takenOver int64) {
	// A retried inline activity has several scheduling events: its attempts are one operation.
	startedAt := map[int64]time.Time{}
	again := map[int64]bool{} // rows that another one continues
	for i := range rows {
		if first := rows[i].FirstEventID; first != 0 {
			again[lastBefore(rows[:i], first)] = true
		}
	}
	for i := range rows {
		r := &rows[i]
		from := r.ScheduledAt
		if startedAt[r.EventID] = from; r.FirstEventID != 0 {
			from = startedAt[r.FirstEventID]
		}
		if r.EventID <= takenOver || r.FirstEventID != 0 && r.FirstEventID <= takenOver || again[r.EventID] {
			continue
		}
		switch r.Kind {
		case KindActivity, KindInline, KindChild, KindTimer, KindWait, KindUpdate:
		default:
			continue
		}
		step := s.step(r)
		switch r.State {
		case StateOpen:
			step.Open++
			continue
		case StateFailed:
			step.Failed++
		case StateDone:
		default:
			step.Stopped++
			continue
		}
		step.Retries += max(0, r.Attempt-1)
		step.Took = append(step.Took, max(0, r.EndedAt.Sub(from)))
	}
}

// lastBefore returns the event of the last row of the operation that started with an event.
func lastBefore(rows []Row, first int64) (last int64) {
	for i := range rows {
		if rows[i].EventID == first || rows[i].FirstEventID == first {
			last = rows[i].EventID
		}
	}
	return last
}

func (s *Steps) step(r *Row) *Step {
	key := stepKey{r.Kind, r.Name}
	if r.Kind == KindTimer {
		key.name = r.Label
	}
	if s.of == nil {
		s.of = map[stepKey]*Step{}
	}
	if s.of[key] == nil {
		s.of[key] = &Step{Kind: key.kind, Name: key.name}
	}
	return s.of[key]
}

// All returns the steps, those with the longest total duration first.
func (s *Steps) All() []Step {
	out := make([]Step, 0, len(s.of))
	for _, step := range s.of {
		slices.Sort(step.Took)
		out = append(out, *step)
	}
	slices.SortFunc(out, func(a, b Step) int {
		return cmp.Or(cmp.Compare(b.Sum(), a.Sum()), cmp.Compare(len(b.Took)+b.Open+b.Stopped, len(a.Took)+a.Open+a.Stopped), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}
