package check

import (
	"encoding/json"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// ahead counts, by execution, the inline activities that an invocation may still run before it
// commits their ActivityScheduled: those after one that is in the history and lets results share a
// commit.
type ahead map[ledger.Execution]int

// checkInlineRun is A-14 for an attempt of an inline activity that starts. The history has its
// ActivityScheduled with its input, unless its result shares a commit with an earlier one. The
// process knows the whole history, unless a duplicate invocation has continued while this one
// dispatched its commit. Every run of one call has the same idempotency key.
func (w *checker) checkInlineRun(p *world.Process, at store.ActivityKey, in *program.Work, info *activities.Info) {
	violate := func(text string) {
		w.Violate("A-14", "%s runs inline activity %d of %s/%d, attempt %d, %s", p.Name, at.EventID, at.Instance, at.ExecutionID, info.Number, text)
	}
	key, of := ledger.At(at.Instance, at.ExecutionID), inlineWork{in.Round, in.ID, in.I}
	x, n, seen := w.Ledger.Executions[key], w.of(p.Running), p.Seen[key]
	if x == nil || at.EventID > seen { // Another process may have committed a different continuation.
		if n.ahead[key]--; n.ahead[key] < 0 {
			violate("which is not in the history")
		}
		w.Reached("A-14, a batch")
		return
	}
	e := &x.Events[at.EventID-1]
	var recorded program.Work
	if err := json.Unmarshal(e.Payload, &recorded); err != nil || e.Kind != history.ActivityScheduled || !e.Inline || recorded != *in {
		violate("in whose place the history has " + e.Kind.String() + " " + string(e.Payload))
	}
	note((*map[ledger.Execution]int)(&n.ahead), key, 0)
	if e.Retry != nil {
		n.ahead[key] = e.Retry.Batch - 1
	}
	if w.keysInline[key] == nil {
		note(&w.keysInline, key, map[inlineWork]string{})
	}
	if was, ran := w.keysInline[key][of]; ran && was != info.IdempotencyKey {
		violate("under another key than before")
	}
	w.keysInline[key][of] = info.IdempotencyKey
	again := n.ranInline[at]
	note(&n.ranInline, at, true)
	if int64(len(x.Events)) > seen && (again || !w.mayShare(p.Running, at.Instance) && w.byDuplicate[key] <= seen) {
		violate("and was overtaken: it does not know " + x.Events[seen].Kind.String())
	}
	w.Reached("A-14, a durable inline activity")
}

// noteDuplicate records the last event that a duplicate invocation, which shares a message with
// another, has committed: it may continue from what another process has just committed, and run the
// same activity with the same key.
func (w *checker) noteDuplicate(x *world.Write) {
	if x.In == nil || !x.In.Duplicate && !slices.ContainsFunc(x.In.Batch, func(m world.Delivered) bool { return m.Copied }) {
		return
	}
	for i := range x.Commit.Turns {
		t := &x.Commit.Turns[i]
		note(&w.byDuplicate, ledger.At(t.Instance, t.ExecutionID), t.Last())
	}
}

// mayShare reports whether an invocation that has committed a turn of an instance may share its
// messages with another.
func (w *checker) mayShare(inv *world.Invocation, instance string) bool {
	return inv.Committed.Of(instance) && (inv.Duplicate || slices.ContainsFunc(inv.Batch, func(m world.Delivered) bool { return m.Copied }))
}
