package timeline

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

const (
	// LeastGroup is how many operations side by side are shown as one.
	LeastGroup = 8
	// leastCalls is how many calls, one behind the other, are shown as one.
	leastCalls = 3
)

// Group is a number of rows that are looked at as one: a fan-out, or calls that
// took no time.
type Group struct {
	// ExecutionID and EventID are those of its first row, by which it is known.
	ExecutionID, EventID int64
	Kind                 Kind
	// Name that all of a fan-out have; empty for calls.
	Name string
	// Label that its first rows have in common; may be empty.
	Label string
	// Rows are its members: places in Timeline.Rows, in order.
	Rows []int
	// Formed is the event with which it became this group: what was read before that
	// event knows its rows as rows of their own, or as another group.
	Formed int64
	// By is the field of the inputs that tells the members apart: "id", "order.number".
	// Empty where that is a label that the code gave, the whole input, or the instance of a
	// child.
	By string
	// From is when the first was asked for; To when the last had ended, zero while one
	// is open.
	From, To time.Time
	// States counts its members.
	States map[State]int
	// Took is how long those took that have ended, from when they were asked for.
	Took Spread
	// Ran is how long their last attempts ran; of none unless all that have ended say so.
	Ran Spread
}

// Spread says how far durations lie apart. Of none all are 0.
type Spread struct {
	Of                     int
	Min, Median, Late, Max time.Duration // Late: nine of ten took no longer.
}

// spreadOf sorts the durations that it is given.
func spreadOf(took []time.Duration) Spread {
	n := len(took)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(took)
	return Spread{Of: n, Min: took[0], Median: took[(n-1)/2], Late: took[(9*n+9)/10-1], Max: took[n-1]}
}

// Group finds the groups of the timeline's rows, and what tells their members apart. The sources are those that it was made of.
//
// A fan-out is LeastGroup operations or more of one kind and name that ran side by
// side, in waves too: one belongs to it that was asked for before all before it had
// ended, or in the turn in which the last of several had. What was called in
// sequence is none.
func (t *Timeline) Group(sources []Source) {
	t.Groups = nil
	for i := range t.Executions {
		x := &t.Executions[i]
		t.fanOuts(x)
		t.calls(x)
	}
	sort.SliceStable(t.Groups, func(i, j int) bool {
		a, b := &t.Groups[i], &t.Groups[j]
		return a.ExecutionID < b.ExecutionID || a.ExecutionID == b.ExecutionID && a.EventID < b.EventID
	})
	inputs := inputs(sources)
	for i := range t.Groups {
		g := &t.Groups[i]
		for _, n := range g.Rows {
			t.Rows[n].Group = g.EventID
		}
		t.count(g)
		if g.Kind != KindCall {
			t.tellApart(g, inputs[g.ExecutionID])
		}
	}
}

// growing is a fan-out as far as it has been found.
type growing struct {
	rows []int
	// last is the turn that asked for its last row, end the latest turn in which one
	// of them ended.
	last, end int
	overlaps  bool
}

func (t *Timeline) fanOuts(x *Execution) {
	type key struct {
		kind Kind
		name string
	}
	turns := t.turnsOf(x.ID)
	of := map[key]*growing{}
	finish := func(k key, g *growing) {
		if g == nil || len(g.rows) < LeastGroup {
			return
		}
		first := &t.Rows[g.rows[0]]
		t.Groups = append(t.Groups, Group{ExecutionID: x.ID, EventID: first.EventID, Kind: k.kind, Name: k.name, Rows: g.rows,
			Formed: t.Rows[g.rows[LeastGroup-1]].EventID})
		for _, n := range g.rows {
			t.Rows[n].Group = first.EventID
		}
	}
	for n := x.FirstRow; n < x.FirstRow+x.Rows; n++ {
		r := &t.Rows[n]
		r.Group, r.Member = 0, ""
		if r.Kind == KindCall {
			continue
		}
		k, turn, end := key{r.Kind, r.Name}, turns.of(r.EventID), turns.end(r)
		g := of[k]
		if g != nil && (g.last == turn || g.end > turn || g.end == turn && g.overlaps) {
			g.overlaps = g.overlaps || g.end > turn || g.last == turn
			g.rows = append(g.rows, n)
			g.last, g.end = turn, max(g.end, end)
			continue
		}
		finish(k, g)
		of[k] = &growing{rows: []int{n}, last: turn, end: end}
	}
	for k, g := range of {
		finish(k, g)
	}
}

