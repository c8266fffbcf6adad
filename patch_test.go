package turnstile_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// These are the stages of a patch: the code before it, with it, after the old branch was removed,
// and after PatchRetired was removed.
var (
	oldStep = turnstile.NewActivity[int, int]("OldStep")
	newStep = turnstile.NewActivity[int, int]("NewStep")
	patchy  = turnstile.NewOrchestration[int, int]("Patchy")
)

func beforePatch(ctx turnstile.Context, n int) (int, error) {
	for range 3 {
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		var err error
		if n, err = oldStep.Call(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func withPatch(ctx turnstile.Context, n int) (int, error) {
	for range 3 {
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		step := oldStep
		if turnstile.Patched(ctx, "new-step") {
			step = newStep
		}
		var err error
		if n, err = step.Call(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func patchRetired(ctx turnstile.Context, n int) (int, error) {
	for range 3 {
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		turnstile.PatchRetired(ctx, "new-step")
		var err error
		if n, err = newStep.Call(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func patchForgotten(ctx turnstile.Context, n int) (int, error) {
	for range 3 {
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		var err error
		if n, err = newStep.Call(ctx, n); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func patchHistory(t *testing.T, code func(turnstile.Context, int) (int, error)) (int, []history.Event) {
	t.Helper()
	e := start(t, patchy.Implement(code),
		oldStep.Implement(func(_ context.Context, n int) (int, error) { return n + 1, nil }),
		newStep.Implement(func(_ context.Context, n int) (int, error) { return n + 10, nil }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, patchy, 0, client.WithInstanceID("p")))
	out := ok[int](t)(run.Wait(e.ctx))
	return out, e.history(run.Instance)
}

func TestV04V05TheLifeOfAPatch(t *testing.T) {
	t.Parallel()
	oldOut, old := patchHistory(t, beforePatch)
	newOut, patched := patchHistory(t, withPatch)
	retiredOut, retired := patchHistory(t, patchRetired)
	if oldOut != 3 || newOut != 30 || retiredOut != 30 {
		t.Errorf("the outputs are %d, %d, %d", oldOut, newOut, retiredOut)
	}
	// V-04: the marker is recorded once, and not at all after the patch is retired.
	if n := count(kinds(patched), "SystemCall"); n != 1 || len(patched) != len(old)+1 || !reflect.DeepEqual(kinds(retired), kinds(old)) {
		t.Errorf("%d markers; %v; %v", n, kinds(patched), kinds(retired))
	}
	for name, c := range map[string]struct {
		code   func(turnstile.Context, int) (int, error)
		events []history.Event
		// stuck is what the error names; empty for a clean replay.
		stuck string
	}{
		"V-04 a history from before the patch takes the old branch":                 {withPatch, old, ""},
		"V-04 half of a history from before the patch does so too":                  {withPatch, old[:6], ""},
		"V-04 a history with the marker takes the new branch":                       {withPatch, patched, ""},
		"V-04 half of one with the marker does so too":                              {withPatch, patched[:7], ""},
		"V-05 a retired patch keeps histories with the marker":                      {patchRetired, patched, ""},
		"V-05 the old branch is gone, and a history from before the patch runs":     {patchRetired, old, `patch "new-step"`},
		"V-05 a forgotten patch with a history that has the marker names the patch": {patchForgotten, patched, `SystemCall(patch "new-step")`},
		"a history from after the patch was retired needs it no more":               {patchForgotten, retired, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := replay(t, turnstile.NewApp(patchy.Implement(c.code)), "p", c.events)
			if (turn.Stuck != nil) != (c.stuck != "") {
				t.Fatalf("stuck: %v", turn.Stuck)
			}
			if c.stuck == "" && len(turn.Events) > 0 {
				t.Errorf("the replay recorded %v", kinds(turn.Events))
			}
			if c.stuck != "" && (!strings.Contains(turn.Stuck.Error(), c.stuck) || !strings.Contains(turn.Stuck.Error(), "patch_test.go:")) {
				t.Errorf("the error does not name the patch and the place: %v", turn.Stuck)
			}
		})
	}
}

// An execution that waits in front of the patch when it is deployed has it.
func TestV04AnExecutionThatHasNotComeToThePatchYetHasIt(t *testing.T) {
	t.Parallel()
	_, old := patchHistory(t, beforePatch)
	turn := replay(t, turnstile.NewApp(patchy.Implement(withPatch)), "p", old[:3])
	if turn.Stuck != nil || !reflect.DeepEqual(kinds(turn.Events), []string{"SystemCall", "ActivityScheduled"}) || turn.Events[1].Name != "NewStep" {
		t.Errorf("stuck %v, recorded %v", turn.Stuck, kinds(turn.Events))
	}
}
