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

// reasons are those that programs gave for what they cancelled.
type reasons struct {
	// said is what an operation must be told. sent is what the cancels of a child say, by
	// their id: the code may have cancelled it for one reason, and its parent may have ended
	// since. SQS keeps the first of those that come within five minutes.
	said map[store.ActivityKey]string
	sent map[string][]string
}

// checkScopes: what was open in a scope that is over was stopped in the turn in
// which it was. It notes what is to be said to whom.
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
			// Operations that a redrive took over are stopped once the code has run through them.
			if open && !x.Stopped[id] && !(t.Parked && w.takenOver(store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: id})) {
				w.Violate("K-02", "event %d of %s/%d is open in a scope that is over", id, t.Instance, t.ExecutionID)
			}
		}
		if t.Events[len(t.Events)-1].Imposed == history.ImposedTerminated {
			continue // A terminate gives the reason for all that the last turn of its instance stops.
		}
		for _, id := range said.Open {
			note(&w.reasons.said, store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: id}, said.Reason)
		}
	}
}

// Stops implements watcher: who stops an activity says why, K-09.
func (w *checker) Stops(p *world.Process, key store.ActivityKey, reason string) {
	w.checkSaid(p, key, reason)
	w.checkApart(p, "stops an activity", key.Instance)
}

// checkSaid checks the reason that is given to an operation. One for which the code of
// its instance gave none has the reason for which that instance was cancelled.
func (w *checker) checkSaid(p *world.Process, key store.ActivityKey, reason string) {
	want, ok := w.reasons.said[key]
	switch {
	case ok && reason != want && (w.wasEnded(key, reason) || (reason == "" || reason == parentEnded(key) || w.wasCancelled(key, reason)) && w.takenOver(key)):
	case ok && reason != want:
		w.Violate("K-09", "%s cancels operation %d of %s/%d because of %q; the code said %q", p.Name, key.EventID, key.Instance, key.ExecutionID, reason, want)
	case !ok && strings.HasPrefix(reason, program.Enough) && !w.wasCancelled(key, reason):
		w.Violate("K-09", "%s cancels operation %d of %s/%d because of %q, which was not said to it", p.Name, key.EventID, key.Instance, key.ExecutionID, reason)
	case ok:
		w.Reached("K-09")
	}
}

// wasEnded reports whether an end was imposed on an execution for a reason, or by a limit,
// for none; children hear that their parent has ended. It stops once more what the code has
// cancelled before; of two reasons the first stays.
func (w *checker) wasEnded(key store.ActivityKey, reason string) bool {
	end := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)].End()
	return end != nil && end.Imposed != "" && (reason == "" || end.Failure != nil && end.Failure.Message == reason ||
		reason == parentEnded(key))
}

// parentEnded is what a child hears when its parent has ended.
func parentEnded(key store.ActivityKey) string {
	return fmt.Sprintf("its parent %q has ended", key.Instance)
}

// takenOver reports whether an operation stands in what a redrive has taken over. No later
// execution has begun what was cancelled there, and a second cancel says no reason, that the
// parent has ended, or why it was cancelled.
func (w *checker) takenOver(key store.ActivityKey) bool {
	x := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)]
	if x == nil || len(x.Events) == 0 {
		return false
	}
	start := x.Events[0].Start
	return start != nil && start.Origin != nil && key.EventID <= start.Origin.EventID
}

// wasCancelled reports whether an execution was cancelled for a reason.
func (w *checker) wasCancelled(key store.ActivityKey, reason string) bool {
	x := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)]
	return x != nil && slices.ContainsFunc(x.Events, func(e history.Event) bool {
		return e.Kind == history.OrchestrationCancelRequested && e.Reason == reason
	})
}

// sendsCancel notes what the cancel of a child says.
func (w *checker) sendsCancel(p *world.Process, body string) {
	if p.Dead || !strings.Contains(body, string(wire.CancelInstance)) {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.CancelInstance || item.Parent == nil || w.ByForger(item) {
		return
	}
	w.checkSaid(p, store.ActivityKey{Instance: item.Parent.Instance, ExecutionID: item.Parent.ExecutionID, EventID: item.Parent.EventID}, item.Reason)
	note(&w.reasons.sent, item.ID, append(w.reasons.sent[item.ID], item.Reason))
}

// checkCancelled: a child is cancelled for the reason that its parent has sent.
func (w *checker) checkCancelled(t *store.Turn, e *history.Event) {
	if e.Kind != history.OrchestrationCancelRequested {
		return
	}
	if sent, ok := w.reasons.sent[e.SenderID]; ok && !slices.Contains(sent, e.Reason) {
		w.Violate("K-09", "%s/%d is cancelled because of %q; its parent said %q", t.Instance, t.ExecutionID, e.Reason, sent)
	}
}

// checkStopReason: an attempt that is asked to stop hears of the reason that was given.
func (w *checker) checkStopReason(ctx context.Context, p *world.Process, info *activities.Info) {
	var stopped *activities.StoppedError
	if p.Dead || !errors.As(context.Cause(ctx), &stopped) {
		return
	}
	if want, ok := w.Ledger.Outside.Reasons[keyOf(info)]; !ok || stopped.Reason != want {
		w.Violate("K-09", "attempt %d of activity %d of %s/%d is to stop because of %q; who asked for it said %q", info.Attempt, info.EventID, info.Instance, info.ExecutionID, stopped.Reason, want)
	} else if strings.HasPrefix(want, program.Enough) {
		w.Reached("K-09, heard")
	}
}
