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

// judgeCompanion checks whether the action of its program took effect.
func (s *Random) judgeCompanion(w *world.World, instance string) error {
	r, err := w.Describe(instance)
	if err != nil {
		return err
	}
	if hadNoRoom(w, &r) {
		return nil
	}
	cancels := 0
	for n := w.Ledger.First(instance); n <= w.Ledger.Last[instance]; n++ { // more than one if it was redriven
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
		return fmt.Errorf("it ended as %q, and received an event once", got)
	case r.Name == "answers" && got == "forgotten" && strings.HasPrefix(instance, forkOf):
		// Its caller got the answer that the original got, and has cancelled it before its start.
	case r.Name == "answers" && cancelledByCode(w, instance) != (r.Status == store.StatusCancelled && cancels == 1):
		return fmt.Errorf("it ended as %q with %d cancels; cancelled by code: %t", got, cancels, cancelledByCode(w, instance))
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

// waitsToo reports whether the parent of a waiting instance has not ended: a fork may wait for an
// event that was sent only to the original, and a redriven execution for one that reached the
// previous execution after its end.
func (s *Random) waitsToo(w *world.World, r *store.Record) bool {
	if r.Parent == nil || !s.redriven {
		return false
	}
	x := w.Ledger.Executions[ledger.At(r.Parent.Instance, r.Parent.ExecutionID)]
	return x != nil && x.End() == nil
}

// cancelledByCode reports whether the code of another instance asked this one to stop before it
// ended on its own: a redriven caller may get its answer after the 20 days that this one waits.
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

// terminatesWithParent: it was started with the option to be terminated when its parent ends.
func terminatesWithParent(w *world.World, p *history.Parent) bool {
	x := w.Ledger.Executions[ledger.At(p.Instance, p.ExecutionID)]
	return x.End() != nil && x.Events[p.EventID-1].OnParentEnd == history.ParentEndTerminate
}

// deployOlder sometimes runs the code from before a change in place first.
func (s *Random) deployOlder(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "older build")
	changed := s.Programs.Have(func(k program.Kind) bool { return k == program.KindPatched })
	if !changed && (s.Programs[0].Updates == nil || !w.Choices.OneIn(w.Choices.At(at, "updates"), 8)) || changed && !w.Choices.Even(at) {
		return
	}
	w.Older = true
	// If a rollout is over within 15 minutes, no instance gets a problem.
	slow := w.Choices.At(at, "rollout")
	r := world.Rollout{Latest: []int{1, 1, 120, 3600}[w.Choices.IntN(slow, 4)], Within: time.Duration(w.Choices.IntN(slow, 600)) * time.Second}
	w.RollOut(s.build("older", program.Defect{Kind: "older"}), r, at)
}

// judgeShared checks that only its own parent, or an operator who purged it, has stopped it: the
// terminate of a forced purge that was overtaken by its purge stays in effect.
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
			return nil // It was for the purged instance, and this one has started meanwhile.
		}
		return errors.New("it was stopped, but not by its own parent")
	}
	return fmt.Errorf("it is %s", r.Status)
}

// Ending describes the state of an instance briefly.
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
