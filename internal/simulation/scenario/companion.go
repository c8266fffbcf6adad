package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

func isCompanion(w *world.World, instance string) bool {
	x := w.Ledger.Executions[ledger.At(instance, w.Ledger.First(instance))]
	if x == nil {
		return false
	}
	for _, c := range program.Companions() {
		if x.Events[0].Name == c.Name {
			return true
		}
	}
	return false
}

// judgeCompanion says whether what was done to it took effect.
func (s *Random) judgeCompanion(w *world.World, instance string) error {
	r, err := w.Describe(instance)
	if err != nil {
		return err
	}
	if hadNoRoom(w, &r) {
		return nil
	}
	cancels := 0
	for n := w.Ledger.First(instance); n <= w.Ledger.Last[instance]; n++ { // more than one where it was redriven
		own := 0
		for _, e := range w.Ledger.Executions[ledger.At(instance, n)].Events {
			if e.Kind == history.OrchestrationCancelRequested {
				own++
			}
		}
		cancels = max(cancels, own)
	}
	got := Ending(&r)
	switch {
	case r.Name == "shared":
		return judgeShared(w, &r)
	case r.Name == "lasts":
		if got != "lasted" && r.Status != store.StatusCancelled && r.Status != store.StatusTerminated {
			return fmt.Errorf("it ended as %q", got)
		}
	case r.Name == "listens" && got != "told "+instance:
		return fmt.Errorf("it ended as %q, and was told an event once", got)
	case r.Name == "answers" && got == "forgotten" && strings.HasPrefix(instance, forkOf):
		// Its caller had the answer that the original got, and has cancelled it before its start.
	case r.Name == "answers" && cancelledByCode(w, instance) != (r.Status == store.StatusCancelled && cancels == 1):
		return fmt.Errorf("it ended as %q with %d cancels; that code has cancelled it is %t", got, cancels, cancelledByCode(w, instance))
	case r.Name == "answers" && r.Status != store.StatusCancelled && got != "forgotten":
		return fmt.Errorf("it ended as %q", got)
	case r.Name == "waits" && r.Status == store.StatusCancelled:
		if cancels != 1 {
			return fmt.Errorf("it was cancelled, with %d requests", cancels)
		}
	case r.Name == "waits" && !r.Status.Terminal() && s.waitsToo(w, &r):
	case r.Name == "waits" && (r.Status != store.StatusTerminated || !s.mayBeTerminated(w, instance)):
		return errors.New("it waits for ever, and ended as " + got)
	}
	return nil
}

// waitsToo reports whether the parent of an instance that waits has not ended: a fork may wait for
// what was told the original alone, and a redriven execution for what reached the one before behind
// its end.
func (s *Random) waitsToo(w *world.World, r *store.Record) bool {
	if r.Parent == nil || !s.redriven {
		return false
	}
	x := w.Ledger.Executions[ledger.At(r.Parent.Instance, r.Parent.ExecutionID)]
	return x != nil && x.End() == nil
}

// cancelledByCode reports whether the code of another instance asked this one
// to stop before it had ended by itself: a caller that is redriven may have its
// answer after the twenty days that this one waits.
func cancelledByCode(w *world.World, instance string) bool {
	own := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].End()
	byItself := own != nil && own.Kind == history.OrchestrationCompleted
	for _, x := range w.Ledger.Executions {
		for i := range x.Events {
			e := &x.Events[i]
			if e.Kind == history.SystemCall && e.Op == history.OpCancelInstance && e.Instance == instance && !(byItself && e.AtMS > own.AtMS) {
				return true
			}
		}
	}
	return false
}

// terminatesWithParent: it was started to be terminated when its parent ends.
func terminatesWithParent(w *world.World, p *history.Parent) bool {
	x := w.Ledger.Executions[ledger.At(p.Instance, p.ExecutionID)]
	return x.End() != nil && x.Events[p.EventID-1].OnParentEnd == history.ParentEndTerminate
}

// deployOlder lets the code from before a change in place run first, at times.
func (s *Random) deployOlder(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "older build")
	if !s.Programs.Have(func(k program.Kind) bool { return k == program.KindPatched }) || !w.Choices.Even(at) {
		return
	}
	w.Older = true
	// A rollout that is over within a 15 minutes marks no instance.
	slow := w.Choices.At(at, "rollout")
	r := world.Rollout{Latest: []int{1, 1, 120, 3600}[w.Choices.IntN(slow, 4)], Within: time.Duration(w.Choices.IntN(slow, 600)) * time.Second}
	w.RollOut(s.build("older", program.Defect{Kind: "older"}), r, at)
}

// judgeShared: only its own parent can have stopped it, or who wanted it purged: the terminate
// of a forced purge that was overtaken by its purge stands.
func judgeShared(w *world.World, r *store.Record) error {
	switch r.Status {
	case store.StatusCompleted:
		if got := Ending(r); got != "shared "+r.Instance {
			return fmt.Errorf("it ended with %q", got)
		}
		return nil
	case store.StatusCancelled, store.StatusTerminated:
		if p := r.Parent; p != nil && w.Ledger.Executions[ledger.At(p.Instance, p.ExecutionID)].Stopped[p.EventID] {
			return nil
		}
		if f := r.Failure; r.Status == store.StatusTerminated && f != nil && f.Message == "purged" && w.Faults[fault.Purged] > 0 {
			return nil
		}
		if f := r.Failure; r.Status == store.StatusCancelled && f != nil && strings.HasSuffix(f.Message, tooLate) && w.Faults[fault.Purged] > 0 {
			return nil // It was for the one that was purged, and this one has begun meanwhile.
		}
		return errors.New("it was stopped, and its own parent did not do it")
	}
	return fmt.Errorf("it is %s", r.Status)
}

// Ending is how an instance stands, in short.
func Ending(r *store.Record) string {
	if r.Status != store.StatusCompleted {
		return string(r.Status)
	}
	var s string
	if err := json.Unmarshal(r.Output, &s); err != nil {
		return string(r.Output)
	}
	return s
}
