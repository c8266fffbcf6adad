// Package difference compares two executions, operation by operation.
package difference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// Operation is an operation of one side, or the start or the end of its execution.
type Operation struct {
	// Row of the timeline; nil for start and end.
	Row *timeline.Row
	// Asked is the scheduling event, or the start or the end; Came is the event that completed it, nil
	// for none.
	Asked, Came *history.Event
	// ids replaces the ids of the instance and its children in texts.
	ids *strings.Replacer
}

// Kinds of a Row in addition to those of the timeline's rows.
const (
	KindStart = "start"
	KindEnd   = "end"
)

// Row is an operation of one side or of both.
type Row struct {
	Kind, Name string
	// A and B are the operations of each side; nil for none.
	A, B *Operation
	// Differs names what differs: version, input, state, result, failure, attempts, duration (of a
	// timer). Empty if only one side has it, or both are equal.
	Differs []string
}

// Equal reports whether both sides have it and are equal.
func (r *Row) Equal() bool { return r.A != nil && r.B != nil && len(r.Differs) == 0 }

// Execution is one side as it was read, with payloads decoded where possible.
type Execution struct {
	Timeline *timeline.Timeline
	Events   []history.Event
}

// Of compares two executions. Operations are aligned by kind and name and, if these are equal, by their
// inputs. Times are not compared, and neither are values that are new each time.
func Of(a, b Execution) []Row {
	left, right := operations(a), operations(b)
	seed := maphash.MakeSeed()
	var out []Row
	i, j := 0, 0
	upTo := func(p pair) {
		out = append(out, between(left[i:p.a], right[j:p.b])...)
		i, j = p.a, p.b
	}
	for _, p := range align(keys(left, seed, true), keys(right, seed, true)) {
		upTo(p)
		out = append(out, rowOf(&left[p.a], &right[p.b]))
		i, j = p.a+1, p.b+1
	}
	upTo(pair{len(left), len(right)})
	return out
}

// between aligns operations without an equal one with the same input, by kind and name only.
func between(a, b []Operation) []Row {
	var out []Row
	i, j := 0, 0
	upTo := func(p pair) {
		for ; i < p.a; i++ {
			out = append(out, rowOf(&a[i], nil))
		}
		for ; j < p.b; j++ {
			out = append(out, rowOf(nil, &b[j]))
		}
	}
	for _, p := range align(keys(a, maphash.Seed{}, false), keys(b, maphash.Seed{}, false)) {
		upTo(p)
		out = append(out, rowOf(&a[p.a], &b[p.b]))
		i, j = p.a+1, p.b+1
	}
	upTo(pair{len(a), len(b)})
	return out
}

// key is the key by which operations are aligned.
type key struct {
	kind, name, op string
	input          uint64
}

func keys(of []Operation, seed maphash.Seed, inputs bool) []key {
	out := make([]key, len(of))
	for i := range of {
		o := &of[i]
		out[i].kind, out[i].name = o.what()
		if o.Row != nil {
			out[i].op = o.Row.Op
		}
		if inputs && o.Row != nil {
			out[i].input = maphash.Bytes(seed, canonical(input(o)))
		}
	}
	return out
}

// Its kind and name. The name of the orchestration is compared separately.
func (o *Operation) what() (kind, name string) {
	if o.Row != nil {
		return string(o.Row.Kind), o.Row.Name
	}
	if o.Asked.Kind == history.OrchestrationStarted {
		return KindStart, ""
	}
	return KindEnd, ""
}

// operations returns the start, the operations and the end of a side.
func operations(x Execution) []Operation {
	var out []Operation
	ids := idsOf(x)
	byID := func(id int64) *history.Event {
		i, found := slices.BinarySearchFunc(x.Events, id, func(e history.Event, id int64) int { return int(e.EventID - id) })
		if !found {
			return nil
		}
		return &x.Events[i]
	}
	if i := slices.IndexFunc(x.Events, func(e history.Event) bool { return e.Kind == history.OrchestrationStarted }); i >= 0 {
		out = append(out, Operation{Asked: &x.Events[i], ids: ids})
	}
	for i := range x.Timeline.Rows {
		r := &x.Timeline.Rows[i]
		if asked := byID(r.EventID); asked != nil {
			o := Operation{Row: r, Asked: asked, ids: ids}
			if r.CompletedBy != 0 {
				o.Came = byID(r.CompletedBy)
			}
			out = append(out, o)
		}
	}
	if n := len(x.Events); n > 0 && x.Events[n-1].Kind.Terminal() {
		out = append(out, Operation{Asked: &x.Events[n-1], ids: ids})
	}
	return out
}

