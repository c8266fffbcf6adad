package orchestrator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// I-07, P-07: nothing waits for a detached orchestration. If its start does not fit into a message,
// the start becomes a dead letter with the reason, and the starting orchestration continues. A
// redrive of that dead letter starts nothing.
func TestI07ADetachedStartTooLargeForAMessageIsADeadLetter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, reason string }{
		{"not JSON", "{", "malformed"},
		{"over the limit", `"` + strings.Repeat("x", 300<<10) + `"`, "too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Other", waits())
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte(c.input)})
				return []byte(`"done"`), err
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", `"done"`)
			w.expectDead(c.reason)
			w.expectCount(host.CountDeadLettered, c.reason, 1)
			letter := w.deadStandard.Peek()[0]
			if text := letter.Attributes[wire.ReasonAttribute]; !strings.Contains(text, `event 2 of instance "a" execution 1`) {
				t.Errorf("the reason is %q", text)
			}
			if _, err := wire.Parse([]byte(letter.Body)); err == nil {
				t.Errorf("the body %s is a work item", letter.Body)
			}
			w.expectQuiet()
		})
	}
}

// M-11: a store that does not know the outcome may report a conflict although nothing else wrote.
// The turn is repeated, on redelivery too, and everything happens once.
func TestM11AConflictWithoutAnotherWriter(t *testing.T) {
	t.Parallel()
	for _, conflicts := range []int{1, 2, 3, 4, 7} {
		t.Run(fmt.Sprint(conflicts), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", chain(2))
			w.activityFunc("Step", step)
			left := conflicts
			w.beforeCommit = func(c *store.Commit) error {
				if c.Turns[0].First() == 1 || left == 0 {
					return nil
				}
				left--
				return fmt.Errorf("a lock of nobody: %w", store.ErrConflict)
			}
			w.start("a", "Main", "1")
			w.run()
			w.expectHistory("a", 1, "Started Act(Step) Done←2 Act(Step) Done←4 Completed")
			w.expectCount(host.CountConflicts, "warm", 1)
			w.expectCount(host.CountAttempts, "completed", 2)
			w.expectQuiet()
			w.expectDead()
		})
	}
}
