package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// reasons are the reasons that programs gave for their cancels.
type reasons struct {
	// said is the reason that an operation must get. sent are the reasons in the cancels of a
	// child, by message id: the code may have cancelled it for one reason, and its parent may
	// have ended since. SQS keeps the first of those that arrive within five minutes.
	said map[store.ActivityKey]string
	sent map[string][]string
}

// checkScopes: the open operations of a scope that has ended were stopped in the turn in which it
// ended. It records the reason that each of them must get.
func (w *checker) checkScopes(x *ledger.Recorded, t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != history.SystemCall || e.Op != history.OpSideEffect || e.Name != program.ScopeIsOver {
			continue
		}
		var said program.Said
		if err := json.Unmarshal(e.Payload, &said); err != nil {
			w.Violate("world", "event %d of %s/%d: %v", e.EventID, t.Instance, t.ExecutionID, err)
		}
		for _, id := range said.Over {
			open := x.Events[id-1].Kind != history.ExternalSubscribed && x.Completed[id] == 0
			// Copied operations of a redrive are stopped once the code has replayed them.
			if open && !x.Stopped[id] && !(t.Parked && w.takenOver(store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: id})) {
				w.Violate("K-02", "event %d of %s/%d is open in a scope that is over", id, t.Instance, t.ExecutionID)
			}
		}
		if t.Events[len(t.Events)-1].Forced == history.ForcedByOperator {
			continue // A terminate gives the reason for everything that the last turn of its instance stops.
		}
		for _, id := range said.Open {
			note(&w.reasons.said, store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: id}, said.Reason)
		}
	}
}

// Stops implements watcher: a process that stops an activity gives the reason, K-09.
func (w *checker) Stops(p *world.Process, key store.ActivityKey, reason string) {
	w.checkSaid(p, key, reason)
	w.checkApart(p, "stops an activity", key.Instance)
}

// checkSaid checks the reason that is given to an operation. If the code of its instance gave
// none, it must be the reason for which the instance was cancelled.
func (w *checker) checkSaid(p *world.Process, key store.ActivityKey, reason string) {
	want, ok := w.reasons.said[key]
	switch {
	case ok && reason != want && (w.wasEnded(key, reason) || (reason == "" || reason == parentEnded(key) || w.wasCancelled(key, reason)) && w.takenOver(key)):
	case ok && reason != want:
		w.Violate("K-09", "%s cancels operation %d of %s/%d because of %q; the code gave the reason %q", p.Name, key.EventID, key.Instance, key.ExecutionID, reason, want)
	case !ok && strings.HasPrefix(reason, program.Enough) && !w.wasCancelled(key, reason):
		w.Violate("K-09", "%s cancels operation %d of %s/%d because of %q, although it was not given that reason", p.Name, key.EventID, key.Instance, key.ExecutionID, reason)
	case ok:
		w.Reached("K-09")
	}
}

// wasEnded reports whether an execution was forced to end for the given reason, which is empty if
// a limit ended it; its children get the reason that their parent has ended. A forced end stops
// operations again that the code has cancelled before; the first of two reasons remains.
func (w *checker) wasEnded(key store.ActivityKey, reason string) bool {
	end := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)].End()
	return end != nil && end.Forced != "" && (reason == "" || end.Failure != nil && end.Failure.Message == reason ||
		reason == parentEnded(key))
}

// parentEnded is the reason that a child gets when its parent has ended.
func parentEnded(key store.ActivityKey) string {
	return fmt.Sprintf("its parent %q has ended", key.Instance)
}

// takenOver reports whether a redrive has copied an operation: its execution is a copy, or a later one
// copies it. No later execution has started the operations that were cancelled there. A second cancel
// gives no reason, or that the parent has ended, or the reason for which the parent was cancelled.
func (w *checker) takenOver(key store.ActivityKey) bool {
	last := w.Ledger.Last[key.Instance]
	for n := key.ExecutionID; n <= last; n++ {
		x := w.Ledger.Executions[ledger.At(key.Instance, n)]
		if x == nil || len(x.Events) == 0 {
			continue // The number never became current.
		}
		start := x.Events[0].Start
		if origin := start != nil && start.Origin != nil; origin && key.EventID <= start.Origin.EventID {
			return true
		} else if !origin && n > key.ExecutionID {
			return false
		}
	}
	return false
}

// wasCancelled reports whether an execution was cancelled for a reason.
func (w *checker) wasCancelled(key store.ActivityKey, reason string) bool {
	x := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)]
	return x != nil && slices.ContainsFunc(x.Events, func(e history.Event) bool {
		return e.Kind == history.OrchestrationCancelRequested && e.Reason == reason
	})
}

// sendsCancel records the reason in the cancel of a child.
func (w *checker) sendsCancel(p *world.Process, body string) {
	if p.Dead || !strings.Contains(body, string(wire.CancelInstance)) {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.CancelInstance || item.Parent == nil || w.ByForger(item) {
		return
	}
	key := store.ActivityKey{Instance: item.Parent.Instance, ExecutionID: item.Parent.ExecutionID, EventID: item.Parent.EventID}
	for later := key; later.ExecutionID < w.Ledger.Last[key.Instance]; {
		later.ExecutionID++
		if x := w.Ledger.Executions[ledger.At(later.Instance, later.ExecutionID)]; x != nil && x.Never[later.EventID] && w.reasons.said[later] == item.Reason {
			key = later // If it has not sent the child's start, it cancels on behalf of the execution that has.
			break
		}
	}
	w.checkSaid(p, key, item.Reason)
	note(&w.reasons.sent, item.ID, append(w.reasons.sent[item.ID], item.Reason))
}

// checkCancelled: a child is cancelled for the reason that its parent has sent.
func (w *checker) checkCancelled(t *store.Turn, e *history.Event) {
	if e.Kind != history.OrchestrationCancelRequested {
		return
	}
	if sent, ok := w.reasons.sent[e.SenderID]; ok && !slices.Contains(sent, e.Reason) {
		w.Violate("K-09", "%s/%d is cancelled because of %q; its parent gave the reason %q", t.Instance, t.ExecutionID, e.Reason, sent)
	}
}

// checkStopReason: an attempt that is asked to stop gets the reason that was given.
func (w *checker) checkStopReason(ctx context.Context, p *world.Process, info *activities.Info) {
	var stopped *activities.StoppedError
	if p.Dead || !errors.As(context.Cause(ctx), &stopped) {
		return
	}
	if want, ok := w.Ledger.Outside.Reasons[keyOf(info)]; !ok || stopped.Reason != want {
		w.Violate("K-09", "attempt %d of activity %d of %s/%d must stop because of %q; the requested reason is %q", info.Number, info.EventID, info.Instance, info.ExecutionID, stopped.Reason, want)
	} else if strings.HasPrefix(want, program.Enough) {
		w.Reached("K-09, heard")
	}
}