func rowOf(a, b *Operation) Row {
	r := Row{A: a, B: b}
	one := a
	if one == nil {
		one = b
	}
	r.Kind, r.Name = one.what()
	if a == nil || b == nil {
		return r
	}
	differs := func(what string, do bool) {
		if do {
			r.Differs = append(r.Differs, what)
		}
	}
	switch {
	case r.Kind == KindStart:
		differs("name", a.Asked.Name != b.Asked.Name)
		differs("version", a.Asked.Version != b.Asked.Version)
		differs("input", !alike(a.Asked, b.Asked))
	case r.Kind == KindEnd:
		differs("state", EndState(a.Asked) != EndState(b.Asked))
		differs("result", !alike(a.Asked, b.Asked))
		differs("failure", failure(a, a.Asked) != failure(b, b.Asked))
	default:
		differs("version", a.Row.Version != b.Row.Version)
		if a.Row.Kind == timeline.KindCall {
			// The values of a time or an id differ each time.
			differs("value", a.Row.Op != history.OpNow && a.Row.Op != history.OpGUID && !alike(a.Asked, b.Asked))
			break
		}
		differs("input", !alike(a.Asked, b.Asked))
		// Timers that are due at the same time are equal, even if they were created at different times.
		differs("duration", a.Asked.DurationMS != b.Asked.DurationMS && (a.Asked.FireAtMS == 0 || a.Asked.FireAtMS != b.Asked.FireAtMS))
		differs("state", a.Row.State != b.Row.State)
		differs("result", !alike(a.Came, b.Came))
		differs("failure", failure(a, a.Came) != failure(b, b.Came))
		differs("attempts", a.Row.Attempt != b.Row.Attempt)
	}
	return r
}

// input returns the input of an operation, which distinguishes it from others with its name.
func input(o *Operation) []byte {
	if o.Row.Op == history.OpNow || o.Row.Op == history.OpGUID {
		return nil
	}
	return o.Asked.Payload
}

// alike reports whether two events have the same payload, ignoring white space.
func alike(a, b *history.Event) bool {
	if a == nil || b == nil {
		return a == nil && b == nil || a != nil && len(a.Payload) == 0 || b != nil && len(b.Payload) == 0
	}
	return a.Codec == b.Codec && (bytes.Equal(a.Payload, b.Payload) || bytes.Equal(canonical(a.Payload), canonical(b.Payload)))
}

func canonical(payload []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, payload) != nil {
		return payload
	}
	return b.Bytes()
}

// failure returns the compared parts of an event's failure, without the ids of instances in its message.
func failure(o *Operation, e *history.Event) [3]string {
	if e == nil || e.Failure == nil {
		return [3]string{}
	}
	return [3]string{e.Failure.Kind, e.Failure.Code, o.ids.Replace(e.Failure.Message)}
}

// idsOf replaces the quoted ids of an instance and its children in errors.
func idsOf(x Execution) *strings.Replacer {
	ids := []string{x.Timeline.Instance}
	for i := range x.Events {
		if e := &x.Events[i]; e.Kind == history.SubOrchestrationScheduled || e.Kind == history.OrchestrationChained {
			ids = append(ids, e.Instance)
		}
	}
	var pairs []string
	for _, id := range ids {
		pairs = append(pairs, strconv.Quote(id), `"…"`)
	}
	return strings.NewReplacer(pairs...)
}

// EndState returns how an execution ended, according to its last event: completed, failed, cancelled,
// terminated or continued as new.
func EndState(e *history.Event) string {
	switch e.Kind {
	case history.OrchestrationCompleted:
		return "completed"
	case history.OrchestrationContinuedAsNew:
		return "continued as new"
	case history.OrchestrationFailed:
	default:
		return e.Kind.String()
	}
	kind := ""
	if e.Failure != nil {
		kind = e.Failure.Kind
	}
	switch cmp.Or(map[string]string{history.ForcedByOperator: history.FailureTerminated}[e.Forced], kind) {
	case history.FailureTerminated:
		return "terminated"
	case history.FailureCancelled:
		return "cancelled"
	}
	return "failed"
}
