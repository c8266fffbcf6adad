package engine_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// told collects the Blocked reports of an execution.
func (f *fixture) told() *[]engine.Blocked {
	all := &[]engine.Blocked{}
	f.opts.Guard = limitGuard{looks: 20}
	f.opts.OnBlocked = func(b engine.Blocked) { *all = append(*all, b) }
	return all
}

func TestR15ADeferredFunctionThatBlocksDuringUnwindingIsReported(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		defer func() { <-release }()
		return c.Await(c.ExternalEvent("e"))
	})
	told := f.told()
	f.turn(start("0"))
	if len(*told) != 1 {
		t.Fatalf("told %+v", *told)
	}
	b := (*told)[0]
	if b.Instance != "i" || b.ExecutionID != 1 || !b.Unwinding || b.Stack == "" {
		t.Errorf("told %+v", b)
	}
	select {
	case <-b.Over:
		t.Error("it has ended, but still blocks")
	default:
	}
	close(release)
	<-b.Over
	if f.turn(event("e", "1")); len(*told) != 1 {
		t.Errorf("told %d times", len(*told))
	}
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Completed(1)")
}

// Coroutines that remain when the code ends are unwound in the same run. If that would
// leave a goroutine blocked, the end is not recorded.
func TestR15AnEndIsStuckIfItsBranchesBlockDuringUnwinding(t *testing.T) {
	t.Parallel()
	for _, policy := range []bool{false, true} {
		release, blocks := make(chan struct{}), true
		f := newFixtureOf(t, engine.Orchestration{Name: "Test", Func: func(c *engine.Context, _ []byte) ([]byte, error) {
			c.Go(func(c *engine.Context) ([]byte, error) {
				defer func() {
					if blocks {
						<-release
					}
				}()
				return c.Await(c.ExternalEvent("never"))
			})
			for range 2 {
				if _, err := c.Await(c.ExternalEvent("e")); err != nil {
					return nil, err
				}
			}
			return []byte("1"), nil
		}})
		f.opts.FailWhenStuck = policy
		told := f.told()
		x := f.cold() // The execution stays warm, so that only the end unwinds it.
		f.turnOn(x, start("0"), event("e", "1"))
		turn := f.turnOn(x, event("e", "2"), event("later", "3"))
		if policy {
			f.wantHistory("1 Started", "2 Sub(e)", "3 Sub(never)", "4 Ev(e)", "5 Sub(e)", "6 Failed(imposed: policy)")
			if !strings.Contains(turn.End().Failure.Message, "blocks outside durable operations") {
				t.Errorf("the policy's failure is %+v", turn.End().Failure)
			}
		} else {
			f.wantHistory("1 Started", "2 Sub(e)", "3 Sub(never)", "4 Ev(e)", "5 Sub(e)", "6 Ev(e)", "7 Ev(later)")
			if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckBlocked || turn.Stuck.EventID != 6 {
				t.Fatalf("stuck: %v", turn.Stuck)
			}
		}
		x.Close()
		close(release)
		for _, b := range *told {
			<-b.Over
		}
		if blocks = false; !policy {
			f.turn()
			f.wantHistory("1 Started", "2 Sub(e)", "3 Sub(never)", "4 Ev(e)", "5 Sub(e)", "6 Ev(e)", "7 Ev(later)", "8 Completed(1)")
		}
	}
}
