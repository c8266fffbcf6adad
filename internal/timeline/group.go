package timeline

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

const (
	// LeastGroup is the number of concurrent operations from which they are shown as a group.
	LeastGroup = 8
	// leastCalls is the number of consecutive calls from which they are shown as a group.
	leastCalls = 3
)

// Group is a set of rows that are shown as one: a fan-out, or calls that took no time.
type Group struct {
	ExecutionID int64 `json:"execution_id"`
	// EventID of its first row, which is the Group of all its rows.
	EventID int64 `json:"event_id"`
	Kind    Kind  `json:"kind"`
	// Name that all rows of a fan-out share; omitted for calls.
	Name string `json:"name,omitempty"`
	// Label that its first rows have in common.
	Label string `json:"label,omitempty"`
	// Rows are its members: indexes into Timeline.Rows, in order.
	Rows []int `json:"-"`
	// Formed is the event that made it this group. A reader that has read only up to an earlier event knows its rows as single rows, or as
	// another group.
	Formed int64 `json:"-"`
	// By is the field of the inputs that distinguishes the members, such as "id" or "order.number". Omitted if a label from the code, the
	// whole input, or the instance of a child distinguishes them.
	By string `json:"by,omitempty"`
	// From is when the first member was scheduled.
	From time.Time `json:"from"`
	// To is when the last member ended; omitted while one is open.
	To time.Time `json:"to,omitzero"`
	// States counts the members by state.
	States map[State]int `json:"states"`
	// Took is how long the ended members took since they were scheduled.
	Took Spread `json:"took,omitzero"`
	// Ran is how long their last attempts ran; omitted unless it is known of all ended members.
	Ran Spread `json:"ran,omitzero"`
}

// Spread is the distribution of a number of durations.
type Spread struct {
	Of       int   `json:"of"`
	MinMS    int64 `json:"min_ms"`
	MedianMS int64 `json:"median_ms"`
	// P90MS is the 90th percentile.
	P90MS int64 `json:"p90_ms"`
	MaxMS int64 `json:"max_ms"`
}

// spreadOf sorts took and summarizes it.
func spreadOf(took []time.Duration) Spread {
	n := len(took)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(took)
	return Spread{Of: n, MinMS: took[0].Milliseconds(), MedianMS: took[(n-1)/2].Milliseconds(), P90MS: took[(9*n+9)/10-1].Milliseconds(), MaxMS: took[n-1].Milliseconds()}
}

// Group finds the groups of the timeline's rows, and what distinguishes their members. The sources are those that the timeline was made
// from.
//
// A fan-out is LeastGroup or more concurrent operations of one kind and name, also in waves: an operation belongs to it if it was scheduled
// before all earlier members had ended, or in the turn in which the last of several ended. Operations that were called in sequence are not
// a fan-out.
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
	// last is the turn that scheduled its last row, end the latest turn in which one of its rows ended.
	last, end int
	overlaps  bool
}

func (t *Timeline) fanOuts(x *Execution) {
	type key struct {
		kind Kind
		name string
	}
	turns := t.turnsOf(x.ExecutionID)
	of := map[key]*growing{}
	finish := func(k key, g *growing) {
		if g == nil || len(g.rows) < LeastGroup {
			return
		}
		first := &t.Rows[g.rows[0]]
		t.Groups = append(t.Groups, Group{ExecutionID: x.ExecutionID, EventID: first.EventID, Kind: k.kind, Name: k.name, Rows: g.rows,
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

// calls groups consecutive calls, after each fan-out has become one row.
func (t *Timeline) calls(x *Execution) {
	formed := map[int64]int64{}
	for i := range t.Groups {
		if g := &t.Groups[i]; g.ExecutionID == x.ExecutionID {
			formed[g.EventID] = g.Formed
		}
	}
	var run []int
	var skipped, behind int64 // the last event that formed a group that was skipped: within the sequence and after it
	finish := func() {
		if len(run) >= leastCalls {
			t.Groups = append(t.Groups, Group{ExecutionID: x.ExecutionID, EventID: t.Rows[run[0]].EventID, Kind: KindCall, Rows: run,
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

// count fills in the statistics of a group's members.
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

// ran returns the span in which the last attempt ran, or nil if it is not known.
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

// of returns the index of the turn that recorded an event.
func (u turns) of(event int64) int {
	n, _ := slices.BinarySearch(u, event)
	return n
}

// end returns the index of the turn in which an operation ended.
func (u turns) end(r *Row) int {
	switch {
	case r.CancelledBy != 0:
		return u.of(r.CancelledBy)
	case r.CompletedBy != 0:
		return u.of(r.CompletedBy)
	case r.State == StateDone: // It ended as soon as it was scheduled.
		return u.of(r.EventID)
	}
	return math.MaxInt
}

// inputs returns the payloads of scheduling events, by execution and event.
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