// calls groups calls that stand one behind the other once fan-outs are one row each.
func (t *Timeline) calls(x *Execution) {
	formed := map[int64]int64{}
	for i := range t.Groups {
		if g := &t.Groups[i]; g.ExecutionID == x.ID {
			formed[g.EventID] = g.Formed
		}
	}
	var run []int
	var skipped, behind int64 // the last event that formed a group which was passed over, within the run and behind it
	finish := func() {
		if len(run) >= leastCalls {
			t.Groups = append(t.Groups, Group{ExecutionID: x.ID, EventID: t.Rows[run[0]].EventID, Kind: KindCall, Rows: run,
				Formed: max(t.Rows[run[leastCalls-1]].EventID, skipped)})
		}
		run, skipped, behind = nil, 0, 0
	}
	for n := x.FirstRow; n < x.FirstRow+x.Rows; n++ {
		switch r := &t.Rows[n]; {
		case r.Kind == KindCall:
			run, skipped = append(run, n), max(skipped, behind)
		case r.Group != 0 && r.Group != r.EventID:
			if len(run) > 0 {
				behind = max(behind, formed[r.Group])
			}
		default:
			finish()
		}
	}
	finish()
}

// count fills in what a group says of its members.
func (t *Timeline) count(g *Group) {
	g.States = map[State]int{}
	var took, ran []time.Duration
	open := false
	for i, n := range g.Rows {
		r := &t.Rows[n]
		g.States[r.State]++
		if i == 0 || r.ScheduledAt.Before(g.From) {
			g.From = r.ScheduledAt
		}
		if r.EndedAt.IsZero() {
			open = true
			continue
		}
		g.To = later(r.EndedAt, g.To)
		took = append(took, r.EndedAt.Sub(r.ScheduledAt))
		if s := r.ran(); s != nil {
			ran = append(ran, s.To.Sub(s.From))
		}
	}
	if open {
		g.To = time.Time{}
	}
	if g.Kind == KindCall {
		return
	}
	if len(ran) == len(took) {
		g.Ran = spreadOf(ran)
	}
	g.Took = spreadOf(took)
}

// ran is the span in which the last attempt ran, nil where that is not known.
func (r *Row) ran() *Span {
	for i := len(r.Spans) - 1; i >= 0; i-- {
		if s := &r.Spans[i]; s.Doing == DoingRun && !s.To.IsZero() {
			return s
		}
	}
	return nil
}

// turns are the last events of the turns of an execution, in order.
type turns []int64

func (t *Timeline) turnsOf(execution int64) turns {
	var out turns
	for i := range t.Ticks {
		if t.Ticks[i].ExecutionID == execution {
			out = append(out, t.Ticks[i].Last)
		}
	}
	return out
}

// of is the turn that recorded an event.
func (u turns) of(event int64) int {
	n, _ := slices.BinarySearch(u, event)
	return n
}

// end is the turn in which an operation ended.
func (u turns) end(r *Row) int {
	switch {
	case r.CancelledBy != 0:
		return u.of(r.CancelledBy)
	case r.CompletedBy != 0:
		return u.of(r.CompletedBy)
	case r.State == StateDone: // It was over at once.
		return u.of(r.EventID)
	}
	return math.MaxInt
}

// inputs are the payloads of scheduling events, by execution and event.
func inputs(sources []Source) map[int64]map[int64][]byte {
	out := map[int64]map[int64][]byte{}
	for i := range sources {
		of := map[int64][]byte{}
		for j := range sources[i].Turns {
			readInputs(&sources[i].Turns[j], of)
		}
		out[sources[i].ExecutionID] = of
	}
	return out
}

func readInputs(turn *store.Turn, of map[int64][]byte) {
	for i := range turn.Events {
		if e := &turn.Events[i]; e.Kind.Scheduling() && e.Codec == "" && len(e.Payload) > 0 && len(e.Payload) <= mostLabelled {
			of[e.EventID] = e.Payload
		}
	}
}
