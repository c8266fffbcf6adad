package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// pendingWorld returns a world with an instance "a" whose activity with this policy is pending, and
// the tokens of the attempts.
func pendingWorld(t *testing.T, retry *history.Retry) (w *world, tokens *[]string) {
	t.Helper()
	w, tokens = newWorld(t, nil), &[]string{}
	w.orchestration("Main", once(retry))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		*tokens = append(*tokens, info.CompletionToken)
		return nil, fmt.Errorf("handed out: %w", activities.ErrPending)
	})
	w.start("a", "Main", "1")
	w.runFor(time.Second)
	if len(*tokens) != 1 {
		t.Fatalf("%d attempts", len(*tokens))
	}
	return w, tokens
}

// byToken sends a message as a program in another language would.
func (w *world) byToken(kind wire.Kind, token, rest string) {
	w.Helper()
	item, err := wire.Parse([]byte(fmt.Sprintf(`{"kind":%q,"activity_token":%q%s}`, kind, token, rest)))
	if err != nil {
		w.Fatal(err)
	}
	w.send(item)
}

func TestA12APendingActivityIsCompletedByItsToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rest, output string
		kind               wire.Kind
	}{
		{"completed", `,"result":"done"`, `"done"`, wire.ActivityCompleted},
		{"failed", `,"details":{"message":"refused"}`, `"application 0 refused"`, wire.ActivityFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, tokens := pendingWorld(t, &history.Retry{MaxAttempts: 3})
			w.expectQuiet()
			w.runFor(40 * 24 * time.Hour)
			w.expectStatus("a", store.StatusRunning)
			w.byToken(c.kind, (*tokens)[0], c.rest)
			w.run()
			w.expectOutput("a", c.output)
			w.byToken(wire.ActivityCompleted, (*tokens)[0], `,"result":"again"`)
			w.run()
			w.expectOutput("a", c.output)
			if len(*tokens) != 1 {
				t.Errorf("%d attempts, want 1", len(*tokens))
			}
			w.expectDead()
			w.expectQuiet()
		})
	}
}

func TestA11APendingActivityWithoutHeartbeats(t *testing.T) {
	t.Parallel()
	w, tokens := pendingWorld(t, &history.Retry{MaxAttempts: 2, InitialMS: 1000, HeartbeatTimeoutMS: (2 * time.Hour).Milliseconds()})
	startedAt := w.clock.Now()
	for range 5 { // more than nine hours
		w.runFor(100 * time.Minute)
		w.byToken(wire.ActivityHeartbeat, (*tokens)[0], `,"data":{"page":7}`)
		w.runFor(10 * time.Minute)
	}
	if len(*tokens) != 1 {
		t.Fatalf("%d attempts although heartbeats came", len(*tokens))
	}
	state, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2})
	if err == nil {
		state.Beat, err = w.codecs.DecodeHeartbeat(store.ActivityKey{}, state.Beat)
	}
	if err != nil || string(state.Beat.Details) != `{"page":7}` {
		t.Errorf("details %s, %v", state.Beat.Details, err)
	}
	w.run()
	if len(*tokens) != 2 {
		t.Errorf("%d attempts, want a second one behind the silence", len(*tokens))
	}
	w.expectOutput("a", `"heartbeat_timeout 2 attempt 2 of the pending activity \"Work\" sent no heartbeat for 2h0m0s"`)
	if took := w.clock.Now().Sub(startedAt); took < 12*time.Hour || took > 14*time.Hour {
		t.Errorf("it failed after %s", took)
	}
	w.expectQuiet()
	w.expectDead()
}

// W: the process dies at each of its calls while the deadline passes.
func TestA13TheDeadlineOfAPendingActivitySurvivesEveryCrash(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			w, _ := pendingWorld(t, &history.Retry{TotalTimeoutMS: 600_000})
			w.runFor(9 * time.Minute)
			w.restart()
			p := w.process()
			p.faults.killAt, p.faults.after = n, after
			w.run()
			w.expectOutput("a", `"total_timeout 1 activity \"Work\" did not complete within its TotalTimeout of 10m0s"`)
			w.expectHistory("a", 1, "Started Act(Work) Failed(total_timeout)←2 Completed")
			w.expectQuiet()
			w.expectDead()
			if p.faults.calls < n {
				return // it dies no more: every call has been tried
			}
		}
	}
}

func TestAnInlineActivityCannotBePending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inline = append(w.inline, activities.Activity{Name: "Work", Source: "test",
		Func: func(context.Context, []byte) ([]byte, error) { return nil, activities.ErrPending }})
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Inline: true}))
		text, _ := json.Marshal(fmt.Sprint(err != nil))
		return text, nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", `"true"`)
}

// a message without a valid proof reports that an activity is pending. The instance checks
// the message at once, however late its due time is.
func TestA13AForgedPendingIsNotRequeuedUntilItIsDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("go"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.ActivityPending, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: "forged", Attempt: 1,
		ScheduledAtMS: w.clock.Now().UnixMilli(), NotBeforeMS: w.clock.Now().Add(365 * 24 * time.Hour).UnixMilli()})
	w.idle = time.Hour
	w.run()
	w.expectQuiet()
}
