package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/store"
)

// Companions are orchestrations that programs have to do with. What becomes of
// one says whether what its program did to it took effect, and once.

func companions() []engine.Orchestration {
	return []engine.Orchestration{
		{Name: "listens", Func: listens, Source: "simulation"},
		{Name: "waits", Func: waitsForEver, Source: "simulation"},
		{Name: "answers", Func: answers, Source: "simulation"},
		{Name: "shared", Func: shared, Source: "simulation"},
	}
}

// listens returns the event that it is told, unless it is told another.
func listens(ctx *engine.Context, _ []byte) ([]byte, error) {
	told, err := ctx.Await(ctx.ExternalEvent("told"))
	if err != nil {
		return nil, err
	}
	if first, err := ctx.Select(false, ctx.Timer(time.Hour), ctx.ExternalEvent("told")); err != nil || first == 1 {
		return []byte(`"told twice"`), err
	}
	return told, nil
}

// waitsForEver ends only if somebody ends it.
func waitsForEver(ctx *engine.Context, _ []byte) ([]byte, error) {
	ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`{"hidden":998}`)})
	return ctx.Await(ctx.ExternalEvent("never"))
}

// caller is who an instance has to answer, and by which event.
type caller struct {
	Instance string `json:"instance"`
	Event    string `json:"event"`
}

// answers tells its caller that it is there, and waits to be cancelled.
func answers(ctx *engine.Context, input []byte) ([]byte, error) {
	var to caller
	if err := json.Unmarshal(input, &to); err != nil {
		return nil, err
	}
	if err := ctx.RaiseEvent(to.Instance, to.Event, fmt.Appendf(nil, "%q", "here "+ctx.Info().Instance), nil); err != nil {
		return nil, err
	}
	_, err := ctx.Await(ctx.Timer(20 * 24 * time.Hour)) // Its caller may end before it gets so far.
	return []byte(`"forgotten"`), err
}

// companion has to do with one.
func (r *interpreter) companion(ctx *engine.Context, s *statement) (token, error) {
	t := token{K: kindNames[s.kind]}
	info := ctx.Info()
	instance := info.Instance + "+" + strconv.FormatInt(info.ExecutionID, 10) + "." + strconv.Itoa(s.id)
	switch s.kind {
	case kLeft:
		onEnd := history.ParentEndCancel
		if s.n == 1 {
			onEnd = history.ParentEndTerminate
		}
		ctx.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`), OnParentEnd: onEnd})
		return t, ctx.Err()
	case kTell:
		if _, err := ctx.Detach(engine.ChildCall{Name: "listens", Input: []byte(`{}`), Instance: instance}); err != nil {
			return t, err
		}
		return t, ctx.RaiseEvent(instance, "told", fmt.Appendf(nil, "%q", "told "+instance), nil)
	default:
		to := caller{info.Instance, fmt.Sprintf("answer%d.%d", info.ExecutionID, s.id)}
		input, _ := json.Marshal(to)
		if _, err := ctx.Detach(engine.ChildCall{Name: "answers", Input: input, Instance: instance}); err != nil {
			return t, err
		}
		answer, err := ctx.Await(ctx.ExternalEvent(to.Event))
		if err != nil {
			return t, err
		}
		t.V = text(answer)
		return t, ctx.CancelInstance(instance, "enough")
	}
}

func isCompanion(w *World, instance string) bool {
	x := w.shadow.executions[executionKey{instance, w.shadow.hidden[instance] + 1}]
	if x == nil {
		return false
	}
	for _, c := range companions() {
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
	for _, e := range w.shadow.executions[executionKey{instance, w.shadow.hidden[instance] + 1}].events {
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
	for _, x := range w.shadow.executions {
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
	x := w.shadow.executions[executionKey{p.Instance, p.ExecutionID}]
	return x.end() != nil && x.events[p.EventID-1].OnParentEnd == history.ParentEndTerminate
}

// deployOlder lets the code from before a change in place run first, at times.
func (s *randomScenario) deployOlder(w *World) {
	at := w.choices.At(choice.OfWorld, "older build")
	if !s.programs.have(func(k kind) bool { return k == kPatched }) || !w.choices.Even(at) {
		return
	}
	w.outside.older = true
	// A rollout that is over within a quarter of an hour marks no instance.
	slow := w.choices.At(at, "rollout")
	r := rollout{latest: []int{1, 1, 120, 3600}[w.choices.IntN(slow, 4)], within: time.Duration(w.choices.IntN(slow, 600)) * time.Second}
	w.rollOut(s.build("older", defect{kind: "older"}), r, at)
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
	w.trouble.other = true
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

// have reports whether a program has a statement of such a kind.
func (ps programs) have(such func(kind) bool) bool {
	return slices.ContainsFunc(ps, func(p *program) bool { return has(p.body, such) })
}

// has reports whether a block has a statement of such a kind.
func has(b []*statement, such func(kind) bool) bool {
	for _, s := range b {
		if such(s.kind) {
			return true
		}
		for _, branch := range s.branches {
			if has(branch, such) {
				return true
			}
		}
	}
	return false
}
