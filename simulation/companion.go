package simulation

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

func isCompanion(w *World, instance string) bool {
	x := w.ledger.executions[executionKey{instance, w.ledger.hidden[instance] + 1}]
	if x == nil {
		return false
	}
	for _, c := range program.Companions() {
		if x.events[0].Name == c.Name {
			return true
		}
	}
	return false
}

// judgeCompanion says whether what was done to it took effect.
func (s *randomScenario) judgeCompanion(w *World, instance string) error {
	r, err := w.describe(instance)
	if err != nil {
		return err
	}
	cancels := 0
	for _, e := range w.ledger.executions[executionKey{instance, w.ledger.hidden[instance] + 1}].events {
		if e.Kind == history.OrchestrationCancelRequested {
			cancels++
		}
	}
	got := ending(&r)
	switch {
	case r.Name == "shared":
		return judgeShared(w, &r)
	case r.Name == "listens" && got != "told "+instance:
		return fmt.Errorf("it ended as %q, and was told an event once", got)
	case r.Name == "answers" && w.cancelledByCode(instance) != (r.Status == store.StatusCancelled && cancels == 1):
		return fmt.Errorf("it ended as %q with %d cancels; that code has cancelled it is %t", got, cancels, w.cancelledByCode(instance))
	case r.Name == "answers" && r.Status != store.StatusCancelled && got != "forgotten":
		return fmt.Errorf("it ended as %q", got)
	case r.Name == "waits" && r.Status == store.StatusCancelled:
		if cancels != 1 {
			return fmt.Errorf("it was cancelled, with %d requests", cancels)
		}
	case r.Name == "waits" && (r.Status != store.StatusTerminated || !s.mayBeTerminated(w, instance)):
		return errors.New("it waits for ever, and ended as " + got)
	}
	return nil
}

// cancelledByCode reports whether the code of another instance asked this one
// to stop.
func (w *World) cancelledByCode(instance string) bool {
	for _, x := range w.ledger.executions {
		for i := range x.events {
			if e := &x.events[i]; e.Kind == history.SystemCall && e.Op == history.OpCancelInstance && e.Instance == instance {
				return true
			}
		}
	}
	return false
}

// terminatesWithParent: it was started to be terminated when its parent ends.
func (w *World) terminatesWithParent(p *history.Parent) bool {
	x := w.ledger.executions[executionKey{p.Instance, p.ExecutionID}]
	return x.end() != nil && x.events[p.EventID-1].OnParentEnd == history.ParentEndTerminate
}

// deployOlder lets the code from before a change in place run first, at times.
func (s *randomScenario) deployOlder(w *World) {
	at := w.choices.At(choice.OfWorld, "older build")
	if !s.programs.Have(func(k program.Kind) bool { return k == program.KindPatched }) || !w.choices.Even(at) {
		return
	}
	w.older = true
	// A rollout that is over within a quarter of an hour marks no instance.
	slow := w.choices.At(at, "rollout")
	r := rollout{latest: []int{1, 1, 120, 3600}[w.choices.IntN(slow, 4)], within: time.Duration(w.choices.IntN(slow, 600)) * time.Second}
	w.rollOut(s.build("older", program.Defect{Kind: "older"}), r, at)
}

// rollout is how the good build takes another one's place: it begins within so
// many seconds and takes so long to replace all processes; meanwhile processes of
// both builds are started.
type rollout struct {
	latest int
	within time.Duration
}

// deployFirst lets a build run from the beginning, by which instances may be
// stuck, and within an hour the good one in its place.
func (w *World) deployFirst(b *build, at choice.Spot) {
	w.other = true
	w.deployBefore(b, w.choices.IntN(at, 3600), func() { w.deploy(w.good, time.Duration(w.choices.IntN(at, 60))*time.Second) })
}

func (w *World) deployBefore(b *build, seconds int, good func()) {
	w.build = b
	w.clock.AfterFunc(time.Duration(seconds)*time.Second, func() {
		if w.build == b {
			good()
		}
	})
}

// rollOut lets the good build take another one's place.
func (w *World) rollOut(b *build, r rollout, at choice.Spot) {
	w.deployBefore(b, w.choices.IntN(at, r.latest), func() {
		w.deploy(w.good, r.within)
		w.beside = b
		for _, p := range slices.Clone(w.processes) {
			if p.running == nil {
				w.bury(p)
			}
		}
	})
}

// judgeShared: only its own parent can have stopped it.
func judgeShared(w *World, r *store.Record) error {
	switch r.Status {
	case store.StatusCompleted:
		if got := ending(r); got != "shared "+r.Instance {
			return fmt.Errorf("it ended with %q", got)
		}
		return nil
	case store.StatusCancelled, store.StatusTerminated:
		if p := r.Parent; p != nil && w.ledger.executions[executionKey{p.Instance, p.ExecutionID}].stopped[p.EventID] {
			return nil
		}
		return errors.New("it was stopped, and its own parent did not do it")
	}
	return fmt.Errorf("it is %s", r.Status)
}
